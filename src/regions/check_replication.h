/*-------------------------------------------------------------------------
 *
 * check_replication.h
 *	  Finds subscriptions and slots that leave a node behind.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_REPLICATION_H
#define IUID_CHECK_REPLICATION_H

#include "compat.h"

/*
 * An SQL expression, for a node to evaluate: JSON that says which subscriptions
 * of the registry, and which replication slots of its database, are out of order.
 * schema is that of the extension.
 */
extern char *iuid_replication_query(const char *schema);

/*
 * Reports what is in such JSON, which can be anything; node is the other node
 * that answered.
 */
extern void iuid_report_replication(FunctionCallInfo fcinfo, const char *node,
									const char *json);

/* Both for this node; schema is that of the extension. */
extern void iuid_check_replication_here(FunctionCallInfo fcinfo, Oid schema);

#endif /* IUID_CHECK_REPLICATION_H */
