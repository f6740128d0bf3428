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
#include "catalog/index.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "utils/rel.h"

#include "attach.h"

#include "table.h"

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

	target->table = iuid_open_locked(table);
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
	{
		/* Not the tuple itself: a column that it lacks can have another value here. */
		slot_getallattrs(moved);
		ExecClearTuple(row);
		memcpy(row->tts_values, moved->tts_values,
			   sizeof(Datum) * row->tts_tupleDescriptor->natts);
		memcpy(row->tts_isnull, moved->tts_isnull,
			   sizeof(bool) * row->tts_tupleDescriptor->natts);
		ExecStoreVirtualTuple(row);
	}
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
iuid_put_back(Target *target, TupleTableSlot *row)
{
	ExecCopySlot(target->slot, row);
	table_tuple_insert(target->table, target->slot, GetCurrentCommandId(true),
					   TABLE_INSERT_NO_LOGICAL, target->bulk);
	ExecClearTuple(target->slot);
}

void
iuid_close_target(Target *target)
{
	ReindexParams params = { 0 };
	Oid table;
	bool has_index;

	if (target == NULL)
		return;
	table = RelationGetRelid(target->table);
	has_index = target->table->rd_rel->relhasindex;
	FreeBulkInsertState(target->bulk);
	table_finish_bulk_insert(target->table, 0);
	ExecDropSingleTupleTableSlot(target->slot);
	table_close(target->table, NoLock);
	CommandCounterIncrement();
	if (has_index)
		(void) REINDEX_RELATION(table,
								REINDEX_REL_PROCESS_TOAST |
									REINDEX_REL_CHECK_CONSTRAINTS,
								&params);
}
