/*-------------------------------------------------------------------------
 *
 * planner.c
 *	  Support functions that put predicates on identifiers into a form that
 *	  indexes and partition pruning can use.
 *
 * Partition pruning calls no support function, and some predicates need two
 * conditions, for an index as for pruning.  So a predicate is rewritten when
 * the planner folds constants (SupportRequestSimplify):
 *
 *	  id >= time			 id >= bound, in byte order
 *	  id <@ range			 id >= lower AND id < upper, in byte order
 *	  iuid_is_from(id, ...)	 id ~>=~ lower AND id ~<~ upper, in order by origin,
 *							 and for a uuid, AND iuid_is_valid(id)
 *	  (id::uuid)::iuid		 id
 *
 * bounds.c defines the bounds.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/nbtree.h"
#include "catalog/pg_am.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "expressions.h"
#include "extension.h"
#include "functions.h"
#include "iuid.h"
#include "valid.h"

/*
 * A rewritten predicate can have an argument twice.  Such an argument must cost
 * less than this many operators: built-in functions do, and a function in a
 * procedural language, whose default cost this is, does not.
 */
#define REPEAT_COST_LIMIT 100

/* The predicate that is being rewritten. */
typedef struct Rewrite
{
	PlannerInfo *root; /* may be NULL */
	FuncExpr *call;
	Oid schema; /* of the extension */
} Rewrite;

static Node *before_cast(Node *expr, Oid iuid_type);
static bool can_compare_with_bounds(Rewrite *rw, Node **instead);
static Node *rewrite_time_comparison(Rewrite *rw, int id,
									 StrategyNumber strategy);
static Node *make_between(Node *id, Oid opfamily, Node *lower, Node *upper);
static Oid country_opfamily(Rewrite *rw);
static Node *make_call(Rewrite *rw, const char *name, PGFunction code,
					   List *args);
static bool is_function(Oid function, PGFunction code);
static Oid find_function(Oid schema, const char *name, PGFunction code,
						 const Oid *types, int count);
static bool can_repeat(Rewrite *rw, Node *expr);

/* Reads the call that is to be simplified; false for any other request. */
static bool
get_rewrite(FunctionCallInfo fcinfo, Rewrite *rw)
{
	Node *rawreq = (Node *) PG_GETARG_POINTER(0);
	SupportRequestSimplify *req;

	if (!IsA(rawreq, SupportRequestSimplify))
		return false;

	req = (SupportRequestSimplify *) rawreq;
	rw->root = req->root;
	rw->call = req->fcall;
	rw->schema = get_func_namespace(req->fcall->funcid);
	return true;
}

static inline Node *
argument(Rewrite *rw, int n)
{
	return (Node *) list_nth(rw->call->args, n);
}

static inline bool
is_null(Node *expr)
{
	return IsA(expr, Const) && castNode(Const, expr)->constisnull;
}

/* For < <= >= > of an iuid with a timestamptz, on either side. */
PG_FUNCTION_INFO_V1(iuid_time_support);
Datum
iuid_time_support(PG_FUNCTION_ARGS)
{
	Rewrite rw;
	StrategyNumber strategy;

	if (!get_rewrite(fcinfo, &rw))
		PG_RETURN_POINTER(NULL);

	strategy = iuid_comparison_strategy(rw.call->funcid);
	if (strategy == InvalidStrategy)
		PG_RETURN_POINTER(NULL);
	if (exprType(argument(&rw, 1)) == TIMESTAMPTZOID)
		PG_RETURN_POINTER(rewrite_time_comparison(&rw, 0, strategy));
	PG_RETURN_POINTER(
		rewrite_time_comparison(&rw, 1, BTCommuteStrategyNumber(strategy)));
}

/* For iuid <@ tstzrange and tstzrange @> iuid. */
PG_FUNCTION_INFO_V1(iuid_range_support);
Datum
iuid_range_support(PG_FUNCTION_ARGS)
{
	Rewrite rw;
	int id;
	Node *range, *lower, *upper;

	if (!get_rewrite(fcinfo, &rw))
		PG_RETURN_POINTER(NULL);

	id = getBaseType(exprType(argument(&rw, 0))) == TSTZRANGEOID ? 1 : 0;
	range = applyRelabelType(argument(&rw, 1 - id), TSTZRANGEOID, -1,
							 InvalidOid, COERCE_IMPLICIT_CAST, -1, false);
	if (!can_repeat(&rw, argument(&rw, id)) || !can_repeat(&rw, range))
		PG_RETURN_POINTER(NULL);

	lower =
		make_call(&rw, "iuid_range_lower", iuid_range_lower, list_make1(range));
	upper =
		make_call(&rw, "iuid_range_upper", iuid_range_upper, list_make1(range));
	PG_RETURN_POINTER(
		make_between(argument(&rw, id),
					 iuid_default_opfamily(exprType(argument(&rw, id))), lower,
					 upper));
}

