/*-------------------------------------------------------------------------
 *
 * text_rows.c
 *	  Rows on their way from a node to another: each value is a text, or NULL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "owner.h"
#include "text_rows.h"

/* What a row takes beside its values: in the list, and of the allocator. */
#define ROW_OVERHEAD 32

TextRows *
iuid_make_text_rows(int columns)
{
	TextRows *rows = palloc0(sizeof(TextRows));

	rows->columns = columns;
	rows->context = CurrentMemoryContext;
	return rows;
}

bool
iuid_add_text_row(TextRows *rows, char *const *values)
{
	size_t size = sizeof(char *) * rows->columns;
	MemoryContext caller;
	char **row, *place;

	for (int i = 0; i < rows->columns; i++)
		size += values[i] == NULL ? 0 : strlen(values[i]) + 1;
	rows->size += size + ROW_OVERHEAD;
	if (rows->size > IUID_ANSWER_MAX)
		return false;
	caller = MemoryContextSwitchTo(rows->context);
	row = palloc(size);
	place = (char *) (row + rows->columns);
	for (int i = 0; i < rows->columns; i++)
	{
		row[i] = values[i] == NULL ? NULL : strcpy(place, values[i]);
		if (row[i] != NULL)
			place += strlen(place) + 1;
	}
	rows->rows = lappend(rows->rows, row);
	MemoryContextSwitchTo(caller);
	return true;
}

void
iuid_require_text_row(TextRows *rows, char *const *values)
{
	if (!iuid_add_text_row(rows, values))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg(IUID_ANSWER_TOO_LONG, IUID_ANSWER_MAX),
				 errhint("Ask for fewer rows, or for fewer columns.")));
}

/*
 * A column can be of a domain, whose CHECK runs code.  So the rows are made as
 * the owner of their type, with no more rights than that, and for a caller who
 * has not the rights of the owner, as the caller.
 */
List *
iuid_tuples_of_text_rows(TupleDesc type, TextRows *rows, int first)
{
	AttInMetadata *input = TupleDescGetAttInMetadata(type);
	char **values = palloc0(sizeof(char *) * type->natts);
	SavedUser saved =
		iuid_become(iuid_owner_or_caller(get_typ_typrelid(type->tdtypeid)));
	List *tuples = NIL;
	ListCell *lc;

	(void) iuid_plain_settings();
	foreach (lc, rows->rows)
	{
		char **row = lfirst(lc);
		int next = first;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < type->natts; i++)
		{
			if (!TupleDescAttr(type, i)->attisdropped)
				values[i] = row[next++];
		}
		Assert(next == rows->columns);
		tuples = lappend(tuples, BuildTupleFromCStrings(input, values));
		pfree(row);
	}
	iuid_restore_user(&saved);
	list_free(rows->rows);
	rows->rows = NIL;
	return tuples;
}

void
iuid_return_text_rows(FunctionCallInfo fcinfo, const TextRows *rows)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum *values = palloc0(sizeof(Datum) * rows->columns);
	bool *nulls = palloc(sizeof(bool) * rows->columns);
	ListCell *lc;
	bool fits;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	fits = rsinfo->setDesc->natts == rows->columns;
	for (int i = 0; fits && i < rows->columns; i++)
		fits = TupleDescAttr(rsinfo->setDesc, i)->atttypid == TEXTOID;
	if (!fits)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the rows have %d columns of type text", rows->columns)));
	foreach (lc, rows->rows)
	{
		char **row = lfirst(lc);

		for (int i = 0; i < rows->columns; i++)
		{
			nulls[i] = row[i] == NULL;
			values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(row[i]);
		}
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		for (int i = 0; i < rows->columns; i++)
		{
			if (!nulls[i])
				pfree(DatumGetPointer(values[i]));
		}
	}
}

char *
iuid_text_columns(int count)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < count; i++)
		appendStringInfo(&list, "%sc%d pg_catalog.text", i == 0 ? "" : ", ", i);
	return list.data;
}

void
iuid_return_tuples(FunctionCallInfo fcinfo, List *tuples)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell *lc;

	foreach (lc, tuples)
	{
		tuplestore_puttuple(rsinfo->setResult, lfirst(lc));
		heap_freetuple(lfirst(lc));
	}
}

int
iuid_plain_settings(void)
{
	static const char *const settings[][2] = {
		{ "array_nulls", "on" },
		{ "datestyle", "ISO" },
		{ "extra_float_digits", "3" },
		{ "intervalstyle", "postgres" },
		{ "lc_monetary", "C" },
		{ "quote_all_identifiers", "off" },
		{ "search_path", "pg_catalog, pg_temp" },
		{ "xmloption", "content" },
	};
	int level = NewGUCNestLevel();

	for (size_t i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}
