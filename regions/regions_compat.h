/*-------------------------------------------------------------------------
 *
 * regions_compat.h
 *	  The differences between the server versions, written as for the newest:
 *	  those of src/compat.h, and those that only nodes and their registry meet.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGIONS_COMPAT_H
#define IUID_REGIONS_COMPAT_H

#include "compat.h"

/* One function that checks a right on any object came with 16, too. */
#if PG_VERSION_NUM < 160000
#define object_aclcheck(classid, objectid, roleid, mode) \
	((void) (classid), pg_foreign_server_aclcheck(objectid, roleid, mode))
#endif

/* The number of a session's transaction moved in 17. */
#if PG_VERSION_NUM >= 170000
#define MY_LXID (MyProc->vxid.lxid)
#else
#define MY_LXID (MyProc->lxid)
#endif

/* Sets of events belong to resource owners from 17 on. */
#if PG_VERSION_NUM < 170000
#include "storage/latch.h"
#define CreateWaitEventSet(resowner, nevents) \
	CreateWaitEventSet(CurrentMemoryContext, nevents)
#endif

/*
 * A client can delegate its credentials by GSSAPI since 16.  libpq-be.h, which declares
 * the function, then needs the headers of GSSAPI.
 */
#if PG_VERSION_NUM >= 160000 && defined(ENABLE_GSS)
struct Port;
extern bool be_gssapi_get_delegation(struct Port *port);
#define HAS_DELEGATED_CREDENTIALS() be_gssapi_get_delegation(MyProcPort)
#define USED_DELEGATED_CREDENTIALS(conn) \
	(HAS_DELEGATED_CREDENTIALS() && PQconnectionUsedGSSAPI(conn))
#else
#define HAS_DELEGATED_CREDENTIALS()		 false
#define USED_DELEGATED_CREDENTIALS(conn) false
#endif

/* A session keeps the keys of its SCRAM login since 18. */
#if PG_VERSION_NUM >= 180000
#define HAVE_SCRAM_KEYS
#endif

#endif /* IUID_REGIONS_COMPAT_H */
