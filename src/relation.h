/*-------------------------------------------------------------------------
 *
 * relation.h
 *	  A relation's row of pg_class, and its name.
 *
 * Who reads locks nothing, so another session can drop the relation at any time.
 *
 * 42P01 if there is no such relation.  The server's own functions would return
 * NULL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_RELATION_H
#define IUID_RELATION_H

#include "compat.h"

#include "catalog/pg_class.h"

/* The fixed-length part of the row. */
IUID_HIDDEN extern FormData_pg_class iuid_class_of(Oid relation);

/* Schema and name as SQL text, quoted where necessary. */
IUID_HIDDEN extern char *iuid_qualified_name(Oid relation);

#endif /* IUID_RELATION_H */
