"""The switch, the way back from it, and what comes after it.

While nobody writes, both nodes have the same rows; so it does not matter which one is read.  The
switch uses that moment.  It ends when the old node gives the country up, which is one transaction.
Until then everything can be undone; from then on the new node is opened, whatever else fails.  The
other nodes can then take their time: the old node leads them to the new one.

Each step looks whether it is done, so the steps can be repeated from the first one.  All that can be
read before is read before nobody can write: each reading is a round trip.
"""

import concurrent.futures
import time

from psycopg.sql import quote

import copying
from country import (KEYS, LEADING, TREE, attached, by_default, exists, function, has_triggers, no_triggers,
                     rights, triggers)
from nodes import Silent, Stop, TooLong, say

OTHERS = 10  # seconds that the other nodes have to look for the country at the new one
TRIGGERS = 5  # seconds to drop the triggers of a node that takes writes again
LAGGARD = 2  # seconds that the switch waits until another node than the old and new one has the route


def forward(nodes, move, limit):
    """The steps until the old node has given the country up, and the one that opens the new node."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    begin = time.monotonic()
    if attached(old, move):
        nodes.routed = any(leads_to(nodes.owner(name), move, move.new) for name in nodes.publishers())
        attaching, showing, giving_up = attachment(new, move), views(nodes, move), surrender(old, move)
        outside = copying.keys_outside(old, move)
        prepare(nodes, move)
        old.do(function(move, True) + ";")
        begin = time.monotonic()
        deadline = begin + limit
        refuse(nodes, move, deadline)
        pass_slot(old, move, deadline)
        if any(table.divided for table in move.tables):
            copying.months(nodes, move, make=False)
            copying.new_months(nodes, move)
            giving_up = surrender(old, move)
        copying.prove(nodes, move, outside)
        if attaching:
            new.do_locked(*attaching, deadline)
        route(nodes, move, move.old, move.new, deadline)
        if showing:
            new.do(showing)
        old.do_locked(*giving_up, deadline)
    accept(new, move)
    say(move.new, f"-- Takes writes, which this command refused for {time.monotonic() - begin:.2f} s.  "
        "From here on the move only goes forward.")


def refuse(nodes, move, deadline):
    """The old node refuses to write, all tables at once.  The locks wait for who has written."""
    def one(table):
        session_for(nodes, move.old, table).do_locked(
            [table.part], triggers(move, table.part), deadline, "SHARE ROW EXCLUSIVE")

    for error in at_once(one, {table.part: [table] for table in move.tables}).values():
        if error:
            raise error


def accept(session, move):
    """A node takes writes, without a lock: its triggers do nothing from then on."""
    session.do(function(move, False) + ";")


def drop_triggers(session, move, deadline):
    for table in move.tables:
        if has_triggers(session, table, move):
            session.do_locked([table.part], no_triggers(move, table.part), deadline)


def pass_slot(old, move, deadline):
    """The new node has everything that was written."""
    end = old.value("SELECT pg_current_wal_lsn()::text")
    old.wait_until("SELECT EXISTS (SELECT FROM pg_replication_slots"
                   " WHERE slot_name = %s AND confirmed_flush_lsn >= %s::pg_lsn)",
                   deadline, f"the slot {move.name} passes {end}", move.name, end)


def attachment(new, move):
    """The locks and statements by which the new node reads its copy.

    It does not know the new route yet, so this drops the foreign tables of the country itself.
    """
    there = attached(new, move)
    tables = [table for table in move.tables if table.local not in there]
    locks = [f"ONLY {table.globally}" for table in tables if table.globally]
    locks += [f"ONLY {name}" for table in tables for name in (table.local, table.part)]
    statements = [f"DROP FOREIGN TABLE {name}" for table in tables for name in foreign(new, table, move)]
    statements += [f"ALTER TABLE {table.local} ATTACH PARTITION {table.part} {table.bounds(move.country)}"
                   for table in tables]
    return (locks, statements) if tables else None


def foreign(session, table, move):
    """The foreign table of the country in the global table of a node."""
    return [row[0] for row in session.read("""
        SELECT c.oid::regclass::text FROM pg_inherits AS i
            JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relkind = 'f'
        WHERE i.inhparent = to_regclass(%(globally)s) AND pg_get_expr(c.relpartbound, c.oid) =
            format('FOR VALUES FROM (%%L) TO (%%L)',
                iuid_country_floor(%(country)s), iuid_country_floor(%(country)s + 1))""",
        {"globally": table.globally, "country": move.country})]


def route(nodes, move, before, after, deadline):
    """The routes change where nobody subscribes to them, and reach the others."""
    for name in nodes.publishers():
        publisher = nodes.owner(name)
        if leads_to(publisher, move, before):
            nodes.routed = True
            publisher.do(f"UPDATE iuid_routes SET node = '{after}' WHERE {routes(move, before)};")

    def arrive(name):
        ends = deadline
        if name not in (move.old, move.new):
            ends = min(deadline, time.monotonic() + LAGGARD)
        nodes.owner(name).wait_until(
            f"SELECT iuid_node({move.country}, {move.tables[0].entity}) = '{after}'", ends, "the new route")

    for name, error in at_once(arrive, {name: [name] for name in nodes.answering()}).items():
        if error and name in (move.old, move.new):
            raise error
        if error:
            say(name, f"-- {error}")
            nodes.silent.add(name)


def routes(move, node):
    """The condition on the routes of the move, as long as they lead to a node."""
    entities = " OR ".join("entity IS NULL" if entity is None else f"entity = {entity}"
                           for entity in move.entities)
    return f"country = {move.country} AND node = '{node}' AND ({entities})"


def leads_to(session, move, node):
    """Whether one of the routes leads to a node, by the registry of the session."""
    return session.value(f"SELECT EXISTS (SELECT FROM iuid_routes WHERE {routes(move, node)})")


def views(nodes, move):
    """The statements by which the new node shows its partitions, with the rights that others had."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    statements = []
    for table in move.tables:
        if new.dry or not exists(new, table.view):
            statements.append(f"SELECT iuid_create_country_partitions({quote(table.local)}, {table.entity})")
            if exists(old, table.view):
                statements += rights(old, table.view, by_default(new))
    return ";\n".join(["BEGIN", *statements, "COMMIT"]) + ";" if statements else None


