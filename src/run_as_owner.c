/*-------------------------------------------------------------------------
 *
 * run_as_owner.c
 *	  SQL function that runs a statement as the owner of a table.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "owner.h"
#include "relation.h"

static void check_may_set_role(Oid table, Oid owner);
static void check_one_statement(const char *command);
static void run(const char *command);

/*
 * iuid_run_as_owner(tbl, command): runs one statement as the owner of a table,
 * in a security-restricted operation, with search_path = pg_catalog, pg_temp.
 * What the statement returns is thrown away, and settings that it changes are
 * as before.  A temporary table has no other user than its owner, and no
 * security-restricted operation: that could make no temporary table.
 *
 * 22004 for NULL; 42P01 if there is no such table; 42501 unless the current
 * user may SET ROLE to the owner; 42601 unless the text is one statement; 0A000
 * for a statement that ends a transaction, and for COPY from or to the client.
 */
PG_FUNCTION_INFO_V1(iuid_run_as_owner);
Datum
iuid_run_as_owner(PG_FUNCTION_ARGS)
{
	Oid table;
	char *command;
	FormData_pg_class row;
	SavedUser saved;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("arguments of %s must not be null", "iuid_run_as_owner"),
				 errhint("Give a table and a statement.")));
	table = PG_GETARG_OID(0);
	command = text_to_cstring(PG_GETARG_TEXT_PP(1));
	row = iuid_class_of(table);
	check_may_set_role(table, row.relowner);
	check_one_statement(command);
	saved = iuid_become_owner_of(table, row);
	run(command);
	iuid_restore_user(&saved);
	PG_RETURN_VOID();
}

/*
 * Who has the rights of a role without the right to SET ROLE may alter its
 * tables, but must not run any statement in its name.
 */
static void
check_may_set_role(Oid table, Oid owner)
{
	if (!member_can_set_role(GetUserId(), owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to run a statement as the owner of %s",
						iuid_qualified_name(table)),
				 errdetail("Only roles that may SET ROLE to \"%s\" may do so.",
						   GetUserNameFromId(owner, false))));
}

static void
check_one_statement(const char *command)
{
	int count = list_length(pg_parse_query(command));

	if (count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("command must be exactly one statement"),
				 errdetail("It has %d statements.", count)));
}

static void
run(const char *command)
{
	SPIExecuteOptions options = { .dest = None_Receiver };
	int result;

	SPI_connect();
	result = SPI_execute_extended(command, &options);
	if (result == SPI_ERROR_TRANSACTION || result == SPI_ERROR_COPY)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("command cannot run as the owner of a table: %s", command),
				 errdetail(
					 "It would end the transaction, or copy from or to the client.")));
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", command,
			 SPI_result_code_string(result));
	SPI_finish();
}
