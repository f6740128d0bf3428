/*-------------------------------------------------------------------------
 *
 * check_view.h
 *	  Finds what is wrong with a global view, as seen here.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CHECK_VIEW_H
#define IUID_CHECK_VIEW_H

#include "compat.h"

#include "nodes/pg_list.h"

/*
 * Reports what is wrong with a global view, on which the caller holds a lock,
 * and returns what the other nodes must have for it: Wanted.  nodes is a list of
 * NodeServers.  42809 if the view is no global view; errors as by
 * iuid_lock_to_read().
 */
extern List *iuid_check_view(FunctionCallInfo fcinfo, Oid view, List *nodes,
							 bool wait);

#endif /* IUID_CHECK_VIEW_H */
