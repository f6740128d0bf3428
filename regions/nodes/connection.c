/*-------------------------------------------------------------------------
 *
 * connection.c
 *	  The connections of a session to the servers of other nodes, by libpq.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

/*
 * The server's packages do not bring along the headers of GSSAPI and OpenSSL.
 * Without them the pointers to their types in a Port are void *, at the same offsets.
 */
#ifdef HAVE_SCRAM_KEYS
#undef ENABLE_GSS
#undef USE_OPENSSL
#include "common/base64.h"
#include "libpq/libpq-be.h"
#endif

#include "catalog/pg_foreign_server.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/syscache.h"
#include "utils/wait_event.h"

#include "connection.h"
#include "server_options.h"

/* The hint for a node without a server, or with one of another wrapper. */
#define SERVER_HINT \
	"Make a postgres_fdw server for the node, and set the name of the server in iuid_nodes."

/* The number of connections for which the hash table has room at first. */
#define FEW_CONNECTIONS 16

/* Seconds in which a node must connect, unless its server's options say so. */
#define CONNECT_SECONDS 2

/* Keywords that do not come from options: encoding, name, host, SCRAM, and the end. */
#define OWN_KEYWORDS 7

static HTAB *connections; /* NULL: there was none yet */

static ForeignServer *find_server(const char *node, const char *name);
static void make_table(void);
static void mark_stale(Datum arg, int cache, uint32 hash);
static bool is_idle(PGconn *conn);
static bool needs_password(const ForeignServer *server,
						   const UserMapping *mapping);
static bool passes_scram_keys(const ForeignServer *server,
							  const UserMapping *mapping);
static int add_scram_keys(const char **keywords, const char **values, int count);
static bool has_password(const UserMapping *mapping);
static void require_password(const Connection *connection);
static PGconn *start(const ForeignServer *server, int host,
					 const UserMapping *mapping);
static int connect_seconds_of(const ForeignServer *server);
static void ignore_notice(void *arg, const PGresult *notice);

Connection *
iuid_find_connection(const char *node, const char *name, int host)
{
	const ForeignServer *server = find_server(node, name);
	Connection wanted = { .key = { server->serverid, GetUserId(), host } };
	AclResult result = object_aclcheck(ForeignServerRelationId,
									   server->serverid, GetUserId(), ACL_USAGE);
	Connection *connection;
	bool found;

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FOREIGN_SERVER, name);
	if (connections == NULL)
		make_table();
	connection = hash_search(connections, &wanted.key, HASH_ENTER, &found);
	if (!found)
		connection->conn = NULL;
	if (connection->conn != NULL &&
		(connection->is_stale || !is_idle(connection->conn)))
		iuid_close_connection(connection);
	return connection;
}

static ForeignServer *
find_server(const char *node, const char *name)
{
	ForeignServer *server =
		name == NULL ? NULL : GetForeignServerByName(name, true);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("node \"%s\" has no server", node), errhint(SERVER_HINT)));
	else if (server == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("server \"%s\" does not exist", name),
				 errhint(SERVER_HINT)));
	else if (strcmp(GetForeignDataWrapper(server->fdwid)->fdwname,
					"postgres_fdw") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("server \"%s\" is not a server of postgres_fdw", name),
				 errhint(SERVER_HINT)));
	return server;
}

static void
make_table(void)
{
	HASHCTL info = { .keysize = sizeof(((Connection *) NULL)->key),
					 .entrysize = sizeof(Connection) };

	connections = hash_create("iuid connections", FEW_CONNECTIONS, &info,
							  HASH_ELEM | HASH_BLOBS);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, mark_stale, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, mark_stale, (Datum) 0);
}

/* Such a change is rare, so each one concerns all connections. */
static void
mark_stale(Datum arg pg_attribute_unused(), int cache pg_attribute_unused(),
		   uint32 hash pg_attribute_unused())
{
	HASH_SEQ_STATUS scan;
	Connection *connection;

	hash_seq_init(&scan, connections);
	while ((connection = hash_seq_search(&scan)) != NULL)
		connection->is_stale = true;
}

void
iuid_close_stale_connections(void)
{
	HASH_SEQ_STATUS scan;
	Connection *connection;

	if (connections == NULL)
		return;
	hash_seq_init(&scan, connections);
	while ((connection = hash_seq_search(&scan)) != NULL)
	{
		if (connection->conn != NULL && connection->is_stale)
			iuid_close_connection(connection);
	}
}

/*
 * Whether a connection still stands and waits for a query, as far as is known
 * here.  If anything has come meanwhile, it is the end of the connection, or
 * something that must not be taken for the next answer.
 */
static bool
is_idle(PGconn *conn)
{
	int events =
		WaitLatchOrSocket(NULL,
						  WL_SOCKET_READABLE | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						  PQsocket(conn), 0, PG_WAIT_EXTENSION);

	return (events & WL_SOCKET_READABLE) == 0 && !PQisBusy(conn) &&
		PQtransactionStatus(conn) == PQTRANS_IDLE;
}

void
iuid_start_connection(Connection *connection)
{
	const ForeignServer *server;
	const UserMapping *mapping;

	/* What changes from here on counts. */
	connection->is_stale = false;
	server = GetForeignServerExtended(connection->key.server, FSV_MISSING_OK);
	if (server == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("the server of the node does not exist any more"),
				 errhint(SERVER_HINT)));
	mapping = GetUserMapping(connection->key.user, connection->key.server);
	connection->needs_password = needs_password(server, mapping);
	connection->has_password = has_password(mapping);
	require_password(connection);
	if (!AcquireExternalFD())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("could not connect to server \"%s\"", server->servername),
				 errdetail("There are too many open files on the local server."),
				 errhint(
					 "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.")));
	connection->connect_seconds = connect_seconds_of(server);
	connection->conn = start(server, connection->key.host, mapping);
	if (connection->conn == NULL || PQstatus(connection->conn) == CONNECTION_BAD)
	{
		char *message = connection->conn == NULL ?
			"out of memory" :
			pchomp(PQerrorMessage(connection->conn));
		iuid_close_connection(connection);
		ereport(ERROR,
				(errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				 errmsg("could not connect to the node"),
				 errdetail_internal("%s", message)));
	}
	PQsetNoticeReceiver(connection->conn, ignore_notice, NULL);
	/* From the start: a node can ask for the password without end. */
	(void) PQsetnonblocking(connection->conn, 1);
}