/* For iuid_is_from(id, country [, entity]). */
PG_FUNCTION_INFO_V1(iuid_is_from_support);
Datum
iuid_is_from_support(PG_FUNCTION_ARGS)
{
	Rewrite rw;
	Node *result, *id, *lower, *upper, *is_valid;
	List *origin;

	if (!get_rewrite(fcinfo, &rw))
		PG_RETURN_POINTER(NULL);

	if (!can_compare_with_bounds(&rw, &result))
		PG_RETURN_POINTER(result);

	origin = list_copy_tail(rw.call->args, 1);
	lower = make_call(&rw, "iuid_country_lower", iuid_country_lower, origin);
	upper = make_call(&rw, "iuid_country_upper", iuid_country_upper, origin);
	id = before_cast(argument(&rw, 0), iuid_find_type(rw.schema));
	if (id != NULL)
		PG_RETURN_POINTER(make_between(id, country_opfamily(&rw), lower, upper));

	id = argument(&rw, 0);
	result = make_between(id, country_opfamily(&rw), lower, upper);
	if (result == NULL)
		PG_RETURN_POINTER(NULL);
	is_valid = IsA(lower, Const) ?
		make_call(&rw, "iuid_is_valid", iuid_is_valid_uuid, list_make1(id)) :
		make_call(&rw, "iuid_is_valid_beside", iuid_is_valid_beside,
				  list_make2(id, lower));
	if (is_valid == NULL)
		PG_RETURN_POINTER(NULL);
	castNode(BoolExpr, result)->args =
		lappend(castNode(BoolExpr, result)->args, is_valid);
	PG_RETURN_POINTER(result);
}

/*
 * For the cast of a uuid to iuid.  What was an iuid before it was cast to uuid,
 * as in a view, needs no check.
 */
PG_FUNCTION_INFO_V1(iuid_cast_support);
Datum
iuid_cast_support(PG_FUNCTION_ARGS)
{
	Rewrite rw;
	Node *id;

	if (!get_rewrite(fcinfo, &rw))
		PG_RETURN_POINTER(NULL);
	id = before_cast(argument(&rw, 0), rw.call->funcresulttype);
	PG_RETURN_POINTER(id);
}

/*
 * What an iuid, or a value of a domain over iuid, was before it was cast to uuid, as an
 * iuid; NULL if the expression is no such cast.
 */
static Node *
before_cast(Node *expr, Oid iuid_type)
{
	Node *id;

	if (!IsA(expr, RelabelType))
		return NULL;
	id = (Node *) castNode(RelabelType, expr)->arg;
	if (getBaseType(exprType(id)) != iuid_type)
		return NULL;
	return applyRelabelType(id, iuid_type, -1, InvalidOid, COERCE_IMPLICIT_CAST,
							-1, false);
}

/*
 * Whether comparisons with the bounds of a country can replace a call of
 * iuid_is_from().  A number out of range must be an error when the call is
 * evaluated, and not when it is planned, so a call with such a constant stays.
 * A call with a constant NULL as the identifier stays, too: a comparison with
 * NULL would be folded to NULL, and the number never be checked.  If the result
 * is false, *instead is what can replace the call, or NULL if the call stays.
 */
static bool
can_compare_with_bounds(Rewrite *rw, Node **instead)
{
	bool possible = !is_null(argument(rw, 0));
	ListCell *lc;

	*instead = NULL;
	for_each_from(lc, rw->call->args, 1)
	{
		/* The server does the same for a strict function. */
		if (is_null(lfirst(lc)))
		{
			*instead = makeBoolConst(false, true);
			return false;
		}
		if (IsA(lfirst(lc), Const))
		{
			int32 number = DatumGetInt32(castNode(Const, lfirst(lc))->constvalue);

			/* Countries and entities have the same range. */
			possible = possible && number >= 0 && number <= IUID_COUNTRY_MAX;
		}
	}

	foreach (lc, rw->call->args)
		possible = possible && can_repeat(rw, lfirst(lc));
	return possible;
}

/*
 * id is the number of the iuid argument.  The strategy is that of the
 * comparison with this argument on the left.
 */
