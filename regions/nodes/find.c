/*-------------------------------------------------------------------------
 *
 * find.c
 *	  The SQL function that finds rows by their identifiers, whatever the node.
 *
 * The registry says which node has a row.  Registries of two nodes can differ
 * for a moment, while a country moves.  So the node that is asked looks into
 * its own, and names the node that it takes for the right one; that one is
 * asked in a second round.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"

#include "ask_nodes.h"
#include "datum.h"
#include "find_here.h"
#include "extension.h"
#include "registry/registry.h"
#include "relation.h"
#include "row_type.h"

/* How long the nodes may take in each round. */
#define LIMIT (3 * USECS_PER_SEC)

/* By the registry of this node, and by that of the node that was asked. */
#define ROUNDS 2

/* As many identifiers as a node answers for well within the limit. */
#define IDS_MAX 10000

/* An identifier, and the name of the node that should have its row. */
typedef struct Wanted
{
	pg_uuid_t id;	  /* first, as iuid_compare_uuids() takes it */
	const char *node; /* NULL: nobody is left to ask */
	/* What the node has answered: a row, or the name of another node. */
	bool has_row;
	const char *elsewhere;
} Wanted;

typedef struct Find
{
	FunctionCallInfo fcinfo;
	Oid schema; /* of the extension */
	TupleDesc rows;
	Oid table;
	IdKey key;
	ArrayType *names; /* of the columns, and their types */
	ArrayType *types;
	List *nodes;	/* all NodeServers */
	Wanted *wanted; /* in the order of the identifiers */
	int count;
} Find;

/* The answer of a node, and its rows as HeapTuples. */
typedef struct FoundRows
{
	Find *find;
	NodeAnswer *answer;
	List *tuples;
} FoundRows;

static Oid table_of_rows(TupleDesc rows);
static void read_ids(Find *find, ArrayType *ids);
static void return_own_rows(Find *find);
static bool ask_others(Find *find);
static List *nodes_to_ask(Find *find);
static List *ask(const Find *find, List *nodes);
static bool read_answer(void *arg);
static void split_redirections(FoundRows *reading);
static void check_keys(FoundRows *reading);
static Wanted *require_asked(FoundRows *reading, const pg_uuid_t *id);
pg_noreturn static void reject_answer(const char *reason, const pg_uuid_t *id);
pg_noreturn static void reject_route(const Wanted *wanted);

/*
 * iuid_find(rows, ids): the rows of a table with these ids, from the nodes that
 * have them.  rows is a NULL of the row type of the table.
 */
PG_FUNCTION_INFO_V1(iuid_find);
Datum
iuid_find(PG_FUNCTION_ARGS)
{
	Find find = { .fcinfo = fcinfo,
				  .schema = iuid_schema_of(fcinfo->flinfo->fn_oid),
				  .rows = iuid_row_type_arg(fcinfo) };

	/* The row type is that from before the wait for a lock, as it is to the server. */
	InitMaterializedSRF(fcinfo, 0);
	find.table = table_of_rows(find.rows);
	find.key = iuid_id_key_of(find.table, find.schema);
	iuid_check_row_type(find.rows);
	find.nodes = iuid_check_node(fcinfo);
	iuid_columns_of_rows(find.rows, &find.names, &find.types);
	if (!PG_ARGISNULL(1))
		read_ids(&find, PG_GETARG_ARRAYTYPE_P(1));
	return_own_rows(&find);
	for (int round = 0; round < ROUNDS; round++)
	{
		if (!ask_others(&find))
			return (Datum) 0;
	}
	for (int i = 0; i < find.count; i++)
	{
		if (find.wanted[i].node != NULL)
			reject_route(&find.wanted[i]);
	}
	return (Datum) 0;
}

static Oid
table_of_rows(TupleDesc rows)
{
	Oid table = get_typ_typrelid(rows->tdtypeid);

	iuid_check_has_rows(table, format_type_be(rows->tdtypeid));
	return table;
}

