/*-------------------------------------------------------------------------
 *
 * check_nodes.c
 *	  Finds what is wrong with global tables and views, as seen by others.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "ask_nodes.h"
#include "check_nodes.h"
#include "check_replication.h"
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
	List *wanted;
	char *extensions; /* the schema of the extensions */
	char *own;		  /* the digest of the registry here */
	int64 limit;
} Ask;

/* One of the other nodes, and what it answered. */
typedef struct NodeCheck
{
	const Ask *ask;
	const NodeAnswer *answer;
	const NodeAnswer *refusal; /* of the registry; NULL: it was read */
} NodeCheck;

static Wanted *want(Oid global, Oid here);
static List *nodes_to_ask(List *nodes, int64 *limit);
static void check_answers(const Ask *ask, List *nodes);
static bool is_of_registry(const NodeAnswer *answer);
static void check_answer(const NodeCheck *check);
static bool check_node(void *arg);
static void report_error(FunctionCallInfo fcinfo, const char *node,
						 ErrorData *error);
static char *inventory(const Ask *ask);
static char *name_list(const List *wanted, bool schemas);
static char *registry(const Ask *ask);
static bool check_extensions(const Ask *ask, const NodeAnswer *answer);
static void check_relation(const Ask *ask, const NodeAnswer *answer,
						   const Wanted *wanted);
static void check_registry(const Ask *ask, const NodeAnswer *answer);
static bool differs(const char *answer, const char *here);

Wanted *
iuid_want_table(Oid global, Oid local)
{
	Wanted *wanted = want(global, local);

	wanted->country = IUID_NO_COUNTRY;
	wanted->schema = iuid_relation_schema(local);
	wanted->name = iuid_relation_name(local);
	return wanted;
}

Wanted *
iuid_want_view(Oid global, const char *node, int country, const char *schema,
			   const char *name, Oid foreign, const char *remedy)
{
	Wanted *wanted = want(global, foreign);

	wanted->node = node;
	wanted->country = country;
	wanted->schema = schema;
	wanted->name = name;
	wanted->remedy = remedy;
	return wanted;
}

static Wanted *
want(Oid global, Oid here)
{
	Wanted *wanted = palloc0(sizeof(Wanted));
	Statement statement = iuid_parse_statement(
		psprintf("SELECT %s",
				 psprintf(COLUMNS_OF, psprintf("'%u'::pg_catalog.oid", here))));

	wanted->global = global;
	wanted->here = iuid_qualified_name(here);
	wanted->columns = iuid_execute_statement(&statement);
	return wanted;
}

void
iuid_check_nodes(FunctionCallInfo fcinfo, List *nodes, List *wanted, Oid schema)
{
	Ask ask = { .fcinfo = fcinfo, .wanted = wanted };
	List *others = nodes_to_ask(nodes, &ask.limit);
	Statement statement;

	if (others == NIL)
		return;
	ask.extensions = get_namespace_name(schema);
	statement = iuid_parse_statement(psprintf("SELECT %s", registry(&ask)));
	ask.own = iuid_execute_statement(&statement);
	check_answers(&ask, others);
}

/*
 * A node that does not let its registry be read, or has none, is asked once more
 * for all the rest.
 */
static void
check_answers(const Ask *ask, List *nodes)
{
	char *rest = inventory(ask);
	List *answers =
		iuid_ask_nodes(psprintf("SELECT pg_catalog.json_build_object(%s, 'registry'::pg_catalog.text, %s)",
								rest, registry(ask)),
					   nodes, ask->limit);
	List *again = NIL;
	List *refusals = NIL;
	ListCell *node, *answer;

	forboth(node, nodes, answer, answers)
	{
		NodeCheck check = { ask, lfirst(answer), NULL };

		if (is_of_registry(check.answer))
		{
			again = lappend(again, lfirst(node));
			refusals = lappend(refusals, lfirst(answer));
		}
		else
			check_answer(&check);
	}
	if (again == NIL)
		return;
	answers =
		iuid_ask_nodes(psprintf("SELECT pg_catalog.json_build_object(%s)", rest),
					   again, ask->limit);
	forboth(node, refusals, answer, answers)
	{
		NodeCheck check = { ask, lfirst(answer), lfirst(node) };

		check_answer(&check);
	}
}

/* Whether a node said that there is no such table, or no right to read it. */
static bool
is_of_registry(const NodeAnswer *answer)
{
	return !answer->success && answer->answered != 0 &&
		(strncmp(answer->result, "42P01", 5) == 0 ||
		 strncmp(answer->result, "42501", 5) == 0);
}

static void
check_answer(const NodeCheck *check)
{
	const NodeAnswer *answer = check->answer;
	ErrorData *error;

	if (!answer->success)
		iuid_report_problem(check->ask->fcinfo, InvalidOid, "no answer",
							IUID_NO_COUNTRY, answer->node, answer->result,
							"Start the node, or repair the way to it, from the user mapping here to pg_hba.conf there.");
	else if (!iuid_try(check_node, unconstify(NodeCheck *, check), &error))
		report_error(check->ask->fcinfo, answer->node, error);
}

