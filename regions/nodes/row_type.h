/*-------------------------------------------------------------------------
 *
 * row_type.h
 *	  The row type that a query asks several nodes for.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ROW_TYPE_H
#define IUID_ROW_TYPE_H

#include "regions_compat.h"

#include "access/tupdesc.h"

/*
 * The row type, as it is now, of the argument 0 of an SQL function whose result is
 * a set of rows of that type.  42804 if it is not the row type of a table or of a
 * composite type, or has no columns; 0A000 if it has changed since the statement began.
 */
extern TupleDesc iuid_row_type_arg(FunctionCallInfo fcinfo);

/*
 * 0A000 unless a row type is still what it was.  The caller has a lock on the table, so
 * this stays so.
 */
extern void iuid_check_row_type(TupleDesc rows);

#endif /* IUID_ROW_TYPE_H */
