/*-------------------------------------------------------------------------
 *
 * row_type.c
 *	  The row type that a query asks several nodes for.
 *
 * A prepared statement depends on the function that it calls, but not on the table
 * whose row type it names: to the server, SELECT * FROM iuid_find(NULL::orders, $1)
 * keeps its columns whatever becomes of those of orders.  So when a table changes,
 * the server is told, in this session, that the functions have changed which are
 * planned for its row type.  A statement whose columns changed before it is planned is
 * not planned, and one whose columns changed after it began is ended.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
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
static bool has_changed(Query *query, const FuncExpr *call);
static bool same_columns(const RangeTblEntry *rte, int first, TupleDesc rows,
						 int count);
static bool same_types(List *vars, int varno, int first, TupleDesc rows);
static bool same_row_type(TupleDesc before, TupleDesc now);
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
	bool changed;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);

	call = request->fcall;
	table = get_typ_typrelid(call->funcresulttype);
	if (OidIsValid(table))
	{
		watch(table, call->funcid);
		changed =
			request->root != NULL && has_changed(request->root->parse, call);
	}
	else
		changed = !SearchSysCacheExists1(TYPEOID,
										 ObjectIdGetDatum(call->funcresulttype));
	if (changed)
	{
		/* The next time it is analyzed again. */
		CallSyscacheCallbacks(PROCOID,
							  GetSysCacheHashValue1(PROCOID,
													ObjectIdGetDatum(
														call->funcid)));
		reject_changed(call->funcresulttype, "before the statement was planned");
	}
	PG_RETURN_POINTER(NULL);
}

TupleDesc
iuid_row_type_arg(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	const ReturnSetInfo *result = (const ReturnSetInfo *) fcinfo->resultinfo;
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
	if (result != NULL && IsA(result, ReturnSetInfo) &&
		result->expectedDesc != NULL &&
		!same_row_type(result->expectedDesc, rows))
		reject_changed(type, "while the statement ran");
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
	static bool registered;
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
	if (!registered)
		CacheRegisterRelcacheCallback(tell_of_change, (Datum) 0);
	registered = true;
	caller = MemoryContextSwitchTo(TopMemoryContext);
	watched = palloc(sizeof(Watched));
	watched->table = table;
	watched->function = hash;
	all_watched = lappend(all_watched, watched);
	MemoryContextSwitchTo(caller);
	/* What was prepared before may be of a row type that has changed since. */
	CallSyscacheCallbacks(PROCOID, hash);
}

/*
 * Without a table, any can have changed.  What is planned again is watched again.
 */
static void
tell_of_change(Datum arg pg_attribute_unused(), Oid table)
{
	ListCell *lc;

	foreach (lc, all_watched)
	{
		Watched *watched = lfirst(lc);

		if (!OidIsValid(table) || watched->table == table)
		{
			CallSyscacheCallbacks(PROCOID, watched->function);
			all_watched = foreach_delete_current(all_watched, lc);
			pfree(watched);
		}
	}
}

/*
 * Whether a query has such a call in FROM, and was analyzed with other columns than the
 * row type has now.  A view has its query from the catalog, without places in a text:
 * it keeps its columns and their names.
 */
static bool
has_changed(Query *query, const FuncExpr *call)
{
	TupleDesc rows = lookup_rowtype_tupdesc_copy(call->funcresulttype, -1);
	List *vars = pull_vars_of_level((Node *) query, 0);
	int varno = 0;
	ListCell *lc, *lc_item;

	foreach (lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		int first = 0;

		varno++;
		/* Of an RTE of another kind it is an empty list. */
		foreach (lc_item, rte->functions)
		{
			const RangeTblFunction *item = lfirst_node(RangeTblFunction, lc_item);
			const FuncExpr *analyzed = (const FuncExpr *) item->funcexpr;

			if (IsA(analyzed, FuncExpr) && analyzed->funcid == call->funcid &&
				analyzed->funcresulttype == call->funcresulttype &&
				analyzed->location >= 0 &&
				!(same_columns(rte, first, rows, item->funccolcount) &&
				  same_types(vars, varno, first, rows)))
				return true;
			first += item->funccolcount;
		}
	}
	return false;
}

/* By number and names, unless the statement gives them its own; a dropped one has none. */
static bool
same_columns(const RangeTblEntry *rte, int first, TupleDesc rows, int count)
{
	int renamed = rte->alias == NULL ? 0 : list_length(rte->alias->colnames);

	if (rows->natts != count)
		return false;
	for (int i = 0; i < count; i++)
	{
		Form_pg_attribute column = TupleDescAttr(rows, i);
		const char *before = strVal(list_nth(rte->eref->colnames, first + i));

		if ((before[0] == '\0') != column->attisdropped)
			return false;
		if (first + i >= renamed && !column->attisdropped &&
			strcmp(before, NameStr(column->attname)) != 0)
			return false;
	}
	return true;
}

/* The types with which the Vars of a query read the columns. */
static bool
same_types(List *vars, int varno, int first, TupleDesc rows)
{
	ListCell *lc;

	foreach (lc, vars)
	{
		const Var *var = lfirst(lc);
		int column;

		if (!IsA(var, Var) || (int) var->varno != varno)
			continue;
		column = var->varattno - 1 - first;
		if (column >= 0 && column < rows->natts &&
			TupleDescAttr(rows, column)->atttypid != var->vartype)
			return false;
	}
	return true;
}

void
iuid_check_row_type(TupleDesc rows)
{
	if (!same_row_type(rows, lookup_rowtype_tupdesc_copy(rows->tdtypeid, -1)))
		reject_changed(rows->tdtypeid, "while the statement waited");
}

static bool
same_row_type(TupleDesc before, TupleDesc now)
{
	bool same = before->natts == now->natts;

	for (int i = 0; same && i < now->natts; i++)
	{
		Form_pg_attribute one = TupleDescAttr(before, i);
		Form_pg_attribute other = TupleDescAttr(now, i);

		same = one->attisdropped == other->attisdropped &&
			(one->attisdropped ||
			 (one->atttypid == other->atttypid &&
			  strcmp(NameStr(one->attname), NameStr(other->attname)) == 0));
	}
	return same;
}

static void
reject_changed(Oid type, const char *when)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cached plan must not change result type"),
			 errdetail("The columns of type %s changed %s.",
					   format_type_extended(type, -1, FORMAT_TYPE_ALLOW_INVALID),
					   when),
			 errhint("Send the statement again, or prepare it again.")));
}
