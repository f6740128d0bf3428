/*-------------------------------------------------------------------------
 *
 * foreign.h
 *	  Reads what foreign tables stand on at the other nodes.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_FOREIGN_H
#define IUID_FOREIGN_H

#include "compat.h"

/*
 * Whether a foreign table is on the server of a name, which may be NULL, and
 * stands on a relation of this name in the schema that local has here.
 */
extern bool iuid_stands_on(Oid foreign, const char *server, Oid local,
						   const char *name);

/* The option of a foreign table; NULL if it is not set. */
extern const char *iuid_foreign_option(Oid foreign, const char *option);

#endif /* IUID_FOREIGN_H */
