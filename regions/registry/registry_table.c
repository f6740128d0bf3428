/*-------------------------------------------------------------------------
 *
 * registry_table.c
 *	  Reads a table of the registry under the active snapshot.
 *
 * The table is found by the OID of the schema, and read below the executor: so
 * no name is resolved, and no code of anybody's runs.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/relation.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "registry_table.h"

Oid
iuid_read_registry(Oid schema, const char *table, const RegistryColumn *columns,
				   int count, RegistryRow row, void *arg)
{
	Relation relation;
	AttrNumber attnums[REGISTRY_COLUMNS_MAX];
	TupleTableSlot *slot;
	TableScanDesc scan;
	Oid oid;

	Assert(count <= REGISTRY_COLUMNS_MAX);
	relation = iuid_open_registry(schema, table, AccessShareLock);
	for (int i = 0; i < count; i++)
		attnums[i] = iuid_registry_column(relation, &columns[i]);
	slot = table_slot_create(relation, NULL);
	scan = table_beginscan(relation, GetActiveSnapshot(), 0, NULL, 0);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		Datum values[REGISTRY_COLUMNS_MAX];
		bool nulls[REGISTRY_COLUMNS_MAX];

		for (int i = 0; i < count; i++)
			values[i] = slot_getattr(slot, attnums[i], &nulls[i]);
		row(values, nulls, arg);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	oid = RelationGetRelid(relation);
	/* As a SELECT does, so that no TRUNCATE comes between two look-ups. */
	relation_close(relation, NoLock);
	return oid;
}

Relation
iuid_open_registry(Oid schema, const char *name, int lockmode)
{
	Oid oid = get_relname_relid(name, schema);
	Relation table = OidIsValid(oid) ? try_relation_open(oid, lockmode) : NULL;

	if (table == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table \"%s\" of extension \"%s\" is missing", name,
						"iuid_regions"),
				 errhint("Give the table back its name.")));
	if (table->rd_rel->relkind != RELKIND_RELATION ||
		!superuser_arg(table->rd_rel->relowner))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\" is not a table of a superuser", name),
				 errdetail("The tables of extension \"%s\" are.", "iuid_regions"),
				 errhint(
					 "Rename what has the name now, and give the extension's table back its name and owner.")));
	return table;
}

/* The column of a name and type; a virtual column is none, as no row has it. */
AttrNumber
iuid_registry_column(Relation table, const RegistryColumn *column)
{
	TupleDesc desc = RelationGetDescr(table);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (!attribute->attisdropped && attribute->atttypid == column->type &&
			(attribute->attgenerated == '\0' ||
			 attribute->attgenerated == ATTRIBUTE_GENERATED_STORED) &&
			strcmp(NameStr(attribute->attname), column->name) == 0)
			return attribute->attnum;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" has no column \"%s\" of type %s",
					RelationGetRelationName(table), column->name,
					format_type_be(column->type)),
			 errhint("Give the column back its name and type.")));
}
