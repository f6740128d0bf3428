/*-------------------------------------------------------------------------
 *
 * name.h
 *	  Names that are made of another name, and fit into NAMEDATALEN.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_NAME_H
#define IUID_NAME_H

#include "compat.h"

/*
 * Joins base and suffix to a name.  If that has more than 63 bytes, the base
 * is shortened, and a hash of the whole base follows it.
 */
extern char *iuid_shortened_name(const char *base, const char *suffix);

#endif /* IUID_NAME_H */
