/*-------------------------------------------------------------------------
 *
 * default_rows.c
 *	  Looks in a DEFAULT partition for rows that would have to move.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "datum.h"
#include "default_rows.h"
#include "execute.h"
#include "lock_list.h"
#include "owner.h"
#include "relation.h"

static bool query_has_rows(const Partitioned *parent, Oid table,
						   const NewPartition *partitions, int count);

bool
iuid_may_have_movable_rows(Oid partition)
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
iuid_is_empty(Oid table)
{
	ListCell *lc;

	foreach (lc, iuid_tables_below(table))
	{
		char kind = get_rel_relkind(lfirst_oid(lc));

		if (kind != RELKIND_PARTITIONED_TABLE &&
			(kind != RELKIND_RELATION ||
			 iuid_may_have_movable_rows(lfirst_oid(lc))))
			return false;
	}
	return true;
}

bool
iuid_default_has_rows(const Partitioned *parent, const NewPartition *partitions,
					  int count)
{
	ListCell *lc;

	foreach (lc, iuid_tables_below(parent->default_partition))
	{
		char kind = get_rel_relkind(lfirst_oid(lc));

		if (kind == RELKIND_RELATION ?
				iuid_table_has_rows(parent, lfirst_oid(lc), partitions, count) :
				kind == RELKIND_FOREIGN_TABLE &&
					query_has_rows(parent, lfirst_oid(lc), partitions, count))
			return true;
	}
	return false;
}

bool
iuid_table_has_rows(const Partitioned *parent, Oid table,
					const NewPartition *partitions, int count)
{
	Relation relation = table_open(table, AccessShareLock);
	Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
	AttrNumber key = get_attnum(table, parent->key);
	TupleTableSlot *row = table_slot_create(relation, NULL);
	TableScanDesc scan = table_beginscan(relation, snapshot, 0, NULL, 0);
	bool found = false;

	while (!found && table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		CHECK_FOR_INTERRUPTS();
		found = partitions == NULL ||
			iuid_new_partition_of(parent, partitions, count, row, key) >= 0;
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(row);
	UnregisterSnapshot(snapshot);
	table_close(relation, AccessShareLock);
	return found;
}

static bool
query_has_rows(const Partitioned *parent, Oid table,
			   const NewPartition *partitions, int count)
{
	StringInfoData query;
	const char *between = "";
	bool by_time = parent->order == KEY_ORDER_TIME;
	const char *schema = by_time ?
		"pg_catalog" :
		quote_identifier(get_namespace_name(parent->schema));
	SavedUser saved;
	int64 rows;

	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT pg_catalog.count(*) FROM (SELECT FROM (SELECT %s::pg_catalog.uuid AS key FROM %s) AS x WHERE ",
					 quote_identifier(parent->key), iuid_qualified_name(table));
	for (int i = 0; i < count; i++)
	{
		appendStringInfo(&query,
						 "%skey OPERATOR(%s.%s) '%s'::pg_catalog.uuid AND key OPERATOR(%s.%s) '%s'::pg_catalog.uuid",
						 between, schema, by_time ? ">=" : "~>=~",
						 iuid_text_of_bound(&partitions[i].lower), schema,
						 by_time ? "<" : "~<~",
						 iuid_text_of_bound(&partitions[i].upper));
		between = " OR ";
	}
	appendStringInfoString(&query, " LIMIT 1) AS y");

	/* The table can have another owner than the parent. */
	saved = iuid_become_owner(table);
	rows = iuid_query_int64(query.data, 0);
	iuid_restore_user(&saved);
	return rows > 0;
}
