/*-------------------------------------------------------------------------
 *
 * reference.h
 *	  The format of an identifier, slow and obvious, for the fuzz targets.
 *
 * It is written from doc/format.md, and uses nothing of src/.  An identifier is
 * 16 bytes here, and a field is read bit by bit.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the target, with the difference that was found. */
#define CHECK(condition) \
	do \
	{ \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, \
					#condition); \
			abort(); \
		} \
	} while (0)

/* The number in bits first to last, where bit 0 is the first of the first byte. */
static inline uint64_t
reference_bits(const uint8_t bytes[16], int first, int last)
{
	uint64_t number = 0;

	for (int bit = first; bit <= last; bit++)
		number = number * 2 + (bytes[bit / 8] >> (7 - bit % 8)) % 2;
	return number;
}

static inline uint64_t
reference_ms(const uint8_t bytes[16])
{
	return reference_bits(bytes, 0, 47);
}

static inline uint64_t
reference_version(const uint8_t bytes[16])
{
	return reference_bits(bytes, 48, 51);
}

static inline uint64_t
reference_layout(const uint8_t bytes[16])
{
	return reference_bits(bytes, 52, 55);
}

static inline uint64_t
reference_country(const uint8_t bytes[16])
{
	return reference_bits(bytes, 56, 63);
}

static inline uint64_t
reference_variant(const uint8_t bytes[16])
{
	return reference_bits(bytes, 64, 65);
}

static inline uint64_t
reference_entity(const uint8_t bytes[16])
{
	return reference_bits(bytes, 66, 73);
}

static inline uint64_t
reference_random(const uint8_t bytes[16])
{
	return reference_bits(bytes, 74, 127);
}

/* Whether the 16 bytes are Nil or Max. */
static inline bool
reference_is_nil_or_max(const uint8_t bytes[16])
{
	uint8_t nil[16], max[16];

	memset(nil, 0x00, 16);
	memset(max, 0xff, 16);
	return memcmp(bytes, nil, 16) == 0 || memcmp(bytes, max, 16) == 0;
}

static inline bool
reference_is_valid(const uint8_t bytes[16])
{
	return reference_is_nil_or_max(bytes) ||
		(reference_version(bytes) == 8 && reference_variant(bytes) == 2);
}

/* -1, 0 or 1. */
static inline int
reference_sign(int number)
{
	return number < 0 ? -1 : number > 0 ? 1 : 0;
}

static inline int
reference_compare(const uint8_t a[16], const uint8_t b[16])
{
	return reference_sign(memcmp(a, b, 16));
}

/* By country, then by entity, then by bytes. */
static inline int
reference_compare_country(const uint8_t a[16], const uint8_t b[16])
{
	if (reference_country(a) != reference_country(b))
		return reference_country(a) < reference_country(b) ? -1 : 1;
	if (reference_entity(a) != reference_entity(b))
		return reference_entity(a) < reference_entity(b) ? -1 : 1;
	return reference_compare(a, b);
}

/*
 * Reads eight groups of four hexadecimal digits of either case.  A hyphen may
 * stand between two groups, and braces around the whole.
 */
static inline bool
reference_read(const char *text, uint8_t bytes[16])
{
	const char *digits = "0123456789abcdef";
	size_t length = strlen(text), at = 0;
	bool braces = text[0] == '{';

	if (braces)
	{
		if (text[length - 1] != '}')
			return false;
		length--;
		at++;
	}
	memset(bytes, 0, 16);
	for (int n = 0; n < 32; n++)
	{
		const char *digit;

		if (n % 4 == 0 && n > 0 && at < length && text[at] == '-')
			at++;
		if (at >= length)
			return false;
		digit = memchr(digits, tolower((unsigned char) text[at]), 16);
		if (digit == NULL)
			return false;
		bytes[n / 2] = (uint8_t) (bytes[n / 2] * 16 + (digit - digits));
		at++;
	}
	return at == length;
}

static inline void
reference_write(const uint8_t bytes[16], char text[37])
{
	char *end = text;

	for (int n = 0; n < 16; n++)
	{
		if (n == 4 || n == 6 || n == 8 || n == 10)
			*end++ = '-';
		end += sprintf(end, "%02x", bytes[n]);
	}
}

#endif /* REFERENCE_H */
