/*-------------------------------------------------------------------------
 *
 * check_table.h
 *	  Finds what is wrong with a global table, as seen here.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_TABLE_H
#define IUID_CHECK_TABLE_H

#include "compat.h"

#include "nodes/pg_list.h"

/*
 * Reports what is wrong with a global table, on which the caller holds a lock,
 * and returns what the other nodes must have for it: Wanted.  schema is that of
 * the extension.  42809 if the table is no global table; errors as by
 * iuid_find_partitions() and iuid_lock_to_read().
 */
extern List *iuid_check_table(FunctionCallInfo fcinfo, Oid global, Oid schema,
							  bool wait);

#endif /* IUID_CHECK_TABLE_H */
