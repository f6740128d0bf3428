/*-------------------------------------------------------------------------
 *
 * carve.c
 *	  Carves new partitions out of one that has no end.
 *
 * The bound moves by DETACH and ATTACH.  If a foreign key refers to the parent,
 * DETACH is refused while other rows refer to those of the partition.  So all
 * rows go out before, below the executor, and those that stay come back as they
 * were.  A subscriber sees no change of a row that stays: it is deleted while
 * the partition has no replica identity, and comes back without a record for
 * logical decoding.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/table.h"
#include "attach.h"
#include "catalog/catalog.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "execute.h"
#include "relation.h"
#include "table.h"

struct OpenEnd
{
	const Partitioned *parent;
	Partition rest;		   /* the partition with its new bound */
	Move *move;			   /* of its rows */
	char *identity;		   /* its replica identity, to be set again; or NULL */
	TriggerDesc *triggers; /* before DETACH; NULL: none */
};

static OpenEnd *make_open_end(const Partitioned *parent,
							  const Partition *open_end,
							  const Partition *partitions, int count);
static void check_adjoining(const Partitioned *parent, const Partition *open_end,
							const Partition *first, const Partition *last);
static void check_may_detach(Oid parent, Oid table);
static void alter(Oid table, const char *action);
static char *forget_identity(Oid table);
static void attach_again(OpenEnd *end);
static void restore_triggers(const OpenEnd *end);
static void check_parent(const Partitioned *parent, Oid table, bool attached);

OpenEnd *
iuid_open_first(const Partitioned *parent, const Partition *partitions, int count)
{
	return parent->count == 0 || parent->partitions[0].has_lower ?
		NULL :
		make_open_end(parent, &parent->partitions[0], partitions, count);
}

OpenEnd *
iuid_open_last(const Partitioned *parent, const Partition *partitions, int count)
{
	return parent->count == 0 || parent->partitions[parent->count - 1].has_upper ?
		NULL :
		make_open_end(parent, &parent->partitions[parent->count - 1],
					  partitions, count);
}

static OpenEnd *
make_open_end(const Partitioned *parent, const Partition *open_end,
			  const Partition *partitions, int count)
{
	FormData_pg_class row;
	int first = 0, last = count;
	OpenEnd *end;

	/* If it has no end on either side, ATTACH refuses what overlaps it. */
	if (open_end->has_lower == open_end->has_upper)
		return NULL;
	row = iuid_class_of(open_end->table);
	if (row.relkind != RELKIND_RELATION ||
		row.relowner != iuid_class_of(parent->table).relowner)
		return NULL;

	while (first < count &&
		   iuid_compare_keys(parent, &partitions[first].upper,
							 &open_end->lower) <= 0)
		first++;
	while (last > first &&
		   iuid_compare_keys(parent, &partitions[last - 1].lower,
							 &open_end->upper) >= 0)
		last--;
	if (first == last)
		return NULL;
	check_adjoining(parent, open_end, &partitions[first], &partitions[last - 1]);

	end = palloc0(sizeof(OpenEnd));
	end->parent = parent;
	end->rest = *open_end;
	if (open_end->has_lower)
		end->rest.lower = partitions[last - 1].upper;
	else
		end->rest.upper = partitions[first].lower;
	end->move = iuid_begin_move(parent, open_end->table, partitions, count);
	return end;
}

/*
 * 22023 unless the new partitions, which overlap the open end, go without a gap
 * up to its bound, and leave something of it.
 */
static void
check_adjoining(const Partitioned *parent, const Partition *open_end,
				const Partition *first, const Partition *last)
{
	bool adjoins = open_end->has_lower ? last->has_upper &&
			iuid_compare_keys(parent, &first->lower, &open_end->lower) <= 0 :
										 first->has_lower &&
			iuid_compare_keys(parent, &last->upper, &open_end->upper) >= 0;

	for (const Partition *next = first; adjoins && next < last; next++)
		adjoins = iuid_compare(&next->upper, &(next + 1)->lower) == 0;
	if (!adjoins)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("partition %s would not be left whole",
						iuid_qualified_name(open_end->table)),
				 errdetail("It has no end, and its bound is %s.",
						   iuid_text_of_bound(open_end->has_lower ?
												  &open_end->lower :
												  &open_end->upper)),
				 errhint(
					 "New partitions must adjoin each other and that bound, and leave the other side open.")));
}

void
iuid_cut_open_end(OpenEnd *end)
{
	Oid table;

	if (end == NULL)
		return;
	table = end->rest.table;
	LockRelationOid(table, AccessExclusiveLock);
	check_may_detach(end->parent->table, table);
	if (iuid_take_out(end->move) && iuid_is_referred(end->parent->table, false))
	{
		end->identity = forget_identity(table);
		iuid_take_out_rest(end->move);
	}
	attach_again(end);
}

