/*-------------------------------------------------------------------------
 *
 * owner.c
 *	  Running as another role, so restricted that it gains nothing by it.
 *
 * What is attached to a table (triggers, defaults, checks) is code of the
 * table's owner.  As VACUUM and REINDEX do, it is run with that role's rights
 * and no others, and can neither change the role nor leave anything behind in
 * the session.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "owner.h"

Restricted
iuid_become(Oid user)
{
	Restricted saved;

	GetUserIdAndSecContext(&saved.user, &saved.sec_context);
	SetUserIdAndSecContext(user,
						   saved.sec_context | SECURITY_RESTRICTED_OPERATION);
	saved.guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return saved;
}

void
iuid_return(Restricted *saved)
{
	AtEOXact_GUC(false, saved->guc_level);
	SetUserIdAndSecContext(saved->user, saved->sec_context);
}
