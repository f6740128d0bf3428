/*-------------------------------------------------------------------------
 *
 * owner.c
 *	  Works on a table as its owner, with no more rights than that.
 *
 * A table brings along code of its owner: CHECK constraints, expressions of
 * indexes and partition keys, policies.  Whoever calls a function of the
 * extension, this code runs with the rights of the owner only.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"

#include "owner.h"
#include "relation.h"

static SavedUser become(Oid user, int sec_context);

SavedUser
iuid_become(Oid user)
{
	return become(user, SECURITY_RESTRICTED_OPERATION);
}

SavedUser
iuid_become_owner_of(Oid table, FormData_pg_class row)
{
	if (row.relpersistence != RELPERSISTENCE_TEMP)
		return become(row.relowner, SECURITY_RESTRICTED_OPERATION);
	if (row.relowner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of temporary table %s",
						iuid_qualified_name(table)),
				 errdetail(
					 "Nobody can change a temporary table in its owner's name."),
				 errhint("Use SET ROLE to become \"%s\".",
						 GetUserNameFromId(row.relowner, false))));
	return become(row.relowner, 0);
}

static SavedUser
become(Oid user, int sec_context)
{
	SavedUser saved;

	GetUserIdAndSecContext(&saved.user, &saved.sec_context);
	SetUserIdAndSecContext(user, saved.sec_context | sec_context);
	saved.guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return saved;
}

void
iuid_restore_user(SavedUser *saved)
{
	AtEOXact_GUC(false, saved->guc_level);
	SetUserIdAndSecContext(saved->user, saved->sec_context);
}

void
iuid_check_owner(Oid table)
{
	FormData_pg_class row = iuid_class_of(table);

	if (!object_ownercheck(RelationRelationId, table, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(row.relkind),
					   NameStr(row.relname));
}

void
iuid_check_reader(Oid table)
{
	FormData_pg_class row = iuid_class_of(table);
	AclResult result = pg_class_aclcheck(table, GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(row.relkind),
					   NameStr(row.relname));
}

Oid
iuid_owner_or_caller(Oid table)
{
	FormData_pg_class row = iuid_class_of(table);

	return object_ownercheck(RelationRelationId, table, GetUserId()) ?
		row.relowner :
		GetUserId();
}
