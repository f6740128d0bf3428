/*-------------------------------------------------------------------------
 *
 * find_here.c
 *	  Rows by their identifiers, at the node that has them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"
#include "utils/varlena.h"

#include "attempt.h"
#include "datum.h"
#include "find_here.h"
#include "extension.h"
#include "registry/registry.h"
#include "relation.h"

/* What the server says of rows that are of another row type. */
#define COLUMNS_CHANGED "the columns changed while the statement waited"

/* The rows of a table that have some identifiers. */
typedef struct Reading
{
	Oid table;
	Oid schema;
	const TextColumns *columns;
	ArrayType *ids;
	TextRows *rows;
} Reading;

pg_noreturn static void reject_name(void);
static void store_rows(Tuplestorestate *store, TupleDesc rows, SPIPlanPtr plan,
					   ArrayType *ids);
static ArrayType *ids_without_row(ArrayType *ids, Tuplestorestate *store,
								  TupleDesc rows, int key);
static void read_rows(void *arg);

void
iuid_check_has_rows(Oid table, const char *name)
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

IdKey
iuid_id_key_of(Oid table, Oid schema)
{
	Relation relation = try_relation_open(table, AccessShareLock);
	Oid constraint;
	Bitmapset *primary;
	PartitionKey key;
	AttrNumber column = InvalidAttrNumber;
	IdKey result = { .name = NULL };

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
	primary = get_primary_key_attnos(table, true, &constraint);
	key = RelationGetPartitionKey(relation);
	/* A table that inherits from another one can have the same identifiers. */
	result.is_unique = !bms_is_empty(primary) &&
		(key != NULL || !relation->rd_rel->relhassubclass);
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

		result.is_uuid = type == UUIDOID;
		if (result.is_uuid || type == iuid_find_type(schema))
			result.name = pstrdup(NameStr(attribute->attname));
	}
	/* Whoever waits for the lock to rename the table waits until the end of the transaction. */
	relation_close(relation, NoLock);
	if (result.name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table %s has no key of type %s",
						iuid_qualified_name(table), "iuid"),
				 errdetail(
					 "Its primary key or, if it has none, its partition key must be one column of type iuid or uuid.")));
	return result;
}

const char *
iuid_require_route(FunctionCallInfo fcinfo, Datum id)
{
	const Iuid *iuid = DatumGetIuidP(id);
	const char *node = NULL;

	if (!iuid_is_valid(iuid))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("uuid \"%s\" is not an iuid", iuid_uuid_text(id)),
				 errdetail(
					 "Only an iuid has a country and an entity, and so a route."),
				 errhint(
					 "Find the row with a query in the database that has it.")));
	if (iuid_has_origin(iuid))
		node = iuid_routed_node(fcinfo, iuid_get_country(iuid),
								iuid_get_entity(iuid));
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("identifier %s has no route", iuid_uuid_text(id)),
				 errdetail("The registry of node \"%s\" has no node for its country and entity.",
						   iuid_this_node()),
				 errhint(
					 "Insert a route into iuid_routes, if the identifier is right.")));
	return pstrdup(node);
}

char *
iuid_uuid_text(Datum id)
{
	return DatumGetCString(DirectFunctionCall1(uuid_out, id));
}

/*
 * The key can be of a domain, for which its owner can make an operator of the same
 * name.
 */
char *
iuid_query_for_rows(Oid table, Oid schema, const IdKey *key, const char *columns)
{
	const char *of_type = key->is_uuid ?
		"pg_catalog" :
		quote_identifier(get_namespace_name(schema));
	const char *type = key->is_uuid ? "uuid" : "iuid";
	const char *name = quote_identifier(key->name);

	return psprintf("SELECT %s FROM %s WHERE %s::%s.%s OPERATOR(%s.=) ANY ($1::%s.%s[])",
					columns, iuid_qualified_name(table), name, of_type, type,
					of_type, of_type, type);
}

/*
 * Reads in the caller's snapshot.  The identifiers that it has no row of are read
 * again, in a snapshot that is taken under the locks of the first reading, which
 * may have waited for whoever moved rows to another partition.
 */
TupleDesc
iuid_store_rows_of_ids(Tuplestorestate *store, TupleDesc rows,
					   const char *query, int key, ArrayType *ids)
{
	Oid type = UUIDARRAYOID;
	MemoryContext caller = CurrentMemoryContext;
	CachedPlanSource *source;
	SPIPlanPtr plan;

	SPI_connect();
	plan = SPI_prepare(query, 1, &type);
	if (plan == NULL)
		elog(ERROR, "could not prepare the query: %s",
			 SPI_result_code_string(SPI_result));
	store_rows(store, rows, plan, ids);
	source = linitial(SPI_plan_get_plan_sources(plan));
	MemoryContextSwitchTo(caller);
	if (rows == NULL)
		rows = CreateTupleDescCopy(source->resultDesc);
	ids = ids_without_row(ids, store, rows, key);
	if (ids != NULL)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		store_rows(store, rows, plan, ids);
		PopActiveSnapshot();
	}
	SPI_finish();
	return rows;
}

