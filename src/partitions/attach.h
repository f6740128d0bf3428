/*-------------------------------------------------------------------------
 *
 * attach.h
 *	  Internals of attaching partitions.
 *
 * New partitions stand in the order of their bounds.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ATTACH_H
#define IUID_ATTACH_H

#include "compat.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "utils/relcache.h"

#include "partitioned.h"

/* A partition without an end, out of which new ones are cut. */
typedef struct OpenEnd OpenEnd;

/* Rows on their way out of a partition into new ones. */
typedef struct Move Move;

/* A partition into which rows are written. */
typedef struct Target Target;

/* ATTACH PARTITION; 55000 if another table had the parent's name meanwhile. */
extern void iuid_attach_one(const Partitioned *parent,
							const Partition *partition);

/*
 * The open end out of which new partitions are cut: the first partition if it has
 * no lower bound, or the last one if it has no upper bound, and new partitions
 * overlap it; else NULL, with which the other functions do nothing.  One that is
 * not a plain table of the parent's owner is not cut: ATTACH refuses what
 * overlaps it.  22023 if the new partitions leave a gap to it, or nothing of it.
 *
 * iuid_cut_open_end() takes the rows of the new partitions out, and attaches
 * what is left with its new bound.  After the new partitions are attached,
 * iuid_refill_open_end() puts the rows in.  The caller holds an ACCESS EXCLUSIVE
 * lock on the parent.
 */
extern OpenEnd *iuid_open_first(const Partitioned *parent,
								const Partition *partitions, int count);
extern OpenEnd *iuid_open_last(const Partitioned *parent,
							   const Partition *partitions, int count);
extern void iuid_cut_open_end(OpenEnd *end);
extern void iuid_refill_open_end(OpenEnd *end);

/*
 * The source is a DEFAULT partition, one without an end, or InvalidOid, with
 * which nothing happens.  The caller attaches the new partitions after
 * iuid_take_out(), which returns whether rows stay, and before iuid_put_in().  In
 * between, iuid_take_out_rest() takes out the rows that stay, too, and
 * iuid_put_in() then puts them back.
 *
 * 55006 if a query of this transaction is using the source, 55000 if that was
 * dropped or rewritten meanwhile, 42809 if there is a foreign table in it.
 * These errors are raised only if rows would have to move:
 *
 *	  42809		the new partition is not a plain table
 *	  42501		the source belongs to another owner
 *	  55006		triggers on the source are pending
 *	  55000		a foreign key refers to the source itself, subscribers would
 *				get only one half of the move, or the source has no replica
 *				identity for it
 *	  23514, 23502	a row breaks a constraint of its new partition
 */
extern Move *iuid_begin_move(const Partitioned *parent, Oid source,
							 const Partition *partitions, int count);
extern bool iuid_take_out(Move *move);
extern void iuid_take_out_rest(Move *move);
extern void iuid_put_in(Move *move);

/*
 * A target gets rows of another table, with all checks of the executor but those
 * of indexes and foreign keys: 23514, 23502.  Or it gets back its own rows, that
 * were deleted, as they were: nothing is checked, computed or decoded.  Closing
 * it builds the indexes, which checks UNIQUE and EXCLUDE: 23505, 23P01; NULL is
 * none.  The caller holds an ACCESS EXCLUSIVE lock.
 */
extern Target *iuid_open_target(Oid table, Relation from);
extern void iuid_put_row(Target *target, TupleTableSlot *moved, EState *estate);
extern void iuid_put_back(Target *target, TupleTableSlot *row);
extern void iuid_close_target(Target *target);

#endif /* IUID_ATTACH_H */
