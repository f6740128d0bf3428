/*-------------------------------------------------------------------------
 *
 * partition.h
 *	  Time partitions come and go: what country partitions need of that.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PARTITION_H
#define IUID_PARTITION_H

#include "attach.h"
#include "partitioned.h"
#include "step.h"

/* How many steps maintenance may make ahead. */
#define IUID_AHEAD_MAX	   1000
#define IUID_AHEAD_DEFAULT 4

/* The start of the year 10889, in which the 48 bits end. */
#define IUID_LAST_BOUND_MS INT64CONST(281456553600000)

/*
 * Gives a new table the time partitions of the present step and of those
 * ahead.  schema is that of the extension.
 */
extern void iuid_cover_present(Oid table, Oid schema, const Step *step);

#endif /* IUID_PARTITION_H */
