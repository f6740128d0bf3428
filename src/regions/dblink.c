/*-------------------------------------------------------------------------
 *
 * dblink.c
 *	  Connections to other nodes, by contrib's dblink.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "catalog/pg_user_mapping.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "dblink.h"
#include "foreign.h"
#include "function.h"
#include "time_limit.h"

/* The environment variable with libpq's limit for connecting, in seconds. */
#define LIMIT_VARIABLE "PGCONNECT_TIMEOUT"

/* A row of a catalog, as it is now: an ALTER makes another of it. */
typedef struct Version
{
	Oid oid;
	TransactionId xmin;
	ItemPointerData ctid;
} Version;

typedef struct ConnectCall
{
	Dblink *dblink;
	const Connection *connection;
} ConnectCall;

static Oid schema_of_dblink(void);
static Oid find_function(Oid schema, const char *name, int count, Oid second);
static Version version_of(HeapTuple tuple, Oid oid);
static bool connect_now(void *arg);
static void connect_in_time(const ConnectCall *call);
static const ForeignServer *find_server(const char *name);

void
iuid_find_dblink(Dblink *dblink)
{
	Oid schema = schema_of_dblink();
	char *name;

	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("extension \"%s\" is not installed", "dblink"),
				 errdetail("Commands go to other nodes over its connections."),
				 errhint("Install it with CREATE EXTENSION dblink.")));
	name = get_namespace_name(schema);
	(void) LookupExplicitNamespace(name, false);
	fmgr_info(find_function(schema, "dblink_connect", 2, TEXTOID),
			  &dblink->connect);
	fmgr_info(find_function(schema, "dblink_disconnect", 1, InvalidOid),
			  &dblink->disconnect);
	fmgr_info(find_function(schema, "dblink_get_connections", 0, InvalidOid),
			  &dblink->get_connections);
	fmgr_info(find_function(schema, "dblink_send_query", 2, TEXTOID),
			  &dblink->send_query);
	fmgr_info(find_function(schema, "dblink_is_busy", 1, InvalidOid),
			  &dblink->is_busy);
	fmgr_info(find_function(schema, "dblink_error_message", 1, InvalidOid),
			  &dblink->error_message);

	(void) find_function(schema, "dblink_get_result", 2, BOOLOID);
	dblink->get_result =
		psprintf("SELECT r.value FROM %s($1, $2) AS r (value pg_catalog.text)",
				 quote_qualified_identifier(name, "dblink_get_result"));
}

static Oid
schema_of_dblink(void)
{
	Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Oid schema = InvalidOid;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber,
				F_NAMEEQ, CStringGetDatum("dblink"));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1,
							  &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return schema;
}

/* A function whose first argument is a text, and that the user may execute. */
static Oid
find_function(Oid schema, const char *name, int count, Oid second)
{
	const Oid types[] = { TEXTOID, second };
	Oid function = iuid_require_function(schema, name, types, count, "dblink");
	AclResult result =
		object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, name);
	return function;
}

List *
iuid_list_connections(Dblink *dblink)
{
	LOCAL_FCINFO(fcinfo, 0);
	Datum array, *names;
	int count;
	List *open = NIL;

	InitFunctionCallInfoData(*fcinfo, &dblink->get_connections, 0, InvalidOid,
							 NULL, NULL);
	array = FunctionCallInvoke(fcinfo);
	if (fcinfo->isnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &names, NULL, &count);
	for (int i = 0; i < count; i++)
		open = lappend(open, TextDatumGetCString(names[i]));
	return open;
}

Connection
iuid_find_connection(const char *name)
{
	const ForeignServer *server = find_server(name);
	Connection connection;
	HeapTuple tuple;
	Version versions[2];

	/* The padding within a version is part of what is hashed. */
	memset(versions, 0, sizeof(versions));
	tuple = SearchSysCache1(FOREIGNSERVEROID, ObjectIdGetDatum(server->serverid));
	if (HeapTupleIsValid(tuple))
		versions[0] = version_of(tuple, server->serverid);
	tuple = SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(GetUserId()),
							ObjectIdGetDatum(server->serverid));
	if (!HeapTupleIsValid(tuple))
		tuple = SearchSysCache2(USERMAPPINGUSERSERVER,
								ObjectIdGetDatum(ACL_ID_PUBLIC),
								ObjectIdGetDatum(server->serverid));
	if (HeapTupleIsValid(tuple))
		versions[1] =
			version_of(tuple, ((Form_pg_user_mapping) GETSTRUCT(tuple))->oid);

	snprintf(connection.name, NAMEDATALEN, "iuid_%u_%u_" UINT64_FORMAT,
			 server->serverid, GetUserId(),
			 hash_bytes_extended((unsigned char *) versions, sizeof(versions), 0));
	connection.server = server->servername;
	connection.server_oid = server->serverid;
	connection.seconds = iuid_connect_seconds(server);
	return connection;
}

