/*-------------------------------------------------------------------------
 *
 * owner.h
 *	  Running as another role, so restricted that it gains nothing by it.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_OWNER_H
#define IUID_OWNER_H

#include "compat.h"

/* What to go back to. */
typedef struct Restricted
{
	Oid user;
	int sec_context;
	int guc_level;
} Restricted;

/*
 * From here on everything runs as user, in a security-restricted operation,
 * with search_path = pg_catalog, pg_temp.  After an error the end of the
 * transaction or subtransaction undoes it.
 */
extern Restricted iuid_become(Oid user);
extern void iuid_return(Restricted *saved);

#endif /* IUID_OWNER_H */
