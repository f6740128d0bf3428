/*-------------------------------------------------------------------------
 *
 * partitioned.h
 *	  What a table partitioned by identifiers is: its key and its partitions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PARTITIONED_H
#define IUID_PARTITIONED_H

#include "compat.h"

#include "datatype/timestamp.h"

#include "iuid.h"

typedef enum KeyOrder
{
	ORDER_OF_TIME,	 /* a key of type iuid or uuid, by its default class */
	ORDER_OF_COUNTRY /* a key of type iuid, by iuid_country_ops */
} KeyOrder;

/* One partition, with lower <= key < upper. */
typedef struct Partition
{
	Oid table;
	Iuid lower; /* Nil for MINVALUE */
	Iuid upper; /* Max for MAXVALUE */
} Partition;

typedef struct Partitioned
{
	Oid table;
	Oid schema; /* of the extension */
	KeyOrder order;
	char *key;	  /* name of the column */
	Oid opfamily; /* of the order */
	bool is_uuid;
	Oid default_partition; /* or InvalidOid */
	int count;			   /* of the partitions that have bounds, in order */
	Partition *partitions;
} Partitioned;

/*
 * Reads what a table is, and keeps no lock on it.  schema is that of the
 * extension.  42P01 if there is no such table; 42809 if it is not
 * partitioned by ranges of one column in the order that is asked for.
 */
extern Partitioned *iuid_read_partitioned(Oid table, KeyOrder order, Oid schema);

/* In the order of the table's key: negative, zero or positive. */
extern int iuid_compare_keys(const Partitioned *parent, const Iuid *a,
							 const Iuid *b);

/*
 * The bound at a time, which is finite, whole milliseconds, and within the
 * 48 bits: the smallest key of that millisecond.  For uuid that is below the
 * UUIDs of every version.
 */
extern Iuid iuid_bound_at(const Partitioned *parent, TimestampTz at);

/* The time of a bound, by its first 48 bits; infinite for Nil and Max. */
extern TimestampTz iuid_time_of_bound(const Iuid *bound);

/* Whether a bound is the smallest key of its millisecond, of an iuid or a uuid. */
extern bool iuid_is_first_of_millisecond(const Partitioned *parent,
										 const Iuid *bound);

#endif /* IUID_PARTITIONED_H */
