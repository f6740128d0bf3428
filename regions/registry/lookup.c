/*-------------------------------------------------------------------------
 *
 * lookup.c
 *	  SQL functions that say which node has an identifier's row.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "utils/builtins.h"

#include "datum.h"
#include "registry.h"

static inline const char *
node_of(FunctionCallInfo fcinfo, const Iuid *id)
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

/*
 * iuid_node(uuid): the node of an identifier, by the routes; NULL for none.
 * The errors of registry.h.
 */
PG_FUNCTION_INFO_V1(iuid_node);
Datum
iuid_node(PG_FUNCTION_ARGS)
{
	return text_or_null(fcinfo, node_of(fcinfo, PG_GETARG_IUID_P(0)));
}

/*
 * iuid_node(country, entity): the same for a country and entity, 0 to 255.
 * 22023 outside of that.
 */
PG_FUNCTION_INFO_V1(iuid_node_of);
Datum
iuid_node_of(PG_FUNCTION_ARGS)
{
	int country = iuid_country_arg(fcinfo, 0, IUID_COUNTRY_MAX);
	int entity = iuid_entity_arg(fcinfo, 1, IUID_ENTITY_MAX);

	return text_or_null(fcinfo, iuid_routed_node(fcinfo, country, entity));
}

/*
 * iuid_is_local(uuid): whether the node of an identifier is iuid.node; NULL if
 * there is no route, or iuid.node is not set.
 */
PG_FUNCTION_INFO_V1(iuid_is_local);
Datum
iuid_is_local(PG_FUNCTION_ARGS)
{
	const char *node = node_of(fcinfo, PG_GETARG_IUID_P(0));
	const char *here = node == NULL ? "" : iuid_this_node();

	if (here[0] == '\0')
		PG_RETURN_NULL();
	PG_RETURN_BOOL(strcmp(node, here) == 0);
}
