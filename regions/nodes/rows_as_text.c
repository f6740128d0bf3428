/*-------------------------------------------------------------------------
 *
 * rows_as_text.c
 *	  The rows of a query at the node that is asked, as texts.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "rows_as_text.h"

/* So many rows wait for the settings under which they become texts. */
#define ROWS_AT_ONCE 1000

/* What takes the rows of a query as they come. */
typedef struct TextReceiver
{
	DestReceiver pub;
	const TextColumns *wanted;
	TextRows *rows;
	TupleTableSlot *slot;
	Tuplestorestate *waiting; /* NULL before the query gives rows */
	int waiting_count;
	int *columns; /* the number in the rows, from 1, of each value */
	FmgrInfo *output;
	char **values;
	MemoryContext row_context;
} TextReceiver;

static char *type_name(Oid type, int32 typmod);
static void start_rows(DestReceiver *self, int operation, TupleDesc type);
static bool receive_row(TupleTableSlot *slot, DestReceiver *self);
static void shut_down(DestReceiver *self);
static void destroy(DestReceiver *self);
static void prepare(TextReceiver *receiver, TupleDesc type);
static void flush_rows(TextReceiver *receiver);
static void make_texts(TextReceiver *receiver, Tuplestorestate *store);
static int *columns_of_rows(TupleDesc type, const TextColumns *asked);
static void check_type(TupleDesc type, int column, const char *name,
					   const char *wanted);
static int find_column(TupleDesc type, int first, const char *name);
static char **texts_of_array(ArrayType *array, int *count);

/*
 * The name of a type at every node, under iuid_plain_settings(): with its schema, and
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
	int count = 0, level = iuid_plain_settings();

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

int
iuid_count_columns(const TextColumns *columns)
{
	return columns->lead +
		ArrayGetNItems(ARR_NDIM(columns->names), ARR_DIMS(columns->names));
}

TextRows *
iuid_read_rows_as_text(const char *query, const TextColumns *columns)
{
	TextRows *rows = iuid_make_text_rows(iuid_count_columns(columns));
	TextReceiver receiver = { .pub = { .receiveSlot = receive_row,
									   .rStartup = start_rows,
									   .rShutdown = shut_down,
									   .rDestroy = destroy,
									   .mydest = DestTuplestore },
							  .wanted = columns,
							  .rows = rows };
	SPIExecuteOptions options = { .dest = &receiver.pub };

	SPI_connect();
	if (SPI_execute_extended(query, &options) < 0 || receiver.waiting == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("the command gives no rows"),
				 errhint("Give a SELECT, or another command that gives rows.")));
	SPI_finish();
	return rows;
}

TextRows *
iuid_stored_rows_as_text(Tuplestorestate *store, TupleDesc type,
						 const TextColumns *columns)
{
	TextReceiver receiver = { .wanted = columns,
							  .rows = iuid_make_text_rows(
								  iuid_count_columns(columns)) };

	prepare(&receiver, type);
	tuplestore_rescan(store);
	make_texts(&receiver, store);
	ExecDropSingleTupleTableSlot(receiver.slot);
	return receiver.rows;
}

static void
start_rows(DestReceiver *self, int operation pg_attribute_unused(), TupleDesc type)
{
	TextReceiver *receiver = (TextReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(receiver->rows->context);

	prepare(receiver, type);
	receiver->waiting = tuplestore_begin_heap(false, false, work_mem);
	MemoryContextSwitchTo(caller);
}

/* Finds the columns of the rows, and how each becomes a text. */
static void
prepare(TextReceiver *receiver, TupleDesc type)
{
	int level = iuid_plain_settings(), count = receiver->rows->columns;

	receiver->columns = columns_of_rows(type, receiver->wanted);
	receiver->output = palloc(sizeof(FmgrInfo) * count);
	for (int i = 0; i < count; i++)
	{
		Oid function;
		bool varlena;

		getTypeOutputInfo(SPI_gettypeid(type, receiver->columns[i]), &function,
						  &varlena);
		fmgr_info(function, &receiver->output[i]);
	}
	receiver->values = palloc(sizeof(char *) * count);
	receiver->slot =
		MakeSingleTupleTableSlot(CreateTupleDescCopy(type), &TTSOpsMinimalTuple);
	receiver->row_context = AllocSetContextCreate(CurrentMemoryContext, "row",
												  ALLOCSET_DEFAULT_SIZES);
	AtEOXact_GUC(false, level);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	TextReceiver *receiver = (TextReceiver *) self;

	tuplestore_puttupleslot(receiver->waiting, slot);
	if (++receiver->waiting_count == ROWS_AT_ONCE)
		flush_rows(receiver);
	return true;
}

