/*-------------------------------------------------------------------------
 *
 * empty.h
 *	  Whether tables are empty, without reading them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_EMPTY_H
#define IUID_EMPTY_H

#include "compat.h"

/*
 * Whether a table and the partitions below it are plain tables, and none of
 * them has a page.  One that another session has locked exclusively may have.
 */
extern bool iuid_is_empty(Oid table);

#endif /* IUID_EMPTY_H */
