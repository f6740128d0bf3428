/*-------------------------------------------------------------------------
 *
 * subtransaction.h
 *	  A part of the work that may fail without the rest.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_SUBTRANSACTION_H
#define IUID_SUBTRANSACTION_H

#include "compat.h"

/*
 * Runs a part in a subtransaction.  If it gives false, or raises an error,
 * all that it did is undone, locks included.  *error is the error, to be
 * raised again with ReThrowError() by who does not expect it; else NULL.
 */
extern bool iuid_try(bool (*part)(void *arg), void *arg, ErrorData **error);

#endif /* IUID_SUBTRANSACTION_H */
