/*-------------------------------------------------------------------------
 *
 * check_view.c
 *	  Finds what is wrong with a global view, as seen here.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "foreign/foreign.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "check_nodes.h"
#include "check_servers.h"
#include "check_view.h"
#include "foreign.h"
#include "problem.h"
#include "registry/registry.h"
#include "relation.h"
#include "settings.h"
#include "view.h"

/* A part of the view: the rows of a node. */
typedef struct Branch
{
	const char *node;
	Oid table;
} Branch;

typedef struct Check
{
	FunctionCallInfo fcinfo;
	Oid view;
	Oid local;
	Oid reader;		/* as whom the view reads; InvalidOid: as the caller */
	List *branches; /* of the other nodes */
	char *make;		/* what to enter to make the view anew */
} Check;

static void read_view(Check *check, List *nodes, bool wait);
static bool read_branches(const Query *query, Node *node, List **branches);
static bool read_branch(const Query *query, List **branches);
static void check_node(const Check *check, const NodeServer *node);
static void check_branch(const Check *check, const NodeServer *node, Oid table);
static void report_old(const Check *check, const char *node, const char *detail);

List *
iuid_check_view(FunctionCallInfo fcinfo, Oid view, List *nodes, bool wait)
{
	Check check = { .fcinfo = fcinfo, .view = view };
	List *wanted;
	ListCell *lc;

	read_view(&check, nodes, wait);
	wanted = list_make1(iuid_want_table(view, check.local));
	if (!equal(list_delete_first(iuid_column_names(view)),
			   iuid_column_names(check.local)))
		report_old(&check, iuid_setting_node,
				   psprintf("The view has other columns than %s.",
							iuid_qualified_name(check.local)));
	foreach (lc, nodes)
	{
		const NodeServer *node = lfirst(lc);

		if (strcmp(node->node, iuid_setting_node) != 0 && node->server != NULL)
			check_node(&check, node);
	}
	foreach (lc, check.branches)
	{
		const Branch *branch = lfirst(lc);

		if (iuid_node_of_name(nodes, branch->node) == NULL)
			iuid_report_problem(fcinfo, view, "foreign table of no node",
								IUID_NO_COUNTRY, branch->node,
								psprintf("The node is not registered, and the view shows the rows of %s.",
										 iuid_qualified_name(branch->table)),
								check.make);
	}
	UnlockRelationOid(check.local, AccessShareLock);
	return wanted;
}

/*
 * Reads what the view is made of: for each node a SELECT of its name and of the
 * columns of one table, with UNION ALL between.  What is not so is another view.
 * One without foreign tables is a global view if it names a node.
 */
static void
read_view(Check *check, List *nodes, bool wait)
{
	Relation relation = table_open(check->view, NoLock);
	const Query *query = get_view_query(relation);
	List *branches = NIL;
	bool fits = iuid_is_global_view(check->view);
	ListCell *lc;

	if (query->setOperations == NULL)
		fits = fits && read_branch(query, &branches);
	else
		fits = fits && read_branches(query, query->setOperations, &branches);
	check->reader = RelationHasSecurityInvoker(relation) ?
		InvalidOid :
		relation->rd_rel->relowner;
	table_close(relation, NoLock);
	foreach (lc, branches)
	{
		const Branch *branch = lfirst(lc);
		char kind = get_rel_relkind(branch->table);

		if (kind == RELKIND_FOREIGN_TABLE)
		{
			check->branches = lappend(check->branches, lfirst(lc));
			continue;
		}
		fits = fits && !OidIsValid(check->local) &&
			(kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE);
		check->local = branch->table;
		if (list_length(branches) == 1)
			fits = fits && iuid_node_of_name(nodes, branch->node) != NULL;
		if (fits && strcmp(branch->node, iuid_setting_node) != 0)
			check->branches = lappend(check->branches, lfirst(lc));
	}
	if (!fits || !OidIsValid(check->local))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a global view",
						iuid_qualified_name(check->view)),
				 errhint("Give a view that iuid_create_global_view() made.")));
	iuid_lock_to_read(check->local, wait);
	check->make = psprintf("SELECT iuid_create_global_view(%s, %s);",
						   quote_literal_cstr(iuid_qualified_name(check->view)),
						   quote_literal_cstr(iuid_qualified_name(check->local)));
}

