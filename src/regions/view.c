/*-------------------------------------------------------------------------
 *
 * view.c
 *	  Reads and renames the columns of views, and finds what they stand on.
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
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_rewrite.h"
#include "nodes/value.h"
#include "rewrite/rewriteSupport.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#include "execute.h"
#include "foreign.h"
#include "owner.h"
#include "relation.h"
#include "view.h"

static char *temporary_name(const ListCell *old, const List *shown);
static void rename_column(Oid view, const char *old, const char *name);

/* Nothing is locked: the cache of the catalog has the columns one by one. */
List *
iuid_column_names(Oid relation)
{
	AttrNumber count = iuid_class_of(relation).relnatts;
	List *names = NIL;

	for (AttrNumber n = 1; n <= count; n++)
	{
		HeapTuple tuple = SearchSysCacheAttNum(relation, n);

		if (!HeapTupleIsValid(tuple))
			continue;
		names = lappend(names,
						makeString(pstrdup(NameStr(
							((Form_pg_attribute) GETSTRUCT(tuple))->attname))));
		ReleaseSysCache(tuple);
	}
	return names;
}

char *
iuid_column_list(Oid relation)
{
	StringInfoData list;
	const char *comma = "";
	ListCell *lc;

	initStringInfo(&list);
	foreach (lc, iuid_column_names(relation))
	{
		appendStringInfo(&list, "%s%s", comma,
						 quote_identifier(strVal(lfirst(lc))));
		comma = ", ";
	}
	return list.data;
}

char *
iuid_column_definitions(Oid table)
{
	AttrNumber count = iuid_class_of(table).relnatts;
	StringInfoData text;

	initStringInfo(&text);
	for (AttrNumber n = 1; n <= count; n++)
	{
		HeapTuple tuple = SearchSysCacheAttNum(table, n);
		Form_pg_attribute column;

		if (!HeapTupleIsValid(tuple))
			continue;
		column = (Form_pg_attribute) GETSTRUCT(tuple);
		appendStringInfo(&text, "%s%s %s", text.len > 0 ? ", " : "",
						 quote_identifier(NameStr(column->attname)),
						 format_type_extended(column->atttypid, column->atttypmod,
											  FORMAT_TYPE_TYPEMOD_GIVEN |
												  FORMAT_TYPE_FORCE_QUALIFY));
		if (OidIsValid(column->attcollation))
			appendStringInfo(&text, " COLLATE %s",
							 generate_collation_name(column->attcollation));
		ReleaseSysCache(tuple);
	}
	return text.data;
}

bool
iuid_is_global_view(Oid view)
{
	List *names = iuid_column_names(view);
	ListCell *lc;

	foreach (lc, iuid_tables_of_view(view))
	{
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_FOREIGN_TABLE &&
			!iuid_is_of_global_view(lfirst_oid(lc)))
			return false;
	}
	return names != NIL && strcmp(strVal(linitial(names)), IUID_NODE_COLUMN) == 0;
}

List *
iuid_tables_of_view(Oid view)
{
	Oid rule = get_rewrite_oid(view, ViewSelectRuleName, true);
	Relation catalog = table_open(DependRelationId, AccessShareLock);
	List *tables = NIL;
	SysScanDesc scan;
	ScanKeyData keys[2];
	HeapTuple tuple;

	ScanKeyInit(&keys[0], Anum_pg_depend_classid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(RewriteRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(rule));
	scan = systable_beginscan(catalog, DependDependerIndexId, true, NULL,
							  lengthof(keys), keys);
	while ((tuple = systable_getnext(scan)) != NULL)
	{
		Form_pg_depend depend = (Form_pg_depend) GETSTRUCT(tuple);

		if (depend->refclassid == RelationRelationId && depend->refobjid != view)
			tables = list_append_unique_oid(tables, depend->refobjid);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return tables;
}

List *
iuid_own_foreign_tables(Oid view)
{
	List *foreign = NIL;
	ListCell *lc;

	foreach (lc, iuid_tables_of_view(view))
	{
		if (get_rel_relkind(lfirst_oid(lc)) != RELKIND_FOREIGN_TABLE)
			continue;
		iuid_check_owner(lfirst_oid(lc));
		foreign = lappend_oid(foreign, lfirst_oid(lc));
	}
	return foreign;
}

/*
 * A column may have the name that another one gets, so each gets a temporary
 * name first.
 */
void
iuid_rename_columns(Oid view, Oid table)
{
	List *names = iuid_column_names(table);
	List *shown = list_delete_first(iuid_column_names(view));
	ListCell *name, *old;

	forboth(name, names, old, shown)
	{
		if (!equal(lfirst(name), lfirst(old)))
			rename_column(view, strVal(lfirst(old)), temporary_name(old, shown));
	}
	forboth(name, names, old, shown)
	{
		if (!equal(lfirst(name), lfirst(old)))
			rename_column(view, temporary_name(old, shown), strVal(lfirst(name)));
	}
}

static char *
temporary_name(const ListCell *old, const List *shown)
{
	return psprintf("iuid renames column %d", (int) list_cell_number(shown, old));
}

static void
rename_column(Oid view, const char *old, const char *name)
{
	iuid_execute("ALTER VIEW %s RENAME COLUMN %s TO %s",
				 iuid_qualified_name(view), quote_identifier(old),
				 quote_identifier(name));
}
