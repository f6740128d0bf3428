/*-------------------------------------------------------------------------
 *
 * extension.h
 *	  Finds what belongs to an extension: its schema, functions and type.
 *
 * A name alone does not say that an object is the extension's: a superuser can
 * rename that, and then others can give its name to an object of their own.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_EXTENSION_H
#define IUID_EXTENSION_H

#include "compat.h"

/* The schema of a function that runs; 42883 if it was dropped meanwhile. */
IUID_HIDDEN extern Oid iuid_schema_of(Oid function);

/* The type iuid in the schema of the extension; InvalidOid if it has another name. */
IUID_HIDDEN extern Oid iuid_find_type(Oid schema);

/* Whether an SQL function runs this C function. */
IUID_HIDDEN extern bool iuid_is_function(Oid function, PGFunction code);

/*
 * The SQL function of a name, schema and argument types that runs a C function;
 * InvalidOid if there is none.
 */
IUID_HIDDEN extern Oid iuid_find_function(Oid schema, const char *name,
										  PGFunction code, const Oid *types,
										  int count);

#endif /* IUID_EXTENSION_H */
