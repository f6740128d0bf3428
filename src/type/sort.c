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

#define PACKED_MS_BITS	   43 /* to the year 2248 */
#define PACKED_SIDE_BITS   2  /* of the sample: before, same, behind */
#define PACKED_TAIL_BITS   19 /* the rest of the 64 */
#define PACKED_TAIL_MAX	   ((UINT64_C(1) << PACKED_TAIL_BITS) - 1)
#define PACKED_ENTITY_BITS 9 /* of the tail, behind a country and a side */

/* How the identifiers of one sort go into 64 bits; see choose_packing(). */
typedef struct Packing
{
	bool chosen;
	bool by_sample;
	uint64 middle, entity; /* of the sample */
} Packing;

static void prepare_sort(SortSupport ssup,
						 int (*compare)(Datum, Datum, SortSupport),
						 Datum (*make_key)(Datum, SortSupport));
static int byte_order_compare(Datum x, Datum y, SortSupport ssup);
static Datum byte_order_key(Datum original, SortSupport ssup);
static int country_order_compare(Datum x, Datum y, SortSupport ssup);
static Datum country_order_key(Datum original, SortSupport ssup);
static bool keep_abbreviating(int memtupcount, SortSupport ssup);

/* Sort support in byte order. */
PG_FUNCTION_INFO_V1(iuid_sortsupport);
Datum
iuid_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->ssup_extra = MemoryContextAllocZero(ssup->ssup_cxt, sizeof(Packing));
	prepare_sort(ssup, byte_order_compare, byte_order_key);
	PG_RETURN_VOID();
}

/* Sort support in country order. */
PG_FUNCTION_INFO_V1(iuid_country_sortsupport);
Datum
iuid_country_sortsupport(PG_FUNCTION_ARGS)
{
	prepare_sort((SortSupport) PG_GETARG_POINTER(0), country_order_compare,
				 country_order_key);
	PG_RETURN_VOID();
}

static void
prepare_sort(SortSupport ssup, int (*compare)(Datum, Datum, SortSupport),
			 Datum (*make_key)(Datum, SortSupport))
{
	ssup->comparator = compare;

	/* A Datum of 32 bits has room for part of the time only. */
	if (ssup->abbreviate && sizeof(Datum) == sizeof(uint64))
	{
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = make_key;
		ssup->abbrev_abort = keep_abbreviating;
		ssup->abbrev_full_comparator = compare;
	}
}

static int
byte_order_compare(Datum x, Datum y, SortSupport ssup pg_attribute_unused())
{
	return iuid_compare(DatumGetIuidP(x), DatumGetIuidP(y));
}

/*
 * Most tables hold identifiers of one entity, and many those of one country.
 * There, the bits between time and random tell little, and in a busy
 * millisecond the random bits do, which begin with its fraction.  So the first
 * identifier is the sample: what the others have in common with it takes two
 * bits, and leaves the rest to random bits.  Identifiers derived from a name
 * have enough in their first word.
 */
static void
choose_packing(Packing *packing, const Iuid *sample)
{
	packing->chosen = true;
	packing->by_sample = iuid_get_layout(sample) == IUID_LAYOUT_TIME;
	packing->middle = iuid_get_middle(sample);
	packing->entity = iuid_get_entity(sample);
}

static inline uint64
first_random_bits(const Iuid *id, int bits)
{
	return (uint64) iuid_get_random(id) >> (IUID_RANDOM_BITS - bits);
}

/* 0, 1 or 2: before, the same or behind. */
static inline uint64
side_of(uint64 value, uint64 sample)
{
	return iuid_compare_words(value, sample) + 1;
}

/* Of an identifier whose country or entity is not that of the sample. */
static inline uint64
tail_of_other(const Iuid *id, uint64 sample_entity)
{
	uint64 entity = iuid_get_entity(id);
	uint64 rest;

	/* Other layouts are behind this one. */
	if (unlikely(iuid_get_layout(id) != IUID_LAYOUT_TIME))
		return PACKED_TAIL_MAX;
	rest = entity == sample_entity ? first_random_bits(id, PACKED_ENTITY_BITS) :
									 entity;
	return ((uint64) iuid_get_country(id) << PACKED_SIDE_BITS |
			side_of(entity, sample_entity))
		<< PACKED_ENTITY_BITS |
		rest;
}

/* The key ascends with the identifier, whatever the sample; it may tie. */
static Datum
byte_order_key(Datum original, SortSupport ssup)
{
	const Iuid *id = DatumGetIuidP(original);
	Packing *packing = ssup->ssup_extra;
	uint64 ms = iuid_get_ms(id);
	uint64 middle = iuid_get_middle(id);
	uint64 side, tail;

	if (!packing->chosen)
		choose_packing(packing, id);
	if (!packing->by_sample)
		return (Datum) iuid_high(id);
	if (ms >> PACKED_MS_BITS != 0)
		return (Datum) UINT64_MAX;

	side = side_of(middle, packing->middle);
	tail = middle == packing->middle ? first_random_bits(id, PACKED_TAIL_BITS) :
									   tail_of_other(id, packing->entity);
	return (Datum) ((ms << PACKED_SIDE_BITS | side) << PACKED_TAIL_BITS | tail);
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

/* Abbreviated keys are never given up: a few operations make one. */
static bool
keep_abbreviating(int memtupcount pg_attribute_unused(),
				  SortSupport ssup pg_attribute_unused())
{
	return false;
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
	uint64 high = iuid_high(id), low = iuid_low(id);

	if (up)
		high += (++low == 0);
	else
		high -= (low-- == 0);
	return iuid_to_datum(iuid_from_words(high, low));
}

static Datum
increment(Relation rel pg_attribute_unused(), Datum existing, bool *overflow)
{
	*overflow = iuid_compare(DatumGetIuidP(existing), &iuid_max) == 0;
	return *overflow ? (Datum) 0 : move_by_one(existing, true);
}

static Datum
decrement(Relation rel pg_attribute_unused(), Datum existing, bool *underflow)
{
	*underflow = iuid_compare(DatumGetIuidP(existing), &iuid_nil) == 0;
	return *underflow ? (Datum) 0 : move_by_one(existing, false);
}

/* Skip support in byte order, from Nil to Max. */
PG_FUNCTION_INFO_V1(iuid_skipsupport);
Datum
iuid_skipsupport(PG_FUNCTION_ARGS)
{
	SkipSupport sksup = (SkipSupport) PG_GETARG_POINTER(0);

	sksup->low_elem = iuid_to_datum(iuid_nil);
	sksup->high_elem = iuid_to_datum(iuid_max);
	sksup->increment = increment;
	sksup->decrement = decrement;
	PG_RETURN_VOID();
}

#endif /* HAVE_SKIP_SUPPORT */
