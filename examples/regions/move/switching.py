"""The switch, the way back from it, and what comes after it.

While nobody writes, both nodes have the same rows; so it does not matter which one is read.  The
switch uses that moment.  It ends when the old node gives the country up, which is one transaction.
Until then everything can be undone; from then on the new node is opened, whatever else fails.
Each step looks whether it is done, so the steps can be repeated from the first one.
"""

import concurrent.futures
import time

import psycopg

import copying
from country import (KEYS, RIGHTS, TREE, attached, exists, function, no_triggers, refused, triggers)
from nodes import Silent, Stop, TooLong, say, words

OTHERS = 10  # seconds that nodes have to switch, when the old one has given up already


def forward(nodes, move, limit):
    """The steps until the old node has given the country up, and the one that opens the new node."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    begin = time.monotonic()
    if attached(old, move):
        refuse(old, move, begin + limit)
        begin = time.monotonic()
        deadline = begin + limit
        pass_slot(nodes, move)(deadline)
        copying.months(nodes, move)
        copying.new_months(nodes, move)
        copying.prove(nodes, move, only_outside=True)
        attach(nodes, move, deadline)
        route(nodes, move, move.old, move.new, deadline)
        show(nodes, move)
        follow(nodes, move, others(nodes, move), deadline)
        give_up(nodes, move, deadline)
    new.do(function(move, False) + ";")
    say(move.new, f"-- Takes writes, which were refused for {time.monotonic() - begin:.2f} s.  From here on the move only goes forward.")


def others(nodes, move):
    return [name for name in nodes.names if name not in (move.old, move.new)]


def refuse(old, move, deadline):
    """The old node refuses to write, one table after the other."""
    for table in move.tables:
        if not refused(old, table, move):
            old.do_locked([f"LOCK TABLE {table.part} IN SHARE ROW EXCLUSIVE MODE"], triggers(move, table.part), deadline)


def accept(session, move, deadline):
    """A node needs the triggers no more."""
    for table in move.tables:
        if refused(session, table, move):
            session.do_locked([f"LOCK TABLE {table.part}"], no_triggers(move, table.part), deadline)


def pass_slot(nodes, move):
    """The new node has everything that was written."""
    old = nodes.owner(move.old)
    end = old.value("SELECT pg_current_wal_lsn()::text")
    return lambda deadline: old.wait_until(
        "SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = %s AND confirmed_flush_lsn >= %s::pg_lsn)",
        deadline, f"the slot {move.name} passes {end}", move.name, end)


def attach(nodes, move, deadline):
    """The new node reads its copy.  Its triggers refuse to write there, too."""
    new = nodes.owner(move.new)
    there = attached(new, move)
    tables = [table for table in move.tables if table.local not in there]
    if not tables:
        return
    locks, statements = [], []
    for table in tables:
        foreign = foreign_table(new, table, move)
        if table.globally:
            locks.append(f"LOCK TABLE ONLY {table.globally}")
        if foreign:
            statements.append(f"DROP FOREIGN TABLE {foreign}")
    locks += [f"LOCK TABLE ONLY {name}" for table in tables for name in (table.local, table.part)]
    statements += [f"ALTER TABLE {table.local} ATTACH PARTITION {table.part} {table.bounds(move.country)}" for table in tables]
    new.do_locked(locks, statements, deadline)


def foreign_table(session, table, move):
    """The foreign table of the country in the global table of a node."""
    if not table.globally:
        return None
    rows = session.read(
        "SELECT c.oid::regclass::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relkind = 'f'"
        " WHERE i.inhparent = to_regclass(%(globally)s) AND pg_get_expr(c.relpartbound, c.oid) ="
        " format('FOR VALUES FROM (%%L) TO (%%L)', iuid_country_floor(%(country)s), iuid_country_floor(%(country)s + 1))",
        {"globally": table.globally, "country": move.country})
    return rows[0][0] if rows else None


def route(nodes, move, before, after, deadline):
    """The routes change where nobody subscribes to them, and reach the others."""
    which = " OR ".join("entity IS NULL" if entity is None else f"entity = {entity}" for entity in move.entities)
    for name in nodes.publishers():
        publisher = nodes.owner(name)
        if publisher.value(f"SELECT EXISTS (SELECT FROM iuid_routes WHERE country = {move.country} AND node = '{before}' AND ({which}))"):
            publisher.do(f"UPDATE iuid_routes SET node = '{after}' WHERE country = {move.country} AND node = '{before}' AND ({which});")
    for name in nodes.names:
        if name in nodes.silent:
            continue
        try:
            nodes.owner(name).wait_until(f"SELECT iuid_node({move.country}, {move.tables[0].entity}) = '{after}'", deadline, "the new route")
        except (Silent, TooLong):
            if name in (move.old, move.new):
                raise
            nodes.silent.add(name)


def show(nodes, move):
    """The new node shows its partitions to the others, with the rights that they had."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    for table in move.tables:
        if exists(new, table.view) and not new.dry:
            continue
        rights = [row[0] for row in old.read(RIGHTS, {"at": table.view, "name": table.view})] if exists(old, table.view) else []
        new.do(";\n".join(["BEGIN", f"SELECT iuid_create_country_partitions('{table.local}', {table.entity})", *rights, "COMMIT"]) + ";")


