/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  How many rows a range of identifiers has: the estimator of < <= >= >.
 *
 * Core's estimators know how to place a value between two others for its own
 * types only, and uuid is none of them.  But they know macaddr8, eight bytes
 * that they read as one number, and the first eight bytes of an identifier
 * are its time, and more.  So core is asked about the same values under the
 * name of macaddr8, with our operator to compare them.  It then does all that
 * it does for a timestamptz, in the same way: the histogram, the most common
 * values, NULLs, the least and the greatest key of an index, and what a user
 * may not see.  That is right as long as a macaddr8 is passed by reference.
 *
 * Core counts a lower and an upper bound of one variable as one range only if
 * their estimator is its own.  It multiplies what any other returns.  So the
 * estimate of a bound is its conditional selectivity, given the bounds before it
 * in the same list of conditions: range(so far) / range(before).  The product is
 * the range.  The planner estimates a list from its first condition to its
 * last.  So the range of all before a bound is kept for the next one, and so is
 * the arm of an OR in which a bound was found: a long list would be walked for
 * each bound.
 *
 * The planner keeps each estimate, and takes it again for the cost of an index,
 * where the bounds can stand in another list: with the predicate of a partial
 * index, in a row comparison, in an arm of OR.  Then it can take the index for
 * more costly than it is.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgrprotos.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"

#include "compare.h"
#include "conditions.h"
#include "origins.h"

/* The operators that are estimated here, by their C functions. */
typedef struct Comparison
{
	PGFunction function;
	PGFunction estimator; /* of core, for the same operator */
	bool is_greater;
	bool by_country; /* order by origin, and not byte order */
} Comparison;

static const Comparison comparisons[] = {
	{ iuid_lt, scalarltsel, false, false },
	{ iuid_le, scalarlesel, false, false },
	{ iuid_ge, scalargesel, true, false },
	{ iuid_gt, scalargtsel, true, false },
	{ iuid_origin_lt, scalarltsel, false, true },
	{ iuid_origin_le, scalarlesel, false, true },
	{ iuid_origin_ge, scalargesel, true, true },
	{ iuid_origin_gt, scalargtsel, true, true },
};

/* What the estimator was called with. */
typedef struct Estimate
{
	PlannerInfo *root;
	int relid; /* of the only relation whose columns are variables; 0 for all */
	Oid estimator;	/* of the bounds: this function */
	Node *variable; /* that the bounds compare; NULL if there is none */
} Estimate;

/* The tightest bound of each side that is known so far. */
typedef struct Range
{
	bool has_lower;
	bool has_upper;
	double lower; /* the part of the rows within the lower bound, 0-1 */
	double upper;
} Range;

/* How far a list of conditions was walked, and the range until there. */
typedef struct Walk
{
	const PlannerInfo *root; /* of the query, or NULL */
	const List *conditions;
	const List *args; /* of the last bound */
	int next;		  /* condition */
	Range range;
} Walk;

static Walk walk;

static const Comparison *find_comparison(Oid oper);
static RelOptInfo *find_variable(Estimate *est, List *args);
static int add_bounds_before(Estimate *est, const Comparison *comparison,
							 const List *conditions, int next, const List *args,
							 Range *range);
static void begin_walk(PlannerInfo *root);
static void end_walk(void *arg);
static int resume_walk(Estimate *est, const Comparison *comparison,
					   const List *conditions, Range *range);
static const Comparison *comparison_of(Estimate *est, const Comparison *like,
									   const Node *condition);
static double known_selectivity(const Node *condition);
static double bound_selectivity(Estimate *est, const Comparison *comparison,
								Oid oper, Oid collation, List *args);
static void add_bound(Estimate *est, Range *range, const Comparison *comparison,
					  List *args, double selectivity);
static bool origin_selectivity(Estimate *est, const Comparison *comparison,
							   List *args, double *selectivity);
static List *as_macaddr8(Estimate *est, List *args);
static double range_selectivity(Estimate *est, const Range *range);
static bool is_bound(Estimate *est, List *args);
static bool is_variable(Estimate *est, Node *expr);
static Node *without_relabel(Node *expr);

/*
 * The estimator.  Arguments: PlannerInfo, operator, List of its arguments, and
 * relation as in Estimate.  Result: the part of the rows for which the operator
 * is true, 0-1; for an operator that is none of those above, what core takes for
 * one of which it knows nothing.
 */
