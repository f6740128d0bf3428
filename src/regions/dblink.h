/*-------------------------------------------------------------------------
 *
 * dblink.h
 *	  Connections to other nodes, by contrib's dblink.
 *
 * dblink keeps the connections of a session, under names.  A name here begins
 * with "iuid_", and is of one foreign server, one user mapping and one user, as
 * they are now: after ALTER SERVER, ALTER USER MAPPING or SET ROLE there is
 * another name.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_DBLINK_H
#define IUID_DBLINK_H

#include "compat.h"

#include "datatype/timestamp.h"
#include "foreign/foreign.h"
#include "nodes/pg_list.h"

/* The functions of dblink that are used here. */
typedef struct Dblink
{
	FmgrInfo connect;
	FmgrInfo disconnect;
	FmgrInfo get_connections;
	FmgrInfo send_query;
	FmgrInfo is_busy;
	FmgrInfo error_message;
	const char *get_result; /* a query with parameters text and boolean */
} Dblink;

/* Seconds in which a node must connect, unless its server's options say so. */
#define IUID_CONNECT_SECONDS 2

typedef struct Connection
{
	char name[NAMEDATALEN];
	const char *server;
	Oid server_oid;
	int seconds; /* in which the node must connect; 0: no limit */
} Connection;

/*
 * Finds the functions.  0A000 if the extension dblink is not installed, 42883
 * if one of its functions has another name now, 42501 if the user may not use
 * their schema or execute one.
 */
extern void iuid_find_dblink(Dblink *dblink);

/* The names of all connections of the session, as C strings. */
extern List *iuid_list_connections(Dblink *dblink);

/* The seconds in which a server must connect, by its options; 0: no limit. */
extern int iuid_connect_seconds(const ForeignServer *server);

/*
 * What the connection to a server is called now.  42704 if there is no such
 * server, 42809 if it is not one of postgres_fdw.
 */
extern Connection iuid_find_connection(const char *name);

/*
 * Whether a connection is of the same server and user, but was made before one
 * of the two, or the user mapping, was altered.
 */
extern bool iuid_is_stale(const Connection *connection, const char *name);

/*
 * Makes a connection.  That takes as long as connection->seconds allow, and
 * ends at the time end, which PostgreSQL 15 may pass by these seconds.  False
 * if it fails: *error says why, *late that it took too long.  57014 if the
 * statement is cancelled.
 */
extern bool iuid_connect(Dblink *dblink, const Connection *connection,
						 TimestampTz end, ErrorData **error, bool *late);
extern void iuid_disconnect(Dblink *dblink, const char *name);

/*
 * Whether a connection without a query still stands, as far as is known here.
 */
extern bool iuid_is_alive(Dblink *dblink, const char *name);

/* Sends a query, and does not wait; false if it could not be sent. */
extern bool iuid_send_query(Dblink *dblink, const char *name, const char *query);

/* Whether the next result of the query is not there yet. */
extern bool iuid_is_busy(Dblink *dblink, const char *name);

/*
 * Reads the next result of a query, when iuid_is_busy() is false, and returns
 * its number of rows, which is 0 after the last result, too.  *value is the one
 * column of the first row, or the tag of a command without rows; NULL for none.
 * The errors are those of the node; 42804 if there is not one column.
 */
extern uint64 iuid_read_result(const Dblink *dblink, const char *name,
							   char **value);

#endif /* IUID_DBLINK_H */
