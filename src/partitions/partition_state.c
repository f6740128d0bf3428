/*-------------------------------------------------------------------------
 *
 * partition_state.c
 *	  SQL functions that list time partitions and find what is wrong.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "datum.h"
#include "function.h"
#include "lock_list.h"
#include "owner.h"
#include "partitioned.h"
#include "relation.h"
#include "step.h"
#include "time_check.h"
#include "type/codec.h"

/* The columns of iuid_partitions, as the SQL script declares them. */
enum
{
	LIST_PARTITION,
	LIST_LOWER,
	LIST_UPPER,
	LIST_IS_DEFAULT,
	LIST_ROWS,
	LIST_BYTES,
	LIST_COLUMNS
};

/* The columns of iuid_check_partitions. */
enum
{
	CHECK_PROBLEM,
	CHECK_PARTITION,
	CHECK_LOWER,
	CHECK_UPPER,
	CHECK_DETAIL,
	CHECK_COLUMNS
};

static void list_partition(ReturnSetInfo *rsinfo, Oid partition,
						   const Partition *bounds);
static void add_sizes(Oid table, Datum *values, bool *nulls);
static void report(ReturnSetInfo *rsinfo, const char *problem, Oid partition,
				   TimestampTz lower, TimestampTz upper, const char *detail);
static void check_gaps(ReturnSetInfo *rsinfo, const Partitioned *table);
static void check_bounds(ReturnSetInfo *rsinfo, const Partitioned *table);
static void check_times(ReturnSetInfo *rsinfo, const Partitioned *table);
static void check_stranded(ReturnSetInfo *rsinfo, const Partitioned *table);

/* Reads the parent for a reader of it, and begins a result of several rows. */
static Partitioned *
begin_list(FunctionCallInfo fcinfo)
{
	Oid parent = PG_GETARG_OID(0);
	Partitioned *table;

	iuid_check_reader(parent);
	table = iuid_read_partitioned(parent, KEY_ORDER_TIME,
								  iuid_schema_of(fcinfo->flinfo->fn_oid));
	/* The right may be gone since the table was waited for. */
	iuid_check_reader(parent);
	InitMaterializedSRF(fcinfo, 0);
	return table;
}

/* iuid_partitions(parent): lists the time partitions in order, DEFAULT last. */
PG_FUNCTION_INFO_V1(iuid_partitions);
Datum
iuid_partitions(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Partitioned *table = begin_list(fcinfo);

	for (int i = 0; i < table->count; i++)
		list_partition(rsinfo, table->partitions[i].table, &table->partitions[i]);
	if (OidIsValid(table->default_partition))
		list_partition(rsinfo, table->default_partition, NULL);
	return (Datum) 0;
}

/* bounds is NULL for the DEFAULT partition. */
static void
list_partition(ReturnSetInfo *rsinfo, Oid partition, const Partition *bounds)
{
	Datum values[LIST_COLUMNS] = { 0 };
	bool nulls[LIST_COLUMNS] = { false };

	values[LIST_PARTITION] = ObjectIdGetDatum(partition);
	nulls[LIST_LOWER] = nulls[LIST_UPPER] = bounds == NULL;
	if (bounds != NULL)
	{
		values[LIST_LOWER] =
			TimestampTzGetDatum(iuid_time_of_bound(&bounds->lower));
		values[LIST_UPPER] =
			TimestampTzGetDatum(iuid_time_of_bound(&bounds->upper));
	}
	values[LIST_IS_DEFAULT] = BoolGetDatum(bounds == NULL);
	add_sizes(partition, values, nulls);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * Adds up the rows and bytes of a partition and of all partitions below it.
 * One that another session has dropped meanwhile is left out.
 */
static void
add_sizes(Oid table, Datum *values, bool *nulls)
{
	List *all = iuid_tables_below(table);
	float8 rows = 0;
	int64 bytes = 0;
	bool estimated = false;
	ListCell *lc;

	foreach (lc, all)
	{
		LOCAL_FCINFO(size, 1);
		HeapTuple tuple =
			SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(lc)));
		Form_pg_class row;
		Datum result;

		if (!HeapTupleIsValid(tuple))
			continue;
		row = (Form_pg_class) GETSTRUCT(tuple);
		if (row->relkind != RELKIND_PARTITIONED_TABLE && row->reltuples >= 0)
		{
			estimated = true;
			rows += row->reltuples;
		}
		ReleaseSysCache(tuple);

		InitFunctionCallInfoData(*size, NULL, 1, InvalidOid, NULL, NULL);
		size->args[0].value = ObjectIdGetDatum(lfirst_oid(lc));
		size->args[0].isnull = false;
		result = pg_total_relation_size(size);
		if (!size->isnull)
			bytes += DatumGetInt64(result);
	}
	values[LIST_ROWS] = Int64GetDatum((int64) rows);
	nulls[LIST_ROWS] = !estimated;
	values[LIST_BYTES] = Int64GetDatum(bytes);
}

/* iuid_check_partitions(parent): lists what is wrong; no row if nothing is. */
PG_FUNCTION_INFO_V1(iuid_check_partitions);
Datum
iuid_check_partitions(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Partitioned *table = begin_list(fcinfo);

	check_gaps(rsinfo, table);
	check_bounds(rsinfo, table);
	check_times(rsinfo, table);
	if (OidIsValid(table->default_partition) && table->count > 0)
		check_stranded(rsinfo, table);
	return (Datum) 0;
}