/* The identifiers, each once, with their nodes by the routes here. */
static void
read_ids(Find *find, ArrayType *ids)
{
	Datum *values;
	bool *nulls;
	int count;
	pg_uuid_t *sorted;

	deconstruct_array(ids, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR, &values,
					  &nulls, &count);
	if (count > IDS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many identifiers"),
				 errdetail("There are %d; a call takes %d at most.", count,
						   IDS_MAX),
				 errhint("Call the function for a part of them at a time.")));
	find->wanted = palloc0(sizeof(Wanted) * Max(count, 1));
	sorted = palloc(sizeof(pg_uuid_t) * Max(count, 1));
	for (int i = 0; i < count; i++)
	{
		if (!nulls[i])
			sorted[find->count++] = *DatumGetUUIDP(values[i]);
	}
	qsort(sorted, find->count, sizeof(pg_uuid_t), iuid_compare_uuids);
	count = find->count;
	find->count = 0;
	for (int i = 0; i < count; i++)
	{
		Wanted *next = &find->wanted[find->count];

		if (i > 0 && iuid_compare_uuids(&sorted[i], &sorted[i - 1]) == 0)
			continue;
		next->id = sorted[i];
		next->node = iuid_require_route(find->fcinfo, UUIDPGetDatum(&next->id));
		find->count++;
	}
}

/* Returns the rows of this node. */
static void
return_own_rows(Find *find)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) find->fcinfo->resultinfo;
	const char *here = iuid_this_node();
	Datum *ids = palloc(sizeof(Datum) * Max(find->count, 1));
	int count = 0;

	for (int i = 0; i < find->count; i++)
	{
		if (strcmp(find->wanted[i].node, here) != 0)
			continue;
		ids[count++] = UUIDPGetDatum(&find->wanted[i].id);
		find->wanted[i].node = NULL;
	}
	if (count == 0)
		return;
	(void) iuid_store_rows_of_ids(rsinfo->setResult, find->rows,
								  iuid_query_for_rows(find->table, find->schema,
													  &find->key,
													  iuid_list_of_names(
														  find->names)),
								  SPI_fnumber(find->rows, find->key.name),
								  construct_array(ids, count, UUIDOID, UUID_LEN,
												  false, TYPALIGN_CHAR));
	tuplestore_rescan(rsinfo->setResult);
}

/*
 * Returns the rows that the other nodes have.  What they take for rows of other
 * nodes is left.  False if there was nobody to ask.
 */
static bool
ask_others(Find *find)
{
	List *nodes = nodes_to_ask(find);
	ListCell *lc;

	if (nodes == NIL)
		return false;
	foreach (lc, ask(find, nodes))
	{
		FoundRows reading = { .find = find, .answer = lfirst(lc) };

		if (!iuid_try_answer(reading.answer, read_answer, &reading))
			iuid_report_failure(ERROR, reading.answer);
		iuid_return_tuples(find->fcinfo, reading.tuples);
	}
	for (int i = 0; i < find->count; i++)
	{
		Wanted *next = &find->wanted[i];

		next->node = next->elsewhere;
		next->elsewhere = NULL;
		next->has_row = false;
	}
	return true;
}

static List *
nodes_to_ask(Find *find)
{
	const char *here = iuid_this_node();
	List *nodes = NIL;

	for (int i = 0; i < find->count; i++)
	{
		const Wanted *next = &find->wanted[i];
		NodeServer *node;

		if (next->node == NULL)
			continue;
		node = iuid_node_of_name(find->nodes, next->node);
		/* This node has no row of it, by its own registry. */
		if (node == NULL || strcmp(node->node, here) == 0)
			reject_route(next);
		nodes = list_append_unique_ptr(nodes, node);
	}
	return nodes;
}

