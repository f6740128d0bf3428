/*-------------------------------------------------------------------------
 *
 * problem.h
 *	  The rows of iuid_check_regions().
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PROBLEM_H
#define IUID_PROBLEM_H

#include "compat.h"

#define IUID_NO_COUNTRY (-1)

/*
 * Adds a row to the result of the SQL function: relation is the global table or
 * view, or InvalidOid for what concerns all of them; country is IUID_NO_COUNTRY or
 * 0 to 255, node may be NULL; detail and hint are texts, and the hint is what
 * to enter.
 */
extern void iuid_report_problem(FunctionCallInfo fcinfo, Oid relation,
								const char *problem, int country,
								const char *node, const char *detail,
								const char *hint);

#endif /* IUID_PROBLEM_H */
