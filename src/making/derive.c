/*-------------------------------------------------------------------------
 *
 * derive.c
 *	  Derives identifiers from a name or another UUID: the same input gives
 *	  the same identifier, on every server.
 *
 * The bits that the input does not have come from a BLAKE2b digest of 16
 * bytes.  Its personalisation says what the digest is of (doc/format.md).
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include <sodium.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "codec.h"
#include "datum.h"

#define DIGEST_OF_NAME "iuid.name"
#define DIGEST_OF_UUID "iuid.uuid"

/* Versions 1 and 6 count 100 ns from 1582-10-15 (RFC 9562, section 5.1). */
#define UUID_TICKS_PER_MS  10000
#define UUID_TICKS_TO_1970 INT64CONST(0x01B21DD213814000)

/* The 16 bytes as two big-endian words, as iuid.h has an identifier. */
typedef struct Digest
{
	uint64 high;
	uint64 low;
} Digest;

static Iuid from_name(FunctionCallInfo fcinfo, const char *name, size_t length);
static Iuid from_uuid_with_time(const Iuid *uuid, int country, int entity);
pg_noreturn static void reject_uuid(const Iuid *uuid, int sqlstate,
									const char *detail);
static Digest digest_of_uuid(const Iuid *uuid);
static Digest make_digest(const char *personal, const void *bytes, size_t length);

/*
 * iuid_from_name(country, entity, text [, at]): an identifier of layout 1 or,
 * with a time, of layout 0.  The digest is of the text in UTF-8, whatever the
 * encoding of the database.
 */
PG_FUNCTION_INFO_V1(iuid_from_name_text);
Datum
iuid_from_name_text(PG_FUNCTION_ARGS)
{
	text *name;
	char *server, *utf8;
	size_t length;

	if (PG_ARGISNULL(2))
		PG_RETURN_NULL();

	name = PG_GETARG_TEXT_PP(2);
	server = VARDATA_ANY(name);
	length = VARSIZE_ANY_EXHDR(name);
	utf8 = pg_server_to_any(server, length, PG_UTF8);
	if (utf8 != server)
		length = strlen(utf8);
	PG_RETURN_IUID(from_name(fcinfo, utf8, length));
}

/* iuid_from_name(country, entity, bytea [, at]): the same for bytes. */
PG_FUNCTION_INFO_V1(iuid_from_name_bytea);
Datum
iuid_from_name_bytea(PG_FUNCTION_ARGS)
{
	bytea *name;

	if (PG_ARGISNULL(2))
		PG_RETURN_NULL();

	name = PG_GETARG_BYTEA_PP(2);
	PG_RETURN_IUID(from_name(fcinfo, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)));
}

/* Country, entity and the optional time are arguments 0, 1 and 3. */
static Iuid
from_name(FunctionCallInfo fcinfo, const char *name, size_t length)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);
	Digest digest = make_digest(DIGEST_OF_NAME, name, length);
	bool has_time = PG_NARGS() > 3;

	int64 ms = has_time ? iuid_ms_arg(fcinfo, 3) : (int64) (digest.high >> 16);

	return iuid_make(ms, has_time ? IUID_LAYOUT_TIME : IUID_LAYOUT_NAME,
					 country, entity, digest.low & IUID_RANDOM_MAX);
}

/*
 * iuid_from_uuid(uuid, country, entity [, at]): keeps the time of a uuid of
 * version 1, 6 or 7: 22023 for another version, 22008 for a time before 1970.
 * With at, that is the time, and the uuid can be any.
 */
PG_FUNCTION_INFO_V1(iuid_from_uuid);
Datum
iuid_from_uuid(PG_FUNCTION_ARGS)
{
	const Iuid *uuid;
	int country, entity;
	int64 ms;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	uuid = PG_GETARG_IUID_P(0);
	country = iuid_country_arg(fcinfo, 1, IUID_COUNTRY_MAX);
	entity = iuid_entity_arg(fcinfo, 2, IUID_ENTITY_MAX);
	if (PG_NARGS() == 3)
		PG_RETURN_IUID(from_uuid_with_time(uuid, country, entity));

	ms = iuid_ms_arg(fcinfo, 3);
	PG_RETURN_IUID(iuid_make(ms, IUID_LAYOUT_TIME, country, entity,
							 digest_of_uuid(uuid).low & IUID_RANDOM_MAX));
}

static Iuid
from_uuid_with_time(const Iuid *uuid, int country, int entity)
{
	uint64 high = iuid_high(uuid);
	int64 ticks;

	switch (iuid_get_uuid_version(uuid))
	{
		case 1:
			/* time_low 32, time_mid 16, version 4, time_high 12 */
			ticks =
				(high & 0xfff) << 48 | (high >> 16 & 0xffff) << 32 | high >> 32;
			break;
		case 6:
			/* time_high 32, time_mid 16, version 4, time_low 12 */
			ticks = high >> 16 << 12 | (high & 0xfff);
			break;
		case 7:
			/* unix_ts_ms 48, version 4, rand_a 12; variant 2, rand_b 62 */
			return iuid_make(iuid_get_ms(uuid), IUID_LAYOUT_TIME, country, entity,
							 (high & 0xfff) << 42 | iuid_low(uuid) << 2 >> 22);
		default:
			reject_uuid(uuid, ERRCODE_INVALID_PARAMETER_VALUE,
						"Only UUIDs of versions 1, 6 and 7 have one.");
	}

	if (ticks < UUID_TICKS_TO_1970)
		reject_uuid(uuid, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE,
					"Its time is before 1970.");
	return iuid_make((ticks - UUID_TICKS_TO_1970) / UUID_TICKS_PER_MS,
					 IUID_LAYOUT_TIME, country, entity,
					 digest_of_uuid(uuid).low & IUID_RANDOM_MAX);
}

static void
reject_uuid(const Iuid *uuid, int sqlstate, const char *detail)
{
	char text[IUID_TEXT_LEN + 1];

	iuid_encode(uuid, text);
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("uuid \"%s\" has no time for an iuid", text),
			 errdetail("%s", detail),
			 errhint(
				 "Give a time as the last argument: iuid_from_uuid(id, country, entity, at).")));
}

static Digest
digest_of_uuid(const Iuid *uuid)
{
	return make_digest(DIGEST_OF_UUID, uuid->bytes, IUID_LEN);
}

static Digest
make_digest(const char *personal, const void *bytes, size_t length)
{
	unsigned char padded[crypto_generichash_blake2b_PERSONALBYTES] = { 0 };
	unsigned char out[crypto_generichash_blake2b_BYTES_MIN];
	Digest digest;

	StaticAssertStmt(sizeof(out) == IUID_LEN, "a digest has 16 bytes");
	memcpy(padded, personal, strlen(personal));
	if (crypto_generichash_blake2b_salt_personal(out, sizeof(out), bytes, length,
												 NULL, 0, NULL, padded) != 0)
		elog(ERROR, "could not compute a BLAKE2b digest");
	digest.high = iuid_load_word(out);
	digest.low = iuid_load_word(out + 8);
	return digest;
}
