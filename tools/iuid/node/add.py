"""A new node: the others reach it, the registry knows it, and it follows; then it has the tables.

Its server has mesh.sql and servers.sql.  No superuser comes in over the network, so this does what is on
its own machine, and says where it is to be run, too:

  the other nodes   have a foreign server of it, like that of another node
  the publisher     registers it
  the new node      subscribes to the registry
  all nodes         have global tables and views with it
"""

import time

import tables
from node.address import answers
from registry.nodes import TABLES, Nodes, follows, of_registry
from registry.publishing import BACK, Change
from sessions import Stop, block, name, quote, say

# The foreign servers of a node, and where they lead.
SERVERS = """
SELECT s.srvname AS server, (SELECT string_agg(o.option_value, ', port ' ORDER BY o.option_name) FROM pg_options_to_table(s.srvoptions) AS o WHERE o.option_name IN ('host', 'port')) AS address
FROM pg_foreign_server AS s"""

# A server like another one, with its user mappings and rights.  No password leaves the server.
LIKE = """
DECLARE
	old pg_foreign_server;
	mapping record;
BEGIN
	PERFORM set_config('log_min_messages', 'panic', true), set_config('pg_stat_statements.track', 'none', true);
	SELECT * INTO STRICT old FROM pg_foreign_server WHERE srvname = {old};
	EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER %I OPTIONS (%s)', {new}, (SELECT fdwname FROM pg_foreign_data_wrapper WHERE oid = old.srvfdw), (
		SELECT string_agg(format('%I %L', option_name, option_value), ', ') FROM (
			SELECT option_name, option_value FROM pg_options_to_table(old.srvoptions)
			WHERE option_name NOT IN ('host', 'hostaddr', 'port', 'target_session_attrs')
			UNION ALL VALUES ('host', {host}), ('port', {port})) AS o (option_name, option_value)));
	FOR mapping IN SELECT umuser, umoptions FROM pg_user_mapping WHERE umserver = old.oid LOOP
		EXECUTE format('CREATE USER MAPPING FOR %s SERVER %I %s',
			CASE mapping.umuser WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(mapping.umuser)) END, {new}, (
			SELECT format('OPTIONS (%s)', string_agg(format('%I %L', option_name, option_value), ', ')) FROM pg_options_to_table(mapping.umoptions)
			HAVING count(*) > 0));
	END LOOP;
	FOR mapping IN SELECT grantee FROM aclexplode(coalesce(old.srvacl, acldefault('S', old.srvowner))) LOOP
		EXECUTE format('GRANT USAGE ON FOREIGN SERVER %I TO %s', {new},
			CASE mapping.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(mapping.grantee)) END);
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	RAISE EXCEPTION USING ERRCODE = SQLSTATE, MESSAGE = SQLERRM;
END"""

# The nodes that do not answer, and those in whose place another one does.
ASKS = """
SELECT node, CASE WHEN success THEN format('%%s answers', coalesce(nullif(result, ''), 'a database without iuid.node')) ELSE result END AS result
FROM @iuid@.iuid_run_on_nodes('SELECT pg_catalog.current_setting(''iuid.node'', true)', %s::text[]) WHERE (success AND result = node) IS NOT TRUE"""


def run(given):
    nodes = Nodes(given.machine, given.dry_run)
    nodes.find(but=[given.node])
    answers(given.node, {"host": given.host, "port": str(given.port)})
    if given.node not in nodes.names:
        nodes.names = sorted([*nodes.names, given.node])
    nodes.require_all("a node comes")
    nodes.lock()
    New(nodes, given).run()


