/*-------------------------------------------------------------------------
 *
 * connection.h
 *	  The connections of a session to the servers of other nodes, by libpq.
 *
 * A session has one connection for each foreign server and user, and one for each
 * host of a server that was asked for.  It is kept until the server or a user mapping
 * is altered, or the connection fails.
 *
 * Not by dblink: it waits without end for a node that falls silent after it has named
 * another encoding, or, in 15, before its greeting ends; and other code of the
 * session can use its connections.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_CONNECTION_H
#define IUID_CONNECTION_H

#include "regions_compat.h"

#include <libpq-fe.h>

#include "foreign/foreign.h"

typedef struct Connection
{
	/* What the connection is found by. */
	struct
	{
		Oid server;
		Oid user;
		int host; /* of the server's hosts, from 1 on; 0: as its options choose */
	} key;
	PGconn *conn;		 /* NULL: not open */
	bool is_stale;		 /* not for another question */
	int connect_seconds; /* in which it must connect; 0: no limit */
	bool needs_password; /* of the user, who must have come in with it */
	bool has_password;	 /* in the user mapping */
} Connection;

/*
 * The current user's connection to the server of a node, or to one of its hosts: idle,
 * or not open if conn is NULL.  22023 if the name of the server is NULL, 42704 if there
 * is no such server, 42809 if it is not one of postgres_fdw, 42501 if the user may not
 * use it.
 */
extern Connection *iuid_find_connection(const char *node, const char *name,
										int host);

/*
 * Begins to connect; PQconnectPoll() goes on.  The server must still be there
 * (42704).  The user needs a user mapping (42704), and a password in it (2F003),
 * but for a superuser, where a superuser has set password_required to false, where
 * the keys of the user's SCRAM login are passed on, and where the user has delegated
 * credentials by GSSAPI.  08001 if libpq refuses, 53000 if the session has too many
 * files open.
 */
extern void iuid_start_connection(Connection *connection);

/*
 * 2F003 if a user who needs a password came in neither with it nor with delegated
 * credentials: as someone whom the other server takes this server for.
 */
extern void iuid_check_password_used(const Connection *connection);

extern void iuid_close_connection(Connection *connection);

/*
 * Closes the connections whose server or user mapping has changed, or is gone.
 * No connection is in use.
 */
extern void iuid_close_stale_connections(void);

#endif /* IUID_CONNECTION_H */
