/*-------------------------------------------------------------------------
 *
 * other_node.h
 *	  Runs a statement on another node, without waiting for its answer.
 *
 * A connection on which anything else came than an answer, or an error of the
 * statement, is closed: PQcancel() would wait for a node that hangs.  So those
 * that are kept wait for a statement.  One in a transaction is not used again.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_OTHER_NODE_H
#define IUID_OTHER_NODE_H

#include "regions_compat.h"

#include "datatype/timestamp.h"

#include "connection.h"
#include "node_answer.h"

/* What a node is doing. */
typedef enum NodeStep
{
	NODE_TO_OPEN,
	NODE_CONNECTING,
	NODE_SETTING,
	NODE_STATEMENT,
	NODE_DONE
} NodeStep;

typedef struct OtherNode
{
	const Question *question;
	char **texts;		/* of its parameters */
	const char *server; /* NULL: none is registered */
	int host;			/* of the server, or 0 */
	NodeAnswer *answer;
	Connection *connection;
	NodeStep step;
	TimestampTz end;   /* by which it must be connected */
	uint32 events;	   /* of its socket, for which it waits */
	TextRows *rows;	   /* that have come */
	bool has_answered; /* what comes now ends the statement */
} OtherNode;

/*
 * These functions take a node one step on, or more, and never wait.  What fails
 * at the node becomes its answer, and then the node is NODE_DONE.
 *
 * iuid_send_if_open() takes a node that is NODE_TO_OPEN, and sends the statement
 * if there is an open connection.  iuid_open_node() begins to connect.
 */
extern void iuid_send_if_open(OtherNode *node);
extern void iuid_open_node(OtherNode *node, TimestampTz end);

/* Goes on with connecting, when an event has come that the node waits for. */
extern void iuid_connect_node(OtherNode *node);

/* Sends and reads what can be sent and read, when the node is connected. */
extern void iuid_advance_node(OtherNode *node);

/* Fails, and closes the connection, unless the node is NODE_DONE. */
extern void iuid_give_up_node(OtherNode *node, int sqlstate, const char *message);

#endif /* IUID_OTHER_NODE_H */