def follow(nodes, move, deadline):
    """The other nodes look for the country where the route says, all at once, each as soon as it can.

    Each table by itself: a transaction that needs more than one holds up more for longer.  Gives the
    nodes that are behind, as they do not answer or their tables are in use.
    """
    def one(name, table):
        session = session_for(nodes, name, table)
        if not follows(session, table, move):
            session.do_locked([f"ONLY {table.globally}", table.local], [at_node(table)], deadline)

    busy = set()
    for (name, _), error in at_once(one, followers(nodes, move)).items():
        if isinstance(error, Stop):
            say(name, f"-- {error}")
            (nodes.silent if isinstance(error, Silent) else busy).add(name)
        elif error:
            raise error
    return (nodes.silent | busy) - {move.old, move.new}


def followers(nodes, move):
    """The global tables at the other nodes, by the name of the node and the place of the table."""
    others = [name for name in nodes.answering() if name not in (move.old, move.new)]
    return {(name, n): (name, table) for name in others for n, table in enumerate(move.tables) if table.globally}


def session_for(nodes, name, table):
    """A session for each table: they do not wait for each other."""
    return nodes.session(f"table {table.local}", name, f"service={name}")


def prepare(nodes, move):
    """What takes round trips, before anybody waits."""
    sessions = [nodes.owner(move.old), nodes.owner(move.new)]
    sessions += [session_for(nodes, move.old, table) for table in move.tables]
    at_once(lambda session: session.prepare(), {id(session): [session] for session in sessions})


def follows(session, table, move):
    """Whether the foreign table of a country is on the server of its route."""
    return session.value(f"""
        SELECT EXISTS (SELECT FROM pg_foreign_table AS f JOIN pg_foreign_server AS s ON s.oid = f.ftserver
                JOIN iuid_nodes AS n ON n.server = s.srvname
            WHERE f.ftrelid = to_regclass(%s) AND n.node = iuid_node({move.country}, {table.entity}))""",
        (foreign(session, table, move) or [None])[0])


