/*-------------------------------------------------------------------------
 *
 * iso.c
 *	  Lists the countries of ISO 3166-1, and registers them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "function.h"
#include "iso_countries.h"
#include "owner.h"
#include "registry_load.h"
#include "relation.h"

#define TABLE_NAME "iuid_countries"

#define COUNTRIES ((int) lengthof(iso_countries))

/* The list as a table: $1 has the codes, and $2 the names, in its order. */
#define ISO_TABLE \
	"ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) WITH ORDINALITY AS iso (code, name, country)"

static Datum country_name(int n);
static Relation open_table(Oid schema);
static void make_parameters(Datum parameters[2]);
static int register_missing(const char *table, Datum parameters[2]);
static void check_no_clash(const char *table, Datum parameters[2]);

static const Oid parameter_types[2] = { TEXTARRAYOID, TEXTARRAYOID };

/* iuid_iso_countries(): number, code and name of each country of the list. */
PG_FUNCTION_INFO_V1(iuid_iso_countries);
Datum
iuid_iso_countries(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int n = 0; n < COUNTRIES; n++)
	{
		Datum values[] = { Int32GetDatum(n + 1),
						   CStringGetTextDatum(iso_countries[n].code),
						   country_name(n) };
		bool nulls[] = { false, false, false };

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* The name has accents in UTF8 only: other encodings may lack the letters. */
static Datum
country_name(int n)
{
	bool accented =
		GetDatabaseEncoding() == PG_UTF8 && iso_countries[n].accented != NULL;

	return CStringGetTextDatum(accented ? iso_countries[n].accented :
										  iso_countries[n].name);
}

/*
 * iuid_register_iso_countries(): registers the countries that are missing, and
 * returns their number.
 */
PG_FUNCTION_INFO_V1(iuid_register_iso_countries);
Datum
iuid_register_iso_countries(PG_FUNCTION_ARGS)
{
	Oid schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	Relation relation = open_table(schema);
	Oid table = RelationGetRelid(relation);
	SavedUser saved;
	Datum parameters[2];
	char *table_name;
	int count;

	/* By OID: the schema may have been renamed meanwhile. */
	table_name = iuid_qualified_name(table);
	make_parameters(parameters);

	saved = iuid_become(iuid_owner_or_caller(table));
	SPI_connect();
	count = register_missing(table_name, parameters);
	check_no_clash(table_name, parameters);
	SPI_finish();
	iuid_restore_user(&saved);

	relation_close(relation, NoLock);
	PG_RETURN_INT32(count);
}

/*
 * Opens the table and locks it, so that it keeps its name.  A user who may not
 * INSERT must not get the lock: 42501.  42P01 without the table, and 42809 if
 * something else has its name.
 */
static Relation
open_table(Oid schema)
{
	Oid oid = get_relname_relid(TABLE_NAME, schema);
	Relation relation = NULL;

	if (OidIsValid(oid))
	{
		AclResult right = pg_class_aclcheck(oid, GetUserId(), ACL_INSERT);

		if (right != ACLCHECK_OK)
			aclcheck_error(right, OBJECT_TABLE, TABLE_NAME);
		relation = try_relation_open(oid, RowExclusiveLock);
	}
	if (relation == NULL)
		iuid_reject_missing_table(TABLE_NAME,
								  "The countries are registered there.");
	if (relation->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not the table of extension \"%s\"",
						TABLE_NAME, "iuid_regions"),
				 errdetail("The countries are registered in a plain table."),
				 errhint(
					 "Rename the relation that has the name now, and give the extension's table back its name.")));
	return relation;
}

static void
make_parameters(Datum parameters[2])
{
	Datum codes[COUNTRIES];
	Datum names[COUNTRIES];

	for (int n = 0; n < COUNTRIES; n++)
	{
		codes[n] = CStringGetTextDatum(iso_countries[n].code);
		names[n] = country_name(n);
	}
	parameters[0] = PointerGetDatum(
		construct_array(codes, COUNTRIES, TEXTOID, -1, false, TYPALIGN_INT));
	parameters[1] = PointerGetDatum(
		construct_array(names, COUNTRIES, TEXTOID, -1, false, TYPALIGN_INT));
}

static int
register_missing(const char *table, Datum parameters[2])
{
	char *command = psprintf("INSERT INTO %s (country, code, name)"
							 " SELECT country, code, name FROM " ISO_TABLE
							 " ON CONFLICT DO NOTHING",
							 table);

	if (SPI_execute_with_args(command, 2, (Oid *) parameter_types, parameters,
							  NULL, false, 0) != SPI_OK_INSERT)
		elog(ERROR, "could not insert into \"%s\"", TABLE_NAME);
	return (int) SPI_processed;
}

/*
 * 23505 if a number or a code is registered for another country: a number in
 * identifiers would then have two meanings.
 */
static void
check_no_clash(const char *table, Datum parameters[2])
{
	char *command =
		psprintf("SELECT own.country, own.code, iso.country, iso.code"
				 " FROM %s AS own JOIN " ISO_TABLE
				 " ON own.country = iso.country OR own.code = iso.code"
				 " WHERE own.country <> iso.country OR own.code <> iso.code"
				 " ORDER BY own.country LIMIT 1",
				 table);
	HeapTuple row;
	TupleDesc tupdesc;

	if (SPI_execute_with_args(command, 2, (Oid *) parameter_types, parameters,
							  NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read \"%s\"", TABLE_NAME);
	if (SPI_processed == 0)
		return;
	row = SPI_tuptable->vals[0];
	tupdesc = SPI_tuptable->tupdesc;
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("country %s is registered as \"%s\" already",
					SPI_getvalue(row, tupdesc, 1), SPI_getvalue(row, tupdesc, 2)),
			 errdetail("Among the countries of ISO 3166-1, country %s is \"%s\".",
					   SPI_getvalue(row, tupdesc, 3),
					   SPI_getvalue(row, tupdesc, 4)),
			 errhint("An organisation with numbers of its own registers its countries in %s, and does not call this function.",
					 TABLE_NAME)));
}
