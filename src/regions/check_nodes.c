/*-------------------------------------------------------------------------
 *
 * check_nodes.c
 *	  Finds what is wrong with a table over all regions, as seen by others.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "ask_nodes.h"
#include "check_nodes.h"
#include "connection.h"
#include "datum.h"
#include "foreign.h"
#include "problem.h"
#include "registry/registry.h"
#include "relation.h"
#include "settings.h"
#include "statement.h"
#include "subtransaction.h"

/* How long the nodes may take, besides connecting. */
#define LIMIT_OF_ANSWERS (3 * USECS_PER_SEC)

/* By how many seconds the clocks may differ. */
#define CLOCK_TOLERANCE 1.0

/*
 * The names and types of the columns of a relation, without the ctid of a view,
 * in one order at all nodes.  The %s is the relation's OID.
 */
#define COLUMNS_OF \
	"(SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' '::pg_catalog.text, a.attname, n.nspname, t.typname, a.atttypmod)," \
	" ', '::pg_catalog.text ORDER BY a.attname)" \
	" FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) a.atttypid" \
	" JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace" \
	" WHERE a.attrelid OPERATOR(pg_catalog.=) %s AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2" \
	" AND NOT a.attisdropped AND a.attname OPERATOR(pg_catalog.<>) 'ctid'::pg_catalog.name)"

typedef struct Ask
{
	FunctionCallInfo fcinfo;
	const Countries *global;
	Oid local;
	const char *name; /* of the local table, which may go meanwhile */
	char *schema;	  /* of the local table */
	char *extensions; /* the schema of the extensions */
	int64 limit;
} Ask;

/* One of the other nodes, and what it answered. */
typedef struct NodeCheck
{
	const Ask *ask;
	const NodeServer *node;
	const NodeAnswer *answer;
	const char *own; /* the digest of the registry here */
} NodeCheck;

static List *nodes_with_server(List *nodes, int64 *limit);
static bool check_node(void *arg);
static void report_error(FunctionCallInfo fcinfo, const char *node,
						 ErrorData *error);
static char *inventory_query(const Ask *ask);
static char *registry_query(const Ask *ask);
static bool check_extensions(const Ask *ask, const NodeAnswer *answer);
static void check_relations(const Ask *ask, const NodeAnswer *answer);
static void check_registry(const Ask *ask, const NodeServer *node,
						   const char *own);
static NodeAnswer *ask_one(const Ask *ask, const NodeServer *node,
						   const char *command);
static bool differs(const char *answer, const char *here);

void
iuid_check_nodes(FunctionCallInfo fcinfo, List *nodes, const Countries *global,
				 Oid local)
{
	Ask ask = { .fcinfo = fcinfo, .global = global, .local = local };
	List *others = nodes_with_server(nodes, &ask.limit);
	FormData_pg_class row;
	Statement statement;
	char *own;
	ListCell *node, *answer;

	if (others == NIL)
		return;
	row = iuid_class_of(local);
	ask.name = NameStr(row.relname);
	ask.schema = get_namespace_name(row.relnamespace);
	ask.extensions = get_namespace_name(global->schema);
	statement = iuid_parse_statement(registry_query(&ask));
	own = iuid_read_json("SELECT ($1::pg_catalog.json)->>'registry'",
						 iuid_execute_statement(&statement), 1)[0];
	forboth(node, others, answer,
			iuid_ask_nodes(inventory_query(&ask), others, ask.limit))
	{
		const NodeAnswer *found = lfirst(answer);
		NodeCheck check = { &ask, lfirst(node), found, own };
		ErrorData *error;

		if (!found->success)
			iuid_report_problem(fcinfo, "no answer", IUID_NO_COUNTRY,
								found->node, found->result,
								"Start the node, or repair the way to it.");
		else if (!iuid_try(check_node, &check, &error))
			report_error(fcinfo, found->node, error);
	}
}

/*
 * A node can answer anything.  An answer in a wrong form raises an error, which
 * becomes a problem of the node.
 */
static bool
check_node(void *arg)
{
	const NodeCheck *check = arg;

	if (check_extensions(check->ask, check->answer))
	{
		check_relations(check->ask, check->answer);
		check_registry(check->ask, check->node, check->own);
	}
	return true;
}

static void
report_error(FunctionCallInfo fcinfo, const char *node, ErrorData *error)
{
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	iuid_report_problem(fcinfo, "strange answer", IUID_NO_COUNTRY, node,
						psprintf("%s: %s", unpack_sql_state(error->sqlerrcode),
								 error->message),
						"See what answers at the node: SELECT version(); -- at that node");
}

