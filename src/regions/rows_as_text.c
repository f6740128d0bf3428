/*-------------------------------------------------------------------------
 *
 * rows_as_text.c
 *	  Rows on their way from a node to another, as one array of texts.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "owner.h"
#include "rows_as_text.h"
#include "subtransaction.h"

static char *type_name(Oid type, int32 typmod);
static int read_rows(const char *query, uint64 expected);
static int *columns_of_query(TupleDesc query, ArrayType *names,
							 ArrayType *types, int *count);
static int find_column(TupleDesc query, const char *name);
static int plain_settings(void);

TupleDesc
iuid_row_type_arg(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	TupleDesc rows;
	int columns = 0;

	if (!OidIsValid(type) || type == RECORDOID ||
		get_typtype(type) != TYPTYPE_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the type of the rows is not known"),
				 errdetail("The first argument must have a composite type."),
				 errhint(
					 "Give a NULL of the row type of a table, such as NULL::orders.")));
	rows = lookup_rowtype_tupdesc_copy(type, -1);
	for (int i = 0; i < rows->natts; i++)
	{
		if (!TupleDescAttr(rows, i)->attisdropped)
			columns++;
	}
	if (columns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s has no columns", format_type_be(type)),
				 errhint("Give a NULL of the row type of a table with columns.")));
	return rows;
}

/*
 * The name of a type at every node, under plain_settings(): with its schema, and
 * what it is made with.
 */
static char *
type_name(Oid type, int32 typmod)
{
	return format_type_extended(type, typmod,
								FORMAT_TYPE_TYPEMOD_GIVEN |
									FORMAT_TYPE_FORCE_QUALIFY);
}

void
iuid_columns_of_rows(TupleDesc rows, ArrayType **names, ArrayType **types)
{
	Datum *name = palloc(sizeof(Datum) * rows->natts);
	Datum *type = palloc(sizeof(Datum) * rows->natts);
	int count = 0, level = plain_settings();

	for (int i = 0; i < rows->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(rows, i);

		if (column->attisdropped)
			continue;
		name[count] = CStringGetTextDatum(NameStr(column->attname));
		type[count++] =
			CStringGetTextDatum(type_name(column->atttypid, column->atttypmod));
	}
	AtEOXact_GUC(false, level);
	*names = construct_array(name, count, TEXTOID, -1, false, TYPALIGN_INT);
	*types = construct_array(type, count, TEXTOID, -1, false, TYPALIGN_INT);
}

char *
iuid_array_literal(ArrayType *array)
{
	char *text = OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(array));

	return psprintf("%s::%s[]", quote_literal_cstr(text),
					format_type_be_qualified(ARR_ELEMTYPE(array)));
}

/*
 * Reads in the caller's snapshot.  If that has not all the rows, reads again in
 * a snapshot that is taken under the locks of the first reading, which may have
 * waited for whoever moved rows to another partition.
 */
static int
read_rows(const char *query, uint64 expected)
{
	int result = SPI_execute(query, true, 0);

	if (result == SPI_OK_SELECT && SPI_processed < expected)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		result = SPI_execute(query, true, 0);
		PopActiveSnapshot();
	}
	return result;
}

ArrayBuildState *
iuid_add_rows_as_text(ArrayBuildState *array, const char *query,
					  ArrayType *names, ArrayType *types, uint64 expected)
{
	MemoryContext caller = CurrentMemoryContext;
	int *columns;
	FmgrInfo *output;
	int count, level, result;

	SPI_connect();
	if (expected > 0)
		result = read_rows(query, expected);
	else
		result = SPI_execute(query, false, 0);
	if (result < 0 || SPI_tuptable == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("the command gives no rows"),
				 errhint("Give a SELECT, or another command that gives rows.")));
	level = plain_settings();
	columns = columns_of_query(SPI_tuptable->tupdesc, names, types, &count);
	output = palloc(sizeof(FmgrInfo) * count);
	for (int i = 0; i < count; i++)
	{
		Oid function;
		bool varlena;

		getTypeOutputInfo(SPI_gettypeid(SPI_tuptable->tupdesc, columns[i]),
						  &function, &varlena);
		fmgr_info(function, &output[i]);
	}
	for (uint64 r = 0; r < SPI_processed; r++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < count; i++)
		{
			bool isnull;
			Datum value =
				SPI_getbinval(SPI_tuptable->vals[r], SPI_tuptable->tupdesc,
							  columns[i], &isnull);
			Datum text = (Datum) 0;

			if (!isnull)
				text = CStringGetTextDatum(OutputFunctionCall(&output[i], value));
			array = accumArrayResult(array, text, isnull, TEXTOID, caller);
			if (!isnull)
				pfree(DatumGetPointer(text));
		}
	}
	AtEOXact_GUC(false, level);
	SPI_finish();
	return array;
}

