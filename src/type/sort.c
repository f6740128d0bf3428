/*-------------------------------------------------------------------------
 *
 * sort.c
 *	  Sorting and skipping through a btree: support functions 2 and 6.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "common/hashfn.h"
#include "lib/hyperloglog.h"
#include "utils/sortsupport.h"

#include "datum.h"

#define PACKED_MS_BITS	   43 /* to the year 2248 */
#define PACKED_SIDE_BITS   2  /* of the sample: before, same or after */
#define PACKED_TAIL_BITS   19 /* the rest of the 64 */
#define PACKED_TAIL_MAX	   ((UINT64_C(1) << PACKED_TAIL_BITS) - 1)
#define PACKED_ENTITY_BITS 9 /* of the tail, after a country and a side */

/*
 * When abbreviated keys do not pay: the numbers of core's uuid.  With them, a
 * sort of 1,000,000 identifiers in order by origin takes 0.46 of the time that it
 * takes without them if all keys differ, as long at 1,000 identifiers to a
 * key, and 2.9 times as long if all keys are the same.
 */
#define KEYS_TO_JUDGE_BY   10000
#define KEYS_TO_A_DISTINCT 2000
#define ENOUGH_DISTINCT	   100000.0
#define HASH_BITS		   10 /* of the estimate: off by 3 % or so */

/* What is known of the identifiers of one sort. */
typedef struct SortState
{
	/* How they go into 64 bits; see choose_packing(). */
	bool is_packing_chosen;
	bool by_sample;
	uint64 middle, entity; /* of the sample */

	/* How many of the keys differ. */
	bool is_counting;
	int64 keys;
	hyperLogLogState distinct;
} SortState;

static void prepare_sort(SortSupport ssup,
						 int (*compare)(Datum, Datum, SortSupport),
						 Datum (*make_key)(Datum, SortSupport));
static int byte_order_compare(Datum x, Datum y, SortSupport ssup);
static Datum byte_order_key(Datum original, SortSupport ssup);
static int origin_order_compare(Datum x, Datum y, SortSupport ssup);
static Datum origin_order_key(Datum original, SortSupport ssup);
static inline Datum count_key(SortState *state, uint64 key);
static bool abbreviation_fails(int memtupcount, SortSupport ssup);

/* Sort support in byte order. */
PG_FUNCTION_INFO_V1(iuid_sortsupport);
Datum
iuid_sortsupport(PG_FUNCTION_ARGS)
{
	prepare_sort((SortSupport) PG_GETARG_POINTER(0), byte_order_compare,
				 byte_order_key);
	PG_RETURN_VOID();
}

/* Sort support in order by origin. */
PG_FUNCTION_INFO_V1(iuid_origin_sortsupport);
Datum
iuid_origin_sortsupport(PG_FUNCTION_ARGS)
{
	prepare_sort((SortSupport) PG_GETARG_POINTER(0), origin_order_compare,
				 origin_order_key);
	PG_RETURN_VOID();
}

static void
prepare_sort(SortSupport ssup, int (*compare)(Datum, Datum, SortSupport),
			 Datum (*make_key)(Datum, SortSupport))
{
	MemoryContext caller;
	SortState *state;

	ssup->comparator = compare;
	/* A Datum of 32 bits has room for part of the time only. */
	if (!ssup->abbreviate || sizeof(Datum) < sizeof(uint64))
		return;

	caller = MemoryContextSwitchTo(ssup->ssup_cxt);
	state = palloc0(sizeof(SortState));
	state->is_counting = true;
	initHyperLogLog(&state->distinct, HASH_BITS);
	MemoryContextSwitchTo(caller);

	ssup->ssup_extra = state;
	ssup->comparator = ssup_datum_unsigned_cmp;
	ssup->abbrev_converter = make_key;
	ssup->abbrev_abort = abbreviation_fails;
	ssup->abbrev_full_comparator = compare;
}

static int
byte_order_compare(Datum x, Datum y, SortSupport ssup pg_attribute_unused())
{
	return iuid_compare(DatumGetIuidP(x), DatumGetIuidP(y));
}

