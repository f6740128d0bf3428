/*-------------------------------------------------------------------------
 *
 * name.c
 *	  Names that are made of another name, and fit into NAMEDATALEN.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include <sodium.h>

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#define HASH_LEN 8 /* hexadecimal digits */

static char *hash_of(const char *name);

/*
 * iuid_shortened_name(base, suffix): joins them to a name.  If that has more than
 * 63 bytes, the base is shortened, and a hash of the whole base follows it.
 */
PG_FUNCTION_INFO_V1(iuid_shorten_name);
Datum
iuid_shorten_name(PG_FUNCTION_ARGS)
{
	char *base = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char *suffix = text_to_cstring(PG_GETARG_TEXT_PP(1));
	int limit = NAMEDATALEN - 1 - (int) strlen(suffix);

	if ((int) strlen(base) <= limit)
		PG_RETURN_TEXT_P(cstring_to_text(psprintf("%s%s", base, suffix)));

	/* Leave room for "_" and the hash, and cut no character in two. */
	limit = pg_mbcliplen(base, strlen(base), limit - 1 - HASH_LEN);
	PG_RETURN_TEXT_P(cstring_to_text(
		psprintf("%.*s_%s%s", limit, base, hash_of(base), suffix)));
}

/* The first hexadecimal digits of the BLAKE2b digest of a name. */
static char *
hash_of(const char *name)
{
	unsigned char digest[crypto_generichash_blake2b_BYTES_MIN];
	char *hash = palloc(HASH_LEN + 1);

	if (crypto_generichash_blake2b(digest, sizeof(digest),
								   (const unsigned char *) name, strlen(name),
								   NULL, 0) != 0)
		elog(ERROR, "could not compute a BLAKE2b digest");
	return sodium_bin2hex(hash, HASH_LEN + 1, digest, HASH_LEN / 2);
}
