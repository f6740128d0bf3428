/*-------------------------------------------------------------------------
 *
 * global_view.c
 *	  Makes a view over the rows of all nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "countries.h"
#include "execute.h"
#include "foreign.h"
#include "global_name.h"
#include "lock.h"
#include "name.h"
#include "owner.h"
#include "registry/registry.h"
#include "relation.h"
#include "settings.h"
#include "view.h"

/* Another node, and its foreign table. */
typedef struct Other
{
	NodeServer *node;
	char *name; /* of the foreign table */
	Oid table;	/* InvalidOid: not made yet */
	bool stays; /* it is as it would be made now */
} Other;

typedef struct Work
{
	Oid local;
	char *schema;
	char *name; /* of the view */
	Oid view;	/* InvalidOid: not made yet */
	List *others;
	List *leaving; /* foreign tables of the view that are no node's any more */
} Work;

static List *other_nodes(FunctionCallInfo fcinfo, const char *name);
static void check_local(Oid local);
static List *plan_work(void *arg);
static Oid find_relation(const Work *work, const char *name, char kind);
static bool is_current(const Other *other, Oid local);
static void drop_stale(const Work *work);
static void create_foreign(const Work *work, const Other *other);
static void create_view(const Work *work, bool whole);

/*
 * iuid_create_global_view(global, local): makes a view over the local table and
 * a foreign table for each other node.  If the view is there already, makes it
 * as the registry and the columns of the local table are now.
 */
PG_FUNCTION_INFO_V1(iuid_create_global_view);
Datum
iuid_create_global_view(PG_FUNCTION_ARGS)
{
	Work work = { 0 };
	bool is_new;
	SavedUser saved;
	char *local;
	ListCell *lc;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("view and table must not be null"),
				 errhint("Give the name of the view, and the local table.")));
	work.local = PG_GETARG_OID(1);
	iuid_check_owner(work.local);
	check_local(work.local);
	iuid_read_global_name(PG_GETARG_TEXT_PP(0), work.local, &work.schema,
						  &work.name);
	work.others = other_nodes(fcinfo, work.name);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	saved = iuid_become_owner(work.local);
	iuid_take_locks(work.local, plan_work, &work);
	is_new = !OidIsValid(work.view);
	local = iuid_qualified_name(work.local);
	drop_stale(&work);
	foreach (lc, work.others)
	{
		Other *other = lfirst(lc);

		if (!other->stays)
			create_foreign(&work, other);
	}
	create_view(&work, true);
	iuid_check_name(work.local, local);
	if (!is_new)
		iuid_check_name(work.view,
						quote_qualified_identifier(work.schema, work.name));
	if (is_new)
		iuid_return_table(fcinfo, find_relation(&work, work.name, RELKIND_VIEW));
	foreach (lc, work.others)
	{
		Other *other = lfirst(lc);

		if (!other->stays)
			iuid_return_table(fcinfo,
							  find_relation(&work, other->name,
											RELKIND_FOREIGN_TABLE));
	}
	iuid_restore_user(&saved);
	return (Datum) 0;
}

static List *
other_nodes(FunctionCallInfo fcinfo, const char *name)
{
	List *others = NIL;
	ListCell *lc;

	foreach (lc, iuid_check_node(fcinfo))
	{
		Other *other = palloc0(sizeof(Other));

		other->node = lfirst(lc);
		if (strcmp(other->node->node, iuid_setting_node) == 0)
			continue;
		iuid_require_server(other->node->node, other->node->server,
							"A view over all nodes needs it.");
		other->name =
			iuid_shortened_name(psprintf("%s_%s", name, other->node->node), "");
		others = lappend(others, other);
	}
	return others;
}

static void
check_local(Oid local)
{
	char kind = get_rel_relkind(local);
	ListCell *lc;

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a table", iuid_qualified_name(local)),
				 errhint("Give the table that each node has.")));
	foreach (lc, iuid_column_names(local))
	{
		if (strcmp(strVal(lfirst(lc)), IUID_NODE_COLUMN) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" of table %s is in the way",
							IUID_NODE_COLUMN, iuid_qualified_name(local)),
					 errdetail("The view has a column of that name for the node."),
					 errhint("Rename the column.")));
	}
}

