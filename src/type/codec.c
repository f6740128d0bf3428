/*-------------------------------------------------------------------------
 *
 * codec.c
 *	  Reads and writes the text of a UUID, without PostgreSQL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "codec.h"

static inline uint64_t hex_digits(uint64_t word);
static inline void put_four(char *p, uint64_t characters);
static int hex_value(char c);

bool
iuid_decode(const char *text, Iuid *id)
{
	const char *p = text;
	bool braces = (*p == '{');

	if (braces)
		p++;

	for (int i = 0; i < IUID_LEN; i++)
	{
		int high, low;

		/* A final NUL is no digit, so neither read runs past it. */
		if ((high = hex_value(p[0])) < 0 || (low = hex_value(p[1])) < 0)
			return false;
		id->bytes[i] = (uint8_t) (high << 4 | low);
		p += 2;
		if (*p == '-' && i % 2 == 1 && i < IUID_LEN - 1)
			p++;
	}

	if (braces && *p++ != '}')
		return false;
	return *p == '\0';
}

void
iuid_encode(const Iuid *id, char text[IUID_TEXT_LEN + 1])
{
	uint64_t first = hex_digits(iuid_high(id) >> 32);
	uint64_t second = hex_digits(iuid_high(id));
	uint64_t third = hex_digits(iuid_low(id) >> 32);
	uint64_t fourth = hex_digits(iuid_low(id));

	put_four(text, first >> 32);
	put_four(text + 4, first);
	text[8] = '-';
	put_four(text + 9, second >> 32);
	text[13] = '-';
	put_four(text + 14, second);
	text[18] = '-';
	put_four(text + 19, third >> 32);
	text[23] = '-';
	put_four(text + 24, third);
	put_four(text + 28, fourth >> 32);
	put_four(text + 32, fourth);
	text[36] = '\0';
}

/* The digits of the low 32 bits of a word, one in each byte, made at once. */
static inline uint64_t
hex_digits(uint64_t word)
{
	uint64_t letters;

	word &= UINT64_C(0x00000000ffffffff);
	word = (word | word << 16) & UINT64_C(0x0000ffff0000ffff);
	word = (word | word << 8) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word | word << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	/* 1 in each byte of 10 or more: with 6 added, such a byte reaches 16. */
	letters = ((word + UINT64_C(0x0606060606060606)) >> 4) &
		UINT64_C(0x0101010101010101);
	return word + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
}

/* Writes the four characters that are in the low 32 bits of a word. */
static inline void
put_four(char *p, uint64_t characters)
{
	uint64_t word = iuid_big_endian(characters << 32);

	memcpy(p, &word, 4);
}

/* The value of a hexadecimal digit, whatever the locale; -1 for no digit. */
static int
hex_value(char c)
{
	/* The value plus 1: all other characters have 0 here, which makes -1. */
	static const int8_t values[256] = {
		['0'] = 1,	['1'] = 2,	['2'] = 3,	['3'] = 4,	['4'] = 5,	['5'] = 6,
		['6'] = 7,	['7'] = 8,	['8'] = 9,	['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};

	return values[(unsigned char) c] - 1;
}