/*
 * A node can answer anything.  An answer in a wrong form raises an error, which
 * becomes a problem of the node.
 */
static bool
check_node(void *arg)
{
	const NodeCheck *check = arg;

	const NodeAnswer *answer = check->answer;
	ListCell *lc;

	if (!check_extensions(check->ask, answer))
		return true;
	foreach (lc, check->ask->wanted)
	{
		check_relation(check->ask, answer, lfirst(lc));
	}
	iuid_report_replication(check->ask->fcinfo, answer->node,
							iuid_read_json("SELECT ($1::json)->>'replication'",
										   answer->result, 1)[0]);
	if (check->refusal == NULL)
		check_registry(check->ask, answer);
	else
		iuid_report_problem(check->ask->fcinfo, InvalidOid, "no registry",
							IUID_NO_COUNTRY, answer->node, check->refusal->result,
							"GRANT SELECT on the tables of the registry; -- at that node");
	return true;
}

static void
report_error(FunctionCallInfo fcinfo, const char *node, ErrorData *error)
{
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	iuid_report_problem(fcinfo, InvalidOid, "strange answer", IUID_NO_COUNTRY,
						node,
						psprintf("%s: %s", unpack_sql_state(error->sqlerrcode),
								 error->message),
						"See what answers at the node: SELECT version(); -- at that node");
}

/*
 * The other nodes that can be asked, and the time for all of them.  A server or
 * a user mapping that is missing is reported by iuid_check_servers().
 */
static List *
nodes_to_ask(List *nodes, int64 *limit)
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

		if (server == NULL || strcmp(node->node, iuid_setting_node) == 0 ||
			!iuid_has_mapping(GetUserId(), server->serverid))
			continue;
		others = lappend(others, node);
		seconds = Max(seconds, iuid_connect_seconds(server));
	}
	*limit = LIMIT_OF_ANSWERS + seconds * USECS_PER_SEC;
	return others;
}

/*
 * The parts of an answer besides the registry, as arguments of json_build_object():
 * the extensions of a node, with schema and version; of the relations that it may
 * have to have the columns, and whether the role of the user mapping may read
 * them; what is wrong with its subscriptions and slots; and its clock.
 *
 * The view of a country is security_invoker, so the role needs the right to read
 * what the view stands on, too.
 */
static char *
inventory(const Ask *ask)
{
	char *columns = psprintf(COLUMNS_OF, "c.oid");

	return psprintf("'extensions'::pg_catalog.text, (SELECT pg_catalog.json_object_agg(e.extname, pg_catalog.json_build_object("
					"'schema'::pg_catalog.text, n.nspname, 'version'::pg_catalog.text, e.extversion))"
					" FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace),"
					" 'relations'::pg_catalog.text, (SELECT pg_catalog.json_object_agg(pg_catalog.concat(n.nspname, '.'::pg_catalog.text, c.relname),"
					" pg_catalog.json_build_object('columns'::pg_catalog.text, %s, 'unread'::pg_catalog.text,"
					" CASE WHEN NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE'::pg_catalog.text) THEN pg_catalog.concat('USAGE ON SCHEMA '::pg_catalog.text, pg_catalog.quote_ident(n.nspname::pg_catalog.text))"
					" ELSE (SELECT pg_catalog.concat('SELECT ON '::pg_catalog.text, pg_catalog.min(x.oid::pg_catalog.regclass::pg_catalog.text)) FROM (SELECT c.oid"
					" UNION ALL SELECT d.refobjid FROM pg_catalog.pg_rewrite AS r JOIN pg_catalog.pg_depend AS d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid"
					" AND d.objid OPERATOR(pg_catalog.=) r.oid AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid"
					" WHERE r.ev_class OPERATOR(pg_catalog.=) c.oid AND c.relkind OPERATOR(pg_catalog.=) 'v'::pg_catalog.\"char\") AS x (oid)"
					" WHERE NOT pg_catalog.has_any_column_privilege(x.oid, 'SELECT'::pg_catalog.text)"
					" HAVING pg_catalog.count(*) OPERATOR(pg_catalog.>) 0::pg_catalog.int8) END))"
					" FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace"
					" WHERE n.nspname OPERATOR(pg_catalog.=) ANY (ARRAY[%s]::pg_catalog.name[]) AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,f}'::pg_catalog.\"char\"[])"
					" AND (c.relname OPERATOR(pg_catalog.=) ANY (ARRAY[%s]::pg_catalog.name[]) OR c.relname::pg_catalog.text OPERATOR(pg_catalog.~) '_c[0-9]+_e[0-9]+$'::pg_catalog.text)),"
					" 'replication'::pg_catalog.text, %s,"
					" 'clock'::pg_catalog.text, pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.clock_timestamp())",
					columns, name_list(ask->wanted, true),
					name_list(ask->wanted, false),
					iuid_replication_query(ask->extensions));
}

