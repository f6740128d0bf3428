/*-------------------------------------------------------------------------
 *
 * partitioned.h
 *	  Reads the key and the partitions of a table partitioned by identifiers.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PARTITIONED_H
#define IUID_PARTITIONED_H

#include "compat.h"

#include "executor/tuptable.h"

#include "iuid.h"

typedef enum KeyOrder
{
	KEY_ORDER_TIME,	  /* in the default order of iuid or uuid */
	KEY_ORDER_ORIGIN, /* in the order of iuid_origin_ops or uuid_origin_ops */
	KEY_ORDER_ANY	  /* to be found out */
} KeyOrder;

/* One partition; it has the keys with lower <= key < upper. */
typedef struct Partition
{
	Oid table;
	Iuid lower;		/* Nil for MINVALUE */
	Iuid upper;		/* Max for MAXVALUE */
	bool has_lower; /* false: MINVALUE */
	bool has_upper; /* false: MAXVALUE */
} Partition;

typedef struct Partitioned
{
	Oid table;
	KeyOrder order;
	char *key;			   /* name of the column */
	Oid opfamily;		   /* of the order */
	Oid key_type;		   /* uuid or iuid, or a domain over one */
	Oid base_type;		   /* uuid or iuid */
	bool takes_any_bound;  /* no domain can refuse a bound that is no iuid */
	bool is_valid;		   /* each key is an iuid, by its type or by a CHECK */
	Oid default_partition; /* or InvalidOid */
	int count;			   /* number of partitions, without DEFAULT */
	Partition *partitions; /* in the order of their bounds, without DEFAULT */
} Partitioned;

/*
 * Reads the key and the partitions of a table, and keeps no lock on it.
 * schema is the schema of the extension.  42P01 if there is no such table;
 * 42809 if the table is not partitioned by ranges of one column in the given
 * order.
 */
extern Partitioned *iuid_read_partitioned(Oid table, KeyOrder order, Oid schema);

/*
 * The column of a partition that has the keys.  55000 if there is none of that
 * name and type: a partition whose DETACH is pending does not follow its parent,
 * and an old snapshot still has it.
 */
extern AttrNumber iuid_key_column(const Partitioned *parent, Relation relation);

/*
 * Compares two keys in the order of the table's key: negative, zero or
 * positive.
 */
extern int iuid_compare_keys(const Partitioned *parent, const Iuid *a,
							 const Iuid *b);

/*
 * The number of the partition, among these in the order of their bounds, to which
 * a row belongs, whose key is in the given column; -1 if there is none.
 */
extern int iuid_partition_of(const Partitioned *parent,
							 const Partition *partitions, int count,
							 TupleTableSlot *row, AttrNumber key);

/* A bound as text, for SQL and for messages. */
extern char *iuid_text_of_bound(const Iuid *bound);

#endif /* IUID_PARTITIONED_H */
