/*-------------------------------------------------------------------------
 *
 * origins.c
 *	  Counts the origins of a column when it is analyzed.
 *
 * The statistics are a slot of pg_statistic: the origins that the sample has, in
 * order, each as country * 256 + entity, and the part of the rows that each has.
 * If the sample has too many, those with fewest rows are left out; of as many
 * rows, the last origins.
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
static int compare_counts(const void *a, const void *b, void *counts);
static int compare_origins(const void *a, const void *b);

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
	int *origins = palloc((Size) IUID_ORIGINS * sizeof(int));
	MemoryContext old;
	int kept = 0, slot = 0;

	for (int origin = 0; origin < IUID_ORIGINS; origin++)
	{
		if (counts[origin] > 0)
			origins[kept++] = origin;
	}
	if (kept > most)
	{
		qsort_arg(origins, kept, sizeof(int), compare_counts, (void *) counts);
		kept = most;
		qsort(origins, kept, sizeof(int), compare_origins);
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
	stats->numvalues[slot] = stats->numnumbers[slot] = kept;
	MemoryContextSwitchTo(old);

	for (int i = 0; i < kept; i++)
	{
		stats->stavalues[slot][i] = Int32GetDatum(origins[i]);
		stats->stanumbers[slot][i] = (float4) counts[origins[i]] / rows;
	}
	pfree(origins);
}

/* Those with most rows first, and then in their order. */
static int
compare_counts(const void *a, const void *b, void *counts)
{
	int of_a = ((const int *) counts)[*(const int *) a];
	int of_b = ((const int *) counts)[*(const int *) b];

	return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : compare_origins(a, b);
}

static int
compare_origins(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
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
