/*-------------------------------------------------------------------------
 *
 * registry_load.c
 *	  Reading the registry tables.
 *
 * What stands there is input: constraints can be dropped, and tables replaced
 * by whatever has their names.  Columns are found by name and type, and each
 * value is checked before it is used.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
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

/* Bytes of a code, a name and so on. */
#define LONGEST_TEXT 1024

/* What a column must be, and its values. */
typedef enum ColumnKind
{
	NUMBER,
	NUMBER_OR_NULL,
	NAME,
	NAME_OR_NULL,
	TEXT /* may be empty */
} ColumnKind;

typedef struct Column
{
	const char *name;
	ColumnKind kind;
	int max; /* of a number */
} Column;

typedef struct Table
{
	const char *name;
	Column columns[IUID_COLUMNS];
	void (*add)(Registry *registry, const RegistryValue *values);
} Table;

/* In the order in which they are read. */
static const Table tables_read[IUID_TABLES] = {
	{ "iuid_countries",
	  { { "country", NUMBER, IUID_COUNTRY_MAX },
		{ "code", NAME, 0 },
		{ "name", NAME, 0 } },
	  iuid_add_country },
	{ "iuid_entities",
	  { { "entity", NUMBER, IUID_ENTITY_MAX },
		{ "service", TEXT, 0 },
		{ "key", NAME, 0 } },
	  iuid_add_entity },
	{ "iuid_nodes",
	  { { "node", NAME, 0 },
		{ "region", NAME_OR_NULL, 0 },
		{ "server", NAME_OR_NULL, 0 } },
	  iuid_add_node },
	{ "iuid_routes",
	  { { "country", NUMBER_OR_NULL, IUID_COUNTRY_MAX },
		{ "entity", NUMBER_OR_NULL, IUID_ENTITY_MAX },
		{ "node", NAME, 0 } },
	  iuid_add_route },
};

pg_noreturn static void reject_missing(const Table *table);
static void read_table(Registry *registry, const Table *table, Oid oid,
					   Snapshot snapshot);
static void find_columns(const Table *table, TupleDesc tupdesc,
						 AttrNumber *places);
static RegistryValue read_value(const Table *table, const Column *column,
								TupleTableSlot *slot, AttrNumber place);
static int check_number(const Table *table, const Column *column, int number);

Registry *
iuid_load_registry(Oid schema, Oid tables[IUID_TABLES])
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "iuid registry",
							  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Registry *registry = iuid_new_registry();
	Snapshot snapshot;

	/* Only what was loaded with changes of one's own can be rolled back. */
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		registry->loaded_in = GetCurrentSubTransactionId();

	for (int i = 0; i < IUID_TABLES; i++)
	{
		tables[i] = get_relname_relid(tables_read[i].name, schema);
		if (!OidIsValid(tables[i]))
			reject_missing(&tables_read[i]);
	}

	/*
	 * What is committed now, or changed by this transaction: not by a
	 * snapshot of old.  That of the catalogs is the one that parallel workers
	 * can have, too.  One for all tables, as they refer to each other; they
	 * are locked one at a time, so that nobody who locks several waits for
	 * this in a circle.
	 */
	snapshot = RegisterSnapshot(GetCatalogSnapshot(tables[0]));
	for (int i = 0; i < IUID_TABLES; i++)
		read_table(registry, &tables_read[i], tables[i], snapshot);
	UnregisterSnapshot(snapshot);

	MemoryContextSwitchTo(caller);
	return registry;
}

static void
reject_missing(const Table *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("table \"%s\" of extension \"%s\" is missing", table->name,
					"iuid_regions"),
			 errdetail(
				 "The tables of the registry are in the schema of the extension, by their names."),
			 errhint("Give it back the name that it had.")));
}

