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

#include "compat.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#include "utils/varlena.h"

#include "ask_nodes.h"
#include "countries.h"
#include "datum.h"
#include "function.h"
#include "node_arguments.h"
#include "registry/registry.h"
#include "relation.h"
#include "rows_as_text.h"
#include "settings.h"
#include "type/functions.h"

/* How long the nodes may take in each round. */
#define LIMIT (3 * USECS_PER_SEC)

/* By the registry of this node, and by that of the node that was asked. */
#define ROUNDS 2

/* An identifier, and the name of the node that should have its row. */
typedef struct Wanted
{
	Datum id;
	const char *node;
} Wanted;

typedef struct Find
{
	FunctionCallInfo fcinfo;
	Oid schema; /* of the extension */
	TupleDesc rows;
	Oid table;
	ArrayType *names; /* of the columns, and their types */
	ArrayType *types;
	List *nodes; /* all NodeServers */
} Find;

/* The answer of a node: its rows as HeapTuples, and what it has not. */
typedef struct Reading
{
	const Find *find;
	NodeAnswer *answer;
	List *tuples;
	List *elsewhere; /* Wanted */
} Reading;

static Oid table_of_rows(TupleDesc rows);
static void check_kind(Oid table, const char *name);
static char *key_of(Oid table, Oid schema, bool *is_uuid);
static List *wanted_ids(const Find *find, ArrayType *ids);
static const char *require_route(FunctionCallInfo fcinfo, Datum id);
static List *find_here(const Find *find, List *wanted);
static List *ask_others(const Find *find, List *wanted);
static char *command_for(const Find *find, List *wanted);
static bool read_answer(void *arg);
pg_noreturn static void reject_route(const Wanted *wanted);
static ArrayBuildState *add_rows(ArrayBuildState *array, Oid table, Oid schema,
								 ArrayType *names, ArrayType *types, List *ids);
static ArrayBuildState *add_text(ArrayBuildState *array, const char *text);
static char *uuid_text(Datum id);

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
	List *wanted = NIL;
	bool is_uuid;

	/* The row type is that from before the wait for a lock, as it is to the server. */
	InitMaterializedSRF(fcinfo, 0);
	find.table = table_of_rows(find.rows);
	(void) key_of(find.table, find.schema, &is_uuid);
	iuid_check_node(fcinfo);
	iuid_columns_of_rows(find.rows, &find.names, &find.types);
	find.nodes = iuid_registered_nodes(fcinfo);
	if (!PG_ARGISNULL(1))
		wanted = wanted_ids(&find, PG_GETARG_ARRAYTYPE_P(1));
	wanted = find_here(&find, wanted);
	for (int round = 0; round < ROUNDS && wanted != NIL; round++)
		wanted = ask_others(&find, wanted);
	if (wanted != NIL)
		reject_route(linitial(wanted));
	return (Datum) 0;
}

static Oid
table_of_rows(TupleDesc rows)
{
	Oid table = get_typ_typrelid(rows->tdtypeid);

	check_kind(table, format_type_be(rows->tdtypeid));
	return table;
}

/* 42809 unless the relation is a table that can have rows of its own. */
static void
check_kind(Oid table, const char *name)
{
	char kind = OidIsValid(table) ? get_rel_relkind(table) : '\0';

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a table", name),
				 errdetail("Rows are found in plain and in partitioned tables."),
				 errhint(
					 "Give a NULL of the row type of such a table, for example NULL::orders.")));
}

/*
 * The name of the column that identifies the rows of a table: of the primary
 * key or, without one, of the partition key.  42809 if that is not one column
 * of type iuid or uuid.
 */
static char *
key_of(Oid table, Oid schema, bool *is_uuid)
{
	Relation relation = table_open(table, AccessShareLock);
	Oid constraint;
	Bitmapset *primary = get_primary_key_attnos(table, true, &constraint);
	PartitionKey key = RelationGetPartitionKey(relation);
	AttrNumber column = InvalidAttrNumber;
	char *name = NULL;

	if (bms_membership(primary) == BMS_SINGLETON)
		column = (AttrNumber) (bms_singleton_member(primary) +
							   FirstLowInvalidHeapAttributeNumber);
	else if (bms_is_empty(primary) && key != NULL && key->partnatts == 1)
		column = key->partattrs[0];
	if (column > 0)
	{
		const FormData_pg_attribute *attribute =
			TupleDescAttr(RelationGetDescr(relation), column - 1);
		Oid type = getBaseType(attribute->atttypid);

		*is_uuid = type == UUIDOID;
		if (*is_uuid || type == iuid_find_type(schema))
			name = pstrdup(NameStr(attribute->attname));
	}
	table_close(relation, AccessShareLock);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s has no key of type %s",
						iuid_qualified_name(table), "iuid"),
				 errdetail(
					 "Its primary key or, if it has none, its partition key must be one column of type iuid or uuid.")));
	return name;
}

