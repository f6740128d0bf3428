/*-------------------------------------------------------------------------
 *
 * ask_nodes.h
 *	  Runs a command on several nodes at once.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ASK_NODES_H
#define IUID_ASK_NODES_H

#include "regions_compat.h"

#include "nodes/pg_list.h"

#include "node_answer.h"

/*
 * Asks nodes a question, as the current user, and waits for the answers until
 * the time limit, in microseconds, at most.  nodes is a list of NodeServers;
 * the result is a list of NodeAnswers in the same order, in which each node
 * that failed, or did not answer in time (08006), says why.  The node whose name is
 * iuid.node runs its command in this session, in a subtransaction.
 *
 * 55006 if this is called by a command that it runs itself; otherwise as
 * iuid_parse_statement(), and 57014 if the statement is cancelled.  After an
 * error, too, no connection has a query without answer.
 */
extern List *iuid_ask_nodes(const Question *question, List *nodes, int64 limit);

#endif /* IUID_ASK_NODES_H */
