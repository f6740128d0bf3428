/*-------------------------------------------------------------------------
 *
 * empty.c
 *	  Whether tables are empty, without reading them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "utils/lsyscache.h"

#include "empty.h"
#include "lock_list.h"
#include "relation.h"

bool
iuid_is_empty(Oid table)
{
	ListCell *lc;

	foreach (lc, iuid_tables_below(table))
	{
		char kind = get_rel_relkind(lfirst_oid(lc));

		if (kind != RELKIND_PARTITIONED_TABLE &&
			(kind != RELKIND_RELATION || iuid_may_have_rows(lfirst_oid(lc))))
			return false;
	}
	return true;
}