/* Each node gets all identifiers, with their nodes, and answers for its own. */
static List *
ask(const Find *find, List *nodes)
{
	const Oid types[] = { TEXTOID, TEXTARRAYOID, TEXTARRAYOID, UUIDARRAYOID,
						  TEXTARRAYOID };
	Datum parameters[lengthof(types)];
	Question question = { .columns = IUID_FIND_LEAD + ARR_DIMS(find->names)[0],
						  .parameter_count = lengthof(types),
						  .types = types };
	Datum *ids = palloc(sizeof(Datum) * find->count);
	Datum *names = palloc(sizeof(Datum) * find->count);
	int count = 0;

	for (int i = 0; i < find->count; i++)
	{
		if (find->wanted[i].node == NULL)
			continue;
		ids[count] = UUIDPGetDatum(&find->wanted[i].id);
		names[count++] = CStringGetTextDatum(find->wanted[i].node);
	}
	parameters[0] = CStringGetTextDatum(iuid_qualified_name(find->table));
	parameters[1] = PointerGetDatum(find->names);
	parameters[2] = PointerGetDatum(find->types);
	parameters[3] = PointerGetDatum(
		construct_array(ids, count, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR));
	parameters[4] = PointerGetDatum(
		construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
	question.parameters = parameters;
	question.command =
		psprintf("SELECT * FROM %s.iuid_find_here($1, $2, $3, $4, $5) AS r (%s)",
				 quote_identifier(get_namespace_name(find->schema)),
				 iuid_text_columns(question.columns));
	return iuid_ask_nodes(&question, nodes, LIMIT);
}

/* A node can answer anything, but only for the identifiers that it was asked for. */
static bool
read_answer(void *arg)
{
	FoundRows *reading = arg;

	split_redirections(reading);
	reading->tuples =
		iuid_tuples_of_text_rows(reading->find->rows, reading->answer->rows,
								 IUID_FIND_LEAD);
	check_keys(reading);
	return true;
}

/* Takes the redirections, and leaves the rows of the table. */
static void
split_redirections(FoundRows *reading)
{
	TextRows *rows = reading->answer->rows;
	List *left = NIL;
	ListCell *lc;

	foreach (lc, rows->rows)
	{
		char **row = lfirst(lc);
		const pg_uuid_t *id;
		Wanted *asked;

		if (row[IUID_FIND_NODE] == NULL)
		{
			left = lappend(left, row);
			continue;
		}
		if (row[IUID_FIND_ID] == NULL)
			reject_answer("has a route of no identifier", NULL);
		id = DatumGetUUIDP(
			DirectFunctionCall1(uuid_in, CStringGetDatum(row[IUID_FIND_ID])));
		asked = require_asked(reading, id);
		if (asked->elsewhere != NULL)
			reject_answer("has two routes of", id);
		asked->elsewhere = row[IUID_FIND_NODE];
	}
	rows->rows = left;
}

static void
check_keys(FoundRows *reading)
{
	const Find *find = reading->find;
	int column = SPI_fnumber(find->rows, find->key.name);
	ListCell *lc;

	foreach (lc, reading->tuples)
	{
		bool isnull;
		Datum key = heap_getattr(lfirst(lc), column, find->rows, &isnull);
		Wanted *asked;

		if (isnull)
			reject_answer("has a row without an identifier", NULL);
		asked = require_asked(reading, DatumGetUUIDP(key));
		if (asked->elsewhere != NULL)
			reject_answer("has a row and a route of", &asked->id);
		if (asked->has_row && find->key.is_unique)
			reject_answer("has two rows of", &asked->id);
		asked->has_row = true;
	}
}

/* The identifier among those that the node was asked for. */
static Wanted *
require_asked(FoundRows *reading, const pg_uuid_t *id)
{
	const Find *find = reading->find;
	Wanted *asked = bsearch(id, find->wanted, find->count, sizeof(Wanted),
							iuid_compare_uuids);

	if (asked == NULL || asked->node == NULL ||
		strcmp(asked->node, reading->answer->node) != 0)
		reject_answer("is for another identifier than those asked for:", id);
	return asked;
}

static void
reject_answer(const char *reason, const pg_uuid_t *id)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("the answer %s%s%s", reason, id == NULL ? "" : " ",
					id == NULL ? "" : iuid_uuid_text(UUIDPGetDatum(id)))));
}

static void
reject_route(const Wanted *wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the nodes disagree on the route of identifier %s",
					iuid_uuid_text(UUIDPGetDatum(&wanted->id))),
			 errdetail("The last node that was asked routes it to node \"%s\".",
					   wanted->node),
			 errhint(
				 "Try again when all nodes have the same registry; iuid_check_regions() compares the registries.")));
}
