/*-------------------------------------------------------------------------
 *
 * subtransaction.h
 *	  Runs a part of the work that may fail without the rest.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_SUBTRANSACTION_H
#define IUID_SUBTRANSACTION_H

#include "compat.h"

/*
 * Runs part(arg) in a subtransaction, and returns its result.  If part()
 * returns false or raises an error, the subtransaction is rolled back, its
 * locks are released, and the result is false.  *error is the error, or NULL; a
 * caller that does not expect the error raises it again with ReThrowError().
 */
extern bool iuid_try(bool (*part)(void *arg), void *arg, ErrorData **error);

#endif /* IUID_SUBTRANSACTION_H */
