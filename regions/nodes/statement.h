/*-------------------------------------------------------------------------
 *
 * statement.h
 *	  One SQL statement whose result is one text.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_STATEMENT_H
#define IUID_STATEMENT_H

#include "regions_compat.h"

#include "tcop/cmdtag.h"

typedef struct Statement
{
	const char *text;
	CommandTag tag;
} Statement;

/*
 * Parses a statement.  42601 if there is not exactly one; 0A000 if it is
 * transaction control, or COPY from or to the client.
 */
extern Statement iuid_parse_statement(const char *text);

/*
 * Executes a statement, and returns its one value as a text, NULL for the value
 * NULL or no row, or the tag of a command that gives no rows.  21000 if it
 * gives more than one value; otherwise the errors of the statement.
 */
extern char *iuid_execute_statement(const Statement *statement);

/* Says that a statement gave more than one value: 21000. */
pg_noreturn extern void iuid_reject_values(void);

#endif /* IUID_STATEMENT_H */
