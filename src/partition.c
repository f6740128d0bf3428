/*-------------------------------------------------------------------------
 *
 * partition.c
 *	  The bounds of partitions, and attaching one together with the rows
 *	  that wait for it in the DEFAULT partition.
 *
 * The server refuses to attach a partition while the DEFAULT partition holds
 * rows of it, and a DELETE there would set off the foreign keys that refer
 * to those rows.  They do not go away, they move: so they are moved below
 * the executor, where no trigger sees it, and the partition is attached in
 * the same command, so that whoever looks finds them in the parent.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/table.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "codec.h"
#include "datum.h"

#define ROWS_PER_NOTICE 100000

/* Where the rows go: those with lower <= key < upper. */
typedef struct Move
{
	Relation from;
	Relation to;
	AttrNumber key; /* column of from */
	Iuid lower;
	Iuid upper;
} Move;

static Datum bound_as_uuid(PartitionBoundInfo bounds, int n);
static void check_owner(Oid table);
static char *key_column(Oid parent);
static Relation open_plain_table(Oid table);
static int64 move_rows(Move *move);
static bool is_within(const Move *move, TupleTableSlot *slot);
static void attach(Oid parent, Oid partition, const Iuid *lower,
				   const Iuid *upper);
static char *qualified_name(Oid relation);

/*
 * iuid_partition_bounds(parent): the partitions and their bounds, in order;
 * the DEFAULT partition comes last, with bounds of NULL.
 */
PG_FUNCTION_INFO_V1(iuid_partition_bounds);
Datum
iuid_partition_bounds(PG_FUNCTION_ARGS)
{
	Oid parent = PG_GETARG_OID(0);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation relation;
	PartitionDesc partitions;
	PartitionBoundInfo bounds;
	Datum values[4];
	bool nulls[4] = { false, false, false, false };

	key_column(parent);
	InitMaterializedSRF(fcinfo, 0);
	relation = table_open(parent, AccessShareLock);
	partitions = RelationGetPartitionDesc(relation, true);
	bounds = partitions->boundinfo;

	/* Bounds stand once: that of index n ends a partition, or a gap (-1). */
	for (int n = 1; bounds != NULL && n < bounds->ndatums; n++)
	{
		if (bounds->indexes[n] < 0)
			continue;
		values[0] = ObjectIdGetDatum(partitions->oids[bounds->indexes[n]]);
		values[1] = bound_as_uuid(bounds, n - 1);
		values[2] = bound_as_uuid(bounds, n);
		values[3] = BoolGetDatum(false);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	if (bounds != NULL && partition_bound_has_default(bounds))
	{
		values[0] = ObjectIdGetDatum(partitions->oids[bounds->default_index]);
		nulls[1] = nulls[2] = true;
		values[3] = BoolGetDatum(true);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}

	table_close(relation, AccessShareLock);
	return (Datum) 0;
}

/* MINVALUE is Nil, and MAXVALUE is Max. */
static Datum
bound_as_uuid(PartitionBoundInfo bounds, int n)
{
	switch (bounds->kind[n][0])
	{
		case PARTITION_RANGE_DATUM_MINVALUE:
			return iuid_to_datum(IUID_NIL);
		case PARTITION_RANGE_DATUM_MAXVALUE:
			return iuid_to_datum(IUID_MAX);
		default:
			return bounds->datums[n][0];
	}
}

/*
 * iuid_attach_partition(parent, partition, lower, upper): attaches a table
 * without indexes for the keys from lower up to, not including, upper, with
 * the rows of those keys in the DEFAULT partition.  Returns their number.
 */
PG_FUNCTION_INFO_V1(iuid_attach_partition);
Datum
iuid_attach_partition(PG_FUNCTION_ARGS)
{
	Oid parent = PG_GETARG_OID(0);
	Oid partition = PG_GETARG_OID(1);
	Iuid lower = *PG_GETARG_IUID_P(2);
	Iuid upper = *PG_GETARG_IUID_P(3);
	Oid default_partition;
	char *key;
	int64 moved = 0;

	check_owner(parent);
	check_owner(partition);
	LockRelationOid(parent, ShareUpdateExclusiveLock);
	key = key_column(parent);
	default_partition = get_default_partition_oid(parent);

	if (OidIsValid(default_partition))
	{
		Move move = { .lower = lower, .upper = upper };

		check_owner(default_partition);
		move.from = open_plain_table(default_partition);
		move.to = open_plain_table(partition);
		move.key = get_attnum(default_partition, key);
		if (move.to->rd_rel->relhasindex)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table \"%s\" has an index", get_rel_name(partition)),
					 errdetail(
						 "Rows that move into it would be missing from the index."),
					 errhint(
						 "Attach the table first: the indexes of the parent are made then.")));
		moved = move_rows(&move);
		table_close(move.to, NoLock);
		table_close(move.from, NoLock);
		CommandCounterIncrement();
	}

	attach(parent, partition, &lower, &upper);
	PG_RETURN_INT64(moved);
}

