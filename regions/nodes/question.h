/*-------------------------------------------------------------------------
 *
 * question.h
 *	  What several nodes are asked.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_QUESTION_H
#define IUID_QUESTION_H

#include "compat.h"

typedef struct Question
{
	const char *command; /* one statement */
	/* Of its rows, each of type text; 0: the answer is one value, or a tag. */
	int columns;
	/* Its parameters, of which none is NULL. */
	int parameter_count;
	const Oid *types;
	const Datum *parameters;
} Question;

#endif /* IUID_QUESTION_H */