/* The identifiers with their nodes by the routes here. */
static List *
wanted_ids(const Find *find, ArrayType *ids)
{
	List *wanted = NIL;
	Datum *values;
	bool *nulls;
	int count;

	deconstruct_array(ids, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR, &values,
					  &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		Wanted *next;

		if (nulls[i])
			continue;
		next = palloc(sizeof(Wanted));
		next->id = values[i];
		next->node = require_route(find->fcinfo, values[i]);
		wanted = lappend(wanted, next);
	}
	return wanted;
}

/*
 * A copy of the name of the node of an identifier.  22023 for a uuid that is no
 * iuid, and for one without a route.
 */
static const char *
require_route(FunctionCallInfo fcinfo, Datum id)
{
	const Iuid *iuid =
		DatumGetIuidP(DirectFunctionCall1(iuid_from_core_uuid, id));
	const char *node = NULL;

	if (iuid_has_origin(iuid))
		node = iuid_routed_node(fcinfo, iuid_get_country(iuid),
								iuid_get_entity(iuid));
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("identifier %s has no route", uuid_text(id)),
				 errdetail("The registry of node \"%s\" has no node for its country and entity.",
						   iuid_setting_node),
				 errhint(
					 "Insert a route into iuid_routes, if the identifier is right.")));
	return pstrdup(node);
}

/*
 * Returns the rows of this node.  The result is the identifiers of other nodes.
 */
static List *
find_here(const Find *find, List *wanted)
{
	List *ids = NIL, *others = NIL;
	ArrayBuildState *rows;
	char **texts;
	int count;
	ListCell *lc;

	foreach (lc, wanted)
	{
		Wanted *next = lfirst(lc);

		if (strcmp(next->node, iuid_setting_node) == 0)
			ids = lappend(ids, DatumGetPointer(next->id));
		else
			others = lappend(others, next);
	}
	if (ids == NIL)
		return others;
	rows =
		add_rows(NULL, find->table, find->schema, find->names, find->types, ids);
	if (rows == NULL)
		return others;
	texts = iuid_texts_of_array(DatumGetArrayTypeP(
									makeArrayResult(rows, CurrentMemoryContext)),
								&count);
	iuid_return_rows(find->fcinfo, iuid_rows_of_texts(find->rows, texts, count));
	return others;
}

/*
 * Returns the rows that the other nodes have.  The result is the identifiers
 * that a node takes for those of another one.
 */
static List *
ask_others(const Find *find, List *wanted)
{
	List *nodes = NIL, *elsewhere = NIL;
	ListCell *lc;

	foreach (lc, wanted)
	{
		const Wanted *next = lfirst(lc);
		NodeServer *node = iuid_node_of_name(find->nodes, next->node);

		/* This node has no row of it, by its own registry. */
		if (node == NULL || strcmp(node->node, iuid_setting_node) == 0)
			reject_route(next);
		nodes = list_append_unique_ptr(nodes, node);
	}
	foreach (lc, iuid_ask_nodes(command_for(find, wanted), nodes, LIMIT))
	{
		Reading reading = { .find = find, .answer = lfirst(lc) };

		if (!iuid_try_answer(reading.answer, read_answer, &reading))
			iuid_report_failure(ERROR, reading.answer);
		iuid_return_rows(find->fcinfo, reading.tuples);
		elsewhere = list_concat(elsewhere, reading.elsewhere);
	}
	return elsewhere;
}

static char *
command_for(const Find *find, List *wanted)
{
	int count = 0;
	Datum *ids = palloc(sizeof(Datum) * list_length(wanted));
	Datum *nodes = palloc(sizeof(Datum) * list_length(wanted));
	ListCell *lc;

	foreach (lc, wanted)
	{
		const Wanted *next = lfirst(lc);

		ids[count] = next->id;
		nodes[count++] = CStringGetTextDatum(next->node);
	}
	return psprintf("SELECT %s.iuid_find_here(%s::pg_catalog.text, %s, %s, %s, %s)",
					quote_identifier(get_namespace_name(find->schema)),
					quote_literal_cstr(iuid_qualified_name(find->table)),
					iuid_array_literal(find->names),
					iuid_array_literal(find->types),
					iuid_array_literal(construct_array(ids, count, UUIDOID,
													   UUID_LEN, false,
													   TYPALIGN_CHAR)),
					iuid_array_literal(construct_array(nodes, count, TEXTOID, -1,
													   false, TYPALIGN_INT)));
}

static bool
read_answer(void *arg)
{
	Reading *reading = arg;
	int count, first;
	char **texts = iuid_read_texts(reading->answer->result, &count);
	int elsewhere = count > 0 && texts[0] != NULL ? pg_strtoint32(texts[0]) : -1;

	if (elsewhere < 0 || elsewhere > (count - 1) / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg(
					 "the answer has another form than that of iuid_find_here()")));
	first = 1 + 2 * elsewhere;
	for (int i = 1; i < first; i += 2)
	{
		Wanted *next = palloc(sizeof(Wanted));

		if (texts[i] == NULL || texts[i + 1] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the answer has a NULL in the place of a route")));
		next->id = DirectFunctionCall1(uuid_in, CStringGetDatum(texts[i]));
		next->node = texts[i + 1];
		reading->elsewhere = lappend(reading->elsewhere, next);
	}
	reading->tuples =
		iuid_rows_of_texts(reading->find->rows, texts + first, count - first);
	return true;
}