/* Before any lock is taken: nobody locks the tables of others. */
static void
check_owner(Oid table)
{
	if (!object_ownercheck(RelationRelationId, table, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
}

/* The name of the one column by whose ranges parent is partitioned. */
static char *
key_column(Oid parent)
{
	Relation relation = table_open(parent, AccessShareLock);
	PartitionKey key = RelationGetPartitionKey(relation);
	char *name = NULL;

	if (key != NULL && key->strategy == PARTITION_STRATEGY_RANGE &&
		key->partnatts == 1 && key->partattrs[0] != 0 &&
		key->parttyplen[0] == IUID_LEN)
		name = get_attname(parent, key->partattrs[0], false);
	table_close(relation, NoLock);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not partitioned by an iuid or uuid",
						get_rel_name(parent)),
				 errhint(
					 "Use a table that is PARTITION BY RANGE on one such column.")));
	return name;
}

/* Nobody else may read or write the table from now on. */
static Relation
open_plain_table(Oid table)
{
	Relation relation = table_open(table, AccessExclusiveLock);

	if (relation->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a plain table", get_rel_name(table)),
				 errdetail(
					 "Rows can move between plain tables only, not partitioned or foreign ones.")));
	return relation;
}

static int64
move_rows(Move *move)
{
	TupleConversionMap *map =
		convert_tuples_by_name(RelationGetDescr(move->from),
							   RelationGetDescr(move->to));
	TupleTableSlot *old = table_slot_create(move->from, NULL);
	TupleTableSlot *new = table_slot_create(move->to, NULL);
	CommandId command = GetCurrentCommandId(true);
	/* What was committed before the lock was had, not before the transaction. */
	Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = table_beginscan(move->from, snapshot, 0, NULL, 0);
	int64 moved = 0;

	while (table_scan_getnextslot(scan, ForwardScanDirection, old))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_within(move, old))
			continue;

		if (map != NULL)
			execute_attr_map_slot(map->attrMap, old, new);
		else
			ExecCopySlot(new, old);
		table_tuple_insert(move->to, new, command, 0, NULL);
		simple_table_tuple_delete(move->from, &old->tts_tid, snapshot);
		ExecClearTuple(new);

		if (++moved % ROWS_PER_NOTICE == 0)
			ereport(NOTICE,
					(errmsg("moved " INT64_FORMAT
							" rows so far from \"%s\" to \"%s\"",
							moved, RelationGetRelationName(move->from),
							RelationGetRelationName(move->to))));
	}

	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_finish_bulk_insert(move->to, 0);
	ExecDropSingleTupleTableSlot(new);
	ExecDropSingleTupleTableSlot(old);
	return moved;
}

static bool
is_within(const Move *move, TupleTableSlot *slot)
{
	bool isnull;
	Datum key = slot_getattr(slot, move->key, &isnull);

	return !isnull && iuid_compare(DatumGetIuidP(key), &move->lower) >= 0 &&
		iuid_compare(DatumGetIuidP(key), &move->upper) < 0;
}

static void
attach(Oid parent, Oid partition, const Iuid *lower, const Iuid *upper)
{
	char from[IUID_TEXT_LEN + 1];
	char to[IUID_TEXT_LEN + 1];
	char *statement;

	iuid_encode(lower, from);
	iuid_encode(upper, to);
	statement =
		psprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')",
				 qualified_name(parent), qualified_name(partition), from, to);

	if (SPI_connect() != SPI_OK_CONNECT ||
		SPI_execute(statement, false, 0) != SPI_OK_UTILITY ||
		SPI_finish() != SPI_OK_FINISH)
		elog(ERROR, "could not execute: %s", statement);
}

static char *
qualified_name(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(
										  get_rel_namespace(relation)),
									  get_rel_name(relation));
}
