/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  Every difference between the server versions, spelled as the newest.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_COMPAT_H
#define IUID_COMPAT_H

#include "postgres.h"

#include "fmgr.h"

/* Soft errors came with 16; before, every error is thrown. */
#if PG_VERSION_NUM < 160000
#define ereturn(context, dummy_value, ...) \
	do \
	{ \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

/* One function for the owner of any object came with 16. */
#if PG_VERSION_NUM < 160000
#define object_ownercheck(classid, objectid, roleid) \
	((void) (classid), pg_class_ownercheck(objectid, roleid))
#endif

/* A module that tells its name and version came with 18. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* Skip support came with 18. */
#if PG_VERSION_NUM >= 180000
#define HAVE_SKIP_SUPPORT
#include "utils/skipsupport.h"
#endif

#endif /* IUID_COMPAT_H */
