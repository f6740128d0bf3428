/*-------------------------------------------------------------------------
 *
 * attach.c
 *	  Makes and attaches new partitions, and moves their rows into them.
 *
 * ATTACH PARTITION needs a weaker lock on the parent than CREATE TABLE ...
 * PARTITION OF.  But the server refuses to attach a partition while the
 * DEFAULT partition holds rows of it, or an open-ended partition overlaps it.
 * So these rows are taken out before, the open-ended partition gets another
 * bound, and the rows are put into the new partition afterwards.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/timestamp.h"

#include "attach.h"
#include "default_rows.h"
#include "execute.h"
#include "lock.h"
#include "move.h"
#include "name.h"
#include "open_end.h"
#include "relation.h"

static void check_may_create(Oid schema);
static void attach_table(const Partitioned *parent, Oid table, const char *from,
						 const char *to);
static char *quoted_bound(const Iuid *bound);
static void take_replica_identity(const Partitioned *parent, Oid table);

Oid
iuid_create_like(Oid parent, const char *name, const char *rest)
{
	FormData_pg_class row = iuid_class_of(parent);
	char *like = iuid_qualified_name(parent);
	char *qualified;
	StringInfoData storage;

	qualified =
		quote_qualified_identifier(get_namespace_name(row.relnamespace), name);
	if (OidIsValid(get_relname_relid(name, row.relnamespace)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation %s already exists", qualified),
				 errdetail("A new partition of %s needs that name.", like),
				 errhint(
					 "Rename the relation, or attach it as a partition by hand.")));

	check_may_create(row.relnamespace);
	initStringInfo(&storage);
	if (OidIsValid(row.relam))
		appendStringInfo(&storage, " USING %s",
						 quote_identifier(get_am_name(row.relam)));
	if (OidIsValid(row.reltablespace))
		appendStringInfo(&storage, " TABLESPACE %s",
						 quote_identifier(get_tablespace_name(row.reltablespace)));

	iuid_execute("CREATE %s TABLE %s (LIKE %s INCLUDING COMMENTS INCLUDING COMPRESSION INCLUDING CONSTRAINTS"
				 " INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)%s%s",
				 row.relpersistence == RELPERSISTENCE_TEMP ? "TEMPORARY" : "",
				 qualified, like, rest, storage.data);
	iuid_check_name(parent, like);
	return get_relname_relid(name, row.relnamespace);
}

/* The server would refuse, too, but its message would not name the role. */
static void
check_may_create(Oid schema)
{
	char *role = GetUserNameFromId(GetUserId(), false);
	const char *name = get_namespace_name(schema);

	if (!DatumGetBool(DirectFunctionCall2(has_schema_privilege_id,
										  ObjectIdGetDatum(schema),
										  CStringGetTextDatum("CREATE"))))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for schema %s", name),
				 errdetail("Partitions are made as the owner of the table, role \"%s\".",
						   role),
				 errhint("Use: GRANT CREATE ON SCHEMA %s TO %s;",
						 quote_identifier(name), quote_identifier(role))));
}

/* The open-ended first partition, if new partitions begin in it; or NULL. */
static const Partition *
carved_first(const Partitioned *parent, const NewPartition *partitions)
{
	const Partition *open_end = iuid_open_ended_first(parent);

	return open_end != NULL &&
			iuid_compare_keys(parent, &partitions[0].lower, &open_end->upper) < 0 ?
		open_end :
		NULL;
}

/* The open-ended last partition, if new partitions end in it; or NULL. */
static const Partition *
carved_last(const Partitioned *parent, const NewPartition *partitions, int count)
{
	const Partition *open_end = iuid_open_ended_last(parent);

	return open_end != NULL &&
			iuid_compare_keys(parent, &partitions[count - 1].upper,
							  &open_end->lower) > 0 ?
		open_end :
		NULL;
}

void
iuid_attach(const Partitioned *parent, const NewPartition *partitions, int count)
{
	const Partition *first, *last;
	Move *moves[3];

	if (count == 0)
		return;
	first = carved_first(parent, partitions);
	last = carved_last(parent, partitions, count);
	moves[0] =
		iuid_begin_move(parent, parent->default_partition, partitions, count);
	moves[1] = iuid_begin_move(parent, first ? first->table : InvalidOid,
							   partitions, count);
	moves[2] = iuid_begin_move(parent, last ? last->table : InvalidOid,
							   partitions, count);

	for (size_t i = 0; i < lengthof(moves); i++)
		iuid_take_out(moves[i]);
	if (first != NULL)
		iuid_move_bound(parent, first, &partitions[0].lower);
	if (last != NULL)
		iuid_move_bound(parent, last, &partitions[count - 1].upper);
	for (int i = 0; i < count; i++)
		attach_table(parent, partitions[i].table,
					 quoted_bound(&partitions[i].lower),
					 quoted_bound(&partitions[i].upper));
	for (size_t i = 0; i < lengthof(moves); i++)
		iuid_put_in(moves[i]);
}

