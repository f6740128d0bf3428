/*-------------------------------------------------------------------------
 *
 * move.c
 *	  Moves rows out of a partition into new partitions.
 *
 * A DELETE and an INSERT would fire the triggers of both tables and those of
 * the foreign keys that refer to the rows.  But the rows stay in the parent,
 * so they are moved below the executor.  The list says what takes the place
 * of each check that the executor makes for a row:
 *
 *	  CHECK, NOT NULL			ExecConstraints() for the new partition
 *	  partition constraints		ExecPartitionCheck(), with all levels above
 *	  UNIQUE, EXCLUDE			REINDEX of the new partition
 *	  foreign keys of the row	the same as the parent's, which it satisfies
 *	  foreign keys to the parent	the row is in the parent before and after
 *	  foreign keys to the source	the server's own check for a deleted row
 *	  generated columns			ExecComputeStoredGenerated()
 *	  triggers					none: nothing happened to the row
 *	  logical decoding			the DELETE comes before the partition is
 *								attached, and the INSERT after it, so that a
 *								subscriber to the parent gets both
 *
 * Between the DELETE and the INSERT the rows are still in the pages of the
 * source.  This transaction has deleted them, and the snapshot from before
 * still sees them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_trigger.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "datum.h"
#include "default_rows.h"
#include "move.h"
#include "owner.h"
#include "publication.h"
#include "relation.h"
#include "target.h"

#define ROWS_PER_NOTICE 100000

struct Move
{
	const Partitioned *parent;
	Oid source;
	const NewPartition *partitions;
	int count;
	int64 *moved;	   /* number of rows for each of the new partitions */
	AttrNumber key;	   /* column of the source */
	Snapshot snapshot; /* from before the DELETE; NULL: no row moves */
};

static int new_partition_of(const Move *move, TupleTableSlot *slot);
static void check_may_leave(Relation from);
static void check_may_enter(const Move *move, Oid table);
static void report_moved(const Move *move);
static void check_unreferenced(const Move *move, Relation from,
							   TupleTableSlot *row);
static List *foreign_keys_to(Relation table);

Move *
iuid_begin_move(const Partitioned *parent, Oid source,
				const NewPartition *partitions, int count)
{
	Move *move = palloc0(sizeof(Move));

	move->parent = parent;
	move->source = source;
	move->partitions = partitions;
	move->count = count;
	move->moved = palloc0(sizeof(int64) * count);
	return move;
}

/*
 * Whether the source is a plain table.  If it is not, it must have no row of
 * the new partitions: 42809.
 */
static bool
is_plain(const Move *move, Relation from)
{
	if (from->rd_rel->relkind == RELKIND_RELATION)
		return true;
	if (iuid_default_has_rows(move->parent, move->partitions, move->count))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("DEFAULT partition %s is not a plain table",
						iuid_qualified_name(move->source)),
				 errdetail(
					 "It has rows of a new partition, and rows can move between plain tables only."),
				 errhint(
					 "Move the rows by hand: detach the DEFAULT partition, attach the new one, and insert the rows again.")));
	return false;
}

void
iuid_take_out(Move *move)
{
	Oid source = move->source;
	Relation from;
	TupleTableSlot *row;
	TableScanDesc scan;
	int64 taken = 0;

	if (!OidIsValid(source))
		return;
	from = table_open(source, AccessExclusiveLock);
	/*
	 * 55006 if a query of this transaction is using the source: it has read the
	 * old bounds.  The server's function would fail for pending triggers, too,
	 * which matter only if a row moves: check_may_leave().
	 */
	if (from->rd_refcnt != 1)
		CheckTableNotInUse(from, "ALTER TABLE");
	if (!is_plain(move, from))
	{
		table_close(from, NoLock);
		return;
	}

	/*
	 * This snapshot sees all rows that were committed before the lock was
	 * taken, even if the transaction has an older snapshot.
	 */
	move->snapshot = RegisterSnapshot(GetLatestSnapshot());
	move->key = get_attnum(source, move->parent->key);
	row = table_slot_create(from, NULL);
	scan = table_beginscan(from, move->snapshot, 0, NULL, 0);
	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		int n = new_partition_of(move, row);

		CHECK_FOR_INTERRUPTS();
		if (n < 0)
			continue;
		if (taken++ == 0)
			check_may_leave(from);
		if (move->moved[n]++ == 0)
			check_may_enter(move, move->partitions[n].table);
		simple_table_tuple_delete(from, &row->tts_tid, move->snapshot);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(row);
	table_close(from, NoLock);

	if (taken == 0)
	{
		UnregisterSnapshot(move->snapshot);
		move->snapshot = NULL;
	}
	CommandCounterIncrement();
}

/* The number of the partition that a row belongs to; -1 if the row stays. */
static int
new_partition_of(const Move *move, TupleTableSlot *slot)
{
	return iuid_new_partition_of(move->parent, move->partitions, move->count,
								 slot, move->key);
}

