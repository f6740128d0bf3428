/*-------------------------------------------------------------------------
 *
 * view.h
 *	  Reads and renames the columns of views, and finds what they stand on.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_VIEW_H
#define IUID_VIEW_H

#include "compat.h"

#include "nodes/pg_list.h"

/* The first column of a global view. */
#define IUID_NODE_COLUMN "node"

/* The names of the columns of a relation, as String nodes, in their order. */
extern List *iuid_column_names(Oid relation);

/* The same as SQL text: quoted, and with commas between. */
extern char *iuid_column_list(Oid relation);

/* Names, types and collations of a table's columns, as SQL text. */
extern char *iuid_column_definitions(Oid table);

/*
 * Whether a view is as iuid_create_global_view() makes it, by its first column
 * and the options of its foreign tables.
 */
extern bool iuid_is_global_view(Oid view);

/* The OIDs of the relations in the query of a view. */
extern List *iuid_tables_of_view(Oid view);

/*
 * The foreign tables among them.  42501 if one belongs to a role whose rights the
 * current user does not have: a view can stand on the table of another role.
 */
extern List *iuid_own_foreign_tables(Oid view);

/*
 * Gives the columns of a view after its first one the names that the columns
 * of a table have.  While the view is there, the table cannot lose a column, so
 * both have the same columns in the same order.
 */
extern void iuid_rename_columns(Oid view, Oid table);

#endif /* IUID_VIEW_H */
