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

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "country_view.h"
#include "execute.h"
#include "name.h"
#include "relation.h"
#include "view.h"

#define CTID_COLUMN "ctid"

static bool is_country_view(Oid view);

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
		is_country_view(view))
		return view;
	*taken = view;
	return InvalidOid;
}

/* Whether a view was made here: by its first column, and its one table. */
static bool
is_country_view(Oid view)
{
	List *shown = iuid_column_names(view);
	List *tables = iuid_tables_of_view(view);

	return shown != NIL && strcmp(strVal(linitial(shown)), CTID_COLUMN) == 0 &&
		list_length(tables) == 1 &&
		get_rel_relkind(linitial_oid(tables)) != RELKIND_FOREIGN_TABLE;
}

bool
iuid_is_current_view(Oid view, Oid partition, Oid parent)
{
	List *names = iuid_column_names(parent);

	return equal(list_delete_first(iuid_column_names(view)), names) &&
		list_member_oid(iuid_tables_of_view(view), partition);
}

/*
 * The first column is the row's ctid, by which postgres_fdw finds the row
 * again.  Only a plain table has one that says which row it is.  For a table
 * with partitions the column is a NULL of type json.  Who reads or locks rows can
 * read the NULL.  The server refuses UPDATE and DELETE ... WHERE ctid = $1, as
 * json has no operator for that.
 */
void
iuid_make_country_view(Oid partition, Oid parent, int country, int entity)
{
	Oid view = iuid_find_country_view(parent, country, entity);
	bool has_ctid = get_rel_relkind(partition) == RELKIND_RELATION;
	const char *name =
		quote_qualified_identifier(iuid_relation_schema(parent),
								   iuid_country_view_name(iuid_relation_name(
															  parent),
														  country, entity));

	/* No column of a view gets another type. */
	if (OidIsValid(view) && get_atttype(view, 1) != (has_ctid ? TIDOID : JSONOID))
		iuid_drop(view);
	else if (OidIsValid(view))
		iuid_rename_columns(view, parent);
	iuid_execute("CREATE OR REPLACE VIEW %s WITH (security_invoker = true) AS SELECT %s AS " CTID_COLUMN
				 ", %s FROM %s",
				 name, has_ctid ? "ctid" : "NULL::pg_catalog.json",
				 iuid_column_list(parent), iuid_qualified_name(partition));
}
