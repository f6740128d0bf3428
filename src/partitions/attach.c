/*-------------------------------------------------------------------------
 *
 * attach.c
 *	  Makes and attaches new partitions, and moves their rows out of DEFAULT.
 *
 * ATTACH PARTITION needs a weaker lock on the parent than CREATE TABLE ...
 * PARTITION OF.  But the server refuses to attach a partition while the
 * DEFAULT partition holds rows of it.  So these rows are taken out of DEFAULT
 * before, and put into the new partition afterwards.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "commands/tablespace.h"
#include "common/md5.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "attach.h"
#include "type/codec.h"
#include "default_rows.h"
#include "lock.h"
#include "move.h"
#include "owner.h"

#define HASH_LEN 8

static char *hash_of(const char *name);
static void check_may_create(Oid schema);
static void attach_one(const Partitioned *parent, const NewPartition *new);
static void take_replica_identity(const Partitioned *parent, Oid table);

char *
iuid_shortened_name(const char *base, const char *suffix)
{
	int limit = NAMEDATALEN - 1 - strlen(suffix);

	if ((int) strlen(base) <= limit)
		return psprintf("%s%s", base, suffix);

	/* Leave room for "_" and the hash, and cut no character in two. */
	limit = pg_mbcliplen(base, strlen(base), limit - 1 - HASH_LEN);
	return psprintf("%.*s_%.*s%s", limit, base, HASH_LEN, hash_of(base), suffix);
}

static char *
hash_of(const char *name)
{
	char *hash = palloc(2 * MD5_DIGEST_LENGTH + 1);
	const char *error;

	if (!pg_md5_hash(name, strlen(name), hash, &error))
		elog(ERROR, "could not compute an MD5 hash: %s", error);
	return hash;
}

Oid
iuid_create_like(Oid parent, const char *name, const char *behind)
{
	FormData_pg_class class = iuid_class_of(parent);
	char *qualified;
	StringInfoData storage;

	qualified =
		quote_qualified_identifier(get_namespace_name(class.relnamespace), name);
	if (OidIsValid(get_relname_relid(name, class.relnamespace)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation %s already exists", qualified),
				 errdetail("A new partition of %s needs that name.",
						   iuid_qualified_name(parent)),
				 errhint(
					 "Rename the relation, or attach it as a partition by hand.")));

	check_may_create(class.relnamespace);
	initStringInfo(&storage);
	if (OidIsValid(class.relam))
		appendStringInfo(&storage, " USING %s",
						 quote_identifier(get_am_name(class.relam)));
	if (OidIsValid(class.reltablespace))
		appendStringInfo(&storage, " TABLESPACE %s",
						 quote_identifier(
							 get_tablespace_name(class.reltablespace)));

	iuid_execute("CREATE %s TABLE %s (LIKE %s INCLUDING COMMENTS INCLUDING COMPRESSION INCLUDING CONSTRAINTS"
				 " INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)%s%s",
				 class.relpersistence == RELPERSISTENCE_TEMP ? "TEMPORARY" : "",
				 qualified, iuid_qualified_name(parent), behind, storage.data);
	return get_relname_relid(name, class.relnamespace);
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
				 errhint("Enter: GRANT CREATE ON SCHEMA %s TO %s;",
						 quote_identifier(name), quote_identifier(role))));
}

void
iuid_attach(const Partitioned *parent, NewPartition *partitions, int count)
{
	Move *move;

	if (count == 0)
		return;
	move = iuid_begin_move(parent, partitions, count);
	iuid_take_out(move);
	for (int i = 0; i < count; i++)
		attach_one(parent, &partitions[i]);
	iuid_put_in(move);

	for (int i = 0; i < count; i++)
	{
		if (partitions[i].moved > 0)
			ereport(NOTICE,
					(errmsg("moved " INT64_FORMAT
							" rows from the DEFAULT partition of %s to %s",
							partitions[i].moved,
							iuid_qualified_name(parent->table),
							iuid_qualified_name(partitions[i].table))));
	}
}

static void
attach_one(const Partitioned *parent, const NewPartition *new)
{
	char from[IUID_TEXT_LEN + 1];
	char to[IUID_TEXT_LEN + 1];

	iuid_encode(&new->lower, from);
	iuid_encode(&new->upper, to);
	iuid_execute("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')",
				 iuid_qualified_name(parent->table),
				 iuid_qualified_name(new->table), from, to);

	/*
	 * Another session can rename a schema at any time, and give its name to
	 * another schema, which can have a table of the parent's name.
	 */
	if (get_partition_parent(new->table, false) != parent->table)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s was renamed while it got a partition",
						iuid_qualified_name(parent->table)),
				 errhint("Try again.")));
	take_replica_identity(parent, new->table);
}

/*
 * Gives a new partition the replica identity of its parent: without one, the
 * server refuses to update or delete rows that are published.  If the parent
 * has the default one, its primary key, and the DEFAULT partition has FULL, so
 * has the new partition, as rows of the DEFAULT partition may move there.
 */
static void
take_replica_identity(const Partitioned *parent, Oid table)
{
	char identity = iuid_class_of(parent->table).relreplident;
	Relation above, below;
	Oid index;

	if (identity == REPLICA_IDENTITY_DEFAULT &&
		OidIsValid(parent->default_partition) &&
		iuid_class_of(parent->default_partition).relreplident ==
			REPLICA_IDENTITY_FULL)
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
 * move, reading waits, too.
 */
List *
iuid_add_locks_of_attach(List *locks, const Partitioned *parent)
{
	bool has_default = OidIsValid(parent->default_partition);
	LOCKMODE mode = ShareUpdateExclusiveLock;

	if (has_default)
		mode = iuid_may_have_rows(parent->default_partition) ?
			AccessExclusiveLock :
			ShareRowExclusiveLock;
	locks = iuid_add_lock(locks, parent->table, mode);
	if (has_default)
		locks = iuid_add_lock_of_all(locks, parent->default_partition,
									 AccessExclusiveLock);
	locks = iuid_add_referred_locks(locks, parent->table, ShareRowExclusiveLock);
	locks = iuid_add_referring_locks(locks, parent->table, ShareRowExclusiveLock);
	return iuid_add_locks_above(locks, parent->table);
}
