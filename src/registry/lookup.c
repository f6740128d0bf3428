/*-------------------------------------------------------------------------
 *
 * lookup.c
 *	  SQL functions that say what the registry has for an identifier.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "datum.h"
#include "registry.h"
#include "settings.h"

static RegistryLookup
look_up(FunctionCallInfo fcinfo, const Iuid *id)
{
	if (!iuid_has_origin(id))
		return (RegistryLookup){ 0 };
	return iuid_look_up(fcinfo, iuid_get_country(id), iuid_get_entity(id));
}

static inline const char *
get_node(FunctionCallInfo fcinfo, const Iuid *id)
{
	if (!iuid_has_origin(id))
		return NULL;
	return iuid_routed_node(fcinfo, iuid_get_country(id), iuid_get_entity(id));
}

static Datum
text_or_null(FunctionCallInfo fcinfo, const char *value)
{
	if (value == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(value));
}

/* iuid_node(iuid): the node of an identifier, by the routes; NULL for none. */
PG_FUNCTION_INFO_V1(iuid_node);
Datum
iuid_node(PG_FUNCTION_ARGS)
{
	return text_or_null(fcinfo, get_node(fcinfo, PG_GETARG_IUID_P(0)));
}

/* iuid_node(country, entity): the same for a country and entity, 0 to 255. */
PG_FUNCTION_INFO_V1(iuid_node_of);
Datum
iuid_node_of(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);

	return text_or_null(fcinfo, iuid_routed_node(fcinfo, country, entity));
}

/*
 * iuid_is_local(iuid): whether the node of an identifier is iuid.node; NULL if
 * there is no route, or iuid.node is not set.
 */
PG_FUNCTION_INFO_V1(iuid_is_local);
Datum
iuid_is_local(PG_FUNCTION_ARGS)
{
	const char *node = get_node(fcinfo, PG_GETARG_IUID_P(0));

	if (node == NULL || iuid_setting_node[0] == '\0')
		PG_RETURN_NULL();
	PG_RETURN_BOOL(strcmp(node, iuid_setting_node) == 0);
}

/* iuid_country_code(iuid): the code of the country; NULL for none. */
PG_FUNCTION_INFO_V1(iuid_country_code);
Datum
iuid_country_code(PG_FUNCTION_ARGS)
{
	return text_or_null(fcinfo, look_up(fcinfo, PG_GETARG_IUID_P(0)).code);
}

/* iuid_entity_key(iuid): the key of the entity; NULL for none. */
PG_FUNCTION_INFO_V1(iuid_entity_key);
Datum
iuid_entity_key(PG_FUNCTION_ARGS)
{
	return text_or_null(fcinfo, look_up(fcinfo, PG_GETARG_IUID_P(0)).key);
}

/* The columns of iuid_inspect, as the SQL script declares them. */
enum
{
	INSPECT_TIME,
	INSPECT_COUNTRY,
	INSPECT_CODE,
	INSPECT_NAME,
	INSPECT_SERVICE,
	INSPECT_ENTITY,
	INSPECT_KEY,
	INSPECT_NODE,
	INSPECT_REGION,
	INSPECT_LAYOUT,
	INSPECT_COLUMNS
};

/* iuid_inspect(iuid): all that is known of an identifier, as one record. */
PG_FUNCTION_INFO_V1(iuid_inspect);
Datum
iuid_inspect(PG_FUNCTION_ARGS)
{
	const Iuid *id = PG_GETARG_IUID_P(0);
	RegistryLookup found = look_up(fcinfo, id);
	const char *const texts[INSPECT_COLUMNS] = {
		[INSPECT_CODE] = found.code,	   [INSPECT_NAME] = found.name,
		[INSPECT_SERVICE] = found.service, [INSPECT_KEY] = found.key,
		[INSPECT_NODE] = found.node,	   [INSPECT_REGION] = found.region,
	};
	Datum values[INSPECT_COLUMNS];
	bool nulls[INSPECT_COLUMNS];
	TupleDesc tupdesc;

	for (int i = 0; i < INSPECT_COLUMNS; i++)
	{
		nulls[i] = texts[i] == NULL;
		values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(texts[i]);
	}
	values[INSPECT_TIME] =
		TimestampTzGetDatum(iuid_ms_to_timestamp(iuid_get_ms(id)));
	nulls[INSPECT_TIME] = !iuid_has_time(id);
	values[INSPECT_COUNTRY] = Int32GetDatum(iuid_get_country(id));
	nulls[INSPECT_COUNTRY] = !iuid_has_origin(id);
	values[INSPECT_ENTITY] = Int32GetDatum(iuid_get_entity(id));
	nulls[INSPECT_ENTITY] = !iuid_has_origin(id);
	values[INSPECT_LAYOUT] = Int32GetDatum(iuid_get_layout(id));
	nulls[INSPECT_LAYOUT] = !iuid_has_layout(id);

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls)));
}
