/*-------------------------------------------------------------------------
 *
 * iuid.h
 *	  The bits of an identifier; only this file knows their positions.
 *
 * An iuid is an RFC 9562 UUID of version 8 (section 5.8).  Seen as two
 * big-endian 64-bit words, most significant bit first:
 *
 *	  high	 unix_ts_ms 48 | version 4 | layout 4 | country 8
 *	  low	 variant 2 | entity 8 | random 54
 *
 * Nothing here needs PostgreSQL, so code that uses only this file can be tested
 * and fuzzed by itself.  doc/format.md says what the fields mean.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_H
#define IUID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define IUID_LEN	  16 /* bytes in memory, on disk and on the wire */
#define IUID_TEXT_LEN 36 /* characters of the canonical text */

#define IUID_VERSION 8 /* RFC 9562, section 5.8 */
#define IUID_VARIANT 2 /* 0b10, RFC 9562, section 4.1 */

#define IUID_MS_MAX		 ((INT64_C(1) << 48) - 1)
#define IUID_LAYOUT_TIME 0 /* the 48 bits are Unix time in milliseconds */
#define IUID_LAYOUT_NAME 1 /* the 48 bits are part of a digest */
#define IUID_COUNTRY_MAX 255
#define IUID_ENTITY_MAX	 255
#define IUID_COUNTRIES	 (IUID_COUNTRY_MAX + 1)
#define IUID_ENTITIES	 (IUID_ENTITY_MAX + 1)
#define IUID_RANDOM_BITS 54
#define IUID_RANDOM_MAX	 ((UINT64_C(1) << IUID_RANDOM_BITS) - 1)

/*
 * The generator fills the random bits with the fraction of the millisecond in
 * 4096ths, and then with bits that are random (RFC 9562, section 6.2, method
 * 3).  No reader looks for the fraction.
 */
#define IUID_FRACTION_BITS 12
#define IUID_TAIL_BITS	   (IUID_RANDOM_BITS - IUID_FRACTION_BITS)
#define IUID_TAIL_MAX	   ((UINT64_C(1) << IUID_TAIL_BITS) - 1)

typedef struct Iuid
{
	uint8_t bytes[IUID_LEN];
} Iuid;

/* The first and the last of all values (RFC 9562, sections 5.9 and 5.10). */
static const Iuid iuid_nil = { { 0 } };
static const Iuid iuid_max = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
								 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
								 0xff } };

/*
 * Words of 64 bits in bytes, the most significant byte first.  Compilers make one
 * instruction of these shifts.
 */
static inline uint64_t
iuid_load_word(const uint8_t *b)
{
	return (uint64_t) b[0] << 56 | (uint64_t) b[1] << 48 |
		(uint64_t) b[2] << 40 | (uint64_t) b[3] << 32 | (uint64_t) b[4] << 24 |
		(uint64_t) b[5] << 16 | (uint64_t) b[6] << 8 | (uint64_t) b[7];
}

static inline void
iuid_store_word(uint8_t *b, uint64_t word)
{
	b[0] = (uint8_t) (word >> 56);
	b[1] = (uint8_t) (word >> 48);
	b[2] = (uint8_t) (word >> 40);
	b[3] = (uint8_t) (word >> 32);
	b[4] = (uint8_t) (word >> 24);
	b[5] = (uint8_t) (word >> 16);
	b[6] = (uint8_t) (word >> 8);
	b[7] = (uint8_t) word;
}

static inline uint64_t
iuid_high(const Iuid *id)
{
	return iuid_load_word(id->bytes);
}

static inline uint64_t
iuid_low(const Iuid *id)
{
	return iuid_load_word(id->bytes + 8);
}

static inline Iuid
iuid_from_words(uint64_t high, uint64_t low)
{
	Iuid id;

	iuid_store_word(&id.bytes[0], high);
	iuid_store_word(&id.bytes[8], low);
	return id;
}

/*
 * Fields.  These functions read the bits of any 16 bytes.  The caller must know
 * what the field means in the layout.
 */
static inline int64_t
iuid_get_ms(const Iuid *id)
{
	return (int64_t) (iuid_high(id) >> 16);
}

