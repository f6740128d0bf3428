/*-------------------------------------------------------------------------
 *
 * target.h
 *	  Writes rows into new partitions, below the executor.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_TARGET_H
#define IUID_TARGET_H

#include "compat.h"

#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "utils/relcache.h"

typedef struct Target Target;

/*
 * Opens a new partition, whose indexes are empty, for the rows of another
 * table.  The caller holds an ACCESS EXCLUSIVE lock on it.
 */
extern Target *iuid_open_target(Oid table, Relation from);

/*
 * Writes a row, with all checks of the executor but those of indexes and
 * foreign keys: 23514 or 23502 if it breaks a constraint of the partition.
 */
extern void iuid_put_row(Target *target, TupleTableSlot *moved, EState *estate);

/* Builds the indexes, which checks UNIQUE and EXCLUDE: 23505 or 23P01. */
extern void iuid_close_target(Target *target);

#endif /* IUID_TARGET_H */
