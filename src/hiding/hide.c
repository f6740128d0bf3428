/*-------------------------------------------------------------------------
 *
 * hide.c
 *	  Encrypts an identifier into a UUID of version 4, and back.
 *
 * An identifier and a UUID of version 4 have 122 bits each that vary, the
 * layout's among them (doc/format.md).
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "fmgr.h"

#include "hiding/permutation.h"
#include "codec.h"
#include "datum.h"

#define HIDDEN_VERSION 4 /* RFC 9562, section 5.4 */

/* Of the high word the bits below the version, and of the low word those below the variant. */
#define BELOW_VERSION UINT64CONST(0xfff)
#define BELOW_VARIANT ((UINT64CONST(1) << 62) - 1)

static const unsigned char *key_arg(FunctionCallInfo fcinfo, int n);
static IuidHalves halves_of(const Iuid *id);
static Iuid from_halves(IuidHalves halves, int version);

/*
 * iuid_hide(id, key): a uuid of version 4, another one for each identifier.  The
 * key is 32 bytes: 22023 otherwise.  22023 for Nil, Max and the layouts 2-15.
 */
PG_FUNCTION_INFO_V1(iuid_hide);
Datum
iuid_hide(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);
	const unsigned char *key = key_arg(fcinfo, 1);

	if (!iuid_has_origin(id))
	{
		char text[IUID_TEXT_LEN + 1];

		iuid_encode(id, text);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("iuid \"%s\" cannot be hidden", text),
				 errdetail(
					 "Nil, Max and the layouts 2-15 could not be told from what strangers make up."),
				 errhint("Hide identifiers that have a country and an entity.")));
	}
	PG_RETURN_IUID(from_halves(iuid_permute(halves_of(id), key), HIDDEN_VERSION));
}

/*
 * iuid_reveal(hidden, key): the identifier that was hidden.  NULL for a uuid that
 * is not of version 4, and for one that no identifier gives.  The key is 32 bytes:
 * 22023 otherwise.
 */
PG_FUNCTION_INFO_V1(iuid_reveal);
Datum
iuid_reveal(PG_FUNCTION_ARGS)
{
	const Iuid *hidden = PG_GETARG_IUID_P(0);
	const unsigned char *key = key_arg(fcinfo, 1);
	Iuid id;

	if (iuid_get_uuid_version(hidden) != HIDDEN_VERSION)
		PG_RETURN_NULL();
	id = from_halves(iuid_permute_back(halves_of(hidden), key), IUID_VERSION);
	if (iuid_get_layout(&id) > IUID_LAYOUT_NAME)
		PG_RETURN_NULL();
	PG_RETURN_IUID(id);
}

/* The message must not contain the key. */
static const unsigned char *
key_arg(FunctionCallInfo fcinfo, int n)
{
	const bytea *key = PG_GETARG_BYTEA_PP(n);

	if (VARSIZE_ANY_EXHDR(key) != IUID_HIDING_KEY_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a key that hides identifiers must have %d bytes",
						IUID_HIDING_KEY_LEN),
				 errdetail_plural("This key has %d byte.",
								  "This key has %d bytes.", VARSIZE_ANY_EXHDR(key),
								  (int) VARSIZE_ANY_EXHDR(key)),
				 errhint("Make a key of random bytes, for example by openssl rand -hex %d.",
						 IUID_HIDING_KEY_LEN)));
	return (const unsigned char *) VARDATA_ANY(key);
}

/* The 60 bits around the version and the 62 bits below the variant. */
static IuidHalves
halves_of(const Iuid *id)
{
	uint64 high = iuid_high(id), low = iuid_low(id) & BELOW_VARIANT;
	uint64 around = high >> 16 << 12 | (high & BELOW_VERSION);
	IuidHalves halves;

	halves.left = around << 1 | low >> IUID_HALF_BITS;
	halves.right = low & IUID_HALF_MASK;
	return halves;
}

static Iuid
from_halves(IuidHalves halves, int version)
{
	uint64 around = halves.left >> 1;
	uint64 low = (halves.left & 1) << IUID_HALF_BITS | halves.right;

	return iuid_from_words(around >> 12 << 16 | (uint64) version << 12 |
							   (around & BELOW_VERSION),
						   (uint64) IUID_VARIANT << 62 | low);
}