static void
shut_down(DestReceiver *self)
{
	TextReceiver *receiver = (TextReceiver *) self;

	flush_rows(receiver);
	tuplestore_end(receiver->waiting);
	ExecDropSingleTupleTableSlot(receiver->slot);
}

static void
destroy(DestReceiver *self pg_attribute_unused())
{
}

static void
flush_rows(TextReceiver *receiver)
{
	make_texts(receiver, receiver->waiting);
	tuplestore_clear(receiver->waiting);
	receiver->waiting_count = 0;
}

/* The settings must not be those of the query, which may still run. */
static void
make_texts(TextReceiver *receiver, Tuplestorestate *store)
{
	TupleTableSlot *slot = receiver->slot;
	int level = iuid_plain_settings();

	/* The slot frees its row when it gets the next one, so the row is not of row_context. */
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		MemoryContext caller = MemoryContextSwitchTo(receiver->row_context);

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		for (int i = 0; i < receiver->rows->columns; i++)
		{
			int column = receiver->columns[i] - 1;

			receiver->values[i] = slot->tts_isnull[column] ?
				NULL :
				OutputFunctionCall(&receiver->output[i],
								   slot->tts_values[column]);
		}
		iuid_require_text_row(receiver->rows, receiver->values);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(receiver->row_context);
	}
	AtEOXact_GUC(false, level);
}

/* The number in the rows, from 1, of each value: of the lead, and of the names. */
static int *
columns_of_rows(TupleDesc type, const TextColumns *asked)
{
	int lead = asked->lead, count, type_count;
	char **wanted = texts_of_array(asked->names, &count);
	char **wanted_types = texts_of_array(asked->types, &type_count);
	int *columns = palloc(sizeof(int) * (lead + count));

	if (type_count != count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("there must be a type for each column")));
	for (int i = 0; i < lead; i++)
		columns[i] = i + 1;
	for (int i = 0; i < count; i++)
	{
		int column = find_column(type, lead, wanted[i]);

		if (column == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the rows have no column \"%s\"", wanted[i]),
					 errdetail("Column \"%s\" of the row type is of type %s.",
							   wanted[i], wanted_types[i]),
					 errhint("Give each column of the row type, with its name.")));
		check_type(type, column, wanted[i], wanted_types[i]);
		columns[lead + i] = column;
	}
	for (int column = lead + 1; column <= type->natts; column++)
	{
		bool known = false;

		for (int i = 0; i < count; i++)
			known = known || columns[lead + i] == column;
		if (!known)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("the row type has no column \"%s\"",
							NameStr(TupleDescAttr(type, column - 1)->attname)),
					 errdetail(
						 "The rows have a column of that name, or have it twice."),
					 errhint(
						 "Give each column of the row type once, and no other.")));
	}
	return columns;
}

static void
check_type(TupleDesc type, int column, const char *name, const char *wanted)
{
	Form_pg_attribute found = TupleDescAttr(type, column - 1);
	char *of_column = type_name(found->atttypid, found->atttypmod);

	if (strcmp(of_column, wanted) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of the rows is of another type than that of the row type",
						name),
				 errdetail("Column \"%s\" of the rows is of type %s; that of the row type is of type %s.",
						   name, of_column, wanted),
				 errhint("Cast the column to that type.")));
}

static int
find_column(TupleDesc type, int first, const char *name)
{
	for (int i = first; i < type->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(type, i)->attname), name) == 0)
			return i + 1;
	}
	return 0;
}

/* The values of a text[]; 22004 for NULL. */
static char **
texts_of_array(ArrayType *array, int *count)
{
	Datum *values;
	char **texts;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, NULL,
					  count);
	texts = palloc(sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
		texts[i] = TextDatumGetCString(values[i]);
	return texts;
}

char *
iuid_list_of_names(ArrayType *names)
{
	StringInfoData list;
	int count;
	char **texts = texts_of_array(names, &count);

	initStringInfo(&list);
	for (int i = 0; i < count; i++)
		appendStringInfo(&list, "%s%s", i == 0 ? "" : ", ",
						 quote_identifier(texts[i]));
	return list.data;
}
