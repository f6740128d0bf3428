/*-------------------------------------------------------------------------
 *
 * view.h
 *	  Reads the columns of relations, and what a view stands on.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_VIEW_H
#define IUID_VIEW_H

#include "compat.h"

#include "nodes/pg_list.h"

/* The names of the columns of a relation, as String nodes, in their order. */
extern List *iuid_column_names(Oid relation);

/* The same as SQL text: quoted, and with commas between. */
extern char *iuid_column_list(Oid relation);

/* The OIDs of the relations in the query of a view. */
extern List *iuid_tables_of_view(Oid view);

#endif /* IUID_VIEW_H */
