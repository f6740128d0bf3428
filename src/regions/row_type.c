/*-------------------------------------------------------------------------
 *
 * row_type.c
 *	  The row type that a query asks several nodes for.
 *
 * A prepared statement depends on the function that it calls, but not on the table
 * whose row type it names: to the server, SELECT * FROM iuid_find(NULL::orders, $1)
 * keeps its columns whatever becomes of those of orders.  So when a table changes,
 * the server is told, in this session, that the functions have changed which were
 * called for its row type.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "row_type.h"

/* A row type that a function of this session was called for. */
typedef struct Watched
{
	Oid table;		 /* of the row type, or of the composite type */
	uint32 function; /* its hash value in the cache of functions */
} Watched;

static List *all_watched;

static void watch(Oid table, Oid function);
static void tell_of_change(Datum arg, Oid table);

TupleDesc
iuid_row_type_arg(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	TupleDesc rows;
	int columns = 0;

	if (!OidIsValid(type) || type == RECORDOID ||
		get_typtype(type) != TYPTYPE_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the type of the rows is not known"),
				 errdetail("The first argument must have a composite type."),
				 errhint(
					 "Give a NULL of the row type of a table, such as NULL::orders.")));
	watch(get_typ_typrelid(type), fcinfo->flinfo->fn_oid);
	rows = lookup_rowtype_tupdesc_copy(type, -1);
	for (int i = 0; i < rows->natts; i++)
	{
		if (!TupleDescAttr(rows, i)->attisdropped)
			columns++;
	}
	if (columns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s has no columns", format_type_be(type)),
				 errhint("Give a NULL of the row type of a table with columns.")));
	return rows;
}

static void
watch(Oid table, Oid function)
{
	uint32 hash = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(function));
	MemoryContext caller;
	Watched *watched;
	ListCell *lc;

	foreach (lc, all_watched)
	{
		watched = lfirst(lc);
		if (watched->table == table && watched->function == hash)
			return;
	}
	if (all_watched == NIL)
		CacheRegisterRelcacheCallback(tell_of_change, (Datum) 0);
	caller = MemoryContextSwitchTo(TopMemoryContext);
	watched = palloc(sizeof(Watched));
	watched->table = table;
	watched->function = hash;
	all_watched = lappend(all_watched, watched);
	MemoryContextSwitchTo(caller);
	/* What was prepared before may be of a row type that has changed since. */
	CallSyscacheCallbacks(PROCOID, hash);
}

/* Without a table, any can have changed. */
static void
tell_of_change(Datum arg pg_attribute_unused(), Oid table)
{
	ListCell *lc;

	foreach (lc, all_watched)
	{
		const Watched *watched = lfirst(lc);

		if (!OidIsValid(table) || watched->table == table)
			CallSyscacheCallbacks(PROCOID, watched->function);
	}
}

void
iuid_check_row_type(TupleDesc rows)
{
	TupleDesc now = lookup_rowtype_tupdesc_copy(rows->tdtypeid, -1);

	for (int i = 0; i < rows->natts; i++)
	{
		Form_pg_attribute before = TupleDescAttr(rows, i);
		Form_pg_attribute column = TupleDescAttr(now, i);

		if (before->attisdropped || column->attisdropped)
			continue;
		if (strcmp(NameStr(before->attname), NameStr(column->attname)) != 0 ||
			before->atttypid != column->atttypid)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cached plan must not change result type"),
					 errdetail("The columns of type %s changed while the statement waited.",
							   format_type_be(rows->tdtypeid)),
					 errhint("Send the statement again.")));
	}
}
