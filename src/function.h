/*-------------------------------------------------------------------------
 *
 * function.h
 *	  Finds SQL functions of the extensions by their C functions.
 *
 * A superuser can rename an SQL function, and then others can give its name
 * to a function of their own.  Only a superuser can make functions in C.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FUNCTION_H
#define IUID_FUNCTION_H

#include "compat.h"

/*
 * The name of the C function of an SQL function; NULL if that is not in C, or
 * does not exist.
 */
extern char *iuid_c_function(Oid function);

/*
 * The function of a name, schema and argument types whose C function has the
 * same name; InvalidOid if there is none.
 */
extern Oid iuid_find_function(Oid schema, const char *name, const Oid *types,
							  int count);

/* The same for a function of an extension; 42883 if there is none. */
extern Oid iuid_require_function(Oid schema, const char *name, const Oid *types,
								 int count, const char *extension);

/* The schema of a function that runs; 42883 if it was dropped meanwhile. */
extern Oid iuid_schema_of(Oid function);

#endif /* IUID_FUNCTION_H */