def at_node(table):
    return f"SELECT iuid_create_global_table({quote(table.globally)}, {quote(table.local)}, {table.entity})"


def at_once(work, calls):
    """Calls WORK with each of some arguments, and gives the errors by the keys of the arguments."""
    with concurrent.futures.ThreadPoolExecutor(max(len(calls), 1)) as pool:
        futures = {key: pool.submit(work, *arguments) for key, arguments in calls.items()}
        return {key: future.exception() for key, future in futures.items()}


def surrender(old, move):
    """The locks and statements by which the old node gives the country up.

    Its views stay until finish, and show the rows of the new node to who still looks for them here.
    """
    leading = {table.view: old.read(LEADING, {"at": table.view, "part": table.part, "globally": table.globally,
                                              "country": move.country, "new": move.new})
               for table in move.tables if exists(old, table.view)}
    locks, statements = leaving(old, move, move.tables, leading)
    for table in reversed(move.tables):
        statements += [f"ALTER TABLE {part.part} RENAME TO {part.moved}"
                       for part in reversed(old.read(TREE, table.part))]
    statements += [at_node(table) for table in move.tables if table.globally]
    return locks, statements + [row[0] for found in leading.values() for row in found]


def leaving(session, move, tables, views):
    """Detaches the partitions of the country.  What refers to others goes before them."""
    tables = tables[::-1]
    # In the order of a reader here, and of one who comes from another node to a view.
    locks = [f"ONLY {table.globally}" for table in tables if table.globally]
    locks += [f"ONLY {table.local}" for table in tables]
    locks += [table.view for table in tables if table.view in views]
    locks += [table.local for table in tables]
    statements = []
    for table in tables:
        statements.append(f"ALTER TABLE {table.local} DETACH PARTITION {table.part}")
        # Otherwise its rows would keep those that they refer to.
        statements += [f"ALTER TABLE {table.part} DROP CONSTRAINT {key.quoted}"
                       for key in session.read(KEYS, table.part) if move.table(key.target)]
    return locks, statements


def back(nodes, move, without_new=False):
    """Undoes what the switch has done so far, to exactly what was before it; the copy goes on.

    The old node comes last: its rows can be written when everybody looks for them there.
    """
    old = nodes.owner(move.old)
    if not attached(old, move):
        raise Stop(f"{move.old} has given the country up already: the move only goes forward. "
                   "Start switch again")
    deadline = time.monotonic() + 60
    try:
        route(nodes, move, move.new, move.old, deadline)
    except Silent:
        # Without the publisher of the registry, too, if the route is what it was.
        if nodes.routed and any(has_triggers(old, table, move) for table in move.tables):
            raise
    behind = follow(nodes, move, deadline)
    if not without_new:
        detach(nodes.owner(move.new), move, deadline)
    accept(old, move)
    try:
        drop_triggers(old, move, time.monotonic() + TRIGGERS)
    except TooLong as error:
        say(move.old, f"-- {error}.  It takes writes again; its triggers stay, and do nothing.")
    return behind


def detach(new, move, deadline):
    """The new node looks for the country at the old node again, and keeps its copy."""
    there = attached(new, move)
    tables = [table for table in move.tables if table.local in there]
    shown = [table.view for table in move.tables if exists(new, table.view)]
    locks, statements = leaving(new, move, tables, shown)
    statements += [f"DROP VIEW {view}" for view in shown]
    statements += [at_node(table) for table in move.tables if table.globally]
    if tables or shown:
        new.do_locked(locks, statements, deadline)


def clean(nodes, move):
    """After the switch: replication ends, and the new node needs its triggers no more."""
    new, old = nodes.owner(move.new), nodes.owner(move.old)
    if copying.has_subscription(nodes, move):
        nodes.subscriber(move.new).do(f"DROP SUBSCRIPTION {move.name};", seconds=60)
    copying.drop_slots(nodes, move)
    if old.value("SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = %s)", move.name):
        old.do(f"DROP PUBLICATION {move.name};")
    drop_triggers(new, move, time.monotonic() + 60)
