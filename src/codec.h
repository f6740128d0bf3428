/*-------------------------------------------------------------------------
 *
 * codec.h
 *	  Reads and writes the text of a UUID, without PostgreSQL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CODEC_H
#define IUID_CODEC_H

#include "iuid.h"

/*
 * Reads a UUID as core's uuid type does: 32 hexadecimal digits of either
 * case, an optional hyphen after each group of four, optional braces around
 * the whole.  False, with *id undefined, for anything else.  The function does
 * not check that the UUID is an iuid; iuid_is_valid() does.
 */
extern bool iuid_decode(const char *text, Iuid *id);

/* Writes the canonical lower-case text (RFC 9562, section 4), and a NUL. */
extern void iuid_encode(const Iuid *id, char text[IUID_TEXT_LEN + 1]);

#endif /* IUID_CODEC_H */
