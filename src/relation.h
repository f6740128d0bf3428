/*-------------------------------------------------------------------------
 *
 * relation.h
 *	  A relation's row of pg_class, its names and its constraints.
 *
 * Nothing is locked, so another session can drop the relation at any time.
 *
 * 42P01 if there is no such relation.  The server's own functions would return
 * NULL.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_RELATION_H
#define IUID_RELATION_H

#include "compat.h"

#include "catalog/pg_class.h"
#include "nodes/pg_list.h"

/* The fixed-length part of the row. */
extern FormData_pg_class iuid_class_of(Oid relation);

/* The names of a relation and of its schema, as they are. */
extern char *iuid_relation_name(Oid relation);
extern char *iuid_relation_schema(Oid relation);

/* Schema and name as SQL text, quoted where necessary. */
extern char *iuid_qualified_name(Oid relation);

/*
 * Copies of the rows of pg_constraint for the constraints of one type that a
 * relation has, such as CONSTRAINT_FOREIGN; NIL if there is no such relation.
 */
extern List *iuid_constraints_of(Oid relation, char type);

/*
 * 55000 unless a relation still has this qualified name.  Another session can
 * rename a schema at any time, and give its name to another schema, which can
 * have tables of the same names.  A statement that names a table of the first
 * schema then changes one of the second.  So whoever executes such statements
 * checks the name afterwards.
 */
extern void iuid_check_name(Oid relation, const char *name);

#endif /* IUID_RELATION_H */
