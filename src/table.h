/*-------------------------------------------------------------------------
 *
 * table.h
 *	  What a move of rows asks of a table.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_TABLE_H
#define IUID_TABLE_H

#include "compat.h"

#include "utils/relcache.h"

/*
 * Opens a table that the transaction has locked.  55000 if code of an event
 * trigger or a constraint has dropped it.
 */
extern Relation iuid_open_locked(Oid table);

/*
 * Whether a foreign key refers to a table: to itself or, unless that alone is
 * asked for, to one that it is a part of.
 */
extern bool iuid_is_referred(Oid table, bool itself);

/*
 * Whether a table may have rows: it is a plain table, and it has pages or
 * another session has locked it exclusively.  The function waits for no lock
 * and keeps none.
 */
extern bool iuid_may_have_rows(Oid partition);

/* Whether a table, or one below it, is a foreign table. */
extern bool iuid_has_foreign_table(Oid table);

/*
 * Another session can rename a schema at any time, and give its name to another
 * schema, which can have tables of the same names.  A statement that names a
 * table of the first schema then changes one of the second.  No lock keeps the
 * schema from that.  So whoever executes such statements looks afterwards at
 * what they have changed.
 *
 * iuid_check_name(): 55000 unless a relation still has this qualified name.
 */
extern void iuid_check_name(Oid relation, const char *name);

#endif /* IUID_TABLE_H */
