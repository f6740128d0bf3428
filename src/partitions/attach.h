/*-------------------------------------------------------------------------
 *
 * attach.h
 *	  New partitions, with the rows that wait for them in DEFAULT.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ATTACH_H
#define IUID_ATTACH_H

#include "compat.h"

#include "nodes/pg_list.h"

#include "iuid.h"
#include "partitioned.h"

/* A partition to be, with lower <= key < upper. */
typedef struct NewPartition
{
	Oid table;
	Iuid lower;
	Iuid upper;
	int64 moved; /* rows out of DEFAULT */
} NewPartition;

/*
 * Base and suffix as one name.  Of more than 63 bytes, the base is shortened,
 * and a hash of all of it put between.
 */
extern char *iuid_shortened_name(const char *base, const char *suffix);

/*
 * Makes a table like the parent: columns, defaults, CHECKs, storage,
 * tablespace, in the parent's schema.  behind is what follows the columns, or
 * "".  42P07 if there is such a relation.
 */
extern Oid iuid_create_like(Oid parent, const char *name, const char *behind);

/*
 * Attaches tables without rows, in order of their bounds, and moves the rows
 * of their keys out of the DEFAULT partition.  The locks are there already
 * (iuid_add_locks_of_attach).  Fails, and nothing has changed, where rows
 * cannot move: move.c says when.
 */
extern void iuid_attach(const Partitioned *parent, NewPartition *partitions,
						int count);

/* The locks that takes: mode on the parent, and those on the others. */
extern List *iuid_add_locks_of_attach(List *locks, const Partitioned *parent);

#endif /* IUID_ATTACH_H */