PG_FUNCTION_INFO_V1(iuid_rangesel);
Datum
iuid_rangesel(PG_FUNCTION_ARGS)
{
	Oid oper = PG_GETARG_OID(1);
	List *args = (List *) PG_GETARG_POINTER(2);
	Estimate est = { .root = (PlannerInfo *) PG_GETARG_POINTER(0),
					 .relid = PG_GETARG_INT32(3),
					 .estimator = fcinfo->flinfo->fn_oid };
	Range range = { .lower = 1, .upper = 1 };
	const Comparison *comparison = find_comparison(oper);
	List *conditions = NIL;
	RelOptInfo *rel;
	int next;
	double without, with;
	MemoryContext old;

	/* The values of another operator may have fewer than eight bytes. */
	if (comparison == NULL)
		PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);

	/* Each call walks the conditions, and the planner frees nothing until its end. */
	old = MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext,
													  "iuid_rangesel",
													  ALLOCSET_DEFAULT_SIZES));
	begin_walk(est.root);
	rel = find_variable(&est, args);
	if (rel != NULL)
		conditions = iuid_conditions_of(est.root, rel, args);
	next = resume_walk(&est, comparison, conditions, &range);
	next = add_bounds_before(&est, comparison, conditions, next, args, &range);
	if (walk.next > 0 && next == list_length(conditions))
	{
		/* A condition is estimated again, which comes before the last one. */
		range = (Range){ .lower = 1, .upper = 1 };
		next = add_bounds_before(&est, comparison, conditions, 0, args, &range);
	}
	without = range_selectivity(&est, &range);
	add_bound(&est, &range, comparison, args,
			  bound_selectivity(&est, comparison, oper, PG_GET_COLLATION(), args));
	with = range_selectivity(&est, &range);
	walk = (Walk){ .root = est.root,
				   .conditions = conditions,
				   .args = args,
				   .next = next + 1,
				   .range = range };
	MemoryContextDelete(MemoryContextSwitchTo(old));
	PG_RETURN_FLOAT8(with < without ? with / without : 1);
}

/*
 * Adds the bounds of a list to a range, from a condition on, up to the one with
 * these arguments.  Result: the number of that one, or of conditions if it is none
 * of them.
 */
static int
add_bounds_before(Estimate *est, const Comparison *comparison,
				  const List *conditions, int next, const List *args,
				  Range *range)
{
	for (; next < list_length(conditions); next++)
	{
		Node *condition = list_nth(conditions, next);
		OpExpr *other = (OpExpr *) iuid_condition_of(condition);
		const Comparison *others = comparison_of(est, comparison, (Node *) other);
		double selectivity;

		CHECK_FOR_INTERRUPTS();
		if (IsA(other, OpExpr) && other->args == args)
			break;
		if (others == NULL)
			continue;

		/* The first one was estimated alone. */
		selectivity = range->has_lower || range->has_upper ?
			-1 :
			known_selectivity(condition);
		if (selectivity < 0)
			selectivity = bound_selectivity(est, others, other->opno,
											other->inputcollid, other->args);
		add_bound(est, range, others, other->args, selectivity);
	}
	return next;
}

/*
 * Forgets another query.  When the memory of this one is freed, the next one may
 * get the same addresses.
 */
static void
begin_walk(PlannerInfo *root)
{
	MemoryContext context = GetMemoryChunkContext(root);
	MemoryContextCallback *callback;

	if (walk.root == root)
		return;
	callback = MemoryContextAlloc(context, sizeof(*callback));
	callback->func = end_walk;
	callback->arg = NULL;
	MemoryContextRegisterResetCallback(context, callback);
	walk = (Walk){ .root = root };
}

static void
end_walk(void *arg pg_attribute_unused())
{
	walk.root = NULL;
}

/*
 * The condition from which the walk goes on, and the range of those before it: the
 * first one, unless the condition before it is the last bound, of this variable.
 */
static int
resume_walk(Estimate *est, const Comparison *comparison, const List *conditions,
			Range *range)
{
	OpExpr *last;

	if (conditions == NIL || walk.conditions != conditions ||
		walk.next > list_length(conditions))
		return 0;
	last = (OpExpr *) iuid_condition_of(list_nth(conditions, walk.next - 1));
	if (comparison_of(est, comparison, (Node *) last) == NULL ||
		last->args != walk.args)
		return 0;
	*range = walk.range;
	return walk.next;
}

/*
 * What is known of a condition that bounds the variable in the order of another
 * comparison; NULL of any other condition.
 */
static const Comparison *
comparison_of(Estimate *est, const Comparison *like, const Node *condition)
{
	const OpExpr *bound = (const OpExpr *) condition;
	const Comparison *comparison;

	if (!IsA(condition, OpExpr) || get_oprrest(bound->opno) != est->estimator)
		return NULL;

	/* The estimator of a prefix operator may be this function, too. */
	comparison = find_comparison(bound->opno);
	if (comparison == NULL || comparison->by_country != like->by_country ||
		!is_bound(est, bound->args))
		return NULL;
	return comparison;
}

/* What is known of an operator; NULL for one that is not ours. */
static const Comparison *
find_comparison(Oid oper)
{
	FmgrInfo function;

	fmgr_info(get_opcode(oper), &function);
	for (int i = 0; i < (int) lengthof(comparisons); i++)
	{
		if (comparisons[i].function == function.fn_addr)
			return &comparisons[i];
	}
	return NULL;
}

/*
 * Finds the argument that is compared with a bound, and a relation that has
 * columns in it; NULL if there is none, or if the bound is not the same for all
 * rows.  Core would not take such a comparison for an end of a range.
 */
