"""A node gets another name.  Its foreign server at the other nodes keeps the old one.

  the publisher     has the new name in the registry
  the node itself   has it as iuid.node, at once after that, and all its sessions end
  each machine      has it in the file of services
  the node itself   has a subscription and a slot of its name
  all nodes         make their global views with it
"""

import time

import psycopg
from psycopg.conninfo import make_conninfo

import tables
from registry.nodes import Nodes, of_registry, slot_of
from registry.publishing import Change
from services import change_service, services
from sessions import SECONDS, Session, Silent, Stop, limited, machines, name, quote, words

ARRIVE = 60  # seconds for a change of the registry

REGISTERED = "SELECT count(*) = 1 AND bool_and(node = %s::text) FROM @iuid@.iuid_nodes WHERE node IN (%s::text, %s::text)"

END = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid();"""


def run(given):
    if given.new == given.node or not given.new.isprintable() or given.new != given.new.strip():
        raise Stop("the new name is another one, of one line, without spaces around it")
    service = given.node if given.node in services() else given.new
    called = name_of(service)
    if called not in (given.node, given.new):
        raise Stop(f"the service {service} leads to {called}")
    if service != given.new and given.new in services() and name_of(given.new) != called:
        raise Stop(f"there is a service {given.new}, which leads to {name_of(given.new)}")
    if called == given.node:
        give_name(given)
    if given.new not in services():
        change_service(given.node, f"[{given.new}]", lambda section: section.replace(f"[{given.node}]", f"[{given.new}]", 1),
                       given.dry_run)
    if given.dry_run:
        print("Nothing was changed, as this is a dry run.")
        return
    if name_of(given.new) != given.new:
        raise Stop(f"{given.node} has another setting iuid.node beside that of its database: give that the new name, too")
    follow(given)
    print(f"{given.node} is called {given.new}. On each other machine, start this command, too, for the service of libpq there.")


def name_of(service):
    try:
        with psycopg.connect(make_conninfo(service=service), connect_timeout=5, client_encoding="utf8") as session, limited(session, SECONDS):
            return session.execute("SELECT pg_catalog.current_setting('iuid.node', true)").fetchone()[0] or "a database without iuid.node"
    except psycopg.OperationalError as error:
        raise Silent(f"{service} does not answer: {words(error)}") from error


def give_name(given):
    """To the registry, and then to the node: in between its rows are not found."""
    ways = machines(given.machine)
    node = given.node in ways and Session(given.node, ways[given.node], "rename", "machine", given.dry_run, takes_over=None)
    knows = REGISTERED, given.new, given.node, given.new
    if not (node and node.value(*knows)):
        register(given)
    if not node:
        raise Stop(f"the registry has the name {given.new}: at once, start this command on the machine of {given.node}")
    node.wait_until(knows[0], time.monotonic() + ARRIVE, "the new name arrives", *knows[1:])
    node.do(f"ALTER DATABASE {name(node.value('SELECT current_database()::text'))} SET iuid.node = {quote(given.new)};")
    node.do(END)
    node.close()


def register(given):
    nodes = Nodes(given.machine, given.dry_run)
    nodes.find(but=[given.new])
    # It arrives at one node after the other.
    if any(nodes.owner(node).value(REGISTERED, given.new, given.node, given.new)
           for node in nodes.answering() if node != given.new):
        return
    if given.new in nodes.names:
        raise Stop(f"there is a node {given.new} already")
    if given.node not in nodes.names:
        raise Stop(f"the registry does not know {given.node}")
    nodes.require_all("a node gets another name")
    nodes.lock()
    publisher = nodes.publisher()
    old, new = quote(given.node), quote(given.new)
    if not nodes.change(publisher, f"INSERT INTO @iuid@.iuid_nodes SELECT {new}, region, server FROM @iuid@.iuid_nodes WHERE node = {old}",
                        f"UPDATE @iuid@.iuid_routes SET node = {new} WHERE node = {old}",
                        f"DELETE FROM @iuid@.iuid_nodes WHERE node = {old}"):
        raise Stop(f"the registry is changed first: start this command on the machine of {publisher}")
    nodes.close()


def follow(given):
    """What bears the name of the node."""
    nodes = Nodes(given.machine)
    nodes.find(but=[given.node])
    nodes.names = [node for node in nodes.names if node != given.node]
    nodes.silent.pop(given.node, None)
    for node in nodes.answering():
        nodes.owner(node).wait_until(REGISTERED, time.monotonic() + ARRIVE, "the new name arrives", given.new, given.node, given.new)
    nodes.require_all("its subscription gets the name")
    nodes.lock()
    publisher = nodes.publisher()
    change = Change(nodes, publisher, [])
    if given.new != publisher and not subscribes_as(nodes, given.new):
        if given.new not in nodes.machines:
            raise Stop(f"the subscription has the old name: start this command on the machine of {given.new}")
        change.subscribe_at(given.new)
    slot = slot_of(given.node)
    if slot in nodes.facts(publisher)["slots"] and given.new in nodes.machines:
        change.drop_slots(publisher, [slot], lambda: change.coming(given.new).do(f"SELECT pg_drop_replication_slot({quote(slot)});"))
    for node in nodes.names:
        session = nodes.owner(node)
        for relation in tables.read(session):
            if relation.is_view:
                session.do(f"{tables.call(relation)};", seconds=600)


def subscribes_as(nodes, node):
    return [each["slot"] for each in of_registry(nodes.facts(node))] == [slot_of(node)]