static void
reject_route(const Wanted *wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the nodes disagree on the route of identifier %s",
					uuid_text(wanted->id)),
			 errdetail("The last node that was asked routes it to node \"%s\".",
					   wanted->node),
			 errhint(
				 "Try again when all nodes have the same registry; iuid_check_regions() compares the registries.")));
}

/*
 * iuid_find_here(table, names, types, ids, nodes): of the identifiers that the
 * node which asks takes for those of this node, how many have another route
 * here, each of these with its node, and the rows of the others.
 */
PG_FUNCTION_INFO_V1(iuid_find_here);
Datum
iuid_find_here(PG_FUNCTION_ARGS)
{
	Oid schema = iuid_schema_of(fcinfo->flinfo->fn_oid);
	Oid table =
		RangeVarGetRelid(makeRangeVarFromNameList(
							 textToQualifiedNameList(PG_GETARG_TEXT_PP(0))),
						 AccessShareLock, false);
	ArrayType *node_array = PG_GETARG_ARRAYTYPE_P(4);
	List *own = NIL, *elsewhere = NIL;
	ArrayBuildState *array = NULL;
	Datum *ids, *nodes;
	int count, node_count;
	ListCell *lc;

	iuid_check_node(fcinfo);
	check_kind(table, iuid_qualified_name(table));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), UUIDOID, UUID_LEN, false,
					  TYPALIGN_CHAR, &ids, NULL, &count);
	deconstruct_array(node_array, TEXTOID, -1, false, TYPALIGN_INT, &nodes,
					  NULL, &node_count);
	if (count != node_count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("there must be a node for each identifier")));
	for (int i = 0; i < count; i++)
	{
		const char *route;

		if (strcmp(TextDatumGetCString(nodes[i]), iuid_setting_node) != 0)
			continue;
		route = require_route(fcinfo, ids[i]);
		if (strcmp(route, iuid_setting_node) == 0)
		{
			own = lappend(own, DatumGetPointer(ids[i]));
			continue;
		}
		elsewhere = lappend(elsewhere, uuid_text(ids[i]));
		elsewhere = lappend(elsewhere, unconstify(char *, route));
	}
	if (own == NIL && elsewhere == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the node was asked by another name than \"%s\"",
						iuid_setting_node),
				 errdetail("The configuration parameter \"%s\" has another value than the name of the node in the registry of the node that asks.",
						   "iuid.node"),
				 errhint("Set the parameter to the name of the node.")));
	array = add_text(array, psprintf("%d", list_length(elsewhere) / 2));
	foreach (lc, elsewhere)
		array = add_text(array, lfirst(lc));
	if (own != NIL)
		array = add_rows(array, table, schema, PG_GETARG_ARRAYTYPE_P(1),
						 PG_GETARG_ARRAYTYPE_P(2), own);
	PG_RETURN_DATUM(makeArrayResult(array, CurrentMemoryContext));
}

/*
 * Adds the rows of a table with these identifiers, as texts.  The key can be of
 * a domain, for which its owner can make an operator of the same name.
 */
static ArrayBuildState *
add_rows(ArrayBuildState *array, Oid table, Oid schema, ArrayType *names,
		 ArrayType *types, List *ids)
{
	bool is_uuid;
	const char *key = quote_identifier(key_of(table, schema, &is_uuid));
	const char *of_type =
		is_uuid ? "pg_catalog" : quote_identifier(get_namespace_name(schema));
	const char *type = psprintf("%s.%s", of_type, is_uuid ? "uuid" : "iuid");
	int count;
	char **columns = iuid_names_of_array(names, &count);
	StringInfoData query;
	const char *separator = "";
	ListCell *lc;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	for (int i = 0; i < count; i++)
		appendStringInfo(&query, "%s%s", i == 0 ? "" : ", ",
						 quote_identifier(columns[i]));
	appendStringInfo(&query, " FROM %s WHERE %s::%s OPERATOR(%s.=) ANY ('{",
					 iuid_qualified_name(table), key, type, of_type);
	foreach (lc, ids)
	{
		appendStringInfo(&query, "%s%s", separator,
						 uuid_text(PointerGetDatum(lfirst(lc))));
		separator = ",";
	}
	appendStringInfo(&query, "}'::%s[])", type);
	return iuid_add_rows_as_text(array, query.data, names, types,
								 list_length(ids));
}

static ArrayBuildState *
add_text(ArrayBuildState *array, const char *text)
{
	return accumArrayResult(array, CStringGetTextDatum(text), false, TEXTOID,
							CurrentMemoryContext);
}

static char *
uuid_text(Datum id)
{
	return DatumGetCString(DirectFunctionCall1(uuid_out, id));
}
