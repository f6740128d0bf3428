/*-------------------------------------------------------------------------
 *
 * table.c
 *	  What a move of rows asks of a table.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "execute.h"
#include "relation.h"
#include "table.h"

Relation
iuid_open_locked(Oid table)
{
	Relation relation = try_relation_open(table, NoLock);

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a partition was dropped while its rows moved"),
				 errdetail("It was the table with OID %u.", table)));
	return relation;
}

bool
iuid_may_have_rows(Oid partition)
{
	Relation table;
	bool may;

	if (get_rel_relkind(partition) != RELKIND_RELATION)
		return false;
	if (!ConditionalLockRelationOid(partition, AccessShareLock))
		return true;
	table = try_relation_open(partition, NoLock);
	may = table != NULL && RelationGetNumberOfBlocks(table) > 0;
	if (table != NULL)
		relation_close(table, NoLock);
	UnlockRelationOid(partition, AccessShareLock);
	return may;
}

bool
iuid_has_foreign_table(Oid table)
{
	ListCell *lc;

	foreach (lc, find_all_inheritors(table, NoLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_FOREIGN_TABLE)
			return true;
	}
	return false;
}

bool
iuid_is_referred(Oid table, bool itself)
{
	return iuid_query_int64(psprintf("SELECT pg_catalog.count(*) FROM pg_catalog.pg_constraint"
									 " WHERE contype OPERATOR(pg_catalog.=) 'f'::pg_catalog.\"char\" AND confrelid OPERATOR(pg_catalog.=) '%u'::pg_catalog.oid%s",
									 table,
									 itself ?
										 " AND conparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid" :
										 ""),
							0) > 0;
}

void
iuid_check_name(Oid relation, const char *name)
{
	if (strcmp(iuid_qualified_name(relation), name) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation %s was renamed while it was changed", name),
			 errdetail("Its name is %s now.", iuid_qualified_name(relation)),
			 errhint("Try again.")));
}
