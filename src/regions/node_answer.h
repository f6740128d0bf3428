/*-------------------------------------------------------------------------
 *
 * node_answer.h
 *	  What a node answers to a command.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_NODE_ANSWER_H
#define IUID_NODE_ANSWER_H

#include "compat.h"

#include "datatype/timestamp.h"

typedef struct NodeAnswer
{
	const char *node;
	bool success;
	/*
	 * The one value of the command, or its tag if it gives no rows; NULL for
	 * the value NULL and for no row.  Without success, the SQLSTATE and the
	 * message of the error, with its detail and hint on further lines.
	 */
	const char *result;
	/* When another node was sent the command, and when the result was read. */
	TimestampTz asked;
	TimestampTz answered;
} NodeAnswer;

/*
 * These functions set success and result, by copies.  What other nodes have sent
 * is checked: text that is not in the encoding of this database (22021), or has
 * more than 64 MB (54000), is a failure.  A message may be NULL, and so may
 * detail and hint.
 */
extern void iuid_set_result(NodeAnswer *answer, const char *result);
extern void iuid_set_error(NodeAnswer *answer, const ErrorData *error);
extern void iuid_set_remote_error(NodeAnswer *answer, const char *sqlstate,
								  const char *message, const char *detail,
								  const char *hint);
extern void iuid_set_failure(NodeAnswer *answer, int sqlstate,
							 const char *message);

/*
 * Reads a result that is JSON, by a query with a parameter $1 of type text:
 * the columns, as text or NULL, of the one row of the query.  It runs with
 * search_path = pg_catalog.  22004 if the result is NULL, and the errors of the
 * query if it is no JSON.
 */
extern char **iuid_read_json(const char *query, const char *json, int count);

#endif /* IUID_NODE_ANSWER_H */
