/*-------------------------------------------------------------------------
 *
 * execute.h
 *	  Executes SQL statements from C.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_EXECUTE_H
#define IUID_EXECUTE_H

#include "compat.h"

/* Executes a statement; the caller qualifies and quotes every name in it. */
extern void iuid_execute(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Executes a query that has one row of one bigint, and returns the bigint, or
 * null_value if it is NULL.  The query sees what is committed now, even under
 * REPEATABLE READ.
 */
extern int64 iuid_query_int64(const char *query, int64 null_value);

#endif /* IUID_EXECUTE_H */