static void
attach_table(const Partitioned *parent, Oid table, const char *from,
			 const char *to)
{
	iuid_execute("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)",
				 iuid_qualified_name(parent->table), iuid_qualified_name(table),
				 from, to);

	/*
	 * Another session can rename a schema at any time, and give its name to
	 * another schema, which can have a table of the parent's name.
	 */
	if (!get_rel_relispartition(table) ||
		get_partition_parent(table, true) != parent->table)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s was renamed while it got a partition",
						iuid_qualified_name(parent->table)),
				 errhint("Try again.")));
	take_replica_identity(parent, table);
}

static char *
quoted_bound(const Iuid *bound)
{
	return psprintf("'%s'", iuid_text_of_bound(bound));
}

void
iuid_create_open_ended_first(const Partitioned *parent, const Iuid *upper)
{
	FormData_pg_class row = iuid_class_of(parent->table);
	char *base = NameStr(row.relname);
	char *name = iuid_shortened_name(base, "_before");

	for (int n = 2; OidIsValid(get_relname_relid(name, row.relnamespace)); n++)
		name = iuid_shortened_name(base, psprintf("_before_%d", n));
	attach_table(parent, iuid_create_like(parent->table, name, ""), "MINVALUE",
				 quoted_bound(upper));
}

void
iuid_create_open_ended_last(const Partitioned *parent, const Iuid *lower)
{
	char *name = iuid_shortened_name(iuid_relation_name(parent->table), "_after");

	attach_table(parent, iuid_create_like(parent->table, name, ""),
				 quoted_bound(lower), "MAXVALUE");
}

/* Whether a partition out of which rows may move has replica identity FULL. */
static bool
has_full_identity(const Partitioned *parent)
{
	const Partition *first = iuid_open_ended_first(parent);
	const Partition *last = iuid_open_ended_last(parent);
	Oid sources[] = { parent->default_partition,
					  first ? first->table : InvalidOid,
					  last ? last->table : InvalidOid };

	for (size_t i = 0; i < lengthof(sources); i++)
	{
		if (OidIsValid(sources[i]) &&
			iuid_class_of(sources[i]).relreplident == REPLICA_IDENTITY_FULL)
			return true;
	}
	return false;
}

/*
 * Gives a new partition the replica identity of its parent: without one, the
 * server refuses to update or delete rows that are published.  If the parent
 * has the default one, its primary key, and a partition out of which rows may
 * move there has FULL, the new partition gets FULL, too.
 */
static void
take_replica_identity(const Partitioned *parent, Oid table)
{
	char identity = iuid_class_of(parent->table).relreplident;
	Relation above, below;
	Oid index;

	if (identity == REPLICA_IDENTITY_DEFAULT && has_full_identity(parent))
		identity = REPLICA_IDENTITY_FULL;

	if (identity == REPLICA_IDENTITY_FULL || identity == REPLICA_IDENTITY_NOTHING)
		iuid_execute("ALTER TABLE %s REPLICA IDENTITY %s",
					 iuid_qualified_name(table),
					 identity == REPLICA_IDENTITY_FULL ? "FULL" : "NOTHING");
	else if (identity == REPLICA_IDENTITY_INDEX)
	{
		above = table_open(parent->table, AccessShareLock);
		below = table_open(table, AccessShareLock);
		index = RelationGetReplicaIndex(above);
		if (OidIsValid(index))
			index = index_get_partition(below, index);
		table_close(below, NoLock);
		table_close(above, NoLock);
		if (OidIsValid(index))
			iuid_execute("ALTER TABLE %s REPLICA IDENTITY USING INDEX %s",
						 iuid_qualified_name(table),
						 quote_identifier(get_rel_name(index)));
	}
}

/*
 * An INSERT that has chosen the DEFAULT partition for a row would fail if a
 * new partition for that row came meanwhile.  So with a DEFAULT partition,
 * writing to the parent waits.  A query that has read the list of partitions
 * would look in the DEFAULT partition for rows that have moved.  So if rows may
 * move, reading waits, too.  An INSERT that has chosen an open-ended partition
 * would not even fail, so while its bound changes, everybody waits.
 */
List *
iuid_add_locks_of_attach(List *locks, const Partitioned *parent,
						 const NewPartition *partitions, int count)
{
	bool has_default = OidIsValid(parent->default_partition);
	const Partition *carved[] = { carved_first(parent, partitions),
								  carved_last(parent, partitions, count) };
	LOCKMODE mode = ShareUpdateExclusiveLock;

	if (has_default)
		mode = iuid_may_have_movable_rows(parent->default_partition) ?
			AccessExclusiveLock :
			ShareRowExclusiveLock;
	if (carved[0] != NULL || carved[1] != NULL)
		mode = AccessExclusiveLock;
	locks = iuid_add_lock(locks, parent->table, mode);
	if (has_default)
		locks = iuid_add_lock_of_all(locks, parent->default_partition,
									 AccessExclusiveLock);
	for (size_t i = 0; i < lengthof(carved); i++)
	{
		if (carved[i] != NULL)
			locks = iuid_add_lock(locks, carved[i]->table, AccessExclusiveLock);
	}
	locks = iuid_add_referred_locks(locks, parent->table, ShareRowExclusiveLock);
	locks = iuid_add_referring_locks(locks, parent->table, ShareRowExclusiveLock);
	return iuid_add_locks_above(locks, parent->table);
}
