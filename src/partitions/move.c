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
 *	  foreign keys to the source	there must be none
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

#include "access/heapam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "attach.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_publication.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "execute.h"
#include "owner.h"
#include "relation.h"
#include "table.h"

struct Move
{
	const Partitioned *parent;
	Oid source;
	const Partition *partitions;
	int count;
	AttrNumber key;	   /* column of the source */
	Snapshot snapshot; /* from before the DELETE */
	int64 taken;	   /* number of rows that move */
	int64 rest;		   /* number of rows that stay */
	int64 put;		   /* number of rows that were put in or back */
	bool rest_is_out;  /* they were taken out, too */
	int64 *moved;	   /* number of rows for each of the new partitions */
	Target **targets;  /* the new partitions that get rows */
	Target *back;	   /* the source, if rows come back */
	EState *estate;
};

/* What is done with a row; n is the new partition that it belongs to, or -1. */
typedef void (*RowAction)(Move *move, Relation from, TupleTableSlot *row, int n);

static void for_each_row(Move *move, Relation from, RowAction action);
static void take_out_row(Move *move, Relation from, TupleTableSlot *row, int n);
static void take_out_row_of_rest(Move *move, Relation from, TupleTableSlot *row,
								 int n);
static void put_in_row(Move *move, Relation from, TupleTableSlot *row, int n);
static void check_all_put(const Move *move);
static void check_may_leave(Relation from);
static void check_publications(Oid partition);
static void check_may_enter(const Move *move, Oid table);
static void report_moved(const Move *move);

Move *
iuid_begin_move(const Partitioned *parent, Oid source,
				const Partition *partitions, int count)
{
	Move *move = palloc0(sizeof(Move));

	move->parent = parent;
	move->source = source;
	move->partitions = partitions;
	move->count = count;
	move->moved = palloc0(sizeof(int64) * count);
	move->targets = palloc0(sizeof(Target *) * count);
	return move;
}

static void
for_each_row(Move *move, Relation from, RowAction action)
{
	TupleTableSlot *row = table_slot_create(from, NULL);
	TableScanDesc scan = table_beginscan(from, move->snapshot, 0, NULL, 0);

	while (table_scan_getnextslot(scan, ForwardScanDirection, row))
	{
		CHECK_FOR_INTERRUPTS();
		action(move, from, row,
			   iuid_partition_of(move->parent, move->partitions, move->count,
								 row, move->key));
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(row);
}

bool
iuid_take_out(Move *move)
{
	Relation from;

	if (!OidIsValid(move->source))
		return false;
	LockRelationOid(move->source, AccessExclusiveLock);
	from = iuid_open_locked(move->source);
	if (PartitionHasPendingDetach(move->source))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the detach of partition %s is pending",
						iuid_qualified_name(move->source)),
				 errhint("Use ALTER TABLE ... DETACH PARTITION ... FINALIZE.")));
	/*
	 * 55006 if a query of this transaction is using the source: it has read the
	 * old bounds.  The server's function would fail for pending triggers, too,
	 * which matter only if a row moves: check_may_leave().
	 */
	if (from->rd_refcnt != 1)
		CheckTableNotInUse(from, "ALTER TABLE");
	if (iuid_has_foreign_table(move->source))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("DEFAULT partition %s has a foreign table",
						iuid_qualified_name(move->source)),
				 errdetail(
					 "Rows move between plain tables only, and the foreign table may have rows of a new partition."),
				 errhint(
					 "Detach the DEFAULT partition, attach the new one, and insert the rows again.")));
	/* Where the source is partitioned itself, ATTACH looks for the rows. */
	if (from->rd_rel->relkind == RELKIND_RELATION)
	{
		/*
		 * This snapshot sees all rows that were committed before the lock was
		 * taken, even if the transaction has an older snapshot.
		 */
		move->snapshot = RegisterSnapshot(GetLatestSnapshot());
		move->key = iuid_key_column(move->parent, from);
		for_each_row(move, from, take_out_row);
	}
	table_close(from, NoLock);
	CommandCounterIncrement();
	return move->rest > 0;
}

static void
take_out_row(Move *move, Relation from, TupleTableSlot *row, int n)
{
	if (n < 0)
	{
		move->rest++;
		return;
	}
	if (move->taken++ == 0)
		check_may_leave(from);
	if (move->moved[n]++ == 0)
		check_may_enter(move, move->partitions[n].table);
	simple_table_tuple_delete(from, &row->tts_tid, move->snapshot);
}

void
iuid_take_out_rest(Move *move)
{
	Relation from = iuid_open_locked(move->source);

	for_each_row(move, from, take_out_row_of_rest);
	move->rest_is_out = true;
	table_close(from, NoLock);
	CommandCounterIncrement();
}

