/*-------------------------------------------------------------------------
 *
 * attempt.h
 *	  Runs a part of the work that may fail, or take too long.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ATTEMPT_H
#define IUID_ATTEMPT_H

#include "regions_compat.h"

#include "datatype/timestamp.h"

/*
 * Runs part(arg) in a subtransaction, and returns its result.  If part()
 * returns false or raises an error, the subtransaction is rolled back, its
 * locks are released, and the result is false.  *error is the error, or NULL; a
 * caller that does not expect the error raises it again with ReThrowError().
 */
extern bool iuid_try(bool (*part)(void *arg), void *arg, ErrorData **error);

/*
 * Runs part(arg), which reads into the caller's memory, in a subtransaction that
 * is READ ONLY and is rolled back.  So nothing stays of what the code of a
 * table's owner does in it, such as a policy: settings, since the session that
 * another node keeps open here reads other tables, too; or large objects, which
 * PostgreSQL 15 writes in a read-only transaction.
 */
extern void iuid_read(void (*part)(void *arg), void *arg);

/*
 * Runs part(arg) as iuid_try() does, and cancels it at the end of its time:
 * then the result is false, and *late is true.  A cancel of the statement
 * itself, by the user or by statement_timeout, is raised again: 57014.
 */
extern bool iuid_try_until(bool (*part)(void *arg), void *arg, TimestampTz end,
						   ErrorData **error, bool *late);

#endif /* IUID_ATTEMPT_H */