static void
read_table(Registry *registry, const Table *table, Oid oid, Snapshot snapshot)
{
	Relation relation = try_relation_open(oid, AccessShareLock);
	AttrNumber places[IUID_COLUMNS];
	RegistryValue values[IUID_COLUMNS];
	TupleTableSlot *slot;
	TableScanDesc scan;

	if (relation == NULL)
		reject_missing(table);
	if (relation->rd_rel->relkind != RELKIND_RELATION ||
		RELATION_IS_OTHER_TEMP(relation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not the table of extension \"%s\"",
						table->name, "iuid_regions"),
				 errdetail(
					 "The registry is in plain tables, which all sessions can read."),
				 errhint(
					 "Rename what has the name now, and give it back to the extension's own table.")));
	find_columns(table, RelationGetDescr(relation), places);

	slot = table_slot_create(relation, NULL);
	scan = table_beginscan(relation, snapshot, 0, NULL, 0);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		for (int i = 0; i < IUID_COLUMNS; i++)
			values[i] = read_value(table, &table->columns[i], slot, places[i]);
		table->add(registry, values);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	relation_close(relation, AccessShareLock);
}

static inline bool
is_number(const Column *column)
{
	return column->kind == NUMBER || column->kind == NUMBER_OR_NULL;
}

/* Where the columns are. */
static void
find_columns(const Table *table, TupleDesc tupdesc, AttrNumber *places)
{
	for (int i = 0; i < IUID_COLUMNS; i++)
	{
		const Column *column = &table->columns[i];
		Oid type = is_number(column) ? INT4OID : TEXTOID;
		Form_pg_attribute found = NULL;

		for (int n = 0; n < tupdesc->natts && found == NULL; n++)
		{
			Form_pg_attribute attribute = TupleDescAttr(tupdesc, n);

			if (!attribute->attisdropped &&
				strcmp(NameStr(attribute->attname), column->name) == 0)
				found = attribute;
		}
		if (found == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of table \"%s\" is missing",
							column->name, table->name),
					 errdetail("The registry has it, of type %s.",
							   format_type_be(type)),
					 errhint(
						 "Give it back the name that it had, or add it again.")));
		/* A virtual column has its value in the parser only. */
		if (found->atttypid != type ||
			(found->attgenerated != '\0' &&
			 found->attgenerated != ATTRIBUTE_GENERATED_STORED))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of table \"%s\" is of another type",
							column->name, table->name),
					 errdetail("It is of type %s%s, and must be of type %s.",
							   format_type_be(found->atttypid),
							   found->atttypid == type ? ", but virtual" : "",
							   format_type_be(type)),
					 errhint("Give it back the type that it had.")));
		places[i] = found->attnum;
	}
}

static RegistryValue
read_value(const Table *table, const Column *column, TupleTableSlot *slot,
		   AttrNumber place)
{
	bool isnull;
	Datum datum = slot_getattr(slot, place, &isnull);
	RegistryValue value;

	if (isnull && column->kind != NUMBER_OR_NULL && column->kind != NAME_OR_NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("null value in column \"%s\" of table \"%s\"",
						column->name, table->name),
				 errdetail("The registry needs a value there."),
				 errhint(
					 "Correct the row or delete it, and make the column NOT NULL again.")));
	if (!isnull && !is_number(column) &&
		toast_raw_datum_size(datum) > LONGEST_TEXT + VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text in column \"%s\" of table \"%s\" is too long",
						column->name, table->name),
				 errdetail("Every session that looks something up keeps the registry, whose texts have at most %d bytes.",
						   LONGEST_TEXT),
				 errhint("Shorten it.")));
	if (is_number(column))
		value.number =
			isnull ? -1 : check_number(table, column, DatumGetInt32(datum));
	else
		value.text = isnull ? NULL : TextDatumGetCString(datum);

	if (!is_number(column) && column->kind != TEXT && !isnull &&
		value.text[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("empty text in column \"%s\" of table \"%s\"",
						column->name, table->name),
				 errdetail("The registry has no empty names."),
				 errhint(
					 "Correct the row or delete it, and give the table back its CHECK.")));
	return value;
}

static int
check_number(const Table *table, const Column *column, int number)
{
	if (number < 0 || number > column->max)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("%s %d in table \"%s\" is out of range", column->name,
						number, table->name),
				 errdetail("It must be from 0 to %d.", column->max),
				 errhint(
					 "Correct the row or delete it, and give the table back its CHECK.")));
	return number;
}
