/*-------------------------------------------------------------------------
 *
 * check_replication.c
 *	  Finds subscriptions and slots that leave a node behind.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "check_replication.h"
#include "node_answer.h"
#include "problem.h"
#include "settings.h"
#include "statement.h"

/* A node can send any number of rows. */
#define ROWS_MAX 20

/*
 * The subscriptions of this database that have a table of the registry.  The %s
 * is the schema of the extension, as a literal.
 */
#define OF_REGISTRY \
	"FROM pg_catalog.pg_subscription AS s JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) s.subdbid" \
	" WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() AND EXISTS (SELECT FROM pg_catalog.pg_subscription_rel AS r" \
	" JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) r.srrelid JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace" \
	" WHERE r.srsubid OPERATOR(pg_catalog.=) s.oid AND n.nspname OPERATOR(pg_catalog.=) %s::pg_catalog.name" \
	" AND c.relname OPERATOR(pg_catalog.=) ANY ('{iuid_countries,iuid_entities,iuid_nodes,iuid_routes}'::pg_catalog.name[])" \
	"%s)"

/*
 * What is said of each.  %s is the name, quoted as its place wants; a hint
 * without it is no statement.
 */
static const struct
{
	const char *problem;
	const char *detail;
	const char *hint;
	bool is_slot;
} kinds[] = {
	{ "subscription disabled",
	  "Subscription %s brings no changes of the registry.",
	  "ALTER SUBSCRIPTION %s ENABLE;", false },
	{ "subscription does not run",
	  "Subscription %s of the registry has no worker: the server's log says why.",
	  "Start the publisher, or mend what the log says: the worker then starts by itself.",
	  false },
	{ "registry not copied",
	  "Subscription %s has not copied all tables of the registry yet: if that does not end, the server's log says why.",
	  "Mend what the log says. If it is 23505, the rows are there already: subscribe anew with copy_data = false.",
	  false },
	{ "inactive slot", "Nobody reads slot %s, which holds the log.",
	  "SELECT pg_drop_replication_slot(%s); -- unless its reader comes back",
	  true },
	{ "lost slot",
	  "The log that the reader of slot %s needs is gone: it has to begin anew.",
	  "SELECT pg_drop_replication_slot(%s);", true },
};

static void report(FunctionCallInfo fcinfo, const char *node, const char *kind,
				   const char *name);

char *
iuid_replication_query(const char *schema)
{
	const char *literal = quote_literal_cstr(schema);
	char *all = psprintf(OF_REGISTRY, literal, "");
	char *uncopied =
		psprintf(OF_REGISTRY, literal,
				 " AND r.srsubstate OPERATOR(pg_catalog.<>) 'r'::pg_catalog.\"char\"");

	/* A standby has slots that are kept in step with those of its primary. */
	return psprintf("(SELECT pg_catalog.json_agg(pg_catalog.json_build_array(x.kind, x.name) ORDER BY x.kind, x.name) FROM ("
					"SELECT 0 AS kind, s.subname AS name %s AND NOT s.subenabled"
					" UNION ALL SELECT 1, s.subname %s AND s.subenabled AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_subscription AS w"
					" WHERE w.subid OPERATOR(pg_catalog.=) s.oid AND w.relid IS NULL AND w.pid IS NOT NULL)"
					" UNION ALL SELECT 2, s.subname %s AND s.subenabled"
					" UNION ALL SELECT CASE WHEN s.wal_status OPERATOR(pg_catalog.=) 'lost'::pg_catalog.text THEN 4 ELSE 3 END, s.slot_name"
					" FROM pg_catalog.pg_replication_slots AS s"
					" WHERE NOT s.active AND NOT s.temporary AND (s.slot_type OPERATOR(pg_catalog.=) 'physical'::pg_catalog.text"
					" OR s.database OPERATOR(pg_catalog.=) pg_catalog.current_database())"
					" AND COALESCE(pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'synced'::pg_catalog.text, ''::pg_catalog.text) OPERATOR(pg_catalog.<>) 'true'::pg_catalog.text"
					") AS x)",
					all, all, uncopied);
}

void
iuid_report_replication(FunctionCallInfo fcinfo, const char *node,
						const char *json)
{
	for (int i = 0; json != NULL && i < ROWS_MAX; i++)
	{
		char **row =
			iuid_read_json(psprintf("SELECT x->%d->>0, x->%d->>1 FROM (SELECT $1::json AS x) AS y",
									i, i),
						   json, 2);

		if (row[0] == NULL || row[1] == NULL)
			return;
		report(fcinfo, node, row[0], row[1]);
	}
}

/* What a node has sent is quoted here, as it can be entered here. */
static void
report(FunctionCallInfo fcinfo, const char *node, const char *kind,
	   const char *name)
{
	const char *place, *quoted;
	size_t i = (size_t) pg_strtoint32(kind);

	if (i >= lengthof(kinds))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the answer has an unknown problem: %s", kind)));
	place = strcmp(node, iuid_setting_node) == 0 ||
			strchr(kinds[i].hint, '%') == NULL ?
		"" :
		" -- at that node";
	quoted = kinds[i].is_slot ? quote_literal_cstr(name) : quote_identifier(name);
	iuid_report_problem(fcinfo, InvalidOid, kinds[i].problem, IUID_NO_COUNTRY,
						node, psprintf(kinds[i].detail, quoted),
						psprintf("%s%s", psprintf(kinds[i].hint, quoted), place));
}

void
iuid_check_replication_here(FunctionCallInfo fcinfo, Oid schema)
{
	Statement statement = iuid_parse_statement(
		psprintf("SELECT %s", iuid_replication_query(get_namespace_name(schema))));

	iuid_report_replication(fcinfo, iuid_setting_node,
							iuid_execute_statement(&statement));
}
