/*-------------------------------------------------------------------------
 *
 * node_answer.h
 *	  What several nodes are asked, and what a node answers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_NODE_ANSWER_H
#define IUID_NODE_ANSWER_H

#include "regions_compat.h"

#include "datatype/timestamp.h"

#include "text_rows.h"

/* What is said of an answer that is not in the encoding of this database. */
#define IUID_ANSWER_NO_TEXT \
	"the answer is no text in the encoding of this database"

typedef struct Question
{
	const char *command; /* one statement */
	/* Of its rows, each of type text; 0: the answer is one value, or a tag. */
	int columns;
	/* Its parameters, of which none is NULL. */
	int parameter_count;
	const Oid *types;
	const Datum *parameters;
} Question;

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
	/* In the place of the result, the rows of a question that asks for rows. */
	TextRows *rows;
	/* Without success, the parts of that text; detail and hint may be NULL. */
	const char *sqlstate;
	const char *message;
	const char *detail;
	const char *hint;
	/* When another node was sent the command, and when the result was read. */
	TimestampTz asked;
	TimestampTz answered;
} NodeAnswer;

/*
 * These functions set success and result, by copies, but of rows.  What other nodes have sent
 * is checked: text that is not in the encoding of this database (22021), or has
 * more than 64 MB (54000), is a failure.  A message may be NULL, and so may
 * detail and hint.
 */
extern void iuid_set_result(NodeAnswer *answer, const char *result);
extern void iuid_set_rows(NodeAnswer *answer, TextRows *rows);
extern void iuid_set_error(NodeAnswer *answer, const ErrorData *error);
extern void iuid_set_remote_error(NodeAnswer *answer, const char *sqlstate,
								  const char *message, const char *detail,
								  const char *hint);
extern void iuid_set_failure(NodeAnswer *answer, int sqlstate,
							 const char *message);

/*
 * Reads the answer of a node by read(arg), in a subtransaction.  False if the
 * answer is a failure; an error of read() makes the answer one.
 */
extern bool iuid_try_answer(NodeAnswer *answer, bool (*read)(void *arg),
							void *arg);

/*
 * Says that a node failed, and why, with the SQLSTATE of its error; 08006 in the
 * place of 57014, as it is not the caller whose query was cancelled.
 */
extern void iuid_report_failure(int elevel, const NodeAnswer *answer);

#endif /* IUID_NODE_ANSWER_H */
