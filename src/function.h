/*-------------------------------------------------------------------------
 *
 * function.h
 *	  Finds the SQL functions of the extensions.
 *
 * A name alone does not say that a function is the extension's: a superuser can
 * rename that, and then others can give its name to a function of their own.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FUNCTION_H
#define IUID_FUNCTION_H

#include "compat.h"

/* Whether an SQL function runs this C function. */
extern bool iuid_is_function(Oid function, PGFunction code);

/*
 * The SQL function of a name, schema and argument types that runs a C function;
 * InvalidOid if there is none.
 */
extern Oid iuid_find_function(Oid schema, const char *name, PGFunction code,
							  const Oid *types, int count);

/* The schema of a function that runs; 42883 if it was dropped meanwhile. */
extern Oid iuid_schema_of(Oid function);

#endif /* IUID_FUNCTION_H */
