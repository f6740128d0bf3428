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
 * Adds CHECK (iuid_country(id) = country AND id ~>=~ lower AND id ~<~ upper)
 * to a table that is to be the partition of a country, 0 to 255, of the parent
 * in countries.  From the bounds in it the server knows that the table has no
 * row of another country, and need not read the rows to attach a partition.
 * Because of the country the server refuses an UPDATE by another node that
 * changes an id to one of another country.  42883 if the function iuid_country
 * has another name.
 */
extern void iuid_add_country_check(const Countries *countries, Oid table,
								   int country);

/*
 * Whether the CHECKs of a table say as much, by these operators beside constants
 * or iuid_country_floor() of a constant.
 */
extern bool iuid_has_country_check(const Countries *countries, Oid table,
								   int country);

#endif /* IUID_COUNTRY_CHECK_H */
