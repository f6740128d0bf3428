/*-------------------------------------------------------------------------
 *
 * attach.h
 *	  Makes and attaches new partitions, and moves their rows into them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ATTACH_H
#define IUID_ATTACH_H

#include "compat.h"

#include "nodes/pg_list.h"

#include "partitioned.h"

/*
 * Makes a table like the parent, in the parent's schema, with the columns,
 * defaults, CHECKs, storage and tablespace of the parent, and returns its OID.
 * rest is the SQL text that follows the list of columns, or "".  42P07 if a
 * relation has that name; 42501 if the current user may not create tables in
 * the schema; 55000 if that was renamed meanwhile.
 */
extern Oid iuid_create_like(Oid parent, const char *name, const char *rest);

/*
 * Attaches tables without rows, which stand in the order of their bounds, and
 * moves the rows of their keys out of the DEFAULT partition and of an
 * open-ended one.  If the first of them begins in an open-ended first
 * partition, they leave no gap up to its upper bound; if the last of them ends
 * in an open-ended last partition, they leave none from its lower bound.  The
 * caller holds the locks of iuid_add_locks_of_attach(), and checks the parent's
 * name afterwards (iuid_check_name()).  move.h has the errors for rows that
 * cannot move.
 */
extern void iuid_attach(const Partitioned *parent,
						const NewPartition *partitions, int count);

/*
 * Makes the partition <parent>_before FROM (MINVALUE) up to a bound, or
 * <parent>_after from a bound TO (MAXVALUE).  If the former's name is taken, it
 * is <parent>_before_2, or the next number that is free.
 */
extern void iuid_create_open_ended_first(const Partitioned *parent,
										 const Iuid *upper);
extern void iuid_create_open_ended_last(const Partitioned *parent,
										const Iuid *lower);

/* Adds the locks that iuid_attach() needs on the parent and on other tables. */
extern List *iuid_add_locks_of_attach(List *locks, const Partitioned *parent,
									  const NewPartition *partitions, int count);

#endif /* IUID_ATTACH_H */
