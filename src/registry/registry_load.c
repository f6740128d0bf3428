/*-------------------------------------------------------------------------
 *
 * registry_load.c
 *	  Reads the registry tables into memory.
 *
 * The contents of the tables are input: somebody may have dropped constraints,
 * or given the name of a table to another relation.  So the columns are found
 * by name and type, and each value is checked before it is used.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/relation.h"
#include "access/detoast.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "registry_load.h"
#include "relation.h"

/* Bytes that a text of the registry can have. */
#define LONGEST_TEXT 1024

/* The type of a column, and the values that it can have. */
typedef enum ColumnKind
{
	COLUMN_NUMBER,
	COLUMN_NUMBER_OR_NULL,
	COLUMN_TEXT,
	COLUMN_TEXT_OR_NULL
} ColumnKind;

typedef struct Column
{
	const char *name;
	ColumnKind kind;
	int max; /* the largest number */
} Column;

typedef struct Table
{
	const char *name;
	Column columns[IUID_REGISTRY_COLUMNS];
	void (*add)(Registry *registry, const RegistryValue *values);
} Table;

/* The tables, in the order in which they are read. */
static const Table tables_read[IUID_REGISTRY_TABLES] = {
	{ "iuid_countries",
	  { { "country", COLUMN_NUMBER, IUID_COUNTRY_MAX },
		{ "code", COLUMN_TEXT, 0 },
		{ "name", COLUMN_TEXT, 0 } },
	  iuid_add_country },
	{ "iuid_entities",
	  { { "entity", COLUMN_NUMBER, IUID_ENTITY_MAX },
		{ "service", COLUMN_TEXT, 0 },
		{ "key", COLUMN_TEXT, 0 } },
	  iuid_add_entity },
	{ "iuid_nodes",
	  { { "node", COLUMN_TEXT, 0 },
		{ "region", COLUMN_TEXT_OR_NULL, 0 },
		{ "server", COLUMN_TEXT_OR_NULL, 0 } },
	  iuid_add_node },
	{ "iuid_routes",
	  { { "country", COLUMN_NUMBER_OR_NULL, IUID_COUNTRY_MAX },
		{ "entity", COLUMN_NUMBER_OR_NULL, IUID_ENTITY_MAX },
		{ "node", COLUMN_TEXT, 0 } },
	  iuid_add_route },
};

static void read_table(Registry *registry, const Table *table, Oid oid,
					   Snapshot snapshot);
static void find_columns(const Table *table, TupleDesc tupdesc,
						 AttrNumber *attnums);
static RegistryValue read_value(const Table *table, const Column *column,
								TupleTableSlot *slot, AttrNumber attnum);
static int check_number(const Table *table, const Column *column, int number);
static char *read_text(const Table *table, const Column *column, Datum datum);

Registry *
iuid_load_registry(Oid schema, Oid tables[IUID_REGISTRY_TABLES])
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "iuid registry",
							  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Registry *registry = iuid_new_registry();
	Snapshot snapshot;

	/* Without a transaction ID there are no changes that can be rolled back. */
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		registry->loaded_in = GetCurrentSubTransactionId();

	for (int i = 0; i < IUID_REGISTRY_TABLES; i++)
	{
		tables[i] = get_relname_relid(tables_read[i].name, schema);
		if (!OidIsValid(tables[i]))
			iuid_reject_missing_table(tables_read[i].name);
	}

	/*
	 * This snapshot sees what is committed now, and what this transaction has
	 * changed, even if the transaction has an older snapshot.  A parallel
	 * worker, too, can take a catalog snapshot.  One snapshot serves for all
	 * tables, as they refer to each other.  Each table is locked only while it
	 * is read, so that a session that locks several of them and this one never
	 * wait for each other.
	 */
	snapshot = RegisterSnapshot(GetCatalogSnapshot(tables[0]));
	for (int i = 0; i < IUID_REGISTRY_TABLES; i++)
		read_table(registry, &tables_read[i], tables[i], snapshot);
	UnregisterSnapshot(snapshot);

	MemoryContextSwitchTo(caller);
	return registry;
}

