/*-------------------------------------------------------------------------
 *
 * sort.c
 *	  Sorting and skipping through a btree: support functions 2 and 6.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "utils/sortsupport.h"

#include "datum.h"

static Datum byte_order_key(Datum original, SortSupport ssup);
static int	byte_order_compare(Datum x, Datum y, SortSupport ssup);
static Datum country_order_key(Datum original, SortSupport ssup);
static int	country_order_compare(Datum x, Datum y, SortSupport ssup);

/*
 * Abbreviated keys are never given up: they cost one load each, and the
 * comparison they save is of two far pointers.
 */
static bool
keep_abbreviating(int memtupcount pg_attribute_unused(),
				  SortSupport ssup pg_attribute_unused())
{
	return false;
}

static void
prepare_sort(SortSupport ssup, int (*compare) (Datum, Datum, SortSupport),
			 Datum (*make_key) (Datum, SortSupport))
{
	ssup->comparator = compare;

#if SIZEOF_DATUM == 8
	if (ssup->abbreviate)
	{
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = make_key;
		ssup->abbrev_abort = keep_abbreviating;
		ssup->abbrev_full_comparator = compare;
	}
#endif
}

/* Sort support in byte order. */
PG_FUNCTION_INFO_V1(iuid_sortsupport);
Datum
iuid_sortsupport(PG_FUNCTION_ARGS)
{
	prepare_sort((SortSupport) PG_GETARG_POINTER(0),
				 byte_order_compare, byte_order_key);
	PG_RETURN_VOID();
}

static int
byte_order_compare(Datum x, Datum y, SortSupport ssup pg_attribute_unused())
{
	return iuid_compare(DatumGetIuidP(x), DatumGetIuidP(y));
}

static Datum
byte_order_key(Datum original, SortSupport ssup pg_attribute_unused())
{
	return (Datum) iuid_high(DatumGetIuidP(original));
}

/* Sort support in country order. */
PG_FUNCTION_INFO_V1(iuid_country_sortsupport);
Datum
iuid_country_sortsupport(PG_FUNCTION_ARGS)
{
	prepare_sort((SortSupport) PG_GETARG_POINTER(0),
				 country_order_compare, country_order_key);
	PG_RETURN_VOID();
}

static int
country_order_compare(Datum x, Datum y, SortSupport ssup pg_attribute_unused())
{
	return iuid_compare_country(DatumGetIuidP(x), DatumGetIuidP(y));
}

/* Country and entity, then the 48 bits of time: no bit is spare. */
static Datum
country_order_key(Datum original, SortSupport ssup pg_attribute_unused())
{
	const Iuid *id = DatumGetIuidP(original);

	return (Datum) (iuid_get_origin(id) << 48 | (uint64) iuid_get_ms(id));
}

#ifdef HAVE_SKIP_SUPPORT

/*
 * The next or previous 16 bytes.  They need not be an identifier: the btree
 * only asks whether there is something between two keys.
 */
static Datum
move_by_one(Datum existing, bool up)
{
	const Iuid *id = DatumGetIuidP(existing);
	uint64		high = iuid_high(id),
				low = iuid_low(id);

	if (up)
		high += (++low == 0);
	else
		high -= (low-- == 0);
	return iuid_to_datum(iuid_from_words(high, low));
}

static Datum
increment(Relation rel pg_attribute_unused(), Datum existing, bool *overflow)
{
	const Iuid	end = IUID_MAX;

	*overflow = iuid_compare(DatumGetIuidP(existing), &end) == 0;
	return *overflow ? (Datum) 0 : move_by_one(existing, true);
}

static Datum
decrement(Relation rel pg_attribute_unused(), Datum existing, bool *underflow)
{
	const Iuid	end = IUID_NIL;

	*underflow = iuid_compare(DatumGetIuidP(existing), &end) == 0;
	return *underflow ? (Datum) 0 : move_by_one(existing, false);
}

/* Skip support in byte order, from Nil to Max. */
PG_FUNCTION_INFO_V1(iuid_skipsupport);
Datum
iuid_skipsupport(PG_FUNCTION_ARGS)
{
	SkipSupport sksup = (SkipSupport) PG_GETARG_POINTER(0);

	sksup->low_elem = iuid_to_datum(IUID_NIL);
	sksup->high_elem = iuid_to_datum(IUID_MAX);
	sksup->increment = increment;
	sksup->decrement = decrement;
	PG_RETURN_VOID();
}

#endif							/* HAVE_SKIP_SUPPORT */
