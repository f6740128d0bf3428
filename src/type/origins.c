/*-------------------------------------------------------------------------
 *
 * origins.c
 *	  Counts the origins of a column when it is analyzed.
 *
 * The statistics are a slot of pg_statistic: the origins that the sample has, in
 * order, each as country * 256 + entity, and the part of the rows that each has.
 * If the sample has too many, those with fewest rows are left out.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "utils/lsyscache.h"

#include "datum.h"
#include "origins.h"

/* One of the numbers that pg_statistic.h leaves for private use. */
#define STATISTIC_KIND_ORIGINS 20810

/* Core asks for 300 sampled rows for each value that it may keep. */
#define ROWS_PER_ORIGIN 30

/* What core has put into the place that is ours now. */
typedef struct Core
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void *extra_data;
} Core;

static void compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch,
						  int rows, double total);
static void keep_origins(VacAttrStats *stats, const int *counts, int rows,
						 int most);

/*
 * The function of the type that ANALYZE calls.  Argument: VacAttrStats.  Result:
 * whether the column is to be analyzed.
 */
PG_FUNCTION_INFO_V1(iuid_typanalyze);
Datum
iuid_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	Core *core = palloc(sizeof(Core));

	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);

	core->compute_stats = stats->compute_stats;
	core->extra_data = stats->extra_data;
	stats->compute_stats = compute_stats;
	stats->extra_data = core;
	PG_RETURN_BOOL(true);
}

/* Core's statistics, and the origins. */
static void
compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int rows,
			  double total)
{
	Core *core = stats->extra_data;
	int *counts = palloc0((Size) IUID_ORIGINS * sizeof(int));

	stats->extra_data = core->extra_data;
	core->compute_stats(stats, fetch, rows, total);
	stats->extra_data = core;

	for (int i = 0; i < rows; i++)
	{
		bool isnull;
		Datum value = fetch(stats, i, &isnull);

		vacuum_delay_point(true);
		if (!isnull)
			counts[iuid_get_origin(DatumGetIuidP(value))]++;
	}
	keep_origins(stats, counts, rows, Max(stats->minrows / ROWS_PER_ORIGIN, 1));
	pfree(counts);
}

/* Puts the origins, and no more than "most" of them, into a free slot. */
static void
keep_origins(VacAttrStats *stats, const int *counts, int rows, int most)
{
	MemoryContext old;
	int least = 1, kept = 0, slot = 0;

	for (;; least++)
	{
		kept = 0;
		for (int origin = 0; origin < IUID_ORIGINS; origin++)
			kept += counts[origin] >= least;
		if (kept <= most)
			break;
	}
	while (slot < STATISTIC_NUM_SLOTS && stats->stakind[slot] != 0)
		slot++;
	if (kept == 0 || slot == STATISTIC_NUM_SLOTS)
		return;

	old = MemoryContextSwitchTo(stats->anl_context);
	stats->stakind[slot] = STATISTIC_KIND_ORIGINS;
	stats->statypid[slot] = INT4OID;
	stats->statyplen[slot] = sizeof(int32);
	stats->statypbyval[slot] = true;
	stats->statypalign[slot] = TYPALIGN_INT;
	stats->stavalues[slot] = palloc((Size) kept * sizeof(Datum));
	stats->stanumbers[slot] = palloc((Size) kept * sizeof(float4));
	MemoryContextSwitchTo(old);

	for (int origin = 0; origin < IUID_ORIGINS; origin++)
	{
		if (counts[origin] >= least)
		{
			stats->stavalues[slot][stats->numvalues[slot]++] =
				Int32GetDatum(origin);
			stats->stanumbers[slot][stats->numnumbers[slot]++] =
				(float4) counts[origin] / rows;
		}
	}
}

bool
iuid_rows_before_origin(VariableStatData *variable, int origin, double *before,
						double *nulls)
{
	AttStatsSlot slot;
	double listed = 0;

	if (!HeapTupleIsValid(variable->statsTuple) ||
		!get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_ORIGINS,
						  InvalidOid, ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return false;

	*nulls = ((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac;
	*before = 0;
	for (int i = 0; i < slot.nvalues; i++)
	{
		listed += slot.numbers[i];
		if (DatumGetInt32(slot.values[i]) < origin)
			*before += slot.numbers[i];
	}
	free_attstatsslot(&slot);

	/* The others are as many in each origin. */
	*before += Max(1 - *nulls - listed, 0) * origin / IUID_ORIGINS;
	return true;
}
