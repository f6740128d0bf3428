/*-------------------------------------------------------------------------
 *
 * text_rows.h
 *	  Rows on their way from a node to another: each value is a text, or NULL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_TEXT_ROWS_H
#define IUID_TEXT_ROWS_H

#include "regions_compat.h"

#include "access/tupdesc.h"
#include "nodes/pg_list.h"

/* The longest answer of a node, in bytes (64 MB): it is in memory. */
#define IUID_ANSWER_MAX 67108864

/* What is said of a longer one, with that number. */
#define IUID_ANSWER_TOO_LONG "the answer has more than %d bytes"

typedef struct TextRows
{
	int columns;
	List *rows;			   /* each is char *[columns], with NULL for NULL */
	size_t size;		   /* what the rows take in memory, in bytes */
	MemoryContext context; /* in which they are */
} TextRows;

/* No rows yet; those that are added live in the current memory context. */
extern TextRows *iuid_make_text_rows(int columns);

/* Adds a copy of a row.  False if the rows would take more than IUID_ANSWER_MAX. */
extern bool iuid_add_text_row(TextRows *rows, char *const *values);

/* Adds the row, 54000 in the place of false. */
extern void iuid_require_text_row(TextRows *rows, char *const *values);

/*
 * The rows of a row type, as a list of HeapTuples.  Its values are those from the
 * column first on, from 0.  Frees the texts.  The errors are those of the input
 * functions.
 */
extern List *iuid_tuples_of_text_rows(TupleDesc type, TextRows *rows, int first);

/*
 * Returns rows from an SQL function whose result is SETOF record.  42804 unless
 * the query says that each column is of type text.
 */
extern void iuid_return_text_rows(FunctionCallInfo fcinfo, const TextRows *rows);

/* The list of columns with which a query calls such a function. */
extern char *iuid_text_columns(int count);

/* Adds HeapTuples to the set that the SQL function returns. */
extern void iuid_return_tuples(FunctionCallInfo fcinfo, List *tuples);

/*
 * Under these settings the text of a value, and the name of a type, do not depend
 * on the session, and are read as they were written.  AtEOXact_GUC() ends the level
 * of settings that is returned.
 */
extern int iuid_plain_settings(void);

#endif /* IUID_TEXT_ROWS_H */
