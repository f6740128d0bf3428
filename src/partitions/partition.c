/*-------------------------------------------------------------------------
 *
 * partition.c
 *	  SQL functions that make, drop, detach and maintain time partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "datum.h"
#include "function.h"
#include "maintenance.h"

static void remove_old(FunctionCallInfo fcinfo, bool drop,
					   PartitionReport report);
static void check_not_null(FunctionCallInfo fcinfo, int count, const char *hint);
static void report_table(ReturnSetInfo *rsinfo, const char *action,
						 Oid partition, const char *name);
static void report_name(ReturnSetInfo *rsinfo, const char *action,
						Oid partition, const char *name);
static void report_action(ReturnSetInfo *rsinfo, const char *action,
						  Oid partition, const char *name);

/*
 * iuid_create_partitions(parent, step, first, last, time_checks): makes the
 * time partitions that are missing, and moves their rows out of the DEFAULT
 * partition.
 */
PG_FUNCTION_INFO_V1(iuid_create_partitions);
Datum
iuid_create_partitions(PG_FUNCTION_ARGS)
{
	Maintenance work = { .create = true };

	check_not_null(fcinfo, 4,
				   "Give the table, the step, the first time and the time at which to end.");
	work.parent = PG_GETARG_OID(0);
	work.schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	work.step = iuid_step_of_interval(PG_GETARG_INTERVAL_P(1));
	work.first = PG_GETARG_TIMESTAMPTZ(2);
	work.last = PG_GETARG_TIMESTAMPTZ(3);
	work.time_checks = iuid_bool_arg(fcinfo, 4, "time_checks");
	iuid_check_span(work.first, work.last);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	iuid_maintain(&work, (ReturnSetInfo *) fcinfo->resultinfo, report_table);
	return (Datum) 0;
}

/* iuid_drop_partitions(parent, older_than): drops what ended by a time. */
PG_FUNCTION_INFO_V1(iuid_drop_partitions);
Datum
iuid_drop_partitions(PG_FUNCTION_ARGS)
{
	remove_old(fcinfo, true, report_name);
	return (Datum) 0;
}

/* iuid_detach_partitions(parent, older_than): detaches what ended by a time. */
PG_FUNCTION_INFO_V1(iuid_detach_partitions);
Datum
iuid_detach_partitions(PG_FUNCTION_ARGS)
{
	remove_old(fcinfo, false, report_table);
	return (Datum) 0;
}

static void
remove_old(FunctionCallInfo fcinfo, bool drop, PartitionReport report)
{
	Maintenance work = { .remove = true, .removal.drop = drop };

	check_not_null(fcinfo, 2,
				   "Give the table, and the time before which its partitions go.");
	work.parent = PG_GETARG_OID(0);
	work.schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	work.removal.older_than = PG_GETARG_TIMESTAMPTZ(1);
	if (TIMESTAMP_NOT_FINITE(work.removal.older_than))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time %s is out of range for removing partitions",
						iuid_time_text(work.removal.older_than)),
				 errhint("Give a finite time: what ended before it is removed.")));

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	iuid_maintain(&work, (ReturnSetInfo *) fcinfo->resultinfo, report);
}

/*
 * iuid_maintain_partitions(parent, step, ahead, keep, time_checks): makes what
 * is missing from the last partition to the present and ahead steps more, and
 * drops what ended longer ago than keep.
 */
PG_FUNCTION_INFO_V1(iuid_maintain_partitions);
Datum
iuid_maintain_partitions(PG_FUNCTION_ARGS)
{
	Maintenance work = { .create = true, .removal.drop = true, .to_present = true };
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	check_not_null(fcinfo, 2, "Give the table and the step.");
	work.ahead = PG_ARGISNULL(2) ? -1 : PG_GETARG_INT32(2);
	if (work.ahead < 0 || work.ahead > IUID_AHEAD_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of steps to make ahead is out of range"),
				 errdetail("It is a number from 0 to %d.", IUID_AHEAD_MAX)));
	work.parent = PG_GETARG_OID(0);
	work.schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	work.step = iuid_step_of_interval(PG_GETARG_INTERVAL_P(1));
	work.time_checks = iuid_bool_arg(fcinfo, 4, "time_checks");
	if (!PG_ARGISNULL(3))
	{
		/* A timestamp has no time zone, so the difference is made in UTC. */
		work.remove = true;
		work.removal.older_than = DatumGetTimestamp(
			DirectFunctionCall2(timestamp_mi_interval, TimestampGetDatum(now),
								PG_GETARG_DATUM(3)));
		if (work.removal.older_than >= now ||
			TIMESTAMP_NOT_FINITE(work.removal.older_than))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the time to keep partitions for must end in the past"),
					 errdetail("Counted back from now, it ends at %s.",
							   iuid_time_text(work.removal.older_than)),
					 errhint(
						 "Give a positive interval, or NULL to keep everything.")));
	}

	InitMaterializedSRF(fcinfo, 0);
	iuid_maintain(&work, (ReturnSetInfo *) fcinfo->resultinfo, report_action);
	return (Datum) 0;
}

static void
check_not_null(FunctionCallInfo fcinfo, int count, const char *hint)
{
	for (int i = 0; i < count; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("arguments of %s must not be null",
							get_func_name(fcinfo->flinfo->fn_oid)),
					 errhint("%s", hint)));
	}
}

static void
report_table(ReturnSetInfo *rsinfo, const char *action pg_attribute_unused(),
			 Oid partition, const char *name pg_attribute_unused())
{
	Datum value = ObjectIdGetDatum(partition);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}

static void
report_name(ReturnSetInfo *rsinfo, const char *action pg_attribute_unused(),
			Oid partition pg_attribute_unused(), const char *name)
{
	Datum value = CStringGetTextDatum(name);
	bool isnull = false;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
}

static void
report_action(ReturnSetInfo *rsinfo, const char *action,
			  Oid partition pg_attribute_unused(), const char *name)
{
	Datum values[] = { CStringGetTextDatum(action), CStringGetTextDatum(name) };
	bool nulls[] = { false, false };

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}
