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
} NodeAnswer;

/*
 * These functions set success and result.  What other nodes have sent is
 * checked: text that is not in the encoding of this database is a failure.
 */
extern void iuid_set_result(NodeAnswer *answer, const char *result);
extern void iuid_set_error(NodeAnswer *answer, const ErrorData *error);
extern void iuid_set_failure(NodeAnswer *answer, int sqlstate,
							 const char *message);

#endif /* IUID_NODE_ANSWER_H */
