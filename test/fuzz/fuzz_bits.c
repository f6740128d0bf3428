/*-------------------------------------------------------------------------
 *
 * fuzz_bits.c
 *	  Fuzz target: the fields of an identifier, and the two orders, of iuid.h.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "iuid.h"

#include "reference.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An identifier at an odd address, alone in its memory. */
typedef struct Place
{
	uint8_t *memory;
	Iuid *id;
} Place;

static Place
make_place(const uint8_t bytes[16])
{
	Place place;

	place.memory = malloc(1 + sizeof(Iuid));
	place.id = (Iuid *) (place.memory + 1);
	memcpy(place.id->bytes, bytes, sizeof(Iuid));
	return place;
}

static void
compare_fields(const Iuid *id)
{
	const uint8_t *bytes = id->bytes;
	uint64_t origin = reference_country(bytes) * 256 + reference_entity(bytes);
	bool is_of_version_8 =
		reference_variant(bytes) == 2 && reference_version(bytes) == 8;
	Iuid same = iuid_from_words(iuid_high(id), iuid_low(id));

	CHECK((uint64_t) iuid_get_ms(id) == reference_ms(bytes));
	CHECK((uint64_t) iuid_get_version(id) == reference_version(bytes));
	CHECK((uint64_t) iuid_get_uuid_version(id) ==
		  (reference_variant(bytes) == 2 ? reference_version(bytes) : 0));
	CHECK((uint64_t) iuid_get_layout(id) == reference_layout(bytes));
	CHECK((uint64_t) iuid_get_country(id) == reference_country(bytes));
	CHECK((uint64_t) iuid_get_variant(id) == reference_variant(bytes));
	CHECK((uint64_t) iuid_get_entity(id) == reference_entity(bytes));
	CHECK((uint64_t) iuid_get_random(id) == reference_random(bytes));
	CHECK(iuid_get_origin(id) == origin);
	CHECK(iuid_get_middle(id) == reference_layout(bytes) * 65536 + origin);
	CHECK(iuid_is_nil_or_max(id) == reference_is_nil_or_max(bytes));
	CHECK(iuid_has_layout(id) == is_of_version_8);
	CHECK(iuid_has_origin(id) == (is_of_version_8 && reference_layout(bytes) < 2));
	CHECK(iuid_has_time(id) == (is_of_version_8 && reference_layout(bytes) == 0));
	CHECK(iuid_is_valid(id) == reference_is_valid(bytes));
	CHECK(memcmp(&same, id, sizeof(Iuid)) == 0);
}

/* The fields of any 16 bytes, put together, have their places again. */
static void
compare_made(const uint8_t bytes[16])
{
	Iuid made =
		iuid_make((int64_t) reference_ms(bytes), (int) reference_layout(bytes),
				  (int) reference_country(bytes), (int) reference_entity(bytes),
				  reference_random(bytes));

	CHECK(reference_version(made.bytes) == 8 &&
		  reference_variant(made.bytes) == 2);
	CHECK(reference_ms(made.bytes) == reference_ms(bytes));
	CHECK(reference_layout(made.bytes) == reference_layout(bytes));
	CHECK(reference_country(made.bytes) == reference_country(bytes));
	CHECK(reference_entity(made.bytes) == reference_entity(bytes));
	CHECK(reference_random(made.bytes) == reference_random(bytes));
}

static void
compare_orders(const Iuid *a, const Iuid *b)
{
	CHECK(reference_sign(iuid_compare(a, b)) ==
		  reference_compare(a->bytes, b->bytes));
	CHECK(reference_sign(iuid_compare_origin(a, b)) ==
		  reference_compare_country(a->bytes, b->bytes));
}

/* Two identifiers, of which the second has some bytes of the first. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[2][16];
	Place a, b;

	if (size < 34)
		return 0;
	memcpy(bytes, data, 32);
	for (int n = 0; n < 16; n++)
	{
		if (data[32 + n / 8] >> n % 8 & 1)
			bytes[1][n] = bytes[0][n];
	}

	a = make_place(bytes[0]);
	b = make_place(bytes[1]);
	compare_fields(a.id);
	compare_fields(b.id);
	compare_made(bytes[0]);
	compare_orders(a.id, b.id);
	compare_orders(b.id, a.id);
	compare_orders(a.id, a.id);
	free(a.memory);
	free(b.memory);
	return 0;
}