/* dblink takes what is not a server for a connection string. */
static const ForeignServer *
find_server(const char *name)
{
	const ForeignServer *server = GetForeignServerByName(name, true);

	if (server == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("server \"%s\" does not exist", name),
				 errhint(IUID_SERVER_HINT)));
	else if (strcmp(GetForeignDataWrapper(server->fdwid)->fdwname,
					"postgres_fdw") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("server \"%s\" is not a server of postgres_fdw", name),
				 errhint(IUID_SERVER_HINT)));
	return server;
}

static Version
version_of(HeapTuple tuple, Oid oid)
{
	Version version;

	memset(&version, 0, sizeof(version));
	version.oid = oid;
	version.xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	version.ctid = tuple->t_self;
	ReleaseSysCache(tuple);
	return version;
}

/* libpq takes 1 second as 2, and 0 or less as no limit. */
int
iuid_connect_seconds(const ForeignServer *server)
{
	const char *option = iuid_option(server->options, "connect_timeout");
	long seconds =
		option == NULL ? IUID_CONNECT_SECONDS : strtol(option, NULL, 10);

	if (seconds <= 0)
		return 0;
	return Min(Max(seconds, IUID_CONNECT_SECONDS), INT_MAX);
}

bool
iuid_is_stale(const Connection *connection, const char *name)
{
	size_t common = strrchr(connection->name, '_') - connection->name + 1;

	return strncmp(connection->name, name, common) == 0 &&
		strcmp(connection->name, name) != 0;
}

bool
iuid_connect(Dblink *dblink, const Connection *connection, TimestampTz end,
			 ErrorData **error, bool *late)
{
	ConnectCall call = { dblink, connection };
	TimestampTz own_end =
		GetCurrentTimestamp() + connection->seconds * USECS_PER_SEC;

	if (connection->seconds > 0)
		end = Min(end, own_end);
	return iuid_try_until(connect_now, &call, end, error, late);
}

/* The lock keeps the server and its name, while dblink looks for it. */
static bool
connect_now(void *arg)
{
	const ConnectCall *call = arg;
	const Connection *connection = call->connection;

	LockDatabaseObject(ForeignServerRelationId, connection->server_oid, 0,
					   AccessShareLock);
	if (find_server(connection->server)->serverid != connection->server_oid)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("server \"%s\" is another one now", connection->server),
				 errhint("Try again.")));
	connect_in_time(call);
	UnlockDatabaseObject(ForeignServerRelationId, connection->server_oid, 0,
						 AccessShareLock);
	return true;
}

/*
 * dblink waits until it is connected.  Before 16 nothing can cancel that, but
 * libpq has a limit of its own, which later versions of dblink do without.
 */
static void
connect_in_time(const ConnectCall *call)
{
	char *volatile before = getenv(LIMIT_VARIABLE);

	if (before != NULL)
		before = pstrdup(before);
	setenv(LIMIT_VARIABLE, psprintf("%d", IUID_CONNECT_SECONDS), 1);
	PG_TRY();
	{
		(void) FunctionCall2(&call->dblink->connect,
							 CStringGetTextDatum(call->connection->name),
							 CStringGetTextDatum(call->connection->server));
	}
	PG_FINALLY();
	{
		if (before != NULL)
			setenv(LIMIT_VARIABLE, before, 1);
		else
			unsetenv(LIMIT_VARIABLE);
	}
	PG_END_TRY();
}

void
iuid_disconnect(Dblink *dblink, const char *name)
{
	(void) FunctionCall1(&dblink->disconnect, CStringGetTextDatum(name));
}

/*
 * A server that ends a connection sends a message, and closes it.
 * dblink_is_busy reads what came, without waiting: the first call reads the
 * message, and the second one finds that the connection is closed.
 */
bool
iuid_is_alive(Dblink *dblink, const char *name)
{
	Datum message;

	for (int i = 0; i < 2; i++)
	{
		if (iuid_is_busy(dblink, name))
			return false;
	}
	message = FunctionCall1(&dblink->error_message, CStringGetTextDatum(name));
	return strcmp(TextDatumGetCString(message), "OK") == 0;
}

bool
iuid_send_query(Dblink *dblink, const char *name, const char *query)
{
	return DatumGetInt32(FunctionCall2(&dblink->send_query,
									   CStringGetTextDatum(name),
									   CStringGetTextDatum(query))) == 1;
}

bool
iuid_is_busy(Dblink *dblink, const char *name)
{
	return DatumGetInt32(
			   FunctionCall1(&dblink->is_busy, CStringGetTextDatum(name))) != 0;
}

uint64
iuid_read_result(const Dblink *dblink, const char *name, char **value)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid types[] = { TEXTOID, BOOLOID };
	Datum values[] = { CStringGetTextDatum(name), BoolGetDatum(true) };
	uint64 rows;
	int result;

	*value = NULL;
	SPI_connect();
	result = SPI_execute_with_args(dblink->get_result, 2, types, values, NULL,
								   true, 0);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of \"%s\": %s", dblink->get_result,
			 SPI_result_code_string(result));
	rows = SPI_processed;
	if (rows > 0)
	{
		char *first =
			SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);

		if (first != NULL)
			*value = MemoryContextStrdup(caller, first);
	}
	SPI_finish();
	return rows;
}
