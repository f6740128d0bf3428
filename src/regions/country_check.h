/*-------------------------------------------------------------------------
 *
 * country_check.h
 *	  The CHECK by which a partition has the rows of one country.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COUNTRY_CHECK_H
#define IUID_COUNTRY_CHECK_H

#include "countries.h"

/*
 * Adds CHECK (iuid_country(id) = country AND id ~>=~ lower AND id ~<~ upper) to
 * the table of a range.  From the bounds in it the server knows that the table
 * has no row of another country, and need not read the rows to attach a
 * partition.  From the country the other nodes' UPDATE of an id is refused.
 * 42883 if the function iuid_country has another name.
 */
extern void iuid_add_country_check(const Countries *countries, int country,
								   const NewPartition *range);

#endif /* IUID_COUNTRY_CHECK_H */