static RelOptInfo *
find_variable(Estimate *est, List *args)
{
	Node *variable = linitial(args);
	Relids relids;
	int relid = -1;

	if (!is_pseudo_constant_clause(lsecond(args)))
	{
		if (!is_pseudo_constant_clause(variable))
			return NULL;
		variable = lsecond(args);
	}

	/* From 16 on there are outer joins among them, which are no relations. */
	relids = pull_varnos(est->root, variable);
	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RelOptInfo *rel = est->root->simple_rel_array[relid];

		if (rel != NULL)
		{
			est->variable = without_relabel(variable);
			return rel;
		}
	}
	return NULL;
}

/* The part of the rows within one bound. */
static double
bound_selectivity(Estimate *est, const Comparison *comparison, Oid oper,
				  Oid collation, List *args)
{
	double selectivity;
	int16 length;
	bool by_value;

	if (comparison->by_country &&
		origin_selectivity(est, comparison, args, &selectivity))
		return selectivity;
	get_typlenbyval(MACADDR8OID, &length, &by_value);
	if (length != sizeof(macaddr8) || by_value)
		return DEFAULT_INEQ_SEL;
	return DatumGetFloat8(
		DirectFunctionCall4Coll(comparison->estimator, collation,
								PointerGetDatum(est->root), ObjectIdGetDatum(oper),
								PointerGetDatum(as_macaddr8(est, args)),
								Int32GetDatum(est->relid)));
}

/* What the planner keeps of a condition that it has estimated; or less than 0. */
static double
known_selectivity(const Node *condition)
{
	return IsA(condition, RestrictInfo) ?
		((const RestrictInfo *) condition)->norm_selec :
		-1;
}

/* Adds a comparison of the variable to a range. */
static void
add_bound(Estimate *est, Range *range, const Comparison *comparison, List *args,
		  double selectivity)
{
	if (comparison->is_greater == is_variable(est, linitial(args)))
	{
		range->has_lower = true;
		range->lower = Min(range->lower, selectivity);
	}
	else
	{
		range->has_upper = true;
		range->upper = Min(range->upper, selectivity);
	}
}

/*
 * The part of the rows within a bound in order by origin, from the statistics of
 * origins; false without such statistics, or if the bound is not the first
 * identifier of an origin.  Every operator in that order is leakproof, so whoever
 * asks may read them.
 */
static bool
origin_selectivity(Estimate *est, const Comparison *comparison, List *args,
				   double *selectivity)
{
	VariableStatData variable;
	Node *other;
	bool is_left, known = false;
	double before = 0, nulls = 0;

	if (!get_restriction_variable(est->root, args, est->relid, &variable,
								  &other, &is_left))
		return false;

	if (IsA(other, Const) && !((Const *) other)->constisnull)
	{
		const Iuid *bound = DatumGetIuidP(((Const *) other)->constvalue);

		known = iuid_get_ms(bound) == 0 &&
			iuid_rows_before_origin(&variable, iuid_get_origin(bound), &before,
									&nulls);
	}
	if (known)
	{
		/* The parts of all origins were rounded: together they may exceed 1. */
		*selectivity =
			comparison->is_greater == is_left ? 1 - nulls - before : before;
		CLAMP_PROBABILITY(*selectivity);
	}
	ReleaseVariableStats(variable);
	return known;
}

/* The same values, or expressions, under the name of another type. */
static List *
as_macaddr8(Estimate *est, List *args)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, args)
	{
		Node *arg = lfirst(lc);

		if (!IsA(arg, Var))
			arg = estimate_expression_value(est->root, arg);
		result = lappend(result,
						 applyRelabelType(arg, MACADDR8OID, -1, InvalidOid,
										  COERCE_IMPLICIT_CAST, -1, false));
	}
	return result;
}

/*
 * The part of the rows within the bounds, as clauselist_selectivity() has it of
 * core's own estimators.
 */
static double
range_selectivity(Estimate *est, const Range *range)
{
	double selectivity;

	if (!range->has_lower || !range->has_upper)
		return Min(range->lower, range->upper);
	if (range->lower == DEFAULT_INEQ_SEL || range->upper == DEFAULT_INEQ_SEL)
		return DEFAULT_RANGE_INEQ_SEL;

	/* Rows with NULL are outside of both bounds. */
	selectivity = range->lower + range->upper - 1 +
		nulltestsel(est->root, IS_NULL, est->variable, est->relid, JOIN_INNER,
					NULL);
	if (selectivity < -0.01)
		return DEFAULT_RANGE_INEQ_SEL;
	return Max(selectivity, 1.0e-10);
}

/* Whether the variable is compared with a value that all rows have in common. */
static bool
is_bound(Estimate *est, List *args)
{
	return (is_variable(est, linitial(args)) &&
			is_pseudo_constant_clause(lsecond(args))) ||
		(is_variable(est, lsecond(args)) &&
		 is_pseudo_constant_clause(linitial(args)));
}

static bool
is_variable(Estimate *est, Node *expr)
{
	return equal(without_relabel(expr), est->variable);
}

/* An expression without the other names of its type. */
static Node *
without_relabel(Node *expr)
{
	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	return expr;
}