static inline int
iuid_get_version(const Iuid *id)
{
	return (iuid_high(id) >> 12) & 0xf;
}

static inline int
iuid_get_layout(const Iuid *id)
{
	return (iuid_high(id) >> 8) & 0xf;
}

static inline int
iuid_get_country(const Iuid *id)
{
	return iuid_high(id) & 0xff;
}

static inline int
iuid_get_variant(const Iuid *id)
{
	return (int) (iuid_low(id) >> 62);
}

static inline int
iuid_get_entity(const Iuid *id)
{
	return (iuid_low(id) >> IUID_RANDOM_BITS) & 0xff;
}

static inline int64_t
iuid_get_random(const Iuid *id)
{
	return (int64_t) (iuid_low(id) & IUID_RANDOM_MAX);
}

/* Country and entity as a number of 16 bits: order by origin begins with it. */
static inline uint64_t
iuid_get_origin(const Iuid *id)
{
	return (iuid_high(id) & 0xff) << 8 |
		((iuid_low(id) >> IUID_RANDOM_BITS) & 0xff);
}

/* The bits between time and random, 20: layout, country and entity. */
static inline uint64_t
iuid_get_middle(const Iuid *id)
{
	return (iuid_high(id) & 0xf00) << 8 | iuid_get_origin(id);
}

/*
 * The version of any UUID.  By RFC 9562, section 4.2, the version field has a
 * meaning in variant 10 only; in another variant this is 0.
 */
static inline int
iuid_get_uuid_version(const Iuid *id)
{
	return iuid_get_variant(id) == IUID_VARIANT ? iuid_get_version(id) : 0;
}

/* Every argument must fit its field: nothing is masked here. */
static inline Iuid
iuid_make(int64_t ms, int layout, int country, int entity, uint64_t random)
{
	return iuid_from_words((uint64_t) ms << 16 | IUID_VERSION << 12 |
							   (uint64_t) layout << 8 | (uint64_t) country,
						   (uint64_t) IUID_VARIANT << 62 |
							   (uint64_t) entity << IUID_RANDOM_BITS | random);
}

static inline bool
iuid_is_nil_or_max(const Iuid *id)
{
	uint64_t high = iuid_high(id);

	return (high == 0 || high == UINT64_MAX) && iuid_low(id) == high;
}

/* Whether 16 bytes are an iuid: the one check for text, binary and casts. */
static inline bool
iuid_is_valid(const Iuid *id)
{
	return iuid_get_uuid_version(id) == IUID_VERSION || iuid_is_nil_or_max(id);
}

/*
 * Which fields of a UUID have a meaning here.  Nil, Max and UUIDs of other
 * versions have none.  Of a reserved layout only the layout itself is known.
 */
static inline bool
iuid_has_layout(const Iuid *id)
{
	return iuid_get_uuid_version(id) == IUID_VERSION;
}

/* Country, entity and random bits. */
static inline bool
iuid_has_origin(const Iuid *id)
{
	return iuid_has_layout(id) && iuid_get_layout(id) <= IUID_LAYOUT_NAME;
}

static inline bool
iuid_has_time(const Iuid *id)
{
	return iuid_has_layout(id) && iuid_get_layout(id) == IUID_LAYOUT_TIME;
}

/*
 * The two orders: negative, zero or positive.  Byte order is that of memcmp().
 * Order by origin compares the countries, then the entities, then the bytes.
 */
static inline int
iuid_compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline int
iuid_compare(const Iuid *a, const Iuid *b)
{
	uint64_t ah = iuid_high(a), bh = iuid_high(b);

	return ah != bh ? iuid_compare_words(ah, bh) :
					  iuid_compare_words(iuid_low(a), iuid_low(b));
}

static inline int
iuid_compare_origin(const Iuid *a, const Iuid *b)
{
	uint64_t ao = iuid_get_origin(a), bo = iuid_get_origin(b);

	return ao != bo ? iuid_compare_words(ao, bo) : iuid_compare(a, b);
}

#endif /* IUID_H */