static void
check_gaps(ReturnSetInfo *rsinfo, const Partitioned *table)
{
	for (int i = 1; i < table->count; i++)
	{
		const Partition *before = &table->partitions[i - 1];
		const Partition *after = &table->partitions[i];

		if (iuid_compare(&before->upper, &after->lower) < 0)
			report(rsinfo, "gap", before->table,
				   iuid_time_of_bound(&before->upper),
				   iuid_time_of_bound(&after->lower),
				   psprintf("nothing from %s up to %s",
							iuid_text_of_bound(&before->upper),
							iuid_text_of_bound(&after->lower)));
	}
}

static void
check_bounds(ReturnSetInfo *rsinfo, const Partitioned *table)
{
	for (int i = 0; i < table->count; i++)
	{
		const Partition *partition = &table->partitions[i];
		const Iuid *bounds[] = { &partition->lower, &partition->upper };

		for (size_t n = 0; n < lengthof(bounds); n++)
		{
			if (iuid_is_first_of_millisecond(table, bounds[n]))
				continue;
			report(rsinfo, "bound within a millisecond", partition->table,
				   iuid_time_of_bound(&partition->lower),
				   iuid_time_of_bound(&partition->upper),
				   psprintf("%s is not the first of its millisecond",
							iuid_text_of_bound(bounds[n])));
		}
	}
}

/*
 * Reports CHECKs that refuse rows of a partition's own times.  If a partition
 * has a CHECK of its times, reports those that have none: only an open end
 * needs none, as its bound moves.
 */
static void
check_times(ReturnSetInfo *rsinfo, const Partitioned *table)
{
	TimeCheck *found = palloc(sizeof(TimeCheck) * table->count);
	bool wanted = false;

	for (int i = 0; i < table->count; i++)
	{
		found[i] = iuid_time_check_of(table, &table->partitions[i]);
		wanted |= found[i] == TIME_CHECK_RIGHT;
	}
	for (int i = 0; i < table->count; i++)
	{
		const Partition *partition = &table->partitions[i];
		TimestampTz lower = iuid_time_of_bound(&partition->lower);
		TimestampTz upper = iuid_time_of_bound(&partition->upper);

		if (found[i] == TIME_CHECK_NARROW)
			report(rsinfo, "narrow time check", partition->table, lower, upper,
				   "a CHECK refuses times between the bounds");
		else if (found[i] == TIME_CHECK_NONE && wanted &&
				 partition->has_lower && partition->has_upper)
			report(rsinfo, "no time check", partition->table, lower, upper,
				   iuid_time_check_text(table, partition));
	}
}

/* Reports rows in DEFAULT whose times lie between those of the partitions. */
static void
check_stranded(ReturnSetInfo *rsinfo, const Partitioned *table)
{
	Oid source = table->default_partition;
	SavedUser saved = iuid_become(iuid_owner_or_caller(source));
	char *query =
		psprintf("SELECT pg_catalog.count(*), pg_catalog.min(id::pg_catalog.text COLLATE pg_catalog.\"C\"),"
				 " pg_catalog.max(id::pg_catalog.text COLLATE pg_catalog.\"C\")"
				 " FROM (SELECT %s::pg_catalog.uuid AS id FROM %s) AS x"
				 " WHERE id OPERATOR(pg_catalog.>=) '%s'::pg_catalog.uuid AND id OPERATOR(pg_catalog.<) '%s'::pg_catalog.uuid",
				 quote_identifier(table->key), iuid_qualified_name(source),
				 iuid_text_of_bound(&table->partitions[0].lower),
				 iuid_text_of_bound(&table->partitions[table->count - 1].upper));
	bool isnull;
	int64 rows;
	Iuid first = iuid_nil, last = iuid_nil;

	SPI_connect();
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "unexpected result of \"%s\"", query);
	rows = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
									   SPI_tuptable->tupdesc, 1, &isnull));
	if (rows > 0 &&
		(!iuid_decode(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2),
					  &first) ||
		 !iuid_decode(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3),
					  &last)))
		elog(ERROR, "unexpected result of \"%s\"", query);
	SPI_finish();
	iuid_restore_user(&saved);

	if (rows > 0)
		report(rsinfo, "stranded rows", source, iuid_time_of_bound(&first),
			   iuid_time_of_bound(&last),
			   psprintf("rows of times between those of the partitions: %lld",
						(long long) rows));
}

static void
report(ReturnSetInfo *rsinfo, const char *problem, Oid partition,
	   TimestampTz lower, TimestampTz upper, const char *detail)
{
	Datum values[CHECK_COLUMNS];
	bool nulls[CHECK_COLUMNS] = { false };

	values[CHECK_PROBLEM] = CStringGetTextDatum(problem);
	values[CHECK_PARTITION] = ObjectIdGetDatum(partition);
	values[CHECK_LOWER] = TimestampTzGetDatum(lower);
	values[CHECK_UPPER] = TimestampTzGetDatum(upper);
	values[CHECK_DETAIL] = CStringGetTextDatum(detail);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}