static Node *
rewrite_time_comparison(Rewrite *rw, int id, StrategyNumber strategy)
{
	bool after = (strategy == BTGreaterStrategyNumber ||
				  strategy == BTLessEqualStrategyNumber);
	bool is_lower = (strategy == BTGreaterStrategyNumber ||
					 strategy == BTGreaterEqualStrategyNumber);
	List *at = list_make1(argument(rw, 1 - id));
	Node *bound = after ?
		make_call(rw, "iuid_floor_after", iuid_floor_after, at) :
		make_call(rw, "iuid_floor", iuid_floor, at);

	if (bound == NULL)
		return NULL;
	return iuid_make_comparison(iuid_default_opfamily(exprType(argument(rw, id))),
								is_lower ? BTGreaterEqualStrategyNumber :
										   BTLessStrategyNumber,
								argument(rw, id), bound);
}

static Node *
make_between(Node *id, Oid opfamily, Node *lower, Node *upper)
{
	Node *from_lower, *below_upper;

	if (lower == NULL || upper == NULL)
		return NULL;

	from_lower =
		iuid_make_comparison(opfamily, BTGreaterEqualStrategyNumber, id, lower);
	below_upper = iuid_make_comparison(opfamily, BTLessStrategyNumber,
									   copyObject(id), upper);
	if (from_lower == NULL || below_upper == NULL)
		return NULL;
	return (Node *) makeBoolExpr(AND_EXPR, list_make2(from_lower, below_upper),
								 -1);
}

/*
 * Makes a call of a function of the extension; NULL if the function is missing,
 * or if another one has taken its name.  The planner does not simplify what a
 * support function returns, so a call with constant arguments is folded here.
 * Any other call stays as it is: its arguments are simplified already, and
 * eval_const_expressions() would do that again, at each level of nesting.
 */
static Node *
make_call(Rewrite *rw, const char *name, PGFunction code, List *args)
{
	Oid argtypes[2] = { InvalidOid, InvalidOid };
	Oid funcid;
	Node *call;
	int nargs = 0;
	bool constant = true;
	ListCell *lc;

	foreach (lc, args)
	{
		argtypes[nargs++] = exprType(lfirst(lc));
		constant = constant && IsA(lfirst(lc), Const);
	}

	funcid = find_function(rw->schema, name, code, argtypes, nargs);
	if (!OidIsValid(funcid))
		return NULL;

	call = (Node *) makeFuncExpr(funcid, get_func_rettype(funcid),
								 copyObject(args), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
	return constant ? eval_const_expressions(rw->root, call) : call;
}

/* Whether an SQL function runs this C function. */
static bool
is_function(Oid function, PGFunction code)
{
	FmgrInfo info;

	if (!OidIsValid(function))
		return false;
	fmgr_info(function, &info);
	return info.fn_addr == code;
}

/*
 * The SQL function of a name and argument types in the extension's schema that runs a
 * C function; InvalidOid if there is none.  The name alone does not say that a function
 * is the extension's: a superuser can rename that, and then others can give its name
 * to one of their own.
 */
static Oid
find_function(Oid schema, const char *name, PGFunction code, const Oid *types,
			  int count)
{
	Oid function =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						PointerGetDatum(buildoidvector(types, count)),
						ObjectIdGetDatum(schema));

	return is_function(function, code) ? function : InvalidOid;
}

/*
 * The family of order by origin; InvalidOid if it is missing, or if another
 * family has taken its name.
 */
static Oid
country_opfamily(Rewrite *rw)
{
	Oid opfamily = GetSysCacheOid3(OPFAMILYAMNAMENSP, Anum_pg_opfamily_oid,
								   ObjectIdGetDatum(BTREE_AM_OID),
								   CStringGetDatum("iuid_origin_ops"),
								   ObjectIdGetDatum(rw->schema));
	Oid less =
		get_opfamily_member(opfamily, UUIDOID, UUIDOID, BTLessStrategyNumber);

	return is_function(get_opcode(less), iuid_origin_lt) ? opfamily : InvalidOid;
}

/* Whether an expression can stand twice: the same result, at a low cost. */
static bool
can_repeat(Rewrite *rw, Node *expr)
{
	QualCost cost;

	if (contain_volatile_functions(expr) || contain_subplans(expr))
		return false;
	cost_qual_eval(&cost, list_make1(expr), rw->root);
	return cost.startup + cost.per_tuple < REPEAT_COST_LIMIT * cpu_operator_cost;
}
