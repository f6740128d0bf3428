/*-------------------------------------------------------------------------
 *
 * country_check.c
 *	  The CHECK by which a partition has the rows of one country.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"

#include "check.h"
#include "country_check.h"
#include "datum.h"
#include "expression.h"
#include "function.h"
#include "type/functions.h"

static Node *make_country(const Countries *countries, Node *key);
static bool read_bound(const Countries *countries, Node *node, Iuid *bound);

/* iuid_country(key) */
static Node *
make_country(const Countries *countries, Node *key)
{
	Oid type = exprType(key);

	return iuid_make_call(iuid_require_function(countries->schema, "iuid_country",
												iuid_country, &type, 1, "iuid"),
						  key);
}

bool
iuid_has_country_check(const Countries *countries, Oid table, int country)
{
	NewPartition range = iuid_range_of_country(country);
	Node *key = iuid_make_key(table, countries->table->key);
	Node *country_of_key = make_country(countries, key);
	bool has_country = false, has_lower = false, has_upper = false;
	ListCell *lc, *clause;

	foreach (lc, iuid_checks_of(table))
	{
		const Check *check = lfirst(lc);

		if (!check->is_valid)
			continue;
		foreach (clause, check->clauses)
		{
			Node *other;
			StrategyNumber strategy =
				iuid_read_comparison(lfirst(clause), country_of_key,
									 INTEGER_BTREE_FAM_OID, &other);
			Iuid bound;

			if (strategy == BTEqualStrategyNumber && IsA(other, Const) &&
				!((Const *) other)->constisnull)
				has_country |=
					DatumGetInt32(((Const *) other)->constvalue) == country;
			strategy = iuid_read_comparison(lfirst(clause), key,
											countries->table->opfamily, &other);
			if (strategy == InvalidStrategy ||
				!read_bound(countries, other, &bound))
				continue;
			if (strategy == BTGreaterEqualStrategyNumber)
				has_lower |= iuid_compare_keys(countries->table, &bound,
											   &range.lower) >= 0;
			if (strategy == BTLessStrategyNumber)
				has_upper |= iuid_compare_keys(countries->table, &bound,
											   &range.upper) <= 0;
		}
	}
	return has_country && has_lower && has_upper;
}

/* Reads a bound that is a constant, or iuid_country_floor() of constants. */
static bool
read_bound(const Countries *countries, Node *node, Iuid *bound)
{
	static const Oid types[] = { INT4OID, INT4OID };
	FuncExpr *call = (FuncExpr *) node;
	Datum numbers[2] = { 0, 0 };

	if (IsA(node, Const) && !((Const *) node)->constisnull)
	{
		*bound = *DatumGetIuidP(((Const *) node)->constvalue);
		return true;
	}
	if (!IsA(node, FuncExpr) ||
		call->funcid !=
			iuid_find_function(countries->schema, "iuid_country_floor",
							   iuid_country_floor, types, 2))
		return false;
	/* A default is not stored. */
	for (int i = 0; i < list_length(call->args); i++)
	{
		Const *number = list_nth(call->args, i);

		/* The function takes the number after the last one, too. */
		if (!IsA(number, Const) || number->constisnull ||
			DatumGetInt32(number->constvalue) < 0 ||
			DatumGetInt32(number->constvalue) > IUID_COUNTRY_MAX + 1)
			return false;
		numbers[i] = number->constvalue;
	}
	*bound =
		*DatumGetIuidP(OidFunctionCall2(call->funcid, numbers[0], numbers[1]));
	return true;
}
