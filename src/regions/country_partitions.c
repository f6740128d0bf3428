/*-------------------------------------------------------------------------
 *
 * country_partitions.c
 *	  Makes a partition for each country that is routed to this node.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "countries.h"
#include "datum.h"
#include "function.h"
#include "partitions/lock.h"
#include "partitions/maintenance.h"
#include "owner.h"

/*
 * The tables of a country with a step: its partition, and below that a DEFAULT
 * partition, one for the present step, and those ahead.
 */
#define TABLES_OF_COUNTRY (2 + 1 + IUID_AHEAD_DEFAULT)

static List *plan_country_partitions(void *arg);
static void create_country(const Countries *countries, int country, Step *step,
						   NewPartition *new);
static void add_check(const Countries *countries, int country,
					  const NewPartition *range);
static Expr *make_comparison(Oid family, StrategyNumber strategy, Var *key,
							 const Iuid *bound);

/*
 * iuid_create_country_partitions(parent, entity, step): makes the partitions
 * that are missing, one for each country whose rows of an entity are routed to
 * this node.
 */
PG_FUNCTION_INFO_V1(iuid_create_country_partitions);
Datum
iuid_create_country_partitions(PG_FUNCTION_ARGS)
{
	int entity =
		iuid_entity_of_table(fcinfo, 1,
							 "Give the table in country order, and the number of the entity that is in it.");
	bool has_step = !PG_ARGISNULL(2);
	Step step;
	Countries countries = { .parent = PG_GETARG_OID(0),
							.schema = get_func_namespace(fcinfo->flinfo->fn_oid) };
	NewPartition *new = palloc0(sizeof(NewPartition) * IUID_COUNTRIES);
	int count = 0;
	Restricted saved;

	if (has_step)
		step = iuid_step(PG_GETARG_INTERVAL_P(2));
	iuid_check_owner(countries.parent);
	(void) iuid_read_partitioned(countries.parent, ORDER_OF_COUNTRY,
								 countries.schema);
	iuid_want_countries(fcinfo, &countries, entity, true);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(countries.parent);
	countries.limit = iuid_tables_per_call(countries.parent);
	if (has_step)
		countries.limit = Max(countries.limit / TABLES_OF_COUNTRY, 1);
	iuid_take_locks(plan_country_partitions, &countries);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		if (!countries.missing[c])
			continue;
		new[count] = iuid_range_of_country(c);
		create_country(&countries, c, has_step ? &step : NULL, &new[count]);
		count++;
	}
	iuid_attach(countries.table, new, count);
	for (int i = 0; i < count; i++)
		iuid_give_table(fcinfo, new[i].table);
	iuid_return(&saved);

	if (countries.unfinished)
		ereport(WARNING,
				(errmsg("not all partitions of %s could be made in one call",
						iuid_qualified_name(countries.parent)),
				 errdetail("%d were made: more would need too many locks.", count),
				 errhint(
					 "Call it again, in another transaction: it goes on from there.")));
	return (Datum) 0;
}

static List *
plan_country_partitions(void *arg)
{
	Countries *countries = arg;

	iuid_check_owner(countries->parent);
	if (iuid_find_missing(countries) == 0)
		return NIL;
	return iuid_add_locks_of_attach(NIL, countries->table);
}

static void
create_country(const Countries *countries, int country, Step *step,
			   NewPartition *new)
{
	char *base = get_rel_name(countries->parent);
	const char *schema = get_namespace_name(countries->schema);
	Oid rest;
	char *behind = step == NULL ?
		"" :
		psprintf(" PARTITION BY RANGE (%s %s)",
				 quote_identifier(countries->table->key),
				 quote_qualified_identifier(schema, "iuid_ops"));

	new->table =
		iuid_create_like(countries->parent,
						 iuid_shortened_name(base, psprintf("_c%d", country)),
						 behind);
	add_check(countries, country, new);
	if (step == NULL)
		return;

	rest = iuid_create_like(new->table,
							iuid_shortened_name(base,
												psprintf("_c%d_rest", country)),
							"");
	iuid_execute("ALTER TABLE %s ATTACH PARTITION %s DEFAULT",
				 iuid_qualified_name(new->table), iuid_qualified_name(rest));
	iuid_cover_present(new->table, countries->schema, step);
}

/*
 * Adds CHECK (iuid_country(id) = country AND id ~>=~ lower AND id ~<~ upper).
 * From the bounds in it the server knows that the table has no row of another
 * country, and need not read the rows to attach a partition.  The expression
 * has its function and operators by OID: by name, other objects of the schema
 * could be found in their place.
 */
static void
add_check(const Countries *countries, int country, const NewPartition *range)
{
	Relation table = table_open(range->table, NoLock);
	AttrNumber column = get_attnum(range->table, countries->table->key);
	Oid type = get_atttype(range->table, column);
	Oid function =
		iuid_find_function(countries->schema, "iuid_country", &type, 1);
	Var *key = makeVar(1, column, type, -1, InvalidOid, 0);
	Expr *is_country;
	Constraint *check = makeNode(Constraint);

	if (!OidIsValid(function))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function %s of extension \"%s\" is missing",
						"iuid_country", "iuid"),
				 errhint("Give the function back its name.")));
	is_country =
		make_opclause(Int4EqualOperator, BOOLOID, false,
					  (Expr *) makeFuncExpr(function, INT4OID,
											list_make1(copyObject(key)),
											InvalidOid, InvalidOid,
											COERCE_EXPLICIT_CALL),
					  (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
										 Int32GetDatum(country), false, true),
					  InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) is_country);

	check->contype = CONSTR_CHECK;
	check->location = -1;
	check->initially_valid = true;
	SET_ENFORCED(check);
	check->cooked_expr = nodeToString(make_andclause(
		list_make3(is_country,
				   make_comparison(countries->table->opfamily,
								   BTGreaterEqualStrategyNumber, key,
								   &range->lower),
				   make_comparison(countries->table->opfamily,
								   BTLessStrategyNumber, key, &range->upper))));
	AddRelationNewConstraints(table, NIL, list_make1(check), false, true, false,
							  NULL);
	table_close(table, NoLock);
	CommandCounterIncrement();
}

/* A comparison of the key with a bound, by an operator of country order. */
static Expr *
make_comparison(Oid family, StrategyNumber strategy, Var *key, const Iuid *bound)
{
	Oid operator=
		get_opfamily_member(family, key->vartype, key->vartype, strategy);
	Expr *comparison;

	if (!OidIsValid(operator))
		elog(ERROR, "operator family iuid_country_ops has no operator %d",
			 strategy);
	comparison =
		make_opclause(operator, BOOLOID, false, (Expr *) copyObject(key),
					  (Expr *) makeConst(key->vartype, -1, InvalidOid, IUID_LEN,
										 iuid_to_datum(*bound), false, false),
					  InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) comparison);
	return comparison;
}
