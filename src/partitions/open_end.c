/*-------------------------------------------------------------------------
 *
 * open_end.c
 *	  The first and the last partition, where one has no end.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "datum.h"
#include "default_rows.h"
#include "execute.h"
#include "open_end.h"
#include "relation.h"
#include "time_check.h"

static bool can_attach_again(const Partitioned *parent,
							 const Partition *open_end);
static void attach_again(const Partitioned *parent, const Partition *moved);
static void check_bounds(const Partitioned *parent, const Partition *expected);
static void write_bound(const Partitioned *parent, const Partition *open_end,
						const Iuid *bound);

/* A partition if new ones can be carved out of it; else NULL. */
static const Partition *
if_open_ended(const Partitioned *table, const Partition *partition)
{
	FormData_pg_class row;

	if (partition->has_lower == partition->has_upper)
		return NULL;
	row = iuid_class_of(partition->table);
	return row.relkind == RELKIND_RELATION &&
			row.relowner == iuid_class_of(table->table).relowner ?
		partition :
		NULL;
}

const Partition *
iuid_open_ended_first(const Partitioned *table)
{
	if (table->count == 0 || table->partitions[0].has_lower)
		return NULL;
	return if_open_ended(table, &table->partitions[0]);
}

const Partition *
iuid_open_ended_last(const Partitioned *table)
{
	const Partition *last;

	if (table->count == 0)
		return NULL;
	last = &table->partitions[table->count - 1];
	return last->has_upper ? NULL : if_open_ended(table, last);
}

void
iuid_move_bound(const Partitioned *parent, const Partition *open_end,
				const Iuid *bound)
{
	Partition moved = *open_end;

	*(open_end->has_lower ? &moved.lower : &moved.upper) = *bound;
	if (can_attach_again(parent, open_end))
		attach_again(parent, &moved);
	else
	{
		/* The locks keep other sessions away, but code of the owner may have run. */
		check_bounds(parent, open_end);
		write_bound(parent, open_end, bound);
	}
	check_bounds(parent, &moved);
	iuid_drop_outgrown_time_checks(parent, open_end, &moved);
}

/*
 * Whether DETACH and ATTACH can move the bound.  With foreign keys, they read
 * the tables that refer to the parent; ATTACH reads the DEFAULT partition, and
 * the rows of the open end; and it makes the triggers of the parent's rows anew.
 * Foreign keys are triggers, too.
 */
static bool
can_attach_again(const Partitioned *parent, const Partition *open_end)
{
	return !OidIsValid(parent->default_partition) &&
		!iuid_class_of(open_end->table).relhastriggers &&
		!iuid_table_has_rows(parent, open_end->table, NULL, 0);
}

static void
attach_again(const Partitioned *parent, const Partition *moved)
{
	char *table = iuid_qualified_name(parent->table);
	char *name = iuid_qualified_name(moved->table);

	iuid_execute("ALTER TABLE %s DETACH PARTITION %s", table, name);
	if (moved->has_lower)
		iuid_execute("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO (MAXVALUE)",
					 table, name, iuid_text_of_bound(&moved->lower));
	else
		iuid_execute("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO ('%s')",
					 table, name, iuid_text_of_bound(&moved->upper));
}

/* 55000 unless a table is a partition of the parent with these bounds. */
static void
check_bounds(const Partitioned *parent, const Partition *expected)
{
	const Partitioned *now =
		iuid_read_partitioned(parent->table, parent->order, parent->schema);

	for (int i = 0; i < now->count; i++)
	{
		const Partition *found = &now->partitions[i];

		if (found->table == expected->table &&
			found->has_lower == expected->has_lower &&
			found->has_upper == expected->has_upper &&
			iuid_compare(&found->lower, &expected->lower) == 0 &&
			iuid_compare(&found->upper, &expected->upper) == 0)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a partition of %s was changed while rows moved",
					iuid_qualified_name(parent->table)),
			 errdetail("It was the first or the last one, which has no end."),
			 errhint("Try again.")));
}

/* Writes the bound into the catalog. */
static void
write_bound(const Partitioned *parent, const Partition *open_end,
			const Iuid *bound)
{
	Relation catalog = table_open(RelationRelationId, RowExclusiveLock);
	HeapTuple tuple =
		SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(open_end->table));
	Datum values[Natts_pg_class] = { 0 };
	bool nulls[Natts_pg_class] = { false };
	bool replaces[Natts_pg_class] = { false };
	PartitionBoundSpec *spec;
	PartitionRangeDatum *side;
	Datum stored;
	bool isnull;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", open_end->table);
	stored = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relpartbound, &isnull);
	spec =
		castNode(PartitionBoundSpec, stringToNode(TextDatumGetCString(stored)));
	side = linitial_node(PartitionRangeDatum,
						 open_end->has_lower ? spec->lowerdatums :
											   spec->upperdatums);
	castNode(Const, side->value)->constvalue = iuid_to_datum(*bound);

	values[Anum_pg_class_relpartbound - 1] =
		CStringGetTextDatum(nodeToString(spec));
	replaces[Anum_pg_class_relpartbound - 1] = true;
	tuple = heap_modify_tuple(tuple, RelationGetDescr(catalog), values, nulls,
							  replaces);
	CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
	InvokeObjectPostAlterHook(RelationRelationId, open_end->table, 0);
	table_close(catalog, RowExclusiveLock);
	CacheInvalidateRelcacheByRelid(parent->table);
	/* What the DEFAULT partition may hold depends on all other bounds. */
	if (OidIsValid(parent->default_partition))
		CacheInvalidateRelcacheByRelid(parent->default_partition);
	CommandCounterIncrement();
}
