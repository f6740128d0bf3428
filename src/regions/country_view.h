/*-------------------------------------------------------------------------
 *
 * country_view.h
 *	  The view on a country's partition for the other nodes.
 *
 * The foreign tables of other nodes stand on this view, and never on the
 * partition.  To change a row that it cannot describe, postgres_fdw asks for
 * the row's ctid, and then changes what has that ctid.  In a table that has
 * partitions of its own, a row of each partition has it.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COUNTRY_VIEW_H
#define IUID_COUNTRY_VIEW_H

#include "compat.h"

/*
 * The name of the view, in the schema of the parent:
 * <parent>_c<country>_e<entity>.
 */
extern char *iuid_country_view_name(const char *parent, int country, int entity);

/*
 * The view of a country that a table has; InvalidOid for none.  42P07 if the
 * name is that of another relation: of another kind, of another owner, or a view
 * that iuid_make_country_view() did not make.
 */
extern Oid iuid_find_country_view(Oid parent, int country, int entity);

/*
 * The same without an error: *taken is that relation, or InvalidOid.
 */
extern Oid iuid_look_for_country_view(Oid parent, int country, int entity,
									  Oid *taken);

/*
 * Whether the view shows the partition, with the columns that the parent has
 * now, in their order there: a partition that takes the place of another one
 * may have another order.
 */
extern bool iuid_is_current_view(Oid view, Oid partition, Oid parent);

/*
 * Makes the view of a partition, or brings the existing view up to date.  A view
 * of a plain table that becomes one of a table with partitions is dropped and
 * made anew, and so is one that goes the other way.
 */
extern void iuid_make_country_view(Oid partition, Oid parent, int country,
								   int entity);

#endif /* IUID_COUNTRY_VIEW_H */