static List *
plan_work(void *arg)
{
	Work *work = arg;
	List *locks = NIL;
	ListCell *lc;

	iuid_check_owner(work->local);
	work->view = find_relation(work, work->name, RELKIND_VIEW);
	work->leaving = NIL;
	if (OidIsValid(work->view))
	{
		work->leaving = iuid_own_foreign_tables(work->view);
		locks = iuid_add_lock(locks, work->view, AccessExclusiveLock);
	}
	foreach (lc, work->others)
	{
		Other *other = lfirst(lc);

		other->table = find_relation(work, other->name, RELKIND_FOREIGN_TABLE);
		other->stays = OidIsValid(other->table) && is_current(other, work->local);
		if (OidIsValid(other->table))
			work->leaving = list_append_unique_oid(work->leaving, other->table);
		if (!other->stays)
			continue;
		work->leaving = list_delete_oid(work->leaving, other->table);
		locks = iuid_add_lock(locks, other->table, AccessShareLock);
	}
	foreach (lc, work->leaving)
		locks = iuid_add_lock(locks, lfirst_oid(lc), AccessExclusiveLock);
	/* Two calls at the same time come one after the other. */
	return iuid_add_lock(locks, work->local, ShareUpdateExclusiveLock);
}

/*
 * The relation of a name in the schema of the view; InvalidOid for none.  42P07
 * if it is of another kind, belongs to another role than the local table, or was
 * not made here.
 */
static Oid
find_relation(const Work *work, const char *name, char kind)
{
	Oid relation =
		get_relname_relid(name, get_namespace_oid(work->schema, false));
	FormData_pg_class row;

	if (!OidIsValid(relation))
		return InvalidOid;
	row = iuid_class_of(relation);
	if (row.relkind != kind ||
		row.relowner != iuid_class_of(work->local).relowner ||
		(kind == RELKIND_VIEW ? !iuid_is_global_view(relation) :
								!iuid_is_of_global_view(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation %s already exists",
						iuid_qualified_name(relation)),
				 errdetail("The view over all nodes needs that name."),
				 errhint("Rename the relation, give the view another name or, if the relation was made for the view, give it the owner of %s.",
						 iuid_qualified_name(work->local))));
	return relation;
}

/*
 * Whether a foreign table has the server, the relation there and the columns
 * that it is to have.
 */
static bool
is_current(const Other *other, Oid local)
{
	return iuid_stands_on(other->table, other->node->server, local,
						  iuid_relation_name(local)) &&
		strcmp(iuid_column_definitions(other->table),
			   iuid_column_definitions(local)) == 0;
}

/*
 * Drops the foreign tables that are not right, after the view lets them go.
 * Those of a view that is gone are dropped, too.
 */
static void
drop_stale(const Work *work)
{
	ListCell *lc;

	if (OidIsValid(work->view))
		iuid_rename_columns(work->view, work->local);
	if (OidIsValid(work->view) && work->leaving != NIL)
		create_view(work, false);
	foreach (lc, work->leaving)
	{
		iuid_drop(lfirst_oid(lc));
	}
}

/*
 * The foreign table stands on the local table of the other node, whatever
 * partitions that has.  So it must not change rows there: postgres_fdw would
 * name a row by its ctid, which a row of each partition has.
 */
static void
create_foreign(const Work *work, const Other *other)
{
	iuid_execute("CREATE FOREIGN TABLE %s (%s) SERVER %s"
				 " OPTIONS (schema_name %s, table_name %s, " IUID_GLOBAL_VIEW_OPTIONS
				 ")",
				 quote_qualified_identifier(work->schema, other->name),
				 iuid_column_definitions(work->local),
				 quote_identifier(other->node->server),
				 quote_literal_cstr(iuid_relation_schema(work->local)),
				 quote_literal_cstr(iuid_relation_name(work->local)));
}

/*
 * Makes the view, or puts it in the place of the existing one.  If whole is
 * false, without the foreign tables that do not stay.
 */
static void
create_view(const Work *work, bool whole)
{
	char *columns = iuid_column_list(work->local);
	StringInfoData query;
	ListCell *lc;

	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT %s::pg_catalog.text AS " IUID_NODE_COLUMN
					 ", %s FROM %s",
					 quote_literal_cstr(iuid_setting_node), columns,
					 iuid_qualified_name(work->local));
	foreach (lc, work->others)
	{
		const Other *other = lfirst(lc);

		if (whole || other->stays)
			appendStringInfo(&query,
							 " UNION ALL SELECT %s::pg_catalog.text, %s FROM %s",
							 quote_literal_cstr(other->node->node), columns,
							 quote_qualified_identifier(work->schema,
														other->name));
	}
	iuid_execute("CREATE OR REPLACE VIEW %s AS %s",
				 quote_qualified_identifier(work->schema, work->name),
				 query.data);
}
