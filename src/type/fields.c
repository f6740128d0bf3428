/*-------------------------------------------------------------------------
 *
 * fields.c
 *	  SQL functions that read the fields of an identifier, and never fail.
 *
 * A field that an identifier does not have is NULL: iuid.h says which it has.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/timestamp.h"

#include "datum.h"

/* The time, to the millisecond; NULL for all layouts but 0. */
PG_FUNCTION_INFO_V1(iuid_timestamp);
Datum
iuid_timestamp(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!iuid_has_time(id))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(iuid_ms_to_timestamp(iuid_get_ms(id)));
}

/* Country, 0 to 255. */
PG_FUNCTION_INFO_V1(iuid_country);
Datum
iuid_country(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!iuid_has_origin(id))
		PG_RETURN_NULL();
	PG_RETURN_INT32(iuid_get_country(id));
}

/* Entity, 0 to 255. */
PG_FUNCTION_INFO_V1(iuid_entity);
Datum
iuid_entity(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!iuid_has_origin(id))
		PG_RETURN_NULL();
	PG_RETURN_INT32(iuid_get_entity(id));
}

/* The random bits, 0 to 2^54 - 1. */
PG_FUNCTION_INFO_V1(iuid_random_bits);
Datum
iuid_random_bits(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!iuid_has_origin(id))
		PG_RETURN_NULL();
	PG_RETURN_INT64(iuid_get_random(id));
}

/* Layout, 0 to 15, the reserved ones included. */
PG_FUNCTION_INFO_V1(iuid_layout);
Datum
iuid_layout(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);

	if (!iuid_has_layout(id))
		PG_RETURN_NULL();
	PG_RETURN_INT32(iuid_get_layout(id));
}

/* All fields as one record, each as its own function returns it. */
PG_FUNCTION_INFO_V1(iuid_fields);
Datum
iuid_fields(PG_FUNCTION_ARGS)
{
	static const PGFunction readers[] = { iuid_timestamp, iuid_country,
										  iuid_entity, iuid_random_bits,
										  iuid_layout };
	Datum values[lengthof(readers)];
	bool nulls[lengthof(readers)];
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	for (size_t i = 0; i < lengthof(readers); i++)
	{
		LOCAL_FCINFO(field, 1);

		InitFunctionCallInfoData(*field, NULL, 1, InvalidOid, NULL, NULL);
		field->args[0].value = PG_GETARG_DATUM(0);
		field->args[0].isnull = false;
		values[i] = readers[i](field);
		nulls[i] = field->isnull;
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls)));
}