static void
check_may_leave(Relation from)
{
	iuid_check_owner(RelationGetRelid(from));
	/* Deferred checks would look for the rows in the source. */
	if (AfterTriggerPendingOnRel(RelationGetRelid(from)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("rows of partition %s cannot move while triggers on it are pending",
						iuid_qualified_name(RelationGetRelid(from))),
				 errdetail(
					 "This transaction changed rows that deferred constraints have not checked yet."),
				 errhint("Commit first, or SET CONSTRAINTS ALL IMMEDIATE.")));
	if (!RelationIsLogicallyLogged(from))
		return;
	CheckCmdReplicaIdentity(from, CMD_DELETE);
	iuid_check_publications(RelationGetRelid(from));
}

static void
check_may_enter(const Move *move, Oid table)
{
	if (get_rel_relkind(table) != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("new partition %s is not a plain table",
						iuid_qualified_name(table)),
				 errdetail("Partition %s has rows of the new one, and rows can move between plain tables only.",
						   iuid_qualified_name(move->source)),
				 errhint(
					 "Move the rows by hand: delete them, and insert them again.")));
}

void
iuid_put_in(Move *move)
{
	Relation from;
	TupleTableSlot *row;
	TableScanDesc scan;
	EState *estate;
	Target **targets;
	int64 moved = 0;

	if (move->snapshot == NULL)
		return;
	from = table_open(move->source, NoLock);
	row = table_slot_create(from, NULL);
	estate = CreateExecutorState();
	targets = palloc0(sizeof(Target *) * move->count);
	scan = table_beginscan(from, move->snapshot, 0, NULL, 0);

	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		int n = new_partition_of(move, row);
		Target **target;

		CHECK_FOR_INTERRUPTS();
		if (n < 0)
			continue;
		target = &targets[n];
		if (*target == NULL)
			*target = iuid_open_target(move->partitions[n].table, from);
		iuid_put_row(*target, row, estate);
		if (++moved % ROWS_PER_NOTICE == 0)
			ereport(NOTICE,
					(errmsg("moved %lld rows so far from %s", (long long) moved,
							iuid_qualified_name(RelationGetRelid(from)))));
	}

	table_endscan(scan);
	for (int i = 0; i < move->count; i++)
	{
		if (targets[i] != NULL)
			iuid_close_target(targets[i]);
	}
	FreeExecutorState(estate);
	check_unreferenced(move, from, row);
	ExecDropSingleTupleTableSlot(row);
	table_close(from, NoLock);
	UnregisterSnapshot(move->snapshot);
	report_moved(move);
}

static void
report_moved(const Move *move)
{
	for (int i = 0; i < move->count; i++)
	{
		if (move->moved[i] > 0)
			ereport(NOTICE,
					(errmsg_plural("moved %lld row from %s to %s",
								   "moved %lld rows from %s to %s",
								   (unsigned long) move->moved[i],
								   (long long) move->moved[i],
								   iuid_qualified_name(move->source),
								   iuid_qualified_name(
									   move->partitions[i].table))));
	}
}

/*
 * 23503 if a foreign key to the source itself refers to a row that moved.  The
 * check is the server's own for NO ACTION, whatever the foreign key does ON
 * DELETE.
 */
static void
check_unreferenced(const Move *move, Relation from, TupleTableSlot *row)
{
	List *triggers = foreign_keys_to(from);
	TableScanDesc scan;
	FmgrInfo function;
	ListCell *lc;

	if (triggers == NIL)
		return;
	fmgr_info(F_RI_FKEY_NOACTION_DEL, &function);
	scan = table_beginscan(from, move->snapshot, 0, NULL, 0);
	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		if (new_partition_of(move, row) < 0)
			continue;
		foreach (lc, triggers)
		{
			LOCAL_FCINFO(fcinfo, 0);
			TriggerData data = { .type = T_TriggerData,
								 .tg_event =
									 TRIGGER_EVENT_DELETE | TRIGGER_EVENT_ROW,
								 .tg_relation = from,
								 .tg_trigger = lfirst(lc),
								 .tg_trigslot = row };

			CHECK_FOR_INTERRUPTS();
			data.tg_trigtuple = ExecFetchSlotHeapTuple(row, false, NULL);
			InitFunctionCallInfoData(*fcinfo, &function, 0, InvalidOid,
									 (Node *) &data, NULL);
			FunctionCallInvoke(fcinfo);
		}
	}
	table_endscan(scan);
}

/*
 * The triggers on DELETE of the foreign keys that refer to this table itself.
 * A foreign key that refers to the parent is left out: its constraint here has
 * another constraint above it.
 */
static List *
foreign_keys_to(Relation table)
{
	TriggerDesc *all = CopyTriggerDesc(table->trigdesc);
	List *triggers = NIL;

	for (int i = 0; all != NULL && i < all->numtriggers; i++)
	{
		Trigger *trigger = &all->triggers[i];
		HeapTuple tuple;

		if (RI_FKey_trigger_type(trigger->tgfoid) != RI_TRIGGER_PK ||
			!TRIGGER_FOR_DELETE(trigger->tgtype))
			continue;
		tuple =
			SearchSysCache1(CONSTROID, ObjectIdGetDatum(trigger->tgconstraint));
		if (HeapTupleIsValid(tuple))
		{
			if (!OidIsValid(((Form_pg_constraint) GETSTRUCT(tuple))->conparentid))
				triggers = lappend(triggers, trigger);
			ReleaseSysCache(tuple);
		}
	}
	return triggers;
}