/* The other nodes that can be asked, and the time for all of them. */
static List *
nodes_with_server(List *nodes, int64 *limit)
{
	List *others = NIL;
	int seconds = IUID_CONNECT_SECONDS;
	ListCell *lc;

	foreach (lc, nodes)
	{
		NodeServer *node = lfirst(lc);
		ForeignServer *server = node->server == NULL ?
			NULL :
			GetForeignServerByName(node->server, true);

		if (server == NULL || strcmp(node->node, iuid_setting_node) == 0)
			continue;
		others = lappend(others, node);
		seconds = Max(seconds, iuid_connect_seconds(server));
	}
	*limit = LIMIT_OF_ANSWERS + seconds * USECS_PER_SEC;
	return others;
}

/*
 * The query for the extensions of a node, with schema and version, and for the
 * columns of the local table and of the views of its countries.
 */
static char *
inventory_query(const Ask *ask)
{
	char *columns = psprintf(COLUMNS_OF, "c.oid");

	return psprintf("SELECT pg_catalog.json_build_object("
					"'extensions'::pg_catalog.text, (SELECT pg_catalog.json_object_agg(e.extname, pg_catalog.json_build_object("
					"'schema'::pg_catalog.text, n.nspname, 'version'::pg_catalog.text, e.extversion))"
					" FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace),"
					" 'relations'::pg_catalog.text, (SELECT pg_catalog.json_object_agg(c.relname, %s)"
					" FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace"
					" WHERE n.nspname OPERATOR(pg_catalog.=) %s::pg_catalog.name AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,f}'::pg_catalog.\"char\"[])"
					" AND (c.relname OPERATOR(pg_catalog.=) %s::pg_catalog.name OR c.relname::pg_catalog.text OPERATOR(pg_catalog.~) '_c[0-9]+_e%d$'::pg_catalog.text)))",
					columns, quote_literal_cstr(ask->schema),
					quote_literal_cstr(ask->name), ask->global->entity);
}

/* The query for a digest of a node's registry, and for its clock. */
static char *
registry_query(const Ask *ask)
{
	static const char *const tables[] = { "iuid_countries", "iuid_entities",
										  "iuid_nodes", "iuid_routes" };
	StringInfoData rows;

	initStringInfo(&rows);
	for (size_t i = 0; i < lengthof(tables); i++)
		appendStringInfo(&rows,
						 "%s(SELECT pg_catalog.string_agg(t.row, E'\\n'::pg_catalog.text ORDER BY t.row) FROM"
						 " (SELECT (x.*)::pg_catalog.text COLLATE pg_catalog.\"C\" AS row FROM %s AS x) AS t)",
						 i > 0 ? ", " : "",
						 quote_qualified_identifier(ask->extensions, tables[i]));
	return psprintf("SELECT pg_catalog.json_build_object("
					"'registry'::pg_catalog.text, pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat_ws(E'\\n\\n'::pg_catalog.text, %s), 'UTF8'::pg_catalog.name)), 'hex'::pg_catalog.text),"
					" 'clock'::pg_catalog.text, pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.clock_timestamp()))",
					rows.data);
}

/*
 * Whether a node has both extensions as they are here; reports what differs.
 */
static bool
check_extensions(const Ask *ask, const NodeAnswer *answer)
{
	static const char *const names[] = { "iuid", "iuid_regions" };
	bool same_schema = true;

	for (size_t i = 0; i < lengthof(names); i++)
	{
		char **row =
			iuid_read_json(psprintf("SELECT x->>'schema', x->>'version',"
									" (SELECT extversion FROM pg_extension WHERE extname = '%s')"
									" FROM (SELECT ($1::json)->'extensions'->'%s' AS x) AS y",
									names[i], names[i]),
						   answer->result, 3);

		if (row[0] == NULL)
			iuid_report_problem(ask->fcinfo, "extension missing",
								IUID_NO_COUNTRY, answer->node,
								psprintf("The node has no extension \"%s\".",
										 names[i]),
								psprintf("CREATE EXTENSION %s SCHEMA %s; -- at that node",
										 names[i],
										 quote_identifier(ask->extensions)));
		else if (differs(row[0], ask->extensions))
			iuid_report_problem(ask->fcinfo, "extension in another schema",
								IUID_NO_COUNTRY, answer->node,
								psprintf("Extension \"%s\" is in schema \"%s\" there, and in \"%s\" here.",
										 names[i], row[0], ask->extensions),
								psprintf("ALTER EXTENSION cannot move it: CREATE EXTENSION %s SCHEMA %s; -- in a new database",
										 names[i],
										 quote_identifier(ask->extensions)));
		else if (differs(row[1], row[2]))
			iuid_report_problem(ask->fcinfo, "another version", IUID_NO_COUNTRY,
								answer->node,
								psprintf("Extension \"%s\" has version %s there, and %s here.",
										 names[i], row[1] ? row[1] : "NULL",
										 row[2]),
								psprintf("ALTER EXTENSION %s UPDATE; -- at the older one",
										 names[i]));
		same_schema = same_schema && !differs(row[0], ask->extensions);
	}
	return same_schema;
}

