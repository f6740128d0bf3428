/*-------------------------------------------------------------------------
 *
 * find_here.h
 *	  Rows by their identifiers, at the node that has them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FIND_HERE_H
#define IUID_FIND_HERE_H

#include "regions_compat.h"

#include "utils/array.h"
#include "utils/tuplestore.h"

#include "rows_as_text.h"

/*
 * The first columns of the answer of iuid_find_here(): an identifier, and, if it has
 * another route there, its node.  Then there are no values.
 */
enum
{
	IUID_FIND_ID,
	IUID_FIND_NODE,
	IUID_FIND_LEAD
};

/* The column by which the rows of a table are found. */
typedef struct IdKey
{
	const char *name;
	bool is_uuid;	/* else iuid; or a domain over the one or the other */
	bool is_unique; /* one row for each identifier */
} IdKey;

/* 42809 unless the relation is a table that can have rows of its own. */
extern void iuid_check_has_rows(Oid table, const char *name);

/*
 * The column of the primary key or, without one, of the partition key.  42809 if
 * that is not one column of type iuid or uuid, 42P01 if there is no such table.  The
 * table is locked until the transaction ends, so that its name stays its own.
 */
extern IdKey iuid_id_key_of(Oid table, Oid schema);

/*
 * A copy of the name of the node of an identifier.  22023 for a uuid that is no
 * iuid, and for one without a route.
 */
extern const char *iuid_require_route(FunctionCallInfo fcinfo, Datum id);

/* A query for the columns of the rows whose identifiers are in $1, a uuid[]. */
extern char *iuid_query_for_rows(Oid table, Oid schema, const IdKey *key,
								 const char *columns);

/*
 * Puts the rows of such a query for these identifiers, without NULL, into a
 * tuplestore of the current memory context; its column of number key, from 1, is
 * the identifier.  The rows get the row type that is given, 42804 if the columns
 * are others, or for NULL that of the query, which is returned.
 */
extern TupleDesc iuid_store_rows_of_ids(Tuplestorestate *store, TupleDesc rows,
										const char *query, int key,
										ArrayType *ids);

extern char *iuid_uuid_text(Datum id);

/* For qsort() and bsearch(), of pg_uuid_t, in byte order. */
extern int iuid_compare_uuids(const void *a, const void *b);

#endif /* IUID_FIND_HERE_H */
