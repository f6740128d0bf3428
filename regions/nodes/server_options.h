/*-------------------------------------------------------------------------
 *
 * server_options.h
 *	  The options of foreign servers and user mappings, as libpq takes them.
 *
 * postgres_fdw has checked the options.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_SERVER_OPTIONS_H
#define IUID_SERVER_OPTIONS_H

#include "nodes/pg_list.h"

/* The value of an option; NULL if it is not set. */
extern const char *iuid_option_of(List *options, const char *name);

/*
 * Appends the options that libpq knows to COUNT keywords and values, for one host of a
 * server, from 1 on, whatever it is; or, for 0, for libpq to choose one.  Returns how
 * many there are then.  There is room for all.
 */
extern int iuid_add_options(List *options, int host, const char **keywords,
							const char **values, int count);

/*
 * The hosts of a server, as its options name them, each with its port; NIL if there is
 * no such server, or if it has one host.
 */
extern List *iuid_hosts_of_server(const char *name);

#endif /* IUID_SERVER_OPTIONS_H */