/* The tree of UNION ALL is as deep as there are nodes. */
static bool
read_branches(const Query *query, Node *node, List **branches)
{
	while (IsA(node, SetOperationStmt))
	{
		SetOperationStmt *operation = castNode(SetOperationStmt, node);
		RangeTblEntry *entry;

		if (operation->op != SETOP_UNION || !operation->all ||
			!IsA(operation->rarg, RangeTblRef))
			return false;
		entry = rt_fetch(castNode(RangeTblRef, operation->rarg)->rtindex,
						 query->rtable);
		if (!read_branch(entry->subquery, branches))
			return false;
		node = operation->larg;
	}
	return IsA(node, RangeTblRef) &&
		read_branch(rt_fetch(castNode(RangeTblRef, node)->rtindex, query->rtable)
						->subquery,
					branches);
}

static bool
read_branch(const Query *query, List **branches)
{
	Branch *branch = palloc(sizeof(Branch));
	const TargetEntry *first;
	const RangeTblEntry *entry;
	const Const *node;

	if (query->targetList == NIL || list_length(query->jointree->fromlist) != 1 ||
		query->jointree->quals != NULL ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return false;
	first = linitial(query->targetList);
	entry =
		rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex,
				 query->rtable);
	if (entry->rtekind != RTE_RELATION || !IsA(first->expr, Const))
		return false;
	node = (const Const *) first->expr;
	if (node->constisnull || node->consttype != TEXTOID)
		return false;
	branch->node = TextDatumGetCString(node->constvalue);
	branch->table = entry->relid;
	*branches = lappend(*branches, branch);
	return true;
}

static void
check_node(const Check *check, const NodeServer *node)
{
	ListCell *lc;

	foreach (lc, check->branches)
	{
		const Branch *branch = lfirst(lc);

		if (strcmp(branch->node, node->node) != 0)
			continue;
		check_branch(check, node, branch->table);
		return;
	}
	iuid_report_problem(check->fcinfo, check->view, "no foreign table",
						IUID_NO_COUNTRY, node->node,
						"The view does not show the rows of the node.",
						check->make);
}

static void
check_branch(const Check *check, const NodeServer *node, Oid table)
{
	Oid server;

	if (get_rel_relkind(table) != RELKIND_FOREIGN_TABLE)
	{
		report_old(check, node->node,
				   psprintf("The view shows the rows of %s as those of the node.",
							iuid_qualified_name(table)));
		return;
	}
	server = GetForeignTable(table)->serverid;
	if (server != get_foreign_server_oid(node->server, true))
		iuid_report_problem(check->fcinfo, check->view,
							"foreign table on another server", IUID_NO_COUNTRY,
							node->node,
							psprintf("%s is on server \"%s\", and the server of the node is \"%s\".",
									 iuid_qualified_name(table),
									 GetForeignServer(server)->servername,
									 node->server),
							check->make);
	else if (!iuid_stands_on(table, node->server, check->local,
							 iuid_relation_name(check->local)) ||
			 strcmp(iuid_column_definitions(table),
					iuid_column_definitions(check->local)) != 0)
		report_old(check, node->node,
				   psprintf("%s does not stand on %s with its columns as they are now.",
							iuid_qualified_name(table),
							iuid_qualified_name(check->local)));
	if (OidIsValid(check->reader) && !iuid_has_mapping(check->reader, server))
		iuid_report_mapping(check->fcinfo, check->view, node->node, server,
							check->reader);
}

static void
report_old(const Check *check, const char *node, const char *detail)
{
	iuid_report_problem(check->fcinfo, check->view, "old view", IUID_NO_COUNTRY,
						node, detail, check->make);
}
