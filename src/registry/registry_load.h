/*-------------------------------------------------------------------------
 *
 * registry_load.h
 *	  From the registry tables into memory.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_LOAD_H
#define IUID_REGISTRY_LOAD_H

#include "compat.h"

#include "registry_rows.h"

#define IUID_TABLES 4

/*
 * Reads the tables of a schema, whose OIDs it sets as soon as it knows them,
 * into a new context below that of the caller, where an error leaves it.
 */
extern Registry *iuid_load_registry(Oid schema, Oid tables[IUID_TABLES]);

/* Warns of what would change the tables unnoticed. */
extern void iuid_check_triggers(Oid schema, const Oid tables[IUID_TABLES]);

#endif /* IUID_REGISTRY_LOAD_H */