/*
 * Most tables hold identifiers of one entity, and many those of one country.
 * There the first word, which has 48 bits of time and then country and layout,
 * is the same for all identifiers of a millisecond, while the random bits
 * begin with the fraction of the millisecond.  So the first identifier of a
 * sort is the sample.  A key has the time, two bits that compare layout,
 * country and entity with those of the sample, and then, if they are the same,
 * random bits:
 *
 *	  time 43 | side 2 | random 19					of the sample's origin
 *	  time 43 | side 2 | country 8 | side 2 | entity or random 9	of another
 *
 * At 5,000 identifiers to a millisecond CREATE INDEX takes two thirds of the
 * time of uuid, and without a sample as long as uuid (test/bench/sort.sql).
 * Identifiers derived from a name have digest bits in their first word.
 */
static void
choose_packing(SortState *state, const Iuid *sample)
{
	state->is_packing_chosen = true;
	state->by_sample = iuid_get_layout(sample) == IUID_LAYOUT_TIME;
	state->middle = iuid_get_middle(sample);
	state->entity = iuid_get_entity(sample);
}

static inline uint64
first_random_bits(const Iuid *id, int bits)
{
	return (uint64) iuid_get_random(id) >> (IUID_RANDOM_BITS - bits);
}

/* 0, 1 or 2: before, the same or after. */
static inline uint64
side_of(uint64 value, uint64 sample)
{
	return iuid_compare_words(value, sample) + 1;
}

/* For an identifier whose country or entity is not that of the sample. */
static inline uint64
tail_of_other(const Iuid *id, uint64 sample_entity)
{
	uint64 entity = iuid_get_entity(id);
	uint64 rest;

	/* Other layouts come after this one. */
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
	SortState *state = ssup->ssup_extra;
	uint64 ms = iuid_get_ms(id);
	uint64 middle = iuid_get_middle(id);
	uint64 side, tail;

	if (!state->is_packing_chosen)
		choose_packing(state, id);
	if (!state->by_sample)
		return count_key(state, iuid_high(id));
	if (ms >> PACKED_MS_BITS != 0)
		return count_key(state, UINT64_MAX);

	side = side_of(middle, state->middle);
	tail = middle == state->middle ? first_random_bits(id, PACKED_TAIL_BITS) :
									 tail_of_other(id, state->entity);
	return count_key(state,
					 (ms << PACKED_SIDE_BITS | side) << PACKED_TAIL_BITS | tail);
}

static int
origin_order_compare(Datum x, Datum y, SortSupport ssup pg_attribute_unused())
{
	return iuid_compare_origin(DatumGetIuidP(x), DatumGetIuidP(y));
}

/* Country and entity, then the 48 bits of time: no bit is spare. */
static Datum
origin_order_key(Datum original, SortSupport ssup)
{
	const Iuid *id = DatumGetIuidP(original);

	return count_key(ssup->ssup_extra,
					 iuid_get_origin(id) << 48 | (uint64) iuid_get_ms(id));
}

static inline Datum
count_key(SortState *state, uint64 key)
{
	state->keys++;
	if (state->is_counting)
		addHyperLogLog(&state->distinct,
					   hash_bytes_uint32((uint32) key ^ (uint32) (key >> 32)));
	return (Datum) key;
}

/* Whether so many keys tie that the sort is faster without them. */
static bool
abbreviation_fails(int memtupcount, SortSupport ssup)
{
	SortState *state = ssup->ssup_extra;
	double distinct;

	if (!state->is_counting || memtupcount < KEYS_TO_JUDGE_BY)
		return false;
	distinct = estimateHyperLogLog(&state->distinct);
	state->is_counting = distinct <= ENOUGH_DISTINCT;
	return distinct < (double) state->keys / KEYS_TO_A_DISTINCT + 0.5;
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

#endif /* HAVE_SKIP_SUPPORT */

/*
 * Skip support in byte order, from Nil to Max.  Older servers have the
 * function, too, so that after pg_upgrade only the operator family lacks it.
 */
PG_FUNCTION_INFO_V1(iuid_skipsupport);
Datum
iuid_skipsupport(PG_FUNCTION_ARGS)
{
#ifdef HAVE_SKIP_SUPPORT
	SkipSupport sksup = (SkipSupport) PG_GETARG_POINTER(0);

	sksup->low_elem = iuid_to_datum(iuid_nil);
	sksup->high_elem = iuid_to_datum(iuid_max);
	sksup->increment = increment;
	sksup->decrement = decrement;
	PG_RETURN_VOID();
#else
	(void) fcinfo;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("skip support needs PostgreSQL 18"),
			 errdetail(
				 "This server is older, and its btree indexes ask for none.")));
#endif
}