static void
read_table(Registry *registry, const Table *table, Oid oid, Snapshot snapshot)
{
	Relation relation = try_relation_open(oid, AccessShareLock);
	AttrNumber attnums[IUID_REGISTRY_COLUMNS];
	RegistryValue values[IUID_REGISTRY_COLUMNS];
	TupleTableSlot *slot;
	TableScanDesc scan;

	if (relation == NULL)
		iuid_reject_missing_table(table->name);
	if (relation->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not the table of extension \"%s\"",
						table->name, "iuid_regions"),
				 errhint(
					 "Rename the relation that has the name now, and give the extension's table back its name.")));
	find_columns(table, RelationGetDescr(relation), attnums);

	slot = table_slot_create(relation, NULL);
	scan = table_beginscan(relation, snapshot, 0, NULL, 0);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		for (int i = 0; i < IUID_REGISTRY_COLUMNS; i++)
			values[i] = read_value(table, &table->columns[i], slot, attnums[i]);
		table->add(registry, values);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	relation_close(relation, AccessShareLock);
}

static inline bool
is_number(const Column *column)
{
	return column->kind == COLUMN_NUMBER || column->kind == COLUMN_NUMBER_OR_NULL;
}

/*
 * Finds the columns by their names, and checks their types.  A virtual column
 * is none: its values are not in the rows.
 */
static void
find_columns(const Table *table, TupleDesc tupdesc, AttrNumber *attnums)
{
	for (int i = 0; i < IUID_REGISTRY_COLUMNS; i++)
	{
		const Column *column = &table->columns[i];
		Oid type = is_number(column) ? INT4OID : TEXTOID;
		Form_pg_attribute found = NULL;

		for (int n = 0; n < tupdesc->natts && found == NULL; n++)
		{
			Form_pg_attribute attribute = TupleDescAttr(tupdesc, n);

			if (!attribute->attisdropped &&
				(attribute->attgenerated == '\0' ||
				 attribute->attgenerated == ATTRIBUTE_GENERATED_STORED) &&
				strcmp(NameStr(attribute->attname), column->name) == 0)
				found = attribute;
		}
		if (found == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of table \"%s\" is missing",
							column->name, table->name),
					 errhint("Give the column back its name, or add it again.")));
		if (found->atttypid != type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of table \"%s\" is of type %s, and must be of type %s",
							column->name, table->name,
							format_type_be(found->atttypid), format_type_be(type)),
					 errhint("Give the column back its type.")));
		attnums[i] = found->attnum;
	}
}

static RegistryValue
read_value(const Table *table, const Column *column, TupleTableSlot *slot,
		   AttrNumber attnum)
{
	bool isnull;
	Datum datum = slot_getattr(slot, attnum, &isnull);
	RegistryValue value;

	if (isnull && (column->kind == COLUMN_NUMBER || column->kind == COLUMN_TEXT))
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("null value in column \"%s\" of table \"%s\"",
						column->name, table->name),
				 errhint(
					 "Correct the row or delete it, and make the column NOT NULL again.")));
	if (is_number(column))
		value.number =
			isnull ? -1 : check_number(table, column, DatumGetInt32(datum));
	else
		value.text = isnull ? NULL : read_text(table, column, datum);
	return value;
}

static int
check_number(const Table *table, const Column *column, int number)
{
	if (number < 0 || number > column->max)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("value %d in column \"%s\" of table \"%s\" is out of range",
						number, column->name, table->name),
				 errdetail("It must be from 0 to %d.", column->max),
				 errhint(
					 "Correct the row or delete it, and give the table back its CHECK.")));
	return number;
}

static char *
read_text(const Table *table, const Column *column, Datum datum)
{
	if (toast_raw_datum_size(datum) > LONGEST_TEXT + VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text in column \"%s\" of table \"%s\" is too long",
						column->name, table->name),
				 errdetail("Sessions keep the registry in memory, so its texts can have %d bytes at most.",
						   LONGEST_TEXT),
				 errhint("Shorten the text.")));
	return TextDatumGetCString(datum);
}

void
iuid_reject_missing_table(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("table \"%s\" of extension \"%s\" is missing", name,
					"iuid_regions"),
			 errhint("Give the table back its name.")));
}
