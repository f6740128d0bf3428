/*-------------------------------------------------------------------------
 *
 * other_node.h
 *	  Runs a statement on another node, without waiting for its answer.
 *
 * A connection that failed or did not answer is closed.  So those that are kept
 * are idle, and none has a transaction.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_OTHER_NODE_H
#define IUID_OTHER_NODE_H

#include "compat.h"

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"

#include "dblink.h"
#include "node_answer.h"

/* What comes next at a node. */
typedef enum NodeStep
{
	NODE_TO_OPEN,
	NODE_SETTING_RESULT,
	NODE_SETTING_END,
	NODE_STATEMENT_RESULT,
	NODE_STATEMENT_END,
	NODE_DONE
} NodeStep;

typedef struct OtherNode
{
	Dblink *dblink;
	const char *statement;
	const char *server; /* NULL: none is registered */
	NodeAnswer *answer;
	Connection connection;
	NodeStep step;

	/* The result that was read last. */
	uint64 rows;
	char *value;
} OtherNode;

/*
 * These functions take a node one step on, or more.  What fails at the node
 * becomes its answer, and then the node is NODE_DONE.
 *
 * iuid_send_if_open() takes a node that is NODE_TO_OPEN, and sends the
 * statement if the connection of the node is among the open ones, a list of
 * names.
 */
extern void iuid_send_if_open(OtherNode *node, List *open);

/*
 * Opens the connection of a node NODE_TO_OPEN, until the end at most, as
 * iuid_connect() does.  57014 if this statement is cancelled.
 */
extern void iuid_open_node(OtherNode *node, TimestampTz end);

/* Reads the results that are there, and sends what is to be sent next. */
extern void iuid_advance_node(OtherNode *node);

/* Fails, and closes the connection, unless the node is NODE_DONE. */
extern void iuid_give_up_node(OtherNode *node, int sqlstate, const char *message);

#endif /* IUID_OTHER_NODE_H */
