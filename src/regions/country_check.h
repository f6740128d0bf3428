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
 * Whether the CHECKs of a table, the partition of a country, 0 to 255, of the
 * parent in countries, say iuid_country(id) = country AND id ~>=~ lower AND
 * id ~<~ upper, by these operators beside constants or iuid_country_floor() of
 * a constant.  From the bounds the server knows that the table has no row of
 * another country, and need not read the rows to attach a partition.  Because
 * of the country the server refuses an UPDATE by another node that changes an
 * id to one of another country.  42883 if the function iuid_country has another
 * name.
 */
extern bool iuid_has_country_check(const Countries *countries, Oid table,
								   int country);

#endif /* IUID_COUNTRY_CHECK_H */
