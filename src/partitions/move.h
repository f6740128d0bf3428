/*-------------------------------------------------------------------------
 *
 * move.h
 *	  Moves rows out of the DEFAULT partition into new partitions.
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
 * The three parts of a move.  The caller attaches the new partitions after
 * iuid_take_out() and before iuid_put_in().  The new partitions stand in the
 * order of their bounds, and get the number of rows that moved into them.
 *
 * 55006 if a query of this transaction is using the DEFAULT partition.  These
 * errors are raised only if rows would have to move:
 *
 *	  42809		the DEFAULT partition or the new one is not a plain table
 *	  42501		the DEFAULT partition belongs to another owner
 *	  55006		triggers on the DEFAULT partition are pending
 *	  55000		subscribers would get only one half of the move, or the
 *				DEFAULT partition has no replica identity for it
 *	  23514, 23502	a row breaks a constraint of its new partition
 *	  23503		a foreign key to the DEFAULT partition itself needs a row
 */
extern Move *iuid_begin_move(const Partitioned *parent,
							 NewPartition *partitions, int count);
extern void iuid_take_out(Move *move);
extern void iuid_put_in(Move *move);

#endif /* IUID_MOVE_H */
