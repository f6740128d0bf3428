/*-------------------------------------------------------------------------
 *
 * rows_as_text.h
 *	  Rows on their way from a node to another, as one array of texts.
 *
 * The array has the values of the first row, in the order of the columns that
 * are asked for, then those of the next row, and so on.  Each value is what the
 * output function of its type gives, under settings of which the text does not
 * depend on the session; NULL stays NULL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ROWS_AS_TEXT_H
#define IUID_ROWS_AS_TEXT_H

#include "compat.h"

#include "access/tupdesc.h"
#include "nodes/pg_list.h"
#include "utils/array.h"

#include "node_answer.h"

/*
 * The row type of the argument 0 of an SQL function whose result is a set of
 * rows of that type.  42804 if it is not the row type of a table or of a
 * composite type, or has no columns.
 */
extern TupleDesc iuid_row_type_arg(FunctionCallInfo fcinfo);

/* The names of the columns of a row type, and their types, as text[] each. */
extern void iuid_columns_of_rows(TupleDesc rows, ArrayType **names,
								 ArrayType **types);

/* An array as a literal of SQL, with the name of its type. */
extern char *iuid_array_literal(ArrayType *array);

/*
 * Runs a query, and adds its rows to the array.  names and types are those of
 * iuid_columns_of_rows() at the node that asks.  If so many rows are expected,
 * the query only reads: in the caller's snapshot, or, if that has not all the
 * rows, in one that is taken when the query has its locks.  With 0 the query can
 * be any.  42703 if the query does not have one of the columns or has another
 * one, 42804 if it has one of another type, 22004 for NULL among names and
 * types, 25006 if it writes, otherwise its own errors.
 */
extern ArrayBuildState *iuid_add_rows_as_text(ArrayBuildState *array,
											  const char *query, ArrayType *names,
											  ArrayType *types, uint64 expected);

/*
 * The values of a text[], of which there are count.  NULL stays NULL; in an array
 * of names it is 22004.
 */
extern char **iuid_texts_of_array(ArrayType *array, int *count);
extern char **iuid_names_of_array(ArrayType *array, int *count);

/*
 * The same of an array that a node has answered, in the form '{...}'; NULL is
 * one without values.
 */
extern char **iuid_read_texts(const char *answer, int *count);

/*
 * The rows of such values, as a list of HeapTuples.  08P01 if there is a part of
 * a row, and the errors of the input functions.
 */
extern List *iuid_rows_of_texts(TupleDesc rows, char **texts, int count);

/* Adds HeapTuples to the set that the SQL function returns. */
extern void iuid_return_rows(FunctionCallInfo fcinfo, List *tuples);

/*
 * Reads the answer of a node by read(arg), in a subtransaction.  False if the
 * answer is a failure; an error of read() makes the answer one.
 */
extern bool iuid_try_answer(NodeAnswer *answer, bool (*read)(void *arg),
							void *arg);

/* Says that a node failed, with the SQLSTATE of its error. */
extern void iuid_report_failure(int elevel, const NodeAnswer *answer);

#endif /* IUID_ROWS_AS_TEXT_H */
