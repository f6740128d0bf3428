/*-------------------------------------------------------------------------
 *
 * rows_as_text.h
 *	  The rows of a query at the node that is asked, as texts.
 *
 * Each value is what the output function of its type gives, under settings of
 * which the text does not depend on the session; NULL stays NULL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_ROWS_AS_TEXT_H
#define IUID_ROWS_AS_TEXT_H

#include "regions_compat.h"

#include "access/tupdesc.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

#include "text_rows.h"

/* The names of the columns of a row type, and their types, as text[] each. */
extern void iuid_columns_of_rows(TupleDesc rows, ArrayType **names,
								 ArrayType **types);

typedef struct TextColumns
{
	/* The first columns, whatever their names, that go before the others. */
	int lead;
	/* The other columns: those of iuid_columns_of_rows() at the node that asks. */
	ArrayType *names;
	ArrayType *types;
} TextColumns;

extern int iuid_count_columns(const TextColumns *columns);

/*
 * Runs a query, and returns its rows as they come.  42703 if the query does not
 * have one of the columns or has another one, 42804 if it has one of another
 * type, 42809 if it gives no rows, 22004 for NULL among names and types, 2202E if
 * there are more or fewer types than names, 54000 if the rows have more than 64 MB,
 * otherwise the errors of the query.
 */
extern TextRows *iuid_read_rows_as_text(const char *query,
										const TextColumns *columns);

/* The same for the rows of a tuplestore. */
extern TextRows *iuid_stored_rows_as_text(Tuplestorestate *store, TupleDesc type,
										  const TextColumns *columns);

/* The names as a list of SQL. */
extern char *iuid_list_of_names(ArrayType *names);

#endif /* IUID_ROWS_AS_TEXT_H */
