"""A node has another address: after a failover, or as its server has moved.

The other nodes reach it by a foreign server, by their subscriptions, and by the service of libpq on their
machines.  No superuser comes in over the network, so this does what is on its own machine, and says on
which machines it is to be run, too.
"""

import re
from contextlib import suppress

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from services import change_service
from sessions import SECONDS, SUBSCRIPTIONS, Session, Silent, Stop, limited, machines, name, quote, words

PARTS = "host", "port"

# The foreign server by which a node reaches another one.
SERVER = """
SELECT n.server, (SELECT option_value FROM pg_options_to_table(s.srvoptions) WHERE option_name = 'host') AS host,
	coalesce((SELECT option_value FROM pg_options_to_table(s.srvoptions) WHERE option_name = 'port'), '5432') AS port
FROM @iuid@.iuid_nodes AS n JOIN pg_foreign_server AS s ON s.srvname = n.server WHERE n.node = %s::text"""


def run(given):
    ways = machines(given.machine)
    new = {"host": given.host, "port": str(given.port)}
    sessions = {node: Session(node, way, f"address_{given.node}", "machine", given.dry_run, takes_over=None) for node, way in ways.items()}
    answers(given.node, new)
    for node, session in sessions.items():
        if node != given.node:
            at_node(session, given.node, new)
    change_service(given.node, f"host={given.host}, port={given.port}", lambda section: changed(section, new), given.dry_run)
    others = sorted({row[0] for session in sessions.values() for row in session.read("SELECT node FROM @iuid@.iuid_nodes")}
                    - {given.node, *ways})
    others = [node for node in others if not has(node, given.node, new)]
    if others:
        raise Stop(f"{', '.join(others)} still has the old address: run this command on the machine there, too"
                   if len(others) == 1 else
                   f"{', '.join(others)} still have the old address: run this command on their machines, too")
    print(f"{given.node} is reached at {given.host}, port {given.port}.")


def has(other, node, new):
    """Whether another node has the address already: its server gets it last."""
    session = Session(other, make_conninfo(service=other), f"address_{node}", "owner", locks=False)
    try:
        return any({part: getattr(row, part) for part in PARTS} == new for row in session.read(SERVER, node))
    except Silent:
        return False


def takes_writes(node, address):
    """Whether what answers at an address is the node, and no standby."""
    try:
        with psycopg.connect(make_conninfo(service=node, **address), connect_timeout=5, tcp_user_timeout=5000, client_encoding="utf8",
                             options="-c search_path=pg_catalog,pg_temp") as session, limited(session, SECONDS):
            said, standby = session.execute("SELECT current_setting('iuid.node', true), pg_is_in_recovery()").fetchone()
    except psycopg.OperationalError as error:
        raise Silent(f"nothing answers as {node} at {address['host']}, port {address['port']}, as this machine reaches it: {words(error)}") from None
    return said == node and not standby


def answers(node, new):
    if not takes_writes(node, new):
        raise Stop(f"what answers at {new['host']}, port {new['port']} is not {node}, or is a standby")


def at_node(session, node, new):
    """The server and the subscriptions of one node."""
    rows = session.read(SERVER, node)
    if len(rows) != 1:
        raise Stop(f"{session.node} has no foreign server of {node}")
    old = {part: getattr(rows[0], part) for part in PARTS}
    if old == new:
        return
    for host, port in zip((old["host"] or "").split(","), (old["port"] + "," + old["port"]).split(",")):
        if {"host": host, "port": port} == new:
            continue
        with suppress(Silent):
            if takes_writes(node, {"host": host, "port": port}):
                raise Stop(f"{node} takes writes at {host}, port {port}, too: rows that come there are lost. Stop that server, and"
                           " keep it from starting again, first")
    for subscription in session.read(SUBSCRIPTIONS):
        way = conninfo_to_dict(subscription.way)
        if {part: way.get(part, "5432") for part in PARTS} == old:
            session.secret_transaction(lambda secret: [f"ALTER SUBSCRIPTION {name(subscription.name)} CONNECTION {secret}"],
                                       quote(make_conninfo(**(way | new))))
    # Last, as it says what the old address was.
    options = ", ".join(f"{'ADD' if part == 'host' and old[part] is None else 'SET'} {part} {quote(new[part])}" for part in PARTS)
    session.do(f"ALTER SERVER {name(rows[0].server)} OPTIONS ({options});")


def changed(section, new):
    for part, value in new.items():
        line = re.compile(rf"^{part}\s*=.*$", re.MULTILINE)
        section = line.sub(lambda _: f"{part}={value}", section) if line.search(section) else f"{section.rstrip()}\n{part}={value}\n"
    return section
