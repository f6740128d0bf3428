/*-------------------------------------------------------------------------
 *
 * keys_between.c
 *	  SQL function that counts the keys of a partition between two values.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "function.h"
#include "owner.h"
#include "partitioned.h"
#include "relation.h"

/* The columns of the result: number of keys, the least, and the greatest. */
#define COLUMNS 3

static List *tables_above(Oid partition);
static void check_sees_all_rows(List *above);
static void count_keys(const char *key, Oid partition, FunctionCallInfo fcinfo,
					   Datum *values, bool *nulls);

/*
 * iuid_keys_between(partition, lower, upper): counts the keys of a partition
 * with lower <= key < upper in byte order, and returns the least and the
 * greatest of them.  A bound that is NULL is none.
 *
 * The partition brings along code of its owner, so it is read as its owner, for
 * whoever may read all of its rows by a table above it.
 *
 * 22004 for NULL; 42P01 if there is no such table; 42809 if it is no partition
 * of a table partitioned by identifiers, or pending to be detached; 42501 for
 * who may not SELECT from that table, or may not see all of its rows, and if a
 * policy of the partition holds for its owner.
 */
PG_FUNCTION_INFO_V1(iuid_keys_between);
Datum
iuid_keys_between(PG_FUNCTION_ARGS)
{
	Oid partition, schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	List *above;
	TupleDesc desc;
	Partitioned *parent;
	Datum values[COLUMNS];
	bool nulls[COLUMNS];

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("partition must not be null"),
				 errhint("Give a partition of a table.")));
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	partition = PG_GETARG_OID(0);
	above = tables_above(partition);
	check_sees_all_rows(above);
	parent = iuid_read_partitioned(linitial_oid(above), KEY_ORDER_ANY, schema);
	/* Who waits for the lock may have lost the right, or the partition its place. */
	LockRelationOid(partition, AccessShareLock);
	check_sees_all_rows(tables_above(partition));
	/* Another server gives rows by the rights of the owner's user mapping. */
	if (iuid_has_foreign_table(partition))
		iuid_check_owner(partition);
	count_keys(parent->key, partition, fcinfo, values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}

/* The tables whose rows include those of a partition, its parent first. */
static List *
tables_above(Oid partition)
{
	List *above = iuid_class_of(partition).relispartition ?
		get_partition_ancestors(partition) :
		NIL;

	if (above == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a partition", iuid_qualified_name(partition)),
				 errdetail(
					 "A partition that is pending to be detached is none either.")));
	return above;
}

/*
 * Who may SELECT from any table above without a policy can see all rows.
 * Otherwise what is in the way is said of the parent.
 */
static void
check_sees_all_rows(List *above)
{
	Oid parent = linitial_oid(above);
	ListCell *lc;

	foreach (lc, above)
	{
		Oid table = lfirst_oid(lc);

		if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
			check_enable_rls(table, InvalidOid, true) != RLS_ENABLED)
			return;
	}
	iuid_check_reader(parent);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("row security of table %s hides rows from \"%s\"",
					iuid_qualified_name(parent),
					GetUserNameFromId(GetUserId(), false)),
			 errhint(
				 "Only who can see all rows can count them: the owner of the table, "
				 "if row security is not forced, or a role with BYPASSRLS.")));
}

/* uuid has no min() and max() before 18; its text has the same order. */
static void
count_keys(const char *key, Oid partition, FunctionCallInfo fcinfo,
		   Datum *values, bool *nulls)
{
	char *name = iuid_qualified_name(partition);
	char *query =
		psprintf("SELECT pg_catalog.count(id), pg_catalog.min(id::pg_catalog.text COLLATE pg_catalog.\"C\")::pg_catalog.uuid,"
				 " pg_catalog.max(id::pg_catalog.text COLLATE pg_catalog.\"C\")::pg_catalog.uuid"
				 " FROM (SELECT %s::pg_catalog.uuid AS id FROM %s) AS x"
				 " WHERE ($1 IS NULL OR id OPERATOR(pg_catalog.>=) $1) AND ($2 IS NULL OR id OPERATOR(pg_catalog.<) $2)",
				 quote_identifier(key), name);
	Oid types[] = { UUIDOID, UUIDOID };
	Datum bounds[] = { PG_GETARG_DATUM(1), PG_GETARG_DATUM(2) };
	char no_bound[] = { PG_ARGISNULL(1) ? 'n' : ' ', PG_ARGISNULL(2) ? 'n' : ' ' };
	SavedUser saved = iuid_become_owner(partition);

	/* Where a policy would hide rows from the owner, the server says so. */
	(void) set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	if (SPI_execute_with_args(query, lengthof(types), types, bounds, no_bound,
							  true, 0) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "unexpected result of \"%s\"", query);
	for (int i = 0; i < COLUMNS; i++)
	{
		values[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
								  i + 1, &nulls[i]);
		if (i > 0 && !nulls[i])
			values[i] = SPI_datumTransfer(values[i], false, IUID_LEN);
	}
	SPI_finish();
	iuid_restore_user(&saved);
	/* A schema can be renamed under any lock. */
	iuid_check_name(partition, name);
}
