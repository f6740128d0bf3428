/*-------------------------------------------------------------------------
 *
 * statement.c
 *	  One SQL statement whose result is one text.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "tcop/utility.h"

#include "statement.h"

static List *parse(const char *text);
static void move_position(void *arg);
static CommandTag tag_of(Node *node);
static char *tag_with_rows(CommandTag tag);

Statement
iuid_parse_statement(const char *text)
{
	List *statements;
	Node *node;

	statements = parse(text);
	if (list_length(statements) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("the command must be one statement"),
				 errdetail("It has %d statements.", list_length(statements)),
				 errhint(
					 "Call the function once for each statement, or put the statements into DO or into a function.")));

	node = linitial_node(RawStmt, statements)->stmt;
	if (IsA(node, TransactionStmt))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot run on other nodes", CreateCommandName(node)),
				 errdetail(
					 "Each node runs the command in a transaction of its own, which ends with the command."),
				 errhint(
					 "Put what belongs into one transaction into DO or into a function.")));
	if (IsA(node, CopyStmt) && ((CopyStmt *) node)->filename == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("COPY cannot read from or write to the client here"),
				 errhint("Use INSERT, or SELECT json_agg(...).")));
	return (Statement){ .text = text, .tag = tag_of(node) };
}

/* Errors show the place in this text, and not in that of the caller's query. */
static List *
parse(const char *text)
{
	ErrorContextCallback callback;
	List *statements;

	callback.callback = move_position;
	callback.arg = unconstify(char *, text);
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	statements = raw_parser(text, RAW_PARSE_DEFAULT);
	error_context_stack = callback.previous;
	return statements;
}

static void
move_position(void *arg)
{
	int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(arg);
}

char *
iuid_execute_statement(const Statement *statement)
{
	MemoryContext caller = CurrentMemoryContext;
	char *value = NULL;
	int result;

	SPI_connect();
	result = SPI_execute(statement->text, false, 0);
	if (result < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot run in a function",
						GetCommandTagName(statement->tag)),
				 errdetail(
					 "This node runs the command in the caller's transaction.")));
	if (SPI_tuptable == NULL)
		value = tag_with_rows(statement->tag);
	else if (SPI_tuptable->tupdesc->natts != 1 || SPI_processed > 1)
		iuid_reject_values();
	else if (SPI_processed == 1)
		value = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (value != NULL)
		value = MemoryContextStrdup(caller, value);
	SPI_finish();
	return value;
}

void
iuid_reject_values(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("the command gives more than one value"),
			 errdetail("The result of a node is one column of one row."),
			 errhint(
				 "Make it one value, for example with SELECT json_agg(t) FROM (...) AS t.")));
}

/* The tag that a statement without rows has in the end. */
static CommandTag
tag_of(Node *node)
{
	if (IsA(node, CreateTableAsStmt) &&
		!((CreateTableAsStmt *) node)->into->skipData)
		return CMDTAG_SELECT;
	return CreateCommandTag(node);
}

/* As the server tells a client, INSERT 0 3; it has the 0 for a row's OID. */
static char *
tag_with_rows(CommandTag tag)
{
	if (!command_tag_display_rowcount(tag))
		return pstrdup(GetCommandTagName(tag));
	return psprintf("%s %s" UINT64_FORMAT, GetCommandTagName(tag),
					tag == CMDTAG_INSERT ? "0 " : "", SPI_processed);
}
