"""A node goes for good, when no route leads to it any more.

  the publisher     takes it out of the registry
  the other nodes   make their global tables and views without it, and drop its foreign server
  the node itself   subscribes no more, if it is not lost
  the publisher     drops its slot
"""

import time

import tables
from registry.nodes import Nodes, of_registry, slot_of
from registry.publishing import names
from services import services
from sessions import Stop, dropping, name, quote, say, to_role

ARRIVE = 60  # seconds for a change of the registry

ROUTES = """
SELECT string_agg(coalesce('country ' || country, 'all countries') || coalesce(', entity ' || entity, ''), '; ' ORDER BY country, entity)
FROM @iuid@.iuid_routes WHERE node = %s::text"""

# The countries that move to a node: state.Move has the name.
MOVES = """
SELECT string_agg(substr(subname, 9), ', ' ORDER BY subname) FROM pg_subscription
WHERE subname ~ '^moving_c[0-9]+$' AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())"""

# Foreign servers that no node of the registry has.
NOBODYS = """
SELECT s.srvname AS server FROM pg_foreign_server AS s WHERE s.srvoptions::text[] && '{extensions=iuid}'
	AND NOT EXISTS (SELECT FROM @iuid@.iuid_nodes AS n WHERE n.server = s.srvname) ORDER BY 1"""

KNOWN = "SELECT FROM @iuid@.iuid_nodes WHERE node = %s::text"

MAPPINGS = """
SELECT m.usename::text AS role FROM pg_foreign_server AS s LEFT JOIN pg_user_mappings AS m ON m.srvid = s.oid
WHERE s.srvname = %s::name ORDER BY 1"""


def run(given):
    nodes = Nodes(given.machine, given.dry_run)
    nodes.find(but=[given.node])
    Gone(nodes, given).run()


class Gone:
    def __init__(self, nodes, given):
        self.nodes, self.given, self.node = nodes, given, given.node
        self.registered = self.node in nodes.names
        nodes.names = [node for node in nodes.names if node != self.node]
        nodes.require_all("a node goes")
        nodes.lock()
        self.publisher = nodes.publisher(but=self.node)
        servers = nodes.facts(self.publisher)["servers"]
        self.server = given.server or servers.get(self.node) or self.node
        if self.server != servers.get(self.node) and self.server in servers.values():
            raise Stop(f"{self.server} is the server of another node")

    def run(self):
        self.refuse()
        if self.registered:
            self.nodes.change(self.publisher, f"DELETE FROM @iuid@.iuid_nodes WHERE node = {quote(self.node)}")
            self.stop_if_left()
        for node in self.nodes.names:
            self.forget_at(node)
        self.unsubscribe()
        self.stop_if_left()
        print("Nothing was changed, as this is a dry run." if self.nodes.dry else f"{self.node} is no node any more.")

    def refuse(self):
        if self.is_unknown():
            raise Stop(f"there is no node {self.node}:"
                       " no registry, server, slot or service has that name")
        routes = self.nodes.owner(self.publisher).value(ROUTES, self.node)
        if routes:
            raise Stop(f"{self.node} has rows, by the registry: {routes}. Move them first, by iuid move; or, if {self.node} is lost,"
                       " let the routes lead elsewhere")
        if not self.given.lost:
            moves = self.nodes.owner(self.node).value(MOVES)
            if moves:
                raise Stop(f"{self.node} copies country {moves}: let iuid move finish or abort end that first")

    def is_unknown(self):
        """Of one that is removed in part something is left, and of any other one the service."""
        return not (self.registered or self.node in services()
                    or slot_of(self.node) in self.nodes.facts(self.publisher)["slots"]
                    or any(self.nodes.owner(node).read(MAPPINGS, self.server)
                           for node in self.nodes.names))

    def stop_if_left(self):
        self.nodes.stop_if_left(f", with --server {self.server}" if self.server != self.node else "")

    def forget_at(self, node):
        session = self.nodes.owner(node)
        session.wait(lambda: not session.read(KNOWN, self.node), time.monotonic() + ARRIVE, f"the registry is without {self.node}")
        if not self.nodes.dry:
            tables.make(session)
        # A foreign table that is left keeps the server, and the error names it.
        mappings = session.read(MAPPINGS, self.server)
        if mappings:
            self.nodes.change(node, *(f"DROP USER MAPPING FOR {to_role(row.role)} SERVER {name(self.server)}"
                                for row in mappings if row.role is not None), f"DROP SERVER {name(self.server)}")
        for row in session.read(NOBODYS):
            if row.server != self.server:
                say(node, f"-- The server {name(row.server)} is of no node.  If it was that of {self.node}, --server drops it.")

    def unsubscribe(self):
        if not self.given.lost:
            found = of_registry(self.nodes.facts(self.node))
            if found:
                self.nodes.change(self.node, *dropping(*names(found)))
        slot = slot_of(self.node)
        if self.node in self.nodes.left or slot not in self.nodes.facts(self.publisher)["slots"]:
            return
        session = self.nodes.owner(self.publisher)
        session.wait(lambda: not self.nodes.facts(self.publisher)["slots"][slot]["active"], time.monotonic() + ARRIVE, f"nobody reads {slot}")
        self.nodes.change(self.publisher, f"SELECT pg_drop_replication_slot({quote(slot)})")
