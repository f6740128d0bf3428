/*-------------------------------------------------------------------------
 *
 * extension.h
 *	  Finds what belongs to an extension: its schema and its type.
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

#endif /* IUID_EXTENSION_H */