/*
 * postgres_fdw has the same rule: only a superuser can set password_required.  The
 * command here may have taken another role meanwhile, so it is for the role of the
 * connection.
 */
static bool
needs_password(const ForeignServer *server, const UserMapping *mapping)
{
	const char *required = iuid_option_of(mapping->options, "password_required");
	bool value;

	if (superuser_arg(mapping->userid) || passes_scram_keys(server, mapping))
		return false;
	return required == NULL || !parse_bool(required, &value) || value;
}

#ifdef HAVE_SCRAM_KEYS

/* By postgres_fdw's option: that of the mapping comes before that of the server. */
static bool
passes_scram_keys(const ForeignServer *server, const UserMapping *mapping)
{
	const char *option =
		iuid_option_of(mapping->options, "use_scram_passthrough");
	bool value;

	if (option == NULL)
		option = iuid_option_of(server->options, "use_scram_passthrough");
	return option != NULL && parse_bool(option, &value) && value &&
		MyProcPort != NULL && MyProcPort->has_scram_keys;
}

static char *
base64(const uint8 *key, int length)
{
	int room = pg_b64_enc_len(length);
	char *text = palloc0(room + 1);

	if (pg_b64_encode(key, length, text, room) < 0)
		elog(ERROR, "could not encode a SCRAM key");
	return text;
}

/* The node must ask for them: nothing else would prove that it knows the password. */
static int
add_scram_keys(const char **keywords, const char **values, int count)
{
	keywords[count] = "scram_client_key";
	values[count++] =
		base64(MyProcPort->scram_ClientKey, sizeof(MyProcPort->scram_ClientKey));
	keywords[count] = "scram_server_key";
	values[count++] =
		base64(MyProcPort->scram_ServerKey, sizeof(MyProcPort->scram_ServerKey));
	keywords[count] = "require_auth";
	values[count++] = "scram-sha-256";
	return count;
}

#else

static bool
passes_scram_keys(const ForeignServer *server pg_attribute_unused(),
				  const UserMapping *mapping pg_attribute_unused())
{
	return false;
}

static int
add_scram_keys(const char **keywords pg_attribute_unused(),
			   const char **values pg_attribute_unused(), int count)
{
	return count;
}

#endif

static bool
has_password(const UserMapping *mapping)
{
	const char *password = iuid_option_of(mapping->options, "password");

	return password != NULL && password[0] != '\0';
}

static void
require_password(const Connection *connection)
{
	if (connection->needs_password && !connection->has_password &&
		!HAS_DELEGATED_CREDENTIALS())
		ereport(ERROR,
				(errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
				 errmsg("password is required"),
				 errdetail(
					 "Non-superusers must provide a password in the user mapping.")));
}

void
iuid_check_password_used(const Connection *connection)
{
	bool used_password =
		connection->has_password && PQconnectionUsedPassword(connection->conn);

	if (connection->needs_password && !used_password &&
		!USED_DELEGATED_CREDENTIALS(connection->conn))
		ereport(ERROR,
				(errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
				 errmsg("password is required"),
				 errdetail(
					 "Non-superuser cannot connect if the server does not request a password."),
				 errhint(
					 "Target server's authentication method must be changed.")));
}

static PGconn *
start(const ForeignServer *server, int host, const UserMapping *mapping)
{
	int most = list_length(server->options) + list_length(mapping->options) +
		OWN_KEYWORDS;
	const char **keywords = palloc(sizeof(char *) * most);
	const char **values = palloc(sizeof(char *) * most);
	int count = iuid_add_options(server->options, host, keywords, values, 0);

	count = iuid_add_options(mapping->options, host, keywords, values, count);
	keywords[count] = "client_encoding";
	values[count++] = GetDatabaseEncodingName();
	keywords[count] = "fallback_application_name";
	values[count++] = "iuid";
	/* Whatever an option says, a service or the environment: the last one counts. */
	if (host > 0)
	{
		keywords[count] = "target_session_attrs";
		values[count++] = "any";
	}
	if (passes_scram_keys(server, mapping))
		count = add_scram_keys(keywords, values, count);
	keywords[count] = values[count] = NULL;
	return PQconnectStartParams(keywords, values, 0);
}

/* What a node says besides its answer goes nowhere, and not into the log. */
static void
ignore_notice(void *arg pg_attribute_unused(),
			  const PGresult *notice pg_attribute_unused())
{
}

void
iuid_close_connection(Connection *connection)
{
	PQfinish(connection->conn);
	connection->conn = NULL;
	ReleaseExternalFD();
}

/*
 * The seconds in which a server must connect: its option connect_timeout, of
 * which libpq takes 1 as 2, and 0 or less as no limit, 0 here; otherwise
 * CONNECT_SECONDS.
 */
static int
connect_seconds_of(const ForeignServer *server)
{
	const char *option = iuid_option_of(server->options, "connect_timeout");

	long seconds = option == NULL ? CONNECT_SECONDS : strtol(option, NULL, 10);

	return seconds <= 0 ? 0 : Min(Max(seconds, CONNECT_SECONDS), INT_MAX);
}
