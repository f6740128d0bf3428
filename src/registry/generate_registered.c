/*-------------------------------------------------------------------------
 *
 * generate_registered.c
 *	  Makes new identifiers by registered code and key.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "utils/builtins.h"

#include "datum.h"
#include "making/generate.h"
#include "registry.h"

static int find_country(FunctionCallInfo fcinfo, const char *code);
static int check_entity(int entity, const char *key);

/*
 * gen_registered_iuid(code, key): a new identifier of this moment, for the
 * country and the entity that are registered with code and key.
 */
PG_FUNCTION_INFO_V1(gen_registered_iuid);
Datum
gen_registered_iuid(PG_FUNCTION_ARGS)
{
	char *code, *key;
	int country, entity;

	iuid_check_not_null(fcinfo, 0, "country");
	iuid_check_not_null(fcinfo, 1, "entity");
	code = text_to_cstring(PG_GETARG_TEXT_PP(0));
	key = text_to_cstring(PG_GETARG_TEXT_PP(1));
	country = find_country(fcinfo, code);
	entity = check_entity(iuid_find_entity(fcinfo, key), key);

	return iuid_generate(country, entity);
}

/*
 * gen_registered_iuid(key): a new identifier of this moment, for the country
 * in iuid.country and the entity that is registered with the key.
 */
PG_FUNCTION_INFO_V1(gen_registered_iuid_here);
Datum
gen_registered_iuid_here(PG_FUNCTION_ARGS)
{
	char *key;
	int entity;

	iuid_check_not_null(fcinfo, 0, "entity");
	key = text_to_cstring(PG_GETARG_TEXT_PP(0));
	entity = iuid_find_entity(fcinfo, key);
	if (entity < 0 && iuid_find_country(fcinfo, key) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("entity \"%s\" is not registered", key),
				 errdetail("It is the code of a country."),
				 errhint(
					 "Give the key of an entity after it: gen_registered_iuid(country, entity).")));

	return iuid_generate(iuid_country_here(), check_entity(entity, key));
}

/* 22023 for a code that is not registered. */
static int
find_country(FunctionCallInfo fcinfo, const char *code)
{
	int country = iuid_find_country(fcinfo, code);

	if (country < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("country \"%s\" is not registered", code),
				 errdetail("There is no such row in table \"%s\".",
						   "iuid_countries"),
				 errhint("Insert it there, or give the number of the country.")));
	return country;
}

/* 22023 for -1, which stands for a key that is not registered. */
static int
check_entity(int entity, const char *key)
{
	if (entity < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("entity \"%s\" is not registered", key),
				 errdetail("There is no such row in table \"%s\".",
						   "iuid_entities"),
				 errhint("Insert it there, or give the number of the entity.")));
	return entity;
}
