/*-------------------------------------------------------------------------
 *
 * open_end.c
 *	  The first and the last partition, where one has no end.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "attach.h"
#include "datum.h"
#include "open_end.h"
#include "owner.h"
#include "step.h"
#include "type/codec.h"

static char *quoted_bound(const Iuid *bound);

static const Partition *
open_end(const Partitioned *table, const Partition *partition)
{
	FormData_pg_class class;

	if (partition->has_lower == partition->has_upper)
		return NULL;
	class = iuid_class_of(partition->table);
	return class.relkind == RELKIND_RELATION &&
			class.relowner == iuid_class_of(table->table).relowner ?
		partition :
		NULL;
}

const Partition *
iuid_open_first(const Partitioned *table)
{
	if (table->count == 0 || table->partitions[0].has_lower)
		return NULL;
	return open_end(table, &table->partitions[0]);
}

const Partition *
iuid_open_last(const Partitioned *table)
{
	const Partition *last;

	if (table->count == 0)
		return NULL;
	last = &table->partitions[table->count - 1];
	return last->has_upper ? NULL : open_end(table, last);
}

void
iuid_move_bound(const Partitioned *parent, const Partition *open_end,
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
	if (isnull)
		elog(ERROR, "relation %u is no partition", open_end->table);
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
	table_close(catalog, RowExclusiveLock);
	CacheInvalidateRelcacheByRelid(parent->table);
	CommandCounterIncrement();
}

void
iuid_create_open_first(const Partitioned *parent, const Iuid *upper)
{
	static const Step day = { .usecs = USECS_PER_DAY };
	char *base = get_rel_name(parent->table);
	char *name = iuid_shortened_name(base, "_before");
	char date[IUID_STEP_NAME_LEN];

	if (OidIsValid(get_relname_relid(name, get_rel_namespace(parent->table))))
	{
		iuid_step_name(&day, iuid_time_of_bound(upper), date);
		name = iuid_shortened_name(base, psprintf("_before%s", date));
	}
	iuid_attach_table(parent, iuid_create_like(parent->table, name, ""),
					  "MINVALUE", quoted_bound(upper));
}

void
iuid_create_open_last(const Partitioned *parent, const Iuid *lower)
{
	char *name = iuid_shortened_name(get_rel_name(parent->table), "_after");

	iuid_attach_table(parent, iuid_create_like(parent->table, name, ""),
					  quoted_bound(lower), "MAXVALUE");
}

static char *
quoted_bound(const Iuid *bound)
{
	char text[IUID_TEXT_LEN + 1];

	iuid_encode(bound, text);
	return psprintf("'%s'", text);
}
