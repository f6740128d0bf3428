/*-------------------------------------------------------------------------
 *
 * io.c
 *	  Input and output of the type: text, binary, and the cast from uuid.
 *
 * All three inputs accept what iuid_is_valid() accepts, and nothing else.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "libpq/pqformat.h"
#include "nodes/nodes.h"
#include "utils/builtins.h"

#include "codec.h"
#include "datum.h"

static bool begins_with_date(const char *text);
static const char *describe_fault(const Iuid *id);
static const char *how_to_convert(const Iuid *id);

/*
 * iuid_in(cstring): reads the text that core's uuid reads.  22P02 if the text
 * is no UUID, or a UUID that is not an iuid; that is a soft error if the caller
 * asks for one.
 */
PG_FUNCTION_INFO_V1(iuid_in);
Datum
iuid_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	const char *detail =
		"An iuid is written as 32 hexadecimal digits, with or without hyphens.";
	const char *hint = NULL;
	Iuid id;

	if (iuid_decode(text, &id))
	{
		if (iuid_is_valid(&id))
			PG_RETURN_IUID(id);
		detail = describe_fault(&id);
		hint = how_to_convert(&id);
	}
	else if (begins_with_date(text))
	{
		const char *time = quote_literal_cstr(text);

		hint =
			psprintf("In a comparison write timestamptz %s, or iuid_floor($1) with a parameter; in the bound of a partition, iuid_floor(%s).",
					 time, time);
	}

	ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "iuid", text),
			 errdetail("%s", detail), hint ? errhint("%s", hint) : 0));
}

/* iuid_out(iuid): the canonical lower-case text, 36 characters. */
PG_FUNCTION_INFO_V1(iuid_out);
Datum
iuid_out(PG_FUNCTION_ARGS)
{
	char *text = palloc(IUID_TEXT_LEN + 1);

	iuid_encode(PG_GETARG_IUID_P(0), text);
	PG_RETURN_CSTRING(text);
}

/* iuid_recv(internal): 16 bytes.  22P03 for more, as for a text, and for a UUID that is not an iuid. */
PG_FUNCTION_INFO_V1(iuid_recv);
Datum
iuid_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	const Iuid *id = (const Iuid *) pq_getmsgbytes(buffer, IUID_LEN);

	/* The server finds this itself, but after what the value is. */
	if (buffer->cursor != buffer->len)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("incorrect binary data format")));
	if (!iuid_is_valid(id))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary value for type %s", "iuid"),
				 errdetail("%s", describe_fault(id)),
				 errhint("%s", how_to_convert(id))));
	PG_RETURN_IUID(*id);
}

/* iuid_send(iuid): the 16 bytes. */
PG_FUNCTION_INFO_V1(iuid_send);
Datum
iuid_send(PG_FUNCTION_ARGS)
{
	bytea *bytes = (bytea *) palloc(VARHDRSZ + IUID_LEN);

	/* Not by a StringInfo, as core's uuid_send(): that allocates a kilobyte. */
	SET_VARSIZE(bytes, VARHDRSZ + IUID_LEN);
	memcpy(VARDATA(bytes), PG_GETARG_IUID_P(0)->bytes, IUID_LEN);
	PG_RETURN_BYTEA_P(bytes);
}

/* iuid(uuid): the same 16 bytes.  22023 for a UUID that is not an iuid. */
PG_FUNCTION_INFO_V1(iuid_from_core_uuid);
Datum
iuid_from_core_uuid(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!iuid_is_valid(id))
	{
		char text[IUID_TEXT_LEN + 1];

		iuid_encode(id, text);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("uuid \"%s\" is not an iuid", text),
				 errdetail("%s", describe_fault(id)),
				 errhint("%s", how_to_convert(id))));
	}
	PG_RETURN_IUID(*id);
}

/* Whether a text begins as ISO 8601 writes a date, which is how drivers do. */
static bool
begins_with_date(const char *text)
{
	static const char form[] = "0000-00-00";
	size_t length = strlen(form);

	for (size_t i = 0; i < length; i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	return text[length] == '\0' || text[length] == ' ' || text[length] == 'T';
}

/* The reason why a UUID is not an iuid, as a sentence. */
static const char *
describe_fault(const Iuid *id)
{
	int variant = iuid_get_variant(id);

	if (variant != IUID_VARIANT)
		return psprintf("Its variant bits are %d%d; an iuid is a UUID of variant 10 and version %d.",
						variant >> 1, variant & 1, IUID_VERSION);
	return psprintf("It is a UUID of version %d; an iuid is of version %d.",
					iuid_get_version(id), IUID_VERSION);
}

/* What can be done with a UUID that is not an iuid, as a sentence. */
static const char *
how_to_convert(const Iuid *id)
{
	int version = iuid_get_uuid_version(id);

	if (version == 1 || version == 6 || version == 7)
		return "Keep it in a column of type uuid, or make an iuid of it with iuid_from_uuid(id, country, entity).";
	return "Keep it in a column of type uuid, or make an iuid of it and a time with iuid_from_uuid(id, country, entity, at).";
}