static void
store_rows(Tuplestorestate *store, TupleDesc rows, SPIPlanPtr plan, ArrayType *ids)
{
	SPIExecuteOptions options = { .params = makeParamList(1),
								  .read_only = true,
								  .dest = CreateDestReceiver(DestTuplestore) };

	options.params->params[0] = (ParamExternData){ .value = PointerGetDatum(ids),
												   .pflags = PARAM_FLAG_CONST,
												   .ptype = UUIDARRAYOID };
	SetTuplestoreDestReceiverParams(options.dest, store, CurrentMemoryContext,
									false, rows, COLUMNS_CHANGED);
	if (SPI_execute_plan_extended(plan, &options) < 0)
		elog(ERROR, "could not read rows by their identifiers");
}

/* NULL if each of the identifiers has a row. */
static ArrayType *
ids_without_row(ArrayType *ids, Tuplestorestate *store, TupleDesc rows, int key)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(rows, &TTSOpsMinimalTuple);
	int64 found = 0, most = tuplestore_tuple_count(store);
	pg_uuid_t *keys = palloc(sizeof(pg_uuid_t) * Max(most, 1));
	int count, missing = 0;
	Datum *values;

	tuplestore_rescan(store);
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		bool isnull;

		keys[found++] = *DatumGetUUIDP(slot_getattr(slot, key, &isnull));
	}
	ExecDropSingleTupleTableSlot(slot);
	qsort(keys, found, sizeof(pg_uuid_t), iuid_compare_uuids);
	deconstruct_array(ids, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR, &values,
					  NULL, &count);
	for (int i = 0; i < count; i++)
	{
		if (bsearch(DatumGetUUIDP(values[i]), keys, found, sizeof(pg_uuid_t),
					iuid_compare_uuids) == NULL)
			values[missing++] = values[i];
	}
	return missing == 0 ?
		NULL :
		construct_array(values, missing, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR);
}

int
iuid_compare_uuids(const void *a, const void *b)
{
	return memcmp(a, b, UUID_LEN);
}

/*
 * iuid_find_here(table, names, types, ids, nodes): of the identifiers that the
 * node which asks takes for those of this node, the rows, or for one that has
 * another route here, that node.
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
	TextColumns columns = { .lead = IUID_FIND_LEAD,
							.names = PG_GETARG_ARRAYTYPE_P(1),
							.types = PG_GETARG_ARRAYTYPE_P(2) };
	ArrayType *node_array = PG_GETARG_ARRAYTYPE_P(4);
	int column_count = iuid_count_columns(&columns);
	Reading reading = { .table = table, .schema = schema, .columns = &columns };
	List *elsewhere = NIL;
	const char *here = iuid_this_node();
	Datum *ids, *nodes;
	int count, node_count, own = 0;
	ListCell *lc;

	(void) iuid_check_node(fcinfo);
	iuid_check_has_rows(table, iuid_qualified_name(table));
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
		char **redirection;

		if (strcmp(TextDatumGetCString(nodes[i]), here) != 0)
			continue;
		route = iuid_require_route(fcinfo, ids[i]);
		if (strcmp(route, here) == 0)
		{
			ids[own++] = ids[i];
			continue;
		}
		redirection = palloc0(sizeof(char *) * column_count);
		redirection[IUID_FIND_ID] = iuid_uuid_text(ids[i]);
		redirection[IUID_FIND_NODE] = unconstify(char *, route);
		elsewhere = lappend(elsewhere, redirection);
	}
	if (own == 0 && elsewhere == NIL)
		reject_name();
	if (own == 0)
		reading.rows = iuid_make_text_rows(column_count);
	else
	{
		reading.ids =
			construct_array(ids, own, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR);
		iuid_read(read_rows, &reading);
	}
	foreach (lc, elsewhere)
	{
		iuid_require_text_row(reading.rows, lfirst(lc));
	}
	iuid_return_text_rows(fcinfo, reading.rows);
	return (Datum) 0;
}

static void
read_rows(void *arg)
{
	Reading *reading = arg;
	IdKey key = iuid_id_key_of(reading->table, reading->schema);
	char *list = psprintf("%s::pg_catalog.uuid, NULL::pg_catalog.text, %s",
						  quote_identifier(key.name),
						  iuid_list_of_names(reading->columns->names));
	char *query =
		iuid_query_for_rows(reading->table, reading->schema, &key, list);
	Tuplestorestate *store = tuplestore_begin_heap(false, false, work_mem);
	TupleDesc rows = iuid_store_rows_of_ids(store, NULL, query,
											IUID_FIND_ID + 1, reading->ids);

	reading->rows = iuid_stored_rows_as_text(store, rows, reading->columns);
	tuplestore_end(store);
}

static void
reject_name(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the node was asked by another name than \"%s\"",
					iuid_this_node()),
			 errdetail("The configuration parameter \"%s\" has another value than the name of the node in the registry of the node that asks.",
					   "iuid.node"),
			 errhint("Set the parameter to the name of the node.")));
}