static void
take_out_row_of_rest(Move *move, Relation from, TupleTableSlot *row, int n)
{
	if (n < 0)
		simple_table_tuple_delete(from, &row->tts_tid, move->snapshot);
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
	if (iuid_is_referred(RelationGetRelid(from), true))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows of partition %s cannot move while a foreign key refers to it",
						iuid_qualified_name(RelationGetRelid(from))),
				 errhint("Let the foreign key refer to the partitioned table.")));
	if (!RelationIsLogicallyLogged(from))
		return;
	CheckCmdReplicaIdentity(from, CMD_DELETE);
	check_publications(RelationGetRelid(from));
}

/*
 * A row that moves is a DELETE in one partition and an INSERT in another.  A
 * subscriber to the first partition under its own name gets the DELETE, but
 * gets the INSERT for another table, or not at all.  A subscriber to a table
 * above both gets both, unless the publication leaves out one of them.
 */
static void
check_publications(Oid partition)
{
	StringInfoData query;
	char *name = iuid_qualified_name(partition);
	int64 publication;

	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT pg_catalog.max(p.oid::pg_catalog.int8)"
					 " FROM pg_catalog.pg_publication AS p, pg_catalog.pg_publication_tables AS t, pg_catalog.pg_class AS c, pg_catalog.pg_namespace AS n"
					 " WHERE t.pubname OPERATOR(pg_catalog.=) p.pubname"
					 " AND n.nspname OPERATOR(pg_catalog.=) t.schemaname AND c.relname OPERATOR(pg_catalog.=) t.tablename"
					 " AND c.relnamespace OPERATOR(pg_catalog.=) n.oid"
					 " AND (c.oid OPERATOR(pg_catalog.=) %u AND (p.pubinsert OR p.pubdelete)"
					 " OR p.pubinsert OPERATOR(pg_catalog.<>) p.pubdelete"
					 " AND EXISTS (SELECT FROM pg_catalog.pg_partition_ancestors(%u::pg_catalog.regclass) AS a WHERE a.relid::pg_catalog.oid OPERATOR(pg_catalog.=) c.oid))",
					 partition, partition);
	publication = iuid_query_int64(query.data, InvalidOid);
	if (publication == InvalidOid)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of partition %s cannot move while publication \"%s\" publishes it",
					name, get_publication_name((Oid) publication, false)),
			 errdetail(
				 "A move is a DELETE in one partition and an INSERT in another. Subscribers would apply only one of them, and so lose the rows or have them twice."),
			 errhint(
				 "Publish the partitioned table with publish_via_partition_root, inserts and deletes alike.")));
}

static void
check_may_enter(const Move *move, Oid table)
{
	Relation relation = iuid_open_locked(table);
	bool plain = relation->rd_rel->relkind == RELKIND_RELATION &&
		relation->rd_tableam == GetHeapamTableAmRoutine();

	table_close(relation, NoLock);
	if (!plain)
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

	if (move->snapshot == NULL)
		return;
	if (move->taken > 0 || move->rest_is_out)
	{
		from = iuid_open_locked(move->source);
		move->estate = CreateExecutorState();
		for_each_row(move, from, put_in_row);
		FreeExecutorState(move->estate);
		table_close(from, NoLock);
		check_all_put(move);
		for (int i = 0; i < move->count; i++)
			iuid_close_target(move->targets[i]);
		iuid_close_target(move->back);
		report_moved(move);
	}
	UnregisterSnapshot(move->snapshot);
}

/* What rewrites or empties the source in between takes the rows with it. */
static void
check_all_put(const Move *move)
{
	if (move->put != move->taken + (move->rest_is_out ? move->rest : 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("partition %s was rewritten while its rows moved",
						iuid_qualified_name(move->source)),
				 errhint("Look at the event triggers of the database.")));
}

static void
put_in_row(Move *move, Relation from, TupleTableSlot *row, int n)
{
	Target **target = n < 0 ? &move->back : &move->targets[n];

	if (n < 0 && !move->rest_is_out)
		return;
	if (*target == NULL)
		*target =
			iuid_open_target(n < 0 ? move->source : move->partitions[n].table,
							 from);
	move->put++;
	if (n < 0)
		iuid_put_back(*target, row);
	else
		iuid_put_row(*target, row, move->estate);
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
	if (move->rest_is_out)
		ereport(NOTICE,
				(errmsg_plural("wrote %lld row of %s again, as a foreign key refers to its table",
							   "wrote %lld rows of %s again, as a foreign key refers to its table",
							   (unsigned long) move->rest, (long long) move->rest,
							   iuid_qualified_name(move->source))));
}
