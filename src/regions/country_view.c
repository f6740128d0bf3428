/*-------------------------------------------------------------------------
 *
 * country_view.c
 *	  The view on a country's partition for the other nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/view.h"
#include "executor/execdesc.h"
#include "nodes/makefuncs.h"
#include "parser/analyze.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/portal.h"

#include "country_view.h"
#include "execute.h"
#include "function.h"
#include "name.h"
#include "partitions/attach.h"
#include "relation.h"
#include "view.h"

#define CTID_COLUMN "ctid"

extern PGDLLEXPORT Datum iuid_refuse_ctid(PG_FUNCTION_ARGS);
static bool is_country_view(Oid view, Oid parent);
static void refuse_ctid(Oid view, const char *query, Oid schema);

char *
iuid_country_view_name(const char *parent, int country, int entity)
{
	return iuid_shortened_name(parent, psprintf("_c%d_e%d", country, entity));
}

Oid
iuid_find_country_view(Oid parent, int country, int entity)
{
	Oid taken;
	Oid view = iuid_look_for_country_view(parent, country, entity, &taken);

	if (OidIsValid(taken))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation %s already exists", iuid_qualified_name(taken)),
				 errdetail("A view on the partition of country %d needs that name.",
						   country),
				 errhint("Rename the relation or, if it is that view, give it the owner of %s.",
						 iuid_qualified_name(parent))));
	return view;
}

Oid
iuid_look_for_country_view(Oid parent, int country, int entity, Oid *taken)
{
	FormData_pg_class row = iuid_class_of(parent);
	char *name = iuid_country_view_name(NameStr(row.relname), country, entity);
	Oid view = get_relname_relid(name, row.relnamespace);
	FormData_pg_class found;

	*taken = InvalidOid;
	if (!OidIsValid(view))
		return InvalidOid;
	found = iuid_class_of(view);
	if (found.relkind == RELKIND_VIEW && found.relowner == row.relowner &&
		is_country_view(view, parent))
		return view;
	*taken = view;
	return InvalidOid;
}

/*
 * Whether a view was made here: it has the first column, and one table, with
 * which it goes.  A dump does not know the latter; in a restored view the table
 * is a partition.
 */
static bool
is_country_view(Oid view, Oid parent)
{
	List *shown = iuid_column_names(view);
	List *tables = iuid_tables_of_view(view);
	Oid table;

	if (shown == NIL || strcmp(strVal(linitial(shown)), CTID_COLUMN) != 0 ||
		list_length(tables) != 1)
		return false;
	table = linitial_oid(tables);
	return iuid_goes_with(view, table) ||
		(get_rel_relispartition(table) &&
		 get_partition_parent(table, true) == parent);
}

bool
iuid_is_current_view(Oid view, Oid partition, Oid parent)
{
	List *names = iuid_column_names(parent);

	return is_country_view(view, parent) &&
		equal(list_delete_first(iuid_column_names(view)), names) &&
		list_member_oid(iuid_tables_of_view(view), partition);
}

/*
 * The first column is the row's ctid, by which postgres_fdw finds the row
 * again.  Only a plain table has one that says which row it is.  For a table
 * with partitions the column is a function that fails; the function is STABLE,
 * so a query that does not ask for the column never calls it.
 */
void
iuid_make_country_view(Oid partition, Oid parent, int country, int entity,
					   Oid schema)
{
	Oid view = iuid_find_country_view(parent, country, entity);
	bool has_ctid = get_rel_relkind(partition) == RELKIND_RELATION;
	char *query =
		psprintf("SELECT %s AS " CTID_COLUMN ", %s FROM %s",
				 has_ctid ? "ctid" : "NULL::pg_catalog.tid",
				 iuid_column_list(parent), iuid_qualified_name(partition));

	if (OidIsValid(view))
		iuid_rename_columns(view, parent);
	iuid_execute("CREATE OR REPLACE VIEW %s WITH (security_invoker = true) AS %s",
				 quote_qualified_identifier(iuid_relation_schema(parent),
											iuid_country_view_name(iuid_relation_name(
																	   parent),
																   country,
																   entity)),
				 query);
	view = iuid_find_country_view(parent, country, entity);
	if (!has_ctid)
		refuse_ctid(view, query, schema);
	iuid_let_view_go_with(view, partition);
}

/*
 * Puts the function into the place of the first column's NULL, by OID: by name,
 * a function with other arguments could make the call ambiguous.
 */
static void
refuse_ctid(Oid view, const char *query, Oid schema)
{
	Oid function =
		iuid_require_function(schema, "iuid_refuse_ctid", iuid_refuse_ctid,
							  NULL, 0, "iuid_regions");
	Query *parsed =
		parse_analyze_fixedparams(linitial_node(RawStmt, pg_parse_query(query)),
								  query, NULL, 0, NULL);

	linitial_node(TargetEntry, parsed->targetList)->expr =
		(Expr *) makeFuncExpr(function, TIDOID, NIL, InvalidOid, InvalidOid,
							  COERCE_EXPLICIT_CALL);
	StoreViewQuery(view, parsed, true);
	CommandCounterIncrement();
}

/* The view no longer goes with the partition that it stood on before. */
void
iuid_let_view_go_with(Oid view, Oid partition)
{
	ObjectAddress dependent, referenced;

	ObjectAddressSet(dependent, RelationRelationId, view);
	ObjectAddressSet(referenced, RelationRelationId, partition);
	deleteDependencyRecordsForClass(RelationRelationId, view,
									RelationRelationId, DEPENDENCY_AUTO);
	recordDependencyOn(&dependent, &referenced, DEPENDENCY_AUTO);
	CommandCounterIncrement();
}

/*
 * Whether the running query only locks the rows that it reads.  For SELECT ...
 * FOR UPDATE of a table with partitions, postgres_fdw asks for the ctid, too,
 * and does nothing with it.  It begins an UPDATE in the same way; then the
 * UPDATE itself is refused.
 */
static bool
is_locking(void)
{
	const QueryDesc *query =
		ActivePortal == NULL ? NULL : ActivePortal->queryDesc;

	return query != NULL && query->operation == CMD_SELECT &&
		query->plannedstmt->rowMarks != NIL;
}

/*
 * iuid_refuse_ctid(): refuses to say where a row is, as that would not say
 * which row it is.  A query that only locks rows gets a ctid that no row has.
 */
PG_FUNCTION_INFO_V1(iuid_refuse_ctid);
Datum
iuid_refuse_ctid(PG_FUNCTION_ARGS)
{
	ItemPointer nowhere;

	(void) fcinfo;
	if (!is_locking())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a row of a country that is divided by time cannot be changed by its place"),
				 errdetail(
					 "The other node could not send the whole statement, so it named the row by its ctid, which rows of several partitions have."),
				 errhint(
					 "Write what the statement needs as a constant, a parameter, or a sub-query, such as (SELECT now()), or run the statement at the node of the country.")));
	nowhere = palloc0(sizeof(ItemPointerData));
	ItemPointerSetInvalid(nowhere);
	return PointerGetDatum(nowhere);
}
