/*-------------------------------------------------------------------------
 *
 * valid.h
 *	  Which UUIDs are iuids, and which columns hold nothing else.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_VALID_H
#define IUID_VALID_H

#include "compat.h"

#include "fmgr.h"
#include "utils/relcache.h"

extern PGDLLEXPORT Datum iuid_is_valid_uuid(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum iuid_is_valid_beside(PG_FUNCTION_ARGS);

/*
 * Whether values of a type are iuids: of the type iuid itself, and of a domain over
 * iuid or uuid that has CHECK (iuid_is_valid(VALUE)).
 */
extern bool iuid_type_is_valid(Oid type, Oid iuid_type);

/*
 * Whether a partitioned table has CHECK (iuid_is_valid(column)) that holds for all of
 * its rows.  Its partitions inherit each CHECK.
 */
extern bool iuid_column_is_valid(Relation relation, AttrNumber column);

#endif /* IUID_VALID_H */
