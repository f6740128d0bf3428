/*-------------------------------------------------------------------------
 *
 * move.h
 *	  Rows that leave the DEFAULT partition for one of their own.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_MOVE_H
#define IUID_MOVE_H

#include "attach.h"
#include "partitioned.h"

typedef struct Move Move;

/*
 * The three parts of a move, with the new partitions attached between the
 * second and the third.  The partitions stand in the order of their bounds,
 * and get the number of rows that moved.
 *
 * Rows that would have to move are an error where the DEFAULT partition is
 * not a plain table (42809), belongs to another owner (42501), is published
 * in a way that would not bring the rows along (55000), or where they break
 * a constraint of their new partition (23514, 23502) or a foreign key that
 * refers to the DEFAULT partition itself (23503).
 */
extern Move *iuid_begin_move(const Partitioned *parent,
							 NewPartition *partitions, int count);
extern void iuid_take_out(Move *move);
extern void iuid_put_in(Move *move);

#endif /* IUID_MOVE_H */
