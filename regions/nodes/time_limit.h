/*-------------------------------------------------------------------------
 *
 * time_limit.h
 *	  Runs a part of the work that may fail, or take too long.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_TIME_LIMIT_H
#define IUID_TIME_LIMIT_H

#include "compat.h"

#include "datatype/timestamp.h"

/*
 * Runs part(arg) as iuid_try() does, and cancels it at the end of its time:
 * then the result is false, and *late is true.  A cancel of the statement
 * itself, by the user or by statement_timeout, is raised again: 57014.
 */
extern bool iuid_try_until(bool (*part)(void *arg), void *arg, TimestampTz end,
						   ErrorData **error, bool *late);

#endif /* IUID_TIME_LIMIT_H */
