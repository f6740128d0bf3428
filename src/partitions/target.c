/*-------------------------------------------------------------------------
 *
 * target.c
 *	  Writes rows into new partitions, below the executor.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "utils/rel.h"

#include "execute.h"
#include "relation.h"
#include "target.h"

struct Target
{
	Relation table;
	ResultRelInfo *result;
	TupleTableSlot *slot;
	TupleConversionMap *map; /* NULL: the columns are the same */
	BulkInsertState bulk;
};

Target *
iuid_open_target(Oid table, Relation from)
{
	Target *target = palloc(sizeof(Target));

	target->table = table_open(table, AccessExclusiveLock);
	target->result = makeNode(ResultRelInfo);
	InitResultRelInfo(target->result, target->table, 0, NULL, 0);
	target->slot = table_slot_create(target->table, NULL);
	target->map = convert_tuples_by_name(RelationGetDescr(from),
										 RelationGetDescr(target->table));
	target->bulk = GetBulkInsertState();
	return target;
}

void
iuid_put_row(Target *target, TupleTableSlot *moved, EState *estate)
{
	TupleTableSlot *row = target->slot;

	if (target->map != NULL)
		execute_attr_map_slot(target->map->attrMap, moved, row);
	else
		ExecCopySlot(row, moved);
	row->tts_tableOid = RelationGetRelid(target->table);

	/*
	 * A function in a CHECK that tried to change the table can leave its
	 * relcache entry invalid; opening the table again rebuilds the entry.
	 */
	if (unlikely(!target->table->rd_isvalid))
		table_close(table_open(RelationGetRelid(target->table), NoLock), NoLock);
	if (target->table->rd_att->constr != NULL &&
		target->table->rd_att->constr->has_generated_stored)
		ExecComputeStoredGenerated(target->result, estate, row, CMD_INSERT);
	ExecPartitionCheck(target->result, row, estate, true);
	if (target->table->rd_att->constr != NULL)
		ExecConstraints(target->result, row, estate);
	table_tuple_insert(target->table, row, GetCurrentCommandId(true), 0,
					   target->bulk);
	ResetPerTupleExprContext(estate);
	ExecClearTuple(row);
}

void
iuid_close_target(Target *target)
{
	Oid table = RelationGetRelid(target->table);
	bool has_index = target->table->rd_rel->relhasindex;

	FreeBulkInsertState(target->bulk);
	table_finish_bulk_insert(target->table, 0);
	ExecDropSingleTupleTableSlot(target->slot);
	table_close(target->table, NoLock);
	CommandCounterIncrement();
	if (has_index)
		iuid_execute("REINDEX TABLE %s", iuid_qualified_name(table));
}
