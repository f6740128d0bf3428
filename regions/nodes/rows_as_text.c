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

#include "compat.h"

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
	const TextQuery *query;
	TextRows *rows;
	bool has_started;
	TupleTableSlot *slot;
	Tuplestorestate *waiting;
	int waiting_count;
	int *columns; /* the number in the query, from 1, of each value */
	FmgrInfo *output;
	char **values;
	MemoryContext row_context;
} TextReceiver;

static char *type_name(Oid type, int32 typmod);
static void start_rows(DestReceiver *self, int operation, TupleDesc type);
static bool receive_row(TupleTableSlot *slot, DestReceiver *self);
static void shut_down(DestReceiver *self);
static void destroy(DestReceiver *self);
static void flush_rows(TextReceiver *receiver);
static int *columns_of_query(TupleDesc type, const TextQuery *query);
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

TextRows *
iuid_read_rows_as_text(const TextQuery *query)
{
	TextRows *rows = iuid_make_text_rows(
		query->lead +
		ArrayGetNItems(ARR_NDIM(query->names), ARR_DIMS(query->names)));
	TextReceiver receiver = { .pub = { .receiveSlot = receive_row,
									   .rStartup = start_rows,
									   .rShutdown = shut_down,
									   .rDestroy = destroy,
									   .mydest = DestTuplestore },
							  .query = query,
							  .rows = rows };
	SPIExecuteOptions options = { .read_only = query->read_only,
								  .dest = &receiver.pub };
	Oid type = query->parameter_type;
	int parameters = OidIsValid(type) ? 1 : 0;
	SPIPlanPtr plan;

	if (parameters > 0)
	{
		options.params = makeParamList(parameters);
		options.params->params[0] = (ParamExternData){
			.value = query->parameter, .pflags = PARAM_FLAG_CONST, .ptype = type
		};
	}
	SPI_connect();
	plan = SPI_prepare(query->text, parameters, &type);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query: %s",
			 SPI_result_code_string(SPI_result));
	if (SPI_execute_plan_extended(plan, &options) < 0 || !receiver.has_started)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("the command gives no rows"),
				 errhint("Give a SELECT, or another command that gives rows.")));
	SPI_finish();
	return rows;
}

static void
start_rows(DestReceiver *self, int operation pg_attribute_unused(), TupleDesc type)
{
	TextReceiver *receiver = (TextReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(receiver->rows->context);
	int level = iuid_plain_settings(), count = receiver->rows->columns;

	receiver->has_started = true;
	receiver->columns = columns_of_query(type, receiver->query);
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
	receiver->waiting = tuplestore_begin_heap(false, false, work_mem);
	receiver->row_context = AllocSetContextCreate(CurrentMemoryContext, "row",
												  ALLOCSET_DEFAULT_SIZES);
	AtEOXact_GUC(false, level);
	MemoryContextSwitchTo(caller);
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

/* The settings must not be those of the query, which still runs. */
static void
flush_rows(TextReceiver *receiver)
{
	TupleTableSlot *slot = receiver->slot;
	MemoryContext caller = MemoryContextSwitchTo(receiver->row_context);
	int level = iuid_plain_settings();

	while (tuplestore_gettupleslot(receiver->waiting, true, false, slot))
	{
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
		MemoryContextReset(receiver->row_context);
	}
	AtEOXact_GUC(false, level);
	MemoryContextSwitchTo(caller);
	tuplestore_clear(receiver->waiting);
	receiver->waiting_count = 0;
}

/* The number in the query, from 1, of each value: of the lead, and of the names. */
static int *
columns_of_query(TupleDesc type, const TextQuery *query)
{
	int lead = query->lead, count, type_count;
	char **wanted = texts_of_array(query->names, &count);
	char **wanted_types = texts_of_array(query->types, &type_count);
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
