/*-------------------------------------------------------------------------
 *
 * cancel.h
 *	  Finds a cancel of the statement that the server has lost.
 *
 * The server cancels a wait at the end of a timeout as it cancels a statement:
 * both set the same flag, and the timeout is what the error tells of.  A
 * statement ends with either error.  But if the error of a timeout is caught,
 * and the statement goes on, a cancel of that moment would be lost.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CANCEL_H
#define IUID_CANCEL_H

#include "compat.h"

/* A moment in a statement. */
typedef struct CancelWatch
{
	int cancels;	  /* how many there were in this session */
	bool has_timeout; /* statement_timeout has not ended */
} CancelWatch;

extern CancelWatch iuid_watch_cancels(void);

/*
 * 57014 if the statement was cancelled since that moment, by a user or by
 * statement_timeout.
 */
extern void iuid_raise_cancel(const CancelWatch *since);

#endif /* IUID_CANCEL_H */
