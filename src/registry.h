/*-------------------------------------------------------------------------
 *
 * registry.h
 *	  What this database knows of countries, entities, nodes and routes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_H
#define IUID_REGISTRY_H

#include "compat.h"

/*
 * The number, 0 to 255, under which a country's code or an entity's key is
 * registered in the database of the called function; -1 if it is not.
 */
extern int iuid_find_country(FunctionCallInfo fcinfo, const char *code);
extern int iuid_find_entity(FunctionCallInfo fcinfo, const char *key);

#endif /* IUID_REGISTRY_H */