void
iuid_refill_open_end(OpenEnd *end)
{
	if (end == NULL)
		return;
	iuid_put_in(end->move);
	if (end->identity != NULL)
		alter(end->rest.table, psprintf("REPLICA IDENTITY %s", end->identity));
}

/*
 * DETACH drops triggers that are pending, and a deferred check does not find a
 * row that was written again.  While the lock was waited for, the partition may
 * have got another owner.
 */
static void
check_may_detach(Oid parent, Oid table)
{
	if (AfterTriggerPendingOnRel(table) || AfterTriggerPendingOnRel(parent))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("bound of partition %s cannot move while triggers on it are pending",
						iuid_qualified_name(table)),
				 errdetail(
					 "This transaction changed rows that deferred constraints have not checked yet."),
				 errhint("Commit first, or SET CONSTRAINTS ALL IMMEDIATE.")));
	if (iuid_class_of(table).relowner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("partition %s got another owner meanwhile",
						iuid_qualified_name(table))));
}

/* ALTER TABLE; 55000 if another table had the name meanwhile. */
static void
alter(Oid table, const char *action)
{
	char *name = iuid_qualified_name(table);

	iuid_execute("ALTER TABLE ONLY %s %s", name, action);
	iuid_check_name(table, name);
}

/*
 * Leaves a table without a replica identity, and returns the one that it had, as
 * SQL text; NULL if its changes are not decoded.
 */
static char *
forget_identity(Oid table)
{
	Relation relation = iuid_open_locked(table);
	bool decoded = RelationIsLogicallyLogged(relation);
	char kind = relation->rd_rel->relreplident;
	char *index = NULL;

	if (decoded && kind == REPLICA_IDENTITY_INDEX)
		index = get_rel_name(RelationGetReplicaIndex(relation));
	table_close(relation, NoLock);
	if (!decoded || kind == REPLICA_IDENTITY_NOTHING)
		return NULL;
	alter(table, "REPLICA IDENTITY NOTHING");
	if (index != NULL)
		return psprintf("USING INDEX %s", quote_identifier(index));
	return kind == REPLICA_IDENTITY_FULL ? "FULL" : "DEFAULT";
}

/* The triggers of the parent's rows are made anew by ATTACH. */
static void
attach_again(OpenEnd *end)
{
	Oid table = end->rest.table;
	Relation relation = iuid_open_locked(table);

	end->triggers = CopyTriggerDesc(relation->trigdesc);
	table_close(relation, NoLock);
	iuid_execute("ALTER TABLE %s DETACH PARTITION %s",
				 iuid_qualified_name(end->parent->table),
				 iuid_qualified_name(table));
	check_parent(end->parent, table, false);
	iuid_attach_one(end->parent, &end->rest);
	restore_triggers(end);
}

/* Gives the triggers the states that they had: enabled, and when. */
static void
restore_triggers(const OpenEnd *end)
{
	Oid table = end->rest.table;
	Relation relation = iuid_open_locked(table);
	TriggerDesc *now = CopyTriggerDesc(relation->trigdesc);

	table_close(relation, NoLock);
	for (int i = 0; now != NULL && i < now->numtriggers; i++)
	{
		Trigger *trigger = &now->triggers[i];

		for (int n = 0; end->triggers && n < end->triggers->numtriggers; n++)
		{
			Trigger *before = &end->triggers->triggers[n];

			if (trigger->tgisinternal || trigger->tgenabled == before->tgenabled ||
				strcmp(trigger->tgname, before->tgname) != 0)
				continue;
			alter(table,
				  psprintf("%s TRIGGER %s",
						   before->tgenabled == TRIGGER_DISABLED ?
							   "DISABLE" :
							   before->tgenabled == TRIGGER_FIRES_ON_REPLICA ?
							   "ENABLE REPLICA" :
							   before->tgenabled == TRIGGER_FIRES_ALWAYS ?
							   "ENABLE ALWAYS" :
							   "ENABLE",
						   quote_identifier(trigger->tgname)));
		}
	}
}

void
iuid_attach_one(const Partitioned *parent, const Partition *partition)
{
	char *lower = psprintf("'%s'", iuid_text_of_bound(&partition->lower));
	char *upper = psprintf("'%s'", iuid_text_of_bound(&partition->upper));

	iuid_execute("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)",
				 iuid_qualified_name(parent->table),
				 iuid_qualified_name(partition->table),
				 partition->has_lower ? lower : "MINVALUE",
				 partition->has_upper ? upper : "MAXVALUE");
	check_parent(parent, partition->table, true);
}

/*
 * 55000 unless a table is a partition of the parent, or is one of none any more.
 * If schemas get other names meanwhile, ALTER TABLE finds another table.
 */
static void
check_parent(const Partitioned *parent, Oid table, bool attached)
{
	bool has_parent = get_rel_relispartition(table);

	if (has_parent != attached ||
		(attached && get_partition_parent(table, true) != parent->table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s was changed meanwhile",
						iuid_qualified_name(parent->table)),
				 errhint("Try again.")));
}
