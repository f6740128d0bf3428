/*-------------------------------------------------------------------------
 *
 * registry_load.h
 *	  Reads the registry tables into memory.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_LOAD_H
#define IUID_REGISTRY_LOAD_H

#include "compat.h"

#include "registry_rows.h"

#define IUID_REGISTRY_TABLES 4

/*
 * Reads the registry tables of a schema into a new memory context, which is a
 * child of CurrentMemoryContext; after an error it stays there.  The function
 * sets the OIDs of the tables before it reads them, so that the caller notices
 * a change meanwhile.  registry.h has the errors.
 */
extern Registry *iuid_load_registry(Oid schema, Oid tables[IUID_REGISTRY_TABLES]);

/* 42P01 for a table of the registry that has another name now. */
pg_noreturn extern void iuid_reject_missing_table(const char *name);

#endif /* IUID_REGISTRY_LOAD_H */