/* The schemas, or the names, of the local tables. */
static char *
name_list(const List *wanted, bool schemas)
{
	StringInfoData list;
	ListCell *lc;

	initStringInfo(&list);
	foreach (lc, wanted)
	{
		const Wanted *table = lfirst(lc);

		if (table->country == IUID_NO_COUNTRY)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 quote_literal_cstr(schemas ? table->schema :
														  table->name));
	}
	return list.data;
}

/* A digest of a node's registry, as an SQL expression. */
static char *
registry(const Ask *ask)
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
	return psprintf("pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat_ws(E'\\n\\n'::pg_catalog.text, %s), 'UTF8'::pg_catalog.name)), 'hex'::pg_catalog.text)",
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
			iuid_report_problem(ask->fcinfo, InvalidOid, "extension missing",
								IUID_NO_COUNTRY, answer->node,
								psprintf("The node has no extension \"%s\".",
										 names[i]),
								psprintf("CREATE EXTENSION %s SCHEMA %s; -- at that node",
										 names[i],
										 quote_identifier(ask->extensions)));
		else if (differs(row[0], ask->extensions))
			iuid_report_problem(ask->fcinfo, InvalidOid,
								"extension in another schema", IUID_NO_COUNTRY,
								answer->node,
								psprintf("Extension \"%s\" is in schema \"%s\" there, and in \"%s\" here.",
										 names[i], row[0], ask->extensions),
								psprintf("ALTER EXTENSION cannot move it: CREATE EXTENSION %s SCHEMA %s; -- in a new database",
										 names[i],
										 quote_identifier(ask->extensions)));
		else if (differs(row[1], row[2]))
			iuid_report_problem(ask->fcinfo, InvalidOid, "another version",
								IUID_NO_COUNTRY, answer->node,
								psprintf("Extension \"%s\" has version %s there, and %s here.",
										 names[i], row[1] ? row[1] : "NULL",
										 row[2]),
								psprintf("ALTER EXTENSION %s UPDATE; -- at the older one",
										 names[i]));
		same_schema = same_schema && !differs(row[0], ask->extensions);
	}
	return same_schema;
}

/* Reports a relation that a node has not, has otherwise, or does not show. */
static void
check_relation(const Ask *ask, const NodeAnswer *answer, const Wanted *wanted)
{
	char *name = quote_qualified_identifier(wanted->schema, wanted->name);
	bool is_view = wanted->country != IUID_NO_COUNTRY;
	char **row;

	if (wanted->node != NULL && strcmp(wanted->node, answer->node) != 0)
		return;
	row =
		iuid_read_json(psprintf("SELECT x->>'columns', x->>'unread' FROM (SELECT ($1::json)->'relations'->%s AS x) AS y",
								quote_literal_cstr(psprintf("%s.%s", wanted->schema,
															wanted->name))),
					   answer->result, 2);
	if (row[0] == NULL)
		iuid_report_problem(ask->fcinfo, wanted->global,
							is_view ? "no view there" : "no table there",
							wanted->country, answer->node,
							psprintf("The node has no relation %s.", name),
							is_view ? wanted->remedy :
									  "CREATE TABLE ...; -- at that node");
	else if (differs(row[0], wanted->columns))
		iuid_report_problem(ask->fcinfo, wanted->global, "other columns there",
							wanted->country, answer->node,
							psprintf("%s has columns (%s) there, and %s has columns (%s) here.",
									 name, row[0], wanted->here, wanted->columns),
							is_view ?
								wanted->remedy :
								"ALTER TABLE ...; -- as at the other nodes");
	if (row[1] != NULL)
		iuid_report_problem(ask->fcinfo, wanted->global, "no right there",
							wanted->country, answer->node,
							psprintf("The role of the user mapping cannot read %s: it has no %s.",
									 name, row[1]),
							psprintf("GRANT SELECT ON %s TO ...; -- at that node, also on what a view stands on, with USAGE on the schema",
									 name));
}

/* Compares registry and clock. */
static void
check_registry(const Ask *ask, const NodeAnswer *answer)
{
	char **row =
		iuid_read_json("SELECT x->>'registry', x->>'clock' FROM (SELECT $1::json AS x) AS y",
					   answer->result, 2);
	double clock, distance;

	if (row[1] == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the answer has no clock")));
	if (differs(row[0], ask->own))
		iuid_report_problem(ask->fcinfo, InvalidOid, "another registry",
							IUID_NO_COUNTRY, answer->node,
							"The rows of iuid_countries, iuid_entities, iuid_nodes or iuid_routes are not those of this node.",
							"SELECT * FROM pg_stat_subscription; -- at the node that is behind");
	clock = strtod(row[1], NULL) * USECS_PER_SEC;
	distance = Max((answer->asked - IUID_UNIX_EPOCH) - clock,
				   clock - (answer->answered - IUID_UNIX_EPOCH)) /
		USECS_PER_SEC;
	/* The clock can be anything, also NaN. */
	if (!(distance <= CLOCK_TOLERANCE))
		iuid_report_problem(ask->fcinfo, InvalidOid, "another clock",
							IUID_NO_COUNTRY, answer->node,
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