/* The number in the query, from 1, of each column that is asked for. */
static int *
columns_of_query(TupleDesc query, ArrayType *names, ArrayType *types, int *count)
{
	int type_count;
	char **wanted = iuid_names_of_array(names, count);
	char **wanted_types = iuid_names_of_array(types, &type_count);
	int *columns = palloc(sizeof(int) * Max(*count, 1));

	if (type_count != *count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("there must be a type for each column")));
	for (int i = 0; i < *count; i++)
	{
		Form_pg_attribute found;
		char *type;

		columns[i] = find_column(query, wanted[i]);
		if (columns[i] == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the rows have no column \"%s\"", wanted[i]),
					 errdetail("Column \"%s\" of the row type is of type %s.",
							   wanted[i], wanted_types[i]),
					 errhint("Give each column of the row type, with its name.")));
		found = TupleDescAttr(query, columns[i] - 1);
		type = type_name(found->atttypid, found->atttypmod);
		if (strcmp(type, wanted_types[i]) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the rows is of another type than that of the row type",
							wanted[i]),
					 errdetail("Column \"%s\" of the rows is of type %s; that of the row type is of type %s.",
							   wanted[i], type, wanted_types[i]),
					 errhint("Cast the column to that type.")));
	}
	for (int i = 1; i <= query->natts; i++)
	{
		bool known = false;

		for (int n = 0; n < *count; n++)
			known = known || columns[n] == i;
		if (!known)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the row type has no column \"%s\"",
							NameStr(TupleDescAttr(query, i - 1)->attname)),
					 errdetail(
						 "The rows have a column of that name, or have it twice."),
					 errhint(
						 "Give each column of the row type once, and no other.")));
	}
	return columns;
}

static int
find_column(TupleDesc query, const char *name)
{
	for (int i = 0; i < query->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(query, i)->attname), name) == 0)
			return i + 1;
	}
	return 0;
}

char **
iuid_names_of_array(ArrayType *array, int *count)
{
	Datum *values;
	char **names;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, NULL,
					  count);
	names = palloc(sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
		names[i] = TextDatumGetCString(values[i]);
	return names;
}

char **
iuid_texts_of_array(ArrayType *array, int *count)
{
	Datum *values;
	bool *nulls;
	char **texts;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls,
					  count);
	texts = palloc(sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
		texts[i] = nulls[i] ? NULL : TextDatumGetCString(values[i]);
	return texts;
}

/*
 * Under these settings the text of a value, and the name of a type, do not depend
 * on the session, and are read as they were written.  AtEOXact_GUC() ends them.
 */
static int
plain_settings(void)
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

char **
iuid_read_texts(const char *answer, int *count)
{
	Datum array;
	int level;

	*count = 0;
	if (answer == NULL)
		return NULL;
	level = plain_settings();
	array = OidInputFunctionCall(F_ARRAY_IN, unconstify(char *, answer),
								 TEXTOID, -1);
	AtEOXact_GUC(false, level);
	return iuid_texts_of_array(DatumGetArrayTypeP(array), count);
}

/*
 * A column can be of a domain, whose CHECK runs code.  So the rows are made as
 * the owner of their type, with no more rights than that, and for a caller who
 * has not the rights of the owner, as the caller.
 */
List *
iuid_rows_of_texts(TupleDesc rows, char **texts, int count)
{
	AttInMetadata *input = TupleDescGetAttInMetadata(rows);
	char **row = palloc0(sizeof(char *) * rows->natts);
	SavedUser saved =
		iuid_become(iuid_owner_or_caller(get_typ_typrelid(rows->tdtypeid)));
	List *tuples = NIL;
	int n = 0;

	(void) plain_settings();
	while (n < count)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < rows->natts; i++)
		{
			if (TupleDescAttr(rows, i)->attisdropped)
				continue;
			if (n == count)
				ereport(ERROR,
						(errcode(ERRCODE_PROTOCOL_VIOLATION),
						 errmsg("the answer ends within a row")));
			row[i] = texts[n++];
		}
		tuples = lappend(tuples, BuildTupleFromCStrings(input, row));
	}
	iuid_restore_user(&saved);
	return tuples;
}

void
iuid_return_rows(FunctionCallInfo fcinfo, List *tuples)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell *lc;

	foreach (lc, tuples)
	{
		tuplestore_puttuple(rsinfo->setResult, lfirst(lc));
		heap_freetuple(lfirst(lc));
	}
}

bool
iuid_try_answer(NodeAnswer *answer, bool (*read)(void *arg), void *arg)
{
	ErrorData *error;

	if (!answer->success)
		return false;
	if (iuid_try(read, arg, &error))
		return true;
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	iuid_set_error(answer, error);
	return false;
}

void
iuid_report_failure(int elevel, const NodeAnswer *answer)
{
	const char *state = answer->result;

	ereport(elevel,
			(errcode(MAKE_SQLSTATE(state[0], state[1], state[2], state[3],
								   state[4])),
			 errmsg("node \"%s\" gave no rows", answer->node),
			 errdetail_internal("%s", answer->result)));
}