/* Reports a relation that a node has not, or has with other columns. */
static void
check_relation(const Ask *ask, const NodeAnswer *answer, int country,
			   const char *name, Oid here)
{
	char **row =
		iuid_read_json(psprintf("SELECT x->>%s, %s FROM (SELECT ($1::json)->'relations' AS x) AS y",
								quote_literal_cstr(name),
								psprintf(COLUMNS_OF,
										 psprintf("'%u'::pg_catalog.oid", here))),
					   answer->result, 2);
	char *call =
		psprintf("SELECT iuid_create_country_partitions(%s, %d); -- at that node",
				 quote_literal_cstr(
					 quote_qualified_identifier(ask->schema, ask->name)),
				 ask->global->entity);
	bool is_view = country != IUID_NO_COUNTRY;

	if (row[0] == NULL)
		iuid_report_problem(ask->fcinfo,
							is_view ? "no view there" : "no table there",
							country, answer->node,
							psprintf("The node has no relation %s.",
									 quote_qualified_identifier(ask->schema,
																name)),
							is_view ? call : "CREATE TABLE ...; -- at that node");
	else if (differs(row[0], row[1]))
		iuid_report_problem(ask->fcinfo, "other columns there", country,
							answer->node,
							psprintf("%s has columns (%s) there, and %s has columns (%s) here.",
									 quote_qualified_identifier(ask->schema, name),
									 row[0], iuid_qualified_name(here), row[1]),
							is_view ?
								call :
								"ALTER TABLE ...; -- as at the other nodes");
}

static void
check_relations(const Ask *ask, const NodeAnswer *answer)
{
	check_relation(ask, answer, IUID_NO_COUNTRY, ask->name, ask->local);
	for (int c = 0; c < IUID_COUNTRIES; c++)
	{
		const Country *country = &ask->global->country[c];
		const char *view;

		if (country->place != PLACE_ELSEWHERE || !OidIsValid(country->partition) ||
			strcmp(country->node, answer->node) != 0 ||
			get_rel_relkind(country->partition) != RELKIND_FOREIGN_TABLE)
			continue;
		view = iuid_foreign_option(country->partition, "table_name");
		if (view != NULL)
			check_relation(ask, answer, c, view, country->partition);
	}
}

/*
 * Compares registry and clock.  The connection is open, and the node is asked
 * alone, so that its clock was read within a round trip.
 */
static void
check_registry(const Ask *ask, const NodeServer *node, const char *own)
{
	TimestampTz before = GetCurrentTimestamp();
	NodeAnswer *answer = ask_one(ask, node, registry_query(ask));
	TimestampTz after = GetCurrentTimestamp();
	char **row;
	double clock, distance;

	if (!answer->success)
	{
		iuid_report_problem(ask->fcinfo, "no registry", IUID_NO_COUNTRY,
							node->node, answer->result,
							"GRANT SELECT on the tables of the registry; -- at that node");
		return;
	}
	row =
		iuid_read_json("SELECT x->>'registry', x->>'clock' FROM (SELECT $1::json AS x) AS y",
					   answer->result, 2);
	if (row[1] == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the answer has no clock")));
	if (differs(row[0], own))
		iuid_report_problem(ask->fcinfo, "another registry", IUID_NO_COUNTRY,
							node->node,
							"The rows of iuid_countries, iuid_entities, iuid_nodes or iuid_routes are not those of this node.",
							"SELECT * FROM pg_stat_subscription; -- at the node that is behind");
	clock = strtod(row[1], NULL) * USECS_PER_SEC;
	distance = Max((before - IUID_UNIX_EPOCH) - clock,
				   clock - (after - IUID_UNIX_EPOCH)) /
		USECS_PER_SEC;
	/* The clock can be anything, also NaN. */
	if (!(distance <= CLOCK_TOLERANCE))
		iuid_report_problem(ask->fcinfo, "another clock", IUID_NO_COUNTRY,
							node->node,
							psprintf("The clock of the node differs by %.1f seconds.",
									 distance),
							"Let NTP set both clocks.");
}

/*
 * Whether a part of an answer, NULL if it is missing, is not what it is here.
 */
static bool
differs(const char *answer, const char *here)
{
	return answer == NULL || here == NULL || strcmp(answer, here) != 0;
}

static NodeAnswer *
ask_one(const Ask *ask, const NodeServer *node, const char *command)
{
	List *nodes = list_make1(unconstify(NodeServer *, node));

	return linitial(iuid_ask_nodes(command, nodes, ask->limit));
}
