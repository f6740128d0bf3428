/*-------------------------------------------------------------------------
 *
 * move.h
 *	  Moves rows out of a partition into new partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_MOVE_H
#define IUID_MOVE_H

#include "partitioned.h"

typedef struct Move Move;

/*
 * The three parts of a move.  The source is the DEFAULT partition, an
 * open-ended one, or InvalidOid, with which nothing happens.  The caller
 * attaches the new partitions after iuid_take_out() and before iuid_put_in().
 * The new partitions stand in the order of their bounds.
 *
 * 55006 if a query of this transaction is using the source.  These errors are
 * raised only if rows would have to move:
 *
 *	  42809		the source or the new partition is not a plain table
 *	  42501		the source belongs to another owner
 *	  55006		triggers on the source are pending
 *	  55000		subscribers would get only one half of the move, or the
 *				source has no replica identity for it
 *	  23514, 23502	a row breaks a constraint of its new partition
 *	  23503		a foreign key to the source itself needs a row
 */
extern Move *iuid_begin_move(const Partitioned *parent, Oid source,
							 const NewPartition *partitions, int count);
extern void iuid_take_out(Move *move);
extern void iuid_put_in(Move *move);

#endif /* IUID_MOVE_H */
