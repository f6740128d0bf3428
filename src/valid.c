/*-------------------------------------------------------------------------
 *
 * valid.c
 *	  Which UUIDs are iuids, and which columns hold nothing else.
 *
 * A column holds only iuids by its type, or by a CHECK that calls iuid_is_valid().
 * The CHECK is known by the function that it calls, and by the argument; it may be
 * one of several conditions that are joined by AND.  Nothing of it is evaluated.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "datum.h"
#include "valid.h"

/* In the place of a column, the value of a domain. */
#define VALUE_OF_DOMAIN InvalidAttrNumber

static bool domain_has_check(Oid domain);
static Oid type_below(Oid domain);
static bool has_check(Node *condition, AttrNumber column);
static bool is_check(Node *condition, AttrNumber column);

/* iuid_is_valid(uuid): whether a UUID is an iuid. */
PG_FUNCTION_INFO_V1(iuid_is_valid_uuid);
Datum
iuid_is_valid_uuid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(iuid_is_valid(PG_GETARG_IUID_P(0)));
}

/*
 * iuid_is_valid_beside(uuid, bound): the same, for the planner, which puts it in the
 * place of iuid_is_from() with comparisons.  As it is strict, all of them are NULL if
 * the bound is.
 */
PG_FUNCTION_INFO_V1(iuid_is_valid_beside);
Datum
iuid_is_valid_beside(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(iuid_is_valid(PG_GETARG_IUID_P(0)));
}

/* The planner's support function for both: every row is expected to have an iuid. */
PG_FUNCTION_INFO_V1(iuid_is_valid_support);
Datum
iuid_is_valid_support(PG_FUNCTION_ARGS)
{
	Node *rawreq = (Node *) PG_GETARG_POINTER(0);

	if (!IsA(rawreq, SupportRequestSelectivity))
		PG_RETURN_POINTER(NULL);
	((SupportRequestSelectivity *) rawreq)->selectivity = 1;
	PG_RETURN_POINTER(rawreq);
}

bool
iuid_type_is_valid(Oid type, Oid iuid_type)
{
	for (; get_typtype(type) == TYPTYPE_DOMAIN; type = type_below(type))
	{
		if (domain_has_check(type))
			return true;
	}
	return type == iuid_type;
}

bool
iuid_column_is_valid(Relation relation, AttrNumber column)
{
	const TupleConstr *constraints = RelationGetDescr(relation)->constr;

	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
	{
		const ConstrCheck *check = &constraints->check[i];

		if (check->ccvalid && CHECK_IS_ENFORCED(check) &&
			has_check(stringToNode(check->ccbin), column))
			return true;
	}
	return false;
}

/* The server keeps the constraints of a domain planned, which evaluates parts of them. */
static bool
domain_has_check(Oid domain)
{
	Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;
	bool found = false;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(domain));
	scan =
		systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (!found && (tuple = systable_getnext(scan)) != NULL)
	{
		bool isnull;
		Datum expression;

		if (!((Form_pg_constraint) GETSTRUCT(tuple))->convalidated)
			continue;
		expression = heap_getattr(tuple, Anum_pg_constraint_conbin,
								  RelationGetDescr(catalog), &isnull);
		found = !isnull &&
			has_check(stringToNode(TextDatumGetCString(expression)),
					  VALUE_OF_DOMAIN);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

/* The type, or other domain, that a domain was made over. */
static Oid
type_below(Oid domain)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(domain));
	Oid type = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		type = ((Form_pg_type) GETSTRUCT(tuple))->typbasetype;
		ReleaseSysCache(tuple);
	}
	return type;
}

/* Whether a condition, or one of those that AND joins, is iuid_is_valid(column). */
static bool
has_check(Node *condition, AttrNumber column)
{
	List *conditions = list_make1(condition);
	ListCell *lc;

	foreach (lc, conditions)
	{
		if (is_andclause(lfirst(lc)))
			conditions = list_concat(conditions, ((BoolExpr *) lfirst(lc))->args);
		else if (is_check(lfirst(lc), column))
			return true;
	}
	return false;
}

static bool
is_check(Node *condition, AttrNumber column)
{
	FmgrInfo function;
	Node *argument;

	if (!is_funcclause(condition))
		return false;
	fmgr_info(((FuncExpr *) condition)->funcid, &function);
	if (function.fn_addr != iuid_is_valid_uuid)
		return false;
	argument = linitial(((FuncExpr *) condition)->args);
	while (IsA(argument, RelabelType))
		argument = (Node *) ((RelabelType *) argument)->arg;
	return column == VALUE_OF_DOMAIN ?
		IsA(argument, CoerceToDomainValue) :
		IsA(argument, Var) && ((Var *) argument)->varattno == column;
}
