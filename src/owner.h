/*-------------------------------------------------------------------------
 *
 * owner.h
 *	  Works on a table as its owner, with no more rights than that.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_OWNER_H
#define IUID_OWNER_H

#include "compat.h"

#include "catalog/pg_class.h"

/* The user and the settings from before iuid_become(). */
typedef struct SavedUser
{
	Oid user;
	int sec_context;
	int guc_level;
} SavedUser;

/*
 * Makes what follows run as a user, with search_path = pg_catalog, pg_temp, in
 * a security-restricted operation, as VACUUM and REINDEX run the code that a
 * table brings along.  iuid_restore_user() ends that, and so does an error.
 */
IUID_HIDDEN extern SavedUser iuid_become(Oid user);

/*
 * The same for a row of pg_class that the caller has read, and whose owner the
 * caller has checked: a row that is read again may have another owner.
 */
IUID_HIDDEN extern SavedUser iuid_become_owner_of(Oid table,
												  FormData_pg_class row);

IUID_HIDDEN extern void iuid_restore_user(SavedUser *saved);

/*
 * 42P01 if the table does not exist.  42501 if the current user has not the
 * rights of the owner, or not the right to SELECT.  Neither takes a lock.
 */
IUID_HIDDEN extern void iuid_check_owner(Oid table);
IUID_HIDDEN extern void iuid_check_reader(Oid table);

/* The owner if the current user has the owner's rights, else that user. */
IUID_HIDDEN extern Oid iuid_owner_or_caller(Oid table);

#endif /* IUID_OWNER_H */