def follow(nodes, move, names, deadline):
    """Other nodes look for the country where the route says, all at once.  Gives those that did not."""
    def one(name):
        session = nodes.owner(name)
        for table in move.tables:
            if table.globally:
                left = max(int((deadline - time.monotonic()) * 1000), 100)
                session.do(f"SET lock_timeout = {left}; SELECT iuid_create_global_table('{table.globally}', '{table.local}', {table.entity});",
                           seconds=left / 1000 + 2)


    with concurrent.futures.ThreadPoolExecutor(max(len(names), 1)) as pool:
        todo = {name: pool.submit(one, name) for name in names if name not in nodes.silent}
        for name, future in todo.items():
            try:
                future.result()
            except Silent as error:
                say(name, f"-- {error}")
                nodes.silent.add(name)
            except psycopg.Error as error:
                if error.sqlstate in ("55P03", "57014"):
                    raise TooLong(f"{name}: {words(error)}") from error
                raise
    return {name for name in names if name in nodes.silent}


def give_up(nodes, move, deadline):
    """The old node detaches its rows, and looks for the country at the new node: the last moment to go back."""
    old = nodes.owner(move.old)
    views = [table.view for table in move.tables if exists(old, table.view)]
    globals_ = [table.globally for table in move.tables if table.globally]
    locks = ([f"LOCK TABLE {view}" for view in views] + [f"LOCK TABLE ONLY {name}" for name in reversed(globals_)]
             + [f"LOCK TABLE {table.local}" for table in reversed(move.tables)])
    statements = [f"DROP VIEW {view}" for view in views]
    for table in reversed(move.tables):
        keys = [key.quoted for key in old.read(KEYS, table.part) if move.table(key.target)]
        statements.append(f"ALTER TABLE {table.local} DETACH PARTITION {table.part}")
        statements += [f"ALTER TABLE {table.part} DROP CONSTRAINT {key}" for key in keys]
        statements += [f"ALTER TABLE {part.part} RENAME TO {part.moved}" for part in reversed(old.read(TREE, table.part))]
    statements += [f"SELECT iuid_create_global_table('{table.globally}', '{table.local}', {table.entity})"
                   for table in move.tables if table.globally]
    old.do_locked(locks, statements, deadline)


def back(nodes, move, without_new=False):
    """Undoes what the switch has done so far, to exactly what was before it; the copy goes on."""
    old = nodes.owner(move.old)
    if not attached(old, move):
        raise Stop(f"{move.old} has given the country up already: the move only goes forward. Start switch again")
    deadline = time.monotonic() + 60
    route(nodes, move, move.new, move.old, deadline)
    behind = follow(nodes, move, others(nodes, move), deadline)
    if not without_new:
        detach(nodes, move, deadline)
    accept(old, move, deadline)
    return behind


def detach(nodes, move, deadline):
    """The new node looks for the country at the old node again, and keeps its copy."""
    new = nodes.owner(move.new)
    there = attached(new, move)
    tables = [table for table in move.tables if table.local in there]
    locks, statements = [], []
    for table in reversed(tables):
        if exists(new, table.view):
            locks.append(f"LOCK TABLE {table.view}")
            statements.append(f"DROP VIEW {table.view}")
    locks += [f"LOCK TABLE ONLY {table.globally}" for table in reversed(tables) if table.globally]
    locks += [f"LOCK TABLE {table.local}" for table in reversed(tables)]
    for table in reversed(tables):
        keys = [key.quoted for key in new.read(KEYS, table.part) if move.table(key.target)]
        statements.append(f"ALTER TABLE {table.local} DETACH PARTITION {table.part}")
        # Its rows refer to rows of the next table, which could not be detached.
        statements += [f"ALTER TABLE {table.part} DROP CONSTRAINT {key}" for key in keys]
    # Also where the country was detached already, and the program killed before it could go on.
    statements += [f"SELECT iuid_create_global_table('{table.globally}', '{table.local}', {table.entity})"
                   for table in move.tables if table.globally]
    new.do_locked(locks, statements, deadline)


def clean_new(nodes, move):
    """After the switch: replication ends, and the new node needs its triggers no more."""
    new, old = nodes.owner(move.new), nodes.owner(move.old)
    if copying.has_subscription(nodes, move):
        nodes.subscriber(move.new).do(f"DROP SUBSCRIPTION {move.name};", seconds=60)
    copying.drop_slots(nodes, move)
    if old.value("SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = %s)", move.name):
        old.do(f"DROP PUBLICATION {move.name};")
    accept(new, move, time.monotonic() + 60)
