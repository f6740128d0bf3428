/*-------------------------------------------------------------------------
 *
 * sort_keys.c
 *	  Makes the abbreviated keys of a sort, as the server does, and shows what
 *	  no query shows.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/sortsupport.h"

PG_MODULE_MAGIC;

static int
compare_keys(const void *a, const void *b)
{
	Datum x = *(const Datum *) a, y = *(const Datum *) b;

	return (x > y) - (x < y);
}

/* How many keys differ; sorts them. */
static int
count_distinct(Datum *keys, int count)
{
	int distinct = 0;

	qsort(keys, count, sizeof(Datum), compare_keys);
	for (int i = 0; i < count; i++)
		distinct += i == 0 || keys[i] != keys[i - 1];
	return distinct;
}

/*
 * sort_keys(ids, less): a sort by the operator less, which comes upon these
 * identifiers in this order.  Whether it has abbreviated keys, how many of them
 * differ, whether each is at least the one before, and whether the sort gives
 * them up.
 */
PG_FUNCTION_INFO_V1(sort_keys);
Datum
sort_keys(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	SortSupportData sort = { .ssup_cxt = CurrentMemoryContext,
							 .abbreviate = true };
	Datum *ids, *keys;
	int count;
	bool ascending = true, given_up;
	Datum values[4];
	bool nulls[4] = { false };
	TupleDesc tupdesc;

	deconstruct_array(array, ARR_ELEMTYPE(array), 16, false, TYPALIGN_CHAR,
					  &ids, NULL, &count);
	PrepareSortSupportFromOrderingOp(PG_GETARG_OID(1), &sort);
	values[0] = BoolGetDatum(sort.abbrev_converter != NULL);
	nulls[1] = nulls[2] = nulls[3] = sort.abbrev_converter == NULL;
	if (sort.abbrev_converter != NULL)
	{
		keys = palloc(sizeof(Datum) * count);
		for (int i = 0; i < count; i++)
		{
			keys[i] = sort.abbrev_converter(ids[i], &sort);
			if (i > 0 && sort.comparator(keys[i - 1], keys[i], &sort) > 0)
				ascending = false;
		}
		given_up = sort.abbrev_abort(count, &sort);
		values[1] = Int32GetDatum(count_distinct(keys, count));
		values[2] = BoolGetDatum(ascending);
		values[3] = BoolGetDatum(given_up);
	}
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls)));
}

/* datum_bits(): how many a Datum has. */
PG_FUNCTION_INFO_V1(datum_bits);
Datum
datum_bits(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	PG_RETURN_INT32(sizeof(Datum) * 8);
}
