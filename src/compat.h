/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  The differences between the server versions, written as for the newest.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COMPAT_H
#define IUID_COMPAT_H

#include "postgres.h"

#include "fmgr.h"

/*
 * A function that both libraries have, so that each runs its own: libraries are
 * loaded with RTLD_GLOBAL, and what one exports, the next one would run.  From 16
 * on, the server's make hides it, as all that SQL does not call.
 */
#if defined(__GNUC__)
#define IUID_HIDDEN __attribute__((visibility("hidden")))
#else
#define IUID_HIDDEN
#endif

/* The macros of variable-length values got a header of their own in 16. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* Soft errors came with 16; older servers throw every error. */
#if PG_VERSION_NUM < 160000
#define ereturn(context, dummy_value, ...) \
	do \
	{ \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

/*
 * One function that checks the owner of any object came with 16.  Before, this
 * is the one for relations, and the extension asks for no others.
 */
#if PG_VERSION_NUM < 160000
#define object_ownercheck(classid, objectid, roleid) \
	((void) (classid), pg_class_ownercheck(objectid, roleid))
#endif

/* Before 16, each member of a role may SET ROLE to it. */
#if PG_VERSION_NUM < 160000
#define member_can_set_role(member, role) is_member_of_role(member, role)
#endif

/* The name and version of a module came with 18. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* The prefix for a function that does not return came with 18. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* The statement, for event triggers, came with 17. */
#if PG_VERSION_NUM < 170000
#define REINDEX_RELATION(relid, flags, params) \
	reindex_relation(relid, flags, params)
#else
#define REINDEX_RELATION(relid, flags, params) \
	reindex_relation(NULL, relid, flags, params)
#endif

/* The flags of a scan came with 19. */
#if PG_VERSION_NUM < 190000
#include "access/tableam.h"
#define table_beginscan(rel, snapshot, nkeys, key, flags) \
	table_beginscan(rel, snapshot, nkeys, key)
#endif

/* ANALYZE says since 18 that it is the one who sleeps. */
#if PG_VERSION_NUM < 180000
#include "commands/vacuum.h"
#define vacuum_delay_point(is_analyze) vacuum_delay_point()
#endif

/* A CHECK that is NOT ENFORCED came with 18. */
#if PG_VERSION_NUM < 180000
#define CHECK_IS_ENFORCED(check) true
#else
#define CHECK_IS_ENFORCED(check) ((check)->ccenforced)
#endif

/* Skip support came with 18. */
#if PG_VERSION_NUM >= 180000
#define HAVE_SKIP_SUPPORT
#include "utils/skipsupport.h"
#endif

#endif /* IUID_COMPAT_H */
