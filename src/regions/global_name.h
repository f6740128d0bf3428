/*-------------------------------------------------------------------------
 *
 * global_name.h
 *	  Reads the name of a global table or global view.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_GLOBAL_NAME_H
#define IUID_GLOBAL_NAME_H

#include "compat.h"

/*
 * Splits a name into schema and name.  Without a schema it is that of the local
 * table.  42601 for a name of more than two parts, 42602 for one that is not
 * valid, 3F000 if there is no such schema.
 */
extern void iuid_read_global_name(text *global, Oid local, char **schema,
								  char **name);

#endif /* IUID_GLOBAL_NAME_H */
