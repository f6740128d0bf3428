/*-------------------------------------------------------------------------
 *
 * check_regions.c
 *	  Finds what is wrong with global tables and global views.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/pg_class.h"
#include "funcapi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "check_nodes.h"
#include "check_replication.h"
#include "check_servers.h"
#include "check_table.h"
#include "check_view.h"
#include "countries.h"
#include "function.h"
#include "owner.h"
#include "problem.h"
#include "registry/registry.h"
#include "relation.h"
#include "statement.h"
#include "subtransaction.h"

/*
 * The tables that can be global ones, and the views that can be: their OIDs.
 * Whether they are is found when they are checked.
 */
#define CANDIDATES \
	"SELECT pg_catalog.string_agg(c.oid::pg_catalog.text, ' '::pg_catalog.text ORDER BY n.nspname, c.relname)" \
	" FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace" \
	" LEFT JOIN pg_catalog.pg_partitioned_table AS p ON p.partrelid OPERATOR(pg_catalog.=) c.oid" \
	" LEFT JOIN pg_catalog.pg_class AS d ON d.oid OPERATOR(pg_catalog.=) p.partdefid" \
	" LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.=) 1::pg_catalog.int2" \
	" WHERE c.relpersistence OPERATOR(pg_catalog.<>) 't'::pg_catalog.\"char\"" \
	" AND (c.relkind OPERATOR(pg_catalog.=) 'p'::pg_catalog.\"char\" AND d.relkind OPERATOR(pg_catalog.=) 'p'::pg_catalog.\"char\"" \
	" OR c.relkind OPERATOR(pg_catalog.=) 'v'::pg_catalog.\"char\" AND a.attname OPERATOR(pg_catalog.=) 'node'::pg_catalog.name)" \
	" AND pg_catalog.has_table_privilege(c.oid, 'SELECT'::pg_catalog.text)"

/* One global table or view. */
typedef struct Part
{
	FunctionCallInfo fcinfo;
	Oid relation;
	Oid schema; /* of the extension */
	List *nodes;
	bool wait;
	List *wanted;
} Part;

static bool check_relation(void *arg);
static List *check_all(Part *part);
static void report_unchecked(const Part *part, ErrorData *error);

/*
 * iuid_check_regions(global): lists what is wrong with a global table or view,
 * or with all that the caller may read, here and at the other nodes; no row if
 * nothing is.
 */
PG_FUNCTION_INFO_V1(iuid_check_regions);
Datum
iuid_check_regions(PG_FUNCTION_ARGS)
{
	Part part = { .fcinfo = fcinfo,
				  .schema = iuid_schema_of(fcinfo->flinfo->fn_oid) };

	if (!PG_ARGISNULL(0))
	{
		part.relation = PG_GETARG_OID(0);
		iuid_check_reader(part.relation);
	}
	part.nodes = iuid_check_node(fcinfo);
	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		part.wanted = check_all(&part);
	else
	{
		part.wait = true;
		(void) check_relation(&part);
	}
	iuid_check_servers(fcinfo, part.nodes);
	iuid_check_replication_here(fcinfo, part.schema);
	iuid_check_nodes(fcinfo, part.nodes, part.wanted, part.schema);
	return (Datum) 0;
}

/* While the other nodes are waited for, nobody waits for this. */
static bool
check_relation(void *arg)
{
	Part *part = arg;

	iuid_check_reader(part->relation);
	/* Nothing of it goes while it is looked at. */
	iuid_lock_to_read(part->relation, part->wait);
	iuid_check_reader(part->relation);
	part->wanted = get_rel_relkind(part->relation) == RELKIND_VIEW ?
		iuid_check_view(part->fcinfo, part->relation, part->nodes, part->wait) :
		iuid_check_table(part->fcinfo, part->relation, part->schema, part->wait);
	UnlockRelationOid(part->relation, AccessShareLock);
	return true;
}

/*
 * Anybody can have made one of the tables, and hold a lock on it.  So none is
 * waited for, and an error in one hides nothing of the others.
 */
static List *
check_all(Part *part)
{
	Statement statement = iuid_parse_statement(CANDIDATES);
	char *next = iuid_execute_statement(&statement);
	List *wanted = NIL;

	while (next != NULL && *next != '\0')
	{
		ErrorData *error;

		part->relation = (Oid) strtoul(next, &next, 10);
		part->wanted = NIL;
		if (iuid_try(check_relation, part, &error))
			wanted = list_concat(wanted, part->wanted);
		else
			report_unchecked(part, error);
	}
	return wanted;
}

/* A relation that is gone, or is no global one, is no problem. */
static void
report_unchecked(const Part *part, ErrorData *error)
{
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	if (error->sqlerrcode == ERRCODE_UNDEFINED_TABLE ||
		error->sqlerrcode == ERRCODE_WRONG_OBJECT_TYPE)
		return;
	iuid_report_problem(part->fcinfo, part->relation, "not checked",
						IUID_NO_COUNTRY, NULL,
						psprintf("%s: %s", unpack_sql_state(error->sqlerrcode),
								 error->message),
						psprintf("SELECT * FROM iuid_check_regions(%u);",
								 part->relation));
}
