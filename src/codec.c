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

static inline char *put_hex(char *p, const uint8_t *bytes, int count);
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
	char *p = put_hex(text, id->bytes, 4);

	*p++ = '-';
	p = put_hex(p, id->bytes + 4, 2);
	*p++ = '-';
	p = put_hex(p, id->bytes + 6, 2);
	*p++ = '-';
	p = put_hex(p, id->bytes + 8, 2);
	*p++ = '-';
	p = put_hex(p, id->bytes + 10, 6);
	*p = '\0';
}

/* Writes bytes as digits, and returns the place after them. */
static inline char *
put_hex(char *p, const uint8_t *bytes, int count)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < count; i++)
	{
		*p++ = digits[bytes[i] >> 4];
		*p++ = digits[bytes[i] & 0xf];
	}
	return p;
}

/*
 * The value of a hexadecimal digit, whatever the locale; -1 for no digit.  The
 * digits of identifiers are random, so no processor could predict the branches
 * of comparisons: with these in place of the table, COPY from text takes a
 * third longer (test/bench/copy.sql).
 */
static int
hex_value(char c)
{
	/* The value plus 1, so that all other characters, which have 0, give -1. */
	static const int8_t values[256] = {
		['0'] = 1,	['1'] = 2,	['2'] = 3,	['3'] = 4,	['4'] = 5,	['5'] = 6,
		['6'] = 7,	['7'] = 8,	['8'] = 9,	['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};

	return values[(unsigned char) c] - 1;
}
