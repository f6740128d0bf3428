/*-------------------------------------------------------------------------
 *
 * row_type.c
 *	  The row type that a query asks several nodes for.
 *
 * A prepared statement depends on the function that it calls, but not on the table
 * whose row type it names: to the server, SELECT * FROM iuid_find(NULL::orders, $1)
 * keeps its columns whatever becomes of those of orders.  So when a table changes,
 * the server is told, in this session, that the functions have changed which are
 * planned for its row type; and a statement whose columns changed before it was
 * planned for the first time is not planned.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "row_type.h"

/* A row type that a function was planned for in this session. */
typedef struct Watched
{
	Oid table;		 /* of the row type, or of the composite type */
	uint32 function; /* its hash value in the cache of functions */
} Watched;

static List *all_watched;

static void watch(Oid table, Oid function);
static void tell_of_change(Datum arg, Oid table);
static void check_columns(const RangeTblEntry *rte, const FuncExpr *call);
static bool same_columns(const RangeTblEntry *rte, int first, int count,
						 Oid type);
pg_noreturn static void reject_changed(Oid type, const char *when);

/*
 * Planner support function of the functions whose rows have the row type of their
 * argument 0.
 */
PG_FUNCTION_INFO_V1(iuid_row_type_support);
Datum
iuid_row_type_support(PG_FUNCTION_ARGS)
{
	SupportRequestSimplify *request =
		(SupportRequestSimplify *) PG_GETARG_POINTER(0);
	const FuncExpr *call;
	Oid table;
	ListCell *lc;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);

	call = request->fcall;
	table = get_typ_typrelid(call->funcresulttype);
	if (!OidIsValid(table))
		PG_RETURN_POINTER(NULL); /* iuid_row_type_arg() says so */

	watch(table, call->funcid);
	if (request->root != NULL)
	{
		foreach (lc, request->root->parse->rtable)
			check_columns(lfirst_node(RangeTblEntry, lc), call);
	}
	PG_RETURN_POINTER(NULL);
}

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

/*
 * 0A000 unless the columns that a statement was analyzed with are those of the row
 * type now.  A view has its statement from the catalog, without places in a text:
 * it keeps its columns and their names.
 */
static void
check_columns(const RangeTblEntry *rte, const FuncExpr *call)
{
	int first = 0;
	ListCell *lc;

	if (rte->rtekind != RTE_FUNCTION)
		return;
	foreach (lc, rte->functions)
	{
		const RangeTblFunction *item = lfirst_node(RangeTblFunction, lc);
		const FuncExpr *analyzed = (const FuncExpr *) item->funcexpr;

		if (IsA(analyzed, FuncExpr) && analyzed->funcid == call->funcid &&
			analyzed->funcresulttype == call->funcresulttype &&
			analyzed->location >= 0 &&
			!same_columns(rte, first, item->funccolcount, call->funcresulttype))
		{
			/* The next time it is analyzed again. */
			CallSyscacheCallbacks(PROCOID,
								  GetSysCacheHashValue1(PROCOID,
														ObjectIdGetDatum(
															call->funcid)));
			reject_changed(call->funcresulttype,
						   "since the statement was prepared");
		}
		first += item->funccolcount;
	}
}

/* The columns of an RTE from the first on; a dropped one has an empty name. */
static bool
same_columns(const RangeTblEntry *rte, int first, int count, Oid type)
{
	int renamed = rte->alias == NULL ? 0 : list_length(rte->alias->colnames);
	TupleDesc rows = lookup_rowtype_tupdesc(type, -1);
	bool same = rows->natts == count;

	for (int i = 0; i < count && same; i++)
	{
		Form_pg_attribute column = TupleDescAttr(rows, i);
		const char *before = strVal(list_nth(rte->eref->colnames, first + i));
		const char *now = column->attisdropped ? "" : NameStr(column->attname);

		same = first + i < renamed || strcmp(before, now) == 0;
	}
	ReleaseTupleDesc(rows);
	return same;
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
			reject_changed(rows->tdtypeid, "while the statement waited");
	}
}

static void
reject_changed(Oid type, const char *when)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cached plan must not change result type"),
			 errdetail("The columns of type %s changed %s.",
					   format_type_be(type), when),
			 errhint("Send the statement again.")));
}
