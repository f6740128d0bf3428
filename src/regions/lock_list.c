/*-------------------------------------------------------------------------
 *
 * lock_list.c
 *	  Lists of the tables that a statement has to lock.
 *
 * These functions look before the tables are locked, so a table that they
 * find may be gone afterwards.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "lock_list.h"
#include "relation.h"

static List *add_referring_lock(List *locks, Oid oid, Oid table, LOCKMODE mode);
static bool is_part_of_another(Form_pg_constraint constraint);

List *
iuid_add_lock(List *locks, Oid table, LOCKMODE mode)
{
	TableLock *lock;
	ListCell *lc;

	foreach (lc, locks)
	{
		lock = lfirst(lc);
		if (lock->table == table)
		{
			lock->mode = Max(lock->mode, mode);
			return locks;
		}
	}
	lock = palloc(sizeof(TableLock));
	lock->table = table;
	lock->mode = mode;
	return lappend(locks, lock);
}

List *
iuid_add_lock_of_all(List *locks, Oid table, LOCKMODE mode)
{
	ListCell *lc;

	foreach (lc, iuid_tables_below(table))
		locks = iuid_add_lock(locks, lfirst_oid(lc), mode);
	return locks;
}

List *
iuid_add_locks_of_drop(List *locks, Oid table)
{
	ListCell *lc, *sequence;

	foreach (lc, iuid_tables_below(table))
	{
		HeapTuple tuple =
			SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(lc)));
		Oid toast;

		if (!HeapTupleIsValid(tuple))
			continue;
		toast = ((Form_pg_class) GETSTRUCT(tuple))->reltoastrelid;
		ReleaseSysCache(tuple);
		locks = iuid_add_lock(locks, lfirst_oid(lc), AccessExclusiveLock);
		if (OidIsValid(toast))
			locks = iuid_add_lock(locks, toast, AccessExclusiveLock);
		foreach (sequence, getOwnedSequences(lfirst_oid(lc)))
			locks =
				iuid_add_lock(locks, lfirst_oid(sequence), AccessExclusiveLock);
	}
	return locks;
}

List *
iuid_tables_below(Oid table)
{
	List *tables = list_make1_oid(table);
	ListCell *lc;

	/* The list grows while the loop reads it. */
	foreach (lc, tables)
	{
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_PARTITIONED_TABLE)
			tables =
				list_concat(tables,
							find_inheritance_children(lfirst_oid(lc), NoLock));
	}
	return tables;
}

List *
iuid_add_locks_above(List *locks, Oid table)
{
	List *above =
		get_rel_relispartition(table) ? get_partition_ancestors(table) : NIL;
	ListCell *lc;

	foreach (lc, above)
		locks = iuid_add_lock(locks, lfirst_oid(lc), AccessShareLock);
	return locks;
}

List *
iuid_add_referred_locks(List *locks, Oid table, LOCKMODE mode)
{
	ListCell *lc;

	foreach (lc, iuid_constraints_of(table, CONSTRAINT_FOREIGN))
		locks = iuid_add_lock_of_all(locks,
									 ((Form_pg_constraint) GETSTRUCT(
										  (HeapTuple) lfirst(lc)))
										 ->confrelid,
									 mode);
	return locks;
}

List *
iuid_add_own_referred_locks(List *locks, Oid table, LOCKMODE mode)
{
	ListCell *lc;

	foreach (lc, iuid_constraints_of(table, CONSTRAINT_FOREIGN))
	{
		Form_pg_constraint key =
			(Form_pg_constraint) GETSTRUCT((HeapTuple) lfirst(lc));

		if (!OidIsValid(key->conparentid))
			locks = iuid_add_lock_of_all(locks, key->confrelid, mode);
	}
	return locks;
}

/* pg_constraint has no index by the table to which one refers; pg_depend has. */
List *
iuid_add_referring_locks(List *locks, Oid table, LOCKMODE mode)
{
	Relation catalog = table_open(DependRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData keys[2];
	HeapTuple depend;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(table));
	scan = systable_beginscan(catalog, DependReferenceIndexId, true, NULL,
							  lengthof(keys), keys);
	while ((depend = systable_getnext(scan)) != NULL)
	{
		Form_pg_depend needs = (Form_pg_depend) GETSTRUCT(depend);

		if (needs->classid == ConstraintRelationId)
			locks = add_referring_lock(locks, needs->objid, table, mode);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return locks;
}

/* Adds the table of a constraint, if that is a foreign key to the other table. */
static List *
add_referring_lock(List *locks, Oid oid, Oid table, LOCKMODE mode)
{
	HeapTuple tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(oid));
	Form_pg_constraint constraint;

	if (!HeapTupleIsValid(tuple))
		return locks;
	constraint = (Form_pg_constraint) GETSTRUCT(tuple);
	if (constraint->contype == CONSTRAINT_FOREIGN &&
		constraint->confrelid == table && !is_part_of_another(constraint))
		locks = iuid_add_lock(locks, constraint->conrelid, mode);
	ReleaseSysCache(tuple);
	return locks;
}

/*
 * Whether a foreign key is part of that of a partitioned table above.  Each
 * partition of a referring table has such a foreign key; the statements of
 * the server work on the one of the partitioned table.
 */
static bool
is_part_of_another(Form_pg_constraint constraint)
{
	HeapTuple whole =
		SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint->conparentid));
	bool same;

	if (!HeapTupleIsValid(whole))
		return false;
	same = ((Form_pg_constraint) GETSTRUCT(whole))->confrelid ==
		constraint->confrelid;
	ReleaseSysCache(whole);
	return same;
}
