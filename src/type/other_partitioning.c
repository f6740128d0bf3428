/*-------------------------------------------------------------------------
 *
 * other_partitioning.c
 *	  What TimescaleDB and pg_partman call to know the time of an identifier.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "codec.h"
#include "datum.h"

/*
 * The time for TimescaleDB: that of the first 48 bits, plus one microsecond.
 * All layouts have one, as TimescaleDB refuses NULL.  For id < X, TimescaleDB
 * chooses the chunks of func(id) < func(X), although other identifiers share
 * the millisecond of X.  If that is the first of a chunk, the chunk is among
 * them only because of the microsecond.
 */
PG_FUNCTION_INFO_V1(iuid_chunk_time);
Datum
iuid_chunk_time(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	PG_RETURN_TIMESTAMPTZ(iuid_ms_to_timestamp(iuid_get_ms(id)) + 1);
}

/*
 * Whether a UUID of another kind than iuid begins with a time: one of version
 * 7, or a bound of a uuid column, as iuid_bound_at() and pg_partman's own
 * encoder make it.  Nil is the bound of 1970.
 */
static bool
begins_with_time(const Iuid *uuid)
{
	Iuid bound = iuid_first_uuid(iuid_get_ms(uuid));

	return iuid_get_uuid_version(uuid) == 7 || iuid_compare(uuid, &bound) == 0;
}

/*
 * iuid_time_decoder(text): the time of an iuid, of a UUID of version 7, or of
 * a bound of a uuid column, whose last 80 bits are 0.  NULL for a layout
 * without a time and for Max; 22P02 for any other text.
 */
PG_FUNCTION_INFO_V1(iuid_time_decoder);
Datum
iuid_time_decoder(PG_FUNCTION_ARGS)
{
	char *input = TextDatumGetCString(PG_GETARG_DATUM(0));
	Iuid id;
	bool decoded = iuid_decode(input, &id);

	if (decoded && begins_with_time(&id))
		PG_RETURN_TIMESTAMPTZ(iuid_ms_to_timestamp(iuid_get_ms(&id)));
	if (!decoded || !iuid_is_valid(&id))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("\"%s\" is no identifier with a time", input),
				 errdetail(
					 "There is a time in an iuid, in a UUID of version 7, and in a bound of a uuid column."),
				 errhint("Give one of these as text.")));
	if (!iuid_has_time(&id))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(iuid_ms_to_timestamp(iuid_get_ms(&id)));
}
