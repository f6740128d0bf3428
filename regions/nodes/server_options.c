/*-------------------------------------------------------------------------
 *
 * server_options.c
 *	  The options of foreign servers and user mappings, as libpq takes them.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "regions_compat.h"

#include <libpq-fe.h>

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "nodes/parsenodes.h"

#include "server_options.h"

static const char *for_host(const DefElem *option, int host);
static const char *item_of(const char *list, int n);
static bool is_libpq_option(const char *name);

const char *
iuid_option_of(List *options, const char *name)
{
	ListCell *lc;

	foreach (lc, options)
	{
		DefElem *option = lfirst(lc);

		if (strcmp(option->defname, name) == 0)
			return defGetString(option);
	}
	return NULL;
}

int
iuid_add_options(List *options, int host, const char **keywords,
				 const char **values, int count)
{
	ListCell *lc;

	foreach (lc, options)
	{
		DefElem *option = lfirst(lc);

		if (!is_libpq_option(option->defname))
			continue;
		keywords[count] = option->defname;
		values[count++] = for_host(option, host);
	}
	return count;
}

/*
 * The value of an option for one host, from 1 on: that host, whatever it is; or, for 0,
 * as it is, for libpq to choose.
 */
static const char *
for_host(const DefElem *option, int host)
{
	const char *value = strVal(option->arg);
	const char *name = option->defname;

	if (host == 0)
		return value;
	/* One port is that of all hosts. */
	if (strcmp(name, "host") == 0 || strcmp(name, "hostaddr") == 0 ||
		(strcmp(name, "port") == 0 && strchr(value, ',') != NULL))
		return item_of(value, host);
	return value;
}

/* The n-th part of a list with commas, from 1 on; "" if there is none. */
static const char *
item_of(const char *list, int n)
{
	while (--n > 0 && list != NULL)
	{
		list = strchr(list, ',');
		if (list != NULL)
			list++;
	}
	return list == NULL ? "" : pnstrdup(list, strcspn(list, ","));
}

List *
iuid_hosts_of_server(const char *name)
{
	const ForeignServer *server =
		name == NULL ? NULL : GetForeignServerByName(name, true);
	const char *hosts, *names, *ports;
	List *result = NIL;
	int count = 1;

	if (server == NULL)
		return NIL;
	/* As libpq does: an address comes before a name, for each host. */
	hosts = iuid_option_of(server->options, "hostaddr");
	names = iuid_option_of(server->options, "host");
	if (hosts == NULL || hosts[0] == '\0')
		hosts = names;
	ports = iuid_option_of(server->options, "port");
	for (const char *c = hosts; c != NULL && *c != '\0'; c++)
		count += *c == ',';
	for (int i = 1; count > 1 && i <= count; i++)
	{
		const char *port = ports == NULL ?
			"" :
			item_of(ports, strchr(ports, ',') == NULL ? 1 : i);
		const char *host = item_of(hosts, i);

		if (host[0] == '\0')
			host = item_of(names, i);
		result =
			lappend(result,
					psprintf("%s%s%s", host, port[0] == '\0' ? "" : ":", port));
	}
	return result;
}

static bool
is_libpq_option(const char *name)
{
	static PQconninfoOption *known; /* for the session, as libpq made it */

	if (known == NULL)
		known = PQconndefaults();
	for (const PQconninfoOption *option = known;
		 option != NULL && option->keyword != NULL; option++)
	{
		if (strcmp(option->keyword, name) == 0)
			return true;
	}
	return false;
}
