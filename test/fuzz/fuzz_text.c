/*-------------------------------------------------------------------------
 *
 * fuzz_text.c
 *	  Fuzz target: the text of an identifier, read and written by codec.c.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "codec.h"

#include "reference.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Both read the text in the same way, and write again what they have read. */
static void
compare_text(const char *text)
{
	uint8_t expected[16];
	char expected_text[37], written[IUID_TEXT_LEN + 1];
	Iuid id, again;
	bool read = iuid_decode(text, &id);

	CHECK(read == reference_read(text, expected));
	if (!read)
		return;
	CHECK(memcmp(id.bytes, expected, 16) == 0);

	iuid_encode(&id, written);
	reference_write(expected, expected_text);
	CHECK(strcmp(written, expected_text) == 0);
	CHECK(iuid_decode(written, &again) && memcmp(&again, &id, 16) == 0);
}

/*
 * Random bytes are seldom a UUID.  So this takes 16 bytes as those of a UUID,
 * four as the form in which it is written, and the last two as a character that
 * another one takes the place of.
 */
static size_t
write_some_form(const uint8_t *data, size_t size, char *text)
{
	const uint8_t *form = data + 16;
	size_t length = 0;

	if (form[0] & 1)
		text[length++] = '{';
	for (int n = 0; n < 16; n++)
	{
		length += (size_t) sprintf(text + length, form[1] & 1 ? "%02X" : "%02x",
								   data[n]);
		/* After groups of four digits, and after any digits. */
		if (n % 2 == 1 && (form[2] >> (n / 2) & 1))
			text[length++] = '-';
		if (n == form[3] % 64)
			text[length++] = '-';
	}
	if (form[0] & 2)
		text[length++] = '}';
	if (size > 21)
		text[data[20] % length] = (char) data[21];
	text[length] = '\0';
	return length;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char form[64];
	size_t length = size;
	const void *source = data;
	char *text;

	if (size >= 21 && data[0] % 2 == 1)
	{
		length = write_some_form(data + 1, size - 1, form);
		source = form;
	}

	/* The address sanitizer sees the first byte behind the text. */
	text = malloc(length + 1);
	memcpy(text, source, length);
	text[length] = '\0';
	compare_text(text);
	free(text);
	return 0;
}
