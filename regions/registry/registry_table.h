/*-------------------------------------------------------------------------
 *
 * registry_table.h
 *	  Opens a table of the registry, and reads it under the active snapshot.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_TABLE_H
#define IUID_REGISTRY_TABLE_H

#include "regions_compat.h"

#include "executor/tuptable.h"
#include "utils/relcache.h"

/* A column that is read: int4 or text. */
typedef struct RegistryColumn
{
	const char *name;
	Oid type;
} RegistryColumn;

/* As many columns as are read at once, at most. */
#define REGISTRY_COLUMNS_MAX 3

/*
 * Opens a table in the extension's schema, and finds a column of it.  42P01 and
 * 55000 as in registry.h.
 */
extern Relation iuid_open_registry(Oid schema, const char *name, int lockmode);
extern AttrNumber iuid_registry_column(Relation table,
									   const RegistryColumn *column);

/* Takes the values of a row; one of type text is copied by text_to_cstring(). */
typedef void (*RegistryRow)(const Datum *values, const bool *nulls, void *arg);

/*
 * Calls a function for each row of a table in the extension's schema, with the
 * columns in the order in which they are given, and returns the table's OID.
 * The table stays locked until the transaction ends.  The errors of registry.h.
 */
extern Oid iuid_read_registry(Oid schema, const char *table,
							  const RegistryColumn *columns, int count,
							  RegistryRow row, void *arg);

#endif /* IUID_REGISTRY_TABLE_H */