class New:
    def __init__(self, nodes, given):
        self.nodes, self.given, self.node = nodes, given, given.node
        self.publisher = nodes.publisher(but=self.node)
        self.others = [node for node in nodes.names if node != self.node]
        self.known = nodes.facts(self.publisher)["servers"]  # of each node at the others
        unknown = [node for node in self.others if node not in self.known]
        if unknown:
            raise Stop(f"the registry of {self.publisher} does not know {', '.join(unknown)}, which another node knows: let no service"
                       " lead to a node that was removed")

    def run(self):
        self.refuse()
        for node in self.others:
            self.reach(node)
        self.nodes.stop_if_left()
        if self.node not in self.known:
            self.nodes.change(self.publisher, f"INSERT INTO @iuid@.iuid_nodes VALUES ({quote(self.node)}, {quote(self.given.region)}, {quote(self.node)})")
        self.nodes.stop_if_left()
        self.subscribe()
        self.nodes.stop_if_left()
        self.make_tables()
        print(f"{self.node} is a node, and all nodes know it." if not self.nodes.dry else "Nothing was changed, as this is a dry run.")

    def servers(self, node):
        """The servers of a node, with their addresses."""
        return {row.server: row.address for row in self.nodes.owner(node).read(SERVERS)}

    def refuse(self):
        server = self.known.get(self.node, self.node)
        taken = [node for node in self.others if self.known[node] == server]
        if taken:
            raise Stop(f"{server} is the server of {taken[0]} at the other nodes: let the new node have another name")
        mine = self.servers(self.node)
        for node in self.others:
            if node in mine and self.known[node] not in (None, *mine):
                raise Stop(f"the server of {node} has another name at the other nodes: let a superuser at {self.node}"
                           f" ALTER SERVER {name(node)} RENAME TO {name(self.known[node])}")
        lacking = [node for node in self.others if self.known[node] not in mine]
        if lacking:
            raise Stop(f"{self.node} has no server of {', '.join(lacking)}: run examples/regions/servers.sql there")
        said = self.nodes.facts(self.node)
        if said["rows"] and not of_registry(said):
            raise Stop(f"{self.node} has a registry of its own, which nobody publishes: let a superuser there"
                       f" TRUNCATE {', '.join(TABLES)}")

    def reach(self, node):
        there = self.servers(node)
        mine = self.known.get(self.node, self.node)
        if mine in there:
            given = f"{self.given.host}, port {self.given.port}"
            if self.node not in self.known and there[mine] != given:
                raise Stop(f"the server {name(mine)} at {node} leads to {there[mine]}, and not to {given}: let a superuser there drop it, or put it right")
            return
        like = [server for other, server in self.known.items() if other not in (node, self.node) and server in there]
        if not like:
            raise Stop(f"{node} has no server of another node, like which that of {self.node} could be:"
                       " run examples/regions/servers.sql there")
        say(node, f"-- The server of {self.node}, like {name(like[0])}, at {self.given.host}, port {self.given.port}:")
        values = {"old": like[0], "new": self.node, "host": self.given.host, "port": str(self.given.port)}
        self.nodes.change(node, block(LIKE.format(**{key: quote(value) for key, value in values.items()})))

    def subscribe(self):
        """Also if it has a subscription from before that brings nothing any more."""
        deadline = time.monotonic() + BACK
        while any(each["enabled"] and not each["ready"] for each in of_registry(self.nodes.facts(self.node))) and time.monotonic() < deadline:
            time.sleep(0.1)
        if follows(self.nodes, self.node, self.publisher, deadline):
            return
        if self.node not in self.nodes.machines:
            self.nodes.left.append(self.node)
        else:
            Change(self.nodes, self.publisher, []).subscribe_at(self.node, copy=not self.nodes.facts(self.node)["rows"])

    def make_tables(self):
        """The owner of the tables makes them at the new node, as they are at the others."""
        if self.nodes.dry:
            return
        wanted = tables.read(self.nodes.owner(self.publisher))
        mine = tables.read(self.nodes.owner(self.node))
        lacking = sorted({each.local for each in wanted} - {each.local for each in mine})
        if lacking:
            raise Stop(f"{self.node} has the registry, and no {', '.join(lacking)} with a global table or view: let the owner make"
                       " them there, as at the other nodes, and start this command again")
        for node in self.nodes.names:
            tables.make(self.nodes.owner(node))
        silent = [f"{node} does not come in at {row.node}: {row.result}" for node in self.nodes.names
                  for row in self.nodes.owner(node).read(ASKS, self.others if node == self.node else [self.node])]
        if silent:
            raise Stop(f"{self.node} has all. " + ". ".join(silent))
