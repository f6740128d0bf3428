"""The switch, the way back from it, and what comes after it.

While nobody writes, both nodes have the same rows, which the command compares; so it does not matter
which one is read.  The switch uses that moment.  It ends when the old node gives the country up, which
is one transaction.  Until then everything can be undone; from then on the new node is opened, whatever
else fails.  The other nodes can then take their time: the old node leads them to the new one.

Each step looks whether it is done, so the steps can be repeated from the first one.  All that can be
read before is read before nobody can write: each reading is a round trip.
"""

import contextlib
import threading
import time

import psycopg

from move import checks, comparing, copying, state
from move.country import LEADING, STANDING, attached, by_default, moved, no_rights, nobody_else, rights, tree
from sessions import Silent, Stop, TooLong, at_once, name, quote, say

REFUSED = 60  # seconds after which a refusal ends by itself, unless the switch that has its limit renews it
OTHERS = 10  # seconds that the other nodes have to look for the country at the new one
TRIGGERS = 5  # seconds to drop the triggers of a node that takes writes again
LAGGARD = 2  # seconds that the switch waits until another node than the old and new one has the route


def forward(nodes, move, limit):
    """The steps until the old node has given the country up, and the one that opens the new node."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    nodes.routed = any(leads_to(nodes.owner(each), move, move.new) for each in nodes.publishers())
    attaching, showing, giving_up = attachment(nodes, move), views(nodes, move), surrender(old, move)
    outside, pairs = copying.keys_outside(new, move), comparing.pairs(nodes, move)
    prepare(nodes, move)
    say(move.old, "-- Refuses writes from here on.  If this command ends and does not say that they are taken again, start "
        f"switch or abort.  Without that, they are taken again after {REFUSED} s.")
    begin = time.monotonic()
    deadline = begin + limit
    with refusing(nodes, move, deadline):
        give_up(nodes, move, deadline, attaching, showing, giving_up, outside, pairs)
    accept(new, move)
    say(move.new, f"-- Takes writes, which this command refused for {time.monotonic() - begin:.2f} s.  "
        "From here on the move only goes forward.")


@contextlib.contextmanager
def refusing(nodes, move, deadline):
    """The old node refuses writes for a minute, or longer as long as this command runs and has time."""
    lease, ended = nodes.lease.session(move.old), threading.Event()
    nodes.owner(move.old).transaction(state.refuse(move, REFUSED))

    def renew():
        while not ended.wait(REFUSED / 3) and time.monotonic() < deadline:
            with contextlib.suppress(Stop, psycopg.Error):  # the old node proves at the end whether it has lapsed
                lease.transaction(state.refuse(move, REFUSED, again=True))

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        refuse(nodes, move, deadline)
        yield
    finally:
        ended.set()
        thread.join()


def give_up(nodes, move, deadline, attaching, showing, giving_up, outside, pairs):
    """The steps while nobody can write."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    copying.passed(nodes, move, old.value("SELECT pg_current_wal_lsn()::text"), deadline)
    if any(table.divided for table in move.tables):
        copying.months(nodes, move, make=False)
        copying.new_months(nodes, move)
        attaching, giving_up = attachment(nodes, move), surrender(old, move)
    seen = comparing.last(nodes, move, pairs)
    copying.prove(nodes, move, outside)
    if attaching:
        new.do_locked(*attaching, deadline)
    wait_for_snapshots(nodes, move, deadline)
    route(nodes, move, move.old, move.new, deadline)
    if showing:
        new.transaction(*showing)
    locks, statements = giving_up
    old.do_locked(locks, [state.nobody_wrote(move, seen), *statements], deadline)


def wait_for_snapshots(nodes, move, deadline):
    """The transactions that have a snapshot of before would look for the rows at the new node, in vain."""
    left = checks.snapshots(nodes, move)

    def ended():
        if left:
            left.intersection_update(checks.snapshots(nodes, move))
        return not left

    nodes.subscriber(move.new).wait(ended, deadline, "transactions that would not see the rows have ended")


def complete(nodes, move):
    """The old node has given the country up: the new one is opened, and has it."""
    deadline = time.monotonic() + 60
    attaching = attachment(nodes, move)
    if attaching:
        nodes.owner(move.new).do_locked(*attaching, deadline)
    accept(nodes.owner(move.new), move)
    say(move.new, "-- Takes writes.")


def again(nodes, move):
    """The old node was restored from a backup, and has the country once more: it gives it up again."""
    old = nodes.owner(move.old)
    try:
        route(nodes, move, move.old, move.new, time.monotonic() + 5)
    except TooLong as error:
        raise Stop(f"{error}. The registry of {move.old} is behind, too: let it subscribe again first") from error
    with refusing(nodes, move, time.monotonic() + comparing.SECONDS):
        seen = comparing.noted(old, move)
        comparing.after(nodes, move, lambda table: table.part)
        locks, statements = surrender(old, move)
        old.do_locked(locks, [state.nobody_wrote(move, seen), *statements], time.monotonic() + 60)


def refuse(nodes, move, deadline):
    """The old node refuses to write, all tables at once.  The locks wait for who has written."""
    def one(table):
        session_for(nodes, move.old, table).do_locked(
            [table.part], state.refusing_triggers(move, table.part) + state.always(move, table.part, *state.REFUSING),
            deadline, "SHARE ROW EXCLUSIVE")

    for error in at_once(one, {table.part: [table] for table in move.tables}).values():
        if error:
            raise error


def accept(session, move):
    """A node takes writes, without a lock: its triggers do nothing from then on."""
    session.transaction(*state.takes_writes(move), state.enter(move, state.SERVING))


def drop_triggers(session, move, deadline):
    for table in move.tables:
        if state.has_triggers(session, table.part, move):
            session.do_locked([table.part], state.no_triggers(move, table.part, *state.REFUSING), deadline)


def attachment(nodes, move):
    """The locks and statements by which the new node reads its copy, with the rights that others have.

    It does not know the new route yet, so this drops the foreign tables of the country itself.  From here
    on it notes which rows are changed.
    """
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    there = attached(new, move)
    tables = [table for table in move.tables if table not in there]
    locks = [f"ONLY {table.globally}" for table in tables if table.globally]
    locks += [f"ONLY {relation}" for table in tables for relation in (table, table.part)]
    statements = [f"DROP FOREIGN TABLE {relation}" for table in tables for relation in foreign(new, table, move)]
    statements += [f"ALTER TABLE {table} ATTACH PARTITION {table.part} {table.bounds(move.country)}" for table in tables]
    suffix = "" if attached(old, move) else "_moved"
    relations = {}
    for table in tables:
        statements += state.always(move, table.part, *state.NOTING, *state.REFUSING)
        for part in tree(new, table):
            relations[name(part.schema, part.name)] = name(part.schema, moved(part.name, suffix))
    statements += rights(old, relations)
    statements += [f"DELETE FROM {move.at('changes')}", state.enter(move, state.ATTACHED)]
    return (locks, statements) if tables else None


def foreign(session, table, move):
    """The foreign table of the country in the global table of a node."""
    return [row[0] for row in session.read("""
        SELECT c.oid::regclass::text FROM pg_inherits AS i
            JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relkind = 'f'
        WHERE i.inhparent = to_regclass(%(globally)s) AND pg_get_expr(c.relpartbound, c.oid) =
            format('FOR VALUES FROM (%%L) TO (%%L)',
                @iuid@.iuid_country_floor(%(country)s::int4), @iuid@.iuid_country_floor(%(country)s::int4 + 1))""",
        {"globally": table.globally, "country": move.country})]


def route(nodes, move, before, after, deadline):
    """The routes change where nobody subscribes to them, and reach the others."""
    for each in nodes.publishers():
        publisher = nodes.owner(each)
        if leads_to(publisher, move, before):
            nodes.routed = True
            publisher.do(f"UPDATE @iuid@.iuid_routes SET node = {quote(after)} WHERE {routes(move, before)};")

    def arrive(each):
        ends = deadline
        if each not in (move.old, move.new):
            ends = min(deadline, time.monotonic() + LAGGARD)
        nodes.owner(each).wait_until(
            f"SELECT @iuid@.iuid_node({move.country}, {move.tables[0].entity}) = {quote(after)}", ends, "the new route")

    for each, error in at_once(arrive, {each: [each] for each in nodes.answering()}).items():
        if error and each in (move.old, move.new):
            raise error
        if error:
            say(each, f"-- {error}")
            nodes.silent.add(each)


def routes(move, node):
    """The condition on the routes of the move, as long as they lead to a node, or with None to nowhere."""
    entities = " OR ".join("entity IS NULL" if entity is None else f"entity = {entity}"
                           for entity in move.entities)
    there = "node IS NULL" if node is None else f"node = {quote(node)}"
    return f"country = {move.country} AND {there} AND ({entities})"


def leads_to(session, move, node):
    """Whether one of the routes leads to a node, by the registry of the session."""
    return session.value(f"SELECT EXISTS (SELECT FROM @iuid@.iuid_routes WHERE {routes(move, node)})")


def views(nodes, move):
    """The statements by which the new node shows its partitions, with the rights that others had."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    missing = [table for table in move.tables if new.dry or not shows(new, table)]
    statements = []
    for table in missing:
        statements.append(f"SELECT @iuid@.iuid_create_routed_partitions({quote(str(table))}::regclass, {table.entity})")
        statements += no_rights(table.view, by_default(new))
    return [*statements, *rights(old, {table.view: table.view for table in missing})] if missing else None


def shows(session, table):
    """Whether a node has the view of a table for the other nodes, and not something of somebody else under its name."""
    return session.value("SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(%s) AND relkind = 'v'"
                         " AND pg_get_userbyid(relowner) = current_user)", table.view)


def linked(move, session):
    """The tables of the move in groups that foreign keys link."""
    groups = []
    for table in move.tables:
        ends = {copying.inside(move, key) for key in copying.keys_inside(session, move, table)} | {table}
        near = [group for group in groups if ends & set(group)]
        groups = [group for group in groups if group not in near] + [[*(each for group in near for each in group), table]]
    return groups


def follow(nodes, move, deadline):
    """The other nodes look for the country where the route says, all at once, each as soon as it can.

    Tables that foreign keys link do so in one transaction, or a row could arrive before the one that it
    refers to, by another way.  Others do so by themselves: they hold up nobody for each other.  Gives the
    nodes that are behind, as they do not answer or their tables are in use.
    """
    def one(each, tables):
        session = session_for(nodes, each, tables[0])
        left = [table for table in tables if table.globally and not follows(session, table, move)]
        if left:
            locks = [f"ONLY {table.globally}" for table in left[::-1]] + [str(table) for table in left[::-1]]
            session.do_locked(locks, [at_node(table) for table in left], deadline)

    busy = set()
    groups = linked(move, nodes.owner(move.old if move.new in nodes.silent else move.new))
    others = [each for each in nodes.answering() if each not in (move.old, move.new)]
    calls = {(each, n): (each, group) for each in others for n, group in enumerate(groups)}
    for (each, _), error in at_once(one, calls).items():
        if isinstance(error, Stop):
            say(each, f"-- {error}")
            (nodes.silent if isinstance(error, Silent) else busy).add(each)
        elif error:
            raise error
    return (nodes.silent | busy) - {move.old, move.new}


def session_for(nodes, node, table):
    """A session for each table: they do not wait for each other."""
    return nodes.session(f"table {table}", node, nodes.way(node))


def prepare(nodes, move):
    """What takes round trips, before anybody waits."""
    sessions = [nodes.owner(move.old), nodes.owner(move.new)]
    sessions += [session_for(nodes, move.old, table) for table in move.tables]
    for error in at_once(lambda session: session.prepare(), {id(session): [session] for session in sessions}).values():
        if error:
            raise error


def follows(session, table, move):
    """Whether the foreign table of a country is on the server of its route."""
    return session.value(f"""
        SELECT EXISTS (SELECT FROM pg_foreign_table AS f JOIN pg_foreign_server AS s ON s.oid = f.ftserver
                JOIN @iuid@.iuid_nodes AS n ON n.server = s.srvname
            WHERE f.ftrelid = to_regclass(%s) AND n.node = @iuid@.iuid_node({move.country}, {table.entity}))""",
        (foreign(session, table, move) or [None])[0])


def at_node(table):
    return (f"SELECT @iuid@.iuid_create_global_table({quote(table.globally)}::text, {quote(str(table))}::regclass,"
            f" {table.entity})")


def surrender(old, move):
    """The locks and statements by which the old node gives the country up.

    Its views stay until finish, and show the rows of the new node to who still looks for them here.
    """
    leading = {table.view: old.read(LEADING, {"at": table.view, "part": table.part, "globally": table.globally,
                                              "country": move.country, "new": move.new})
               for table in move.tables if shows(old, table)}
    locks, statements = leaving(old, move, move.tables, leading)
    for table in reversed(move.tables):
        statements += [f"ALTER TABLE {name(part.schema, part.name)} RENAME TO {name(moved(part.name))}"
                       for part in reversed(tree(old, table))]
    statements += [at_node(table) for table in move.tables if table.globally]
    statements.append(state.enter(move, state.GIVEN_UP))
    return locks, statements + [row[0] for found in leading.values() for row in found]


def leaving(session, move, tables, views):
    """Detaches the partitions of the country.  What refers to others goes before them."""
    tables = tables[::-1]
    # In the order of a reader here, and of one who comes from another node to a view.
    locks = [f"ONLY {table.globally}" for table in tables if table.globally]
    locks += [f"ONLY {table}" for table in tables]
    locks += [table.view for table in tables if table.view in views]
    locks += [str(table) for table in tables]
    statements = []
    for table in tables:
        statements.append(f"ALTER TABLE {table} DETACH PARTITION {table.part}")
        # Otherwise its rows would keep those that they refer to.
        statements += [f"ALTER TABLE {table.part} DROP CONSTRAINT {name(key.name)}"
                       for key in session.read(copying.KEYS, table.part) if copying.inside(move, key)]
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
        if nodes.routed and any(state.has_triggers(old, table.part, move) for table in move.tables):
            raise
    behind = follow(nodes, move, deadline)
    if not without_new:
        detach(nodes.owner(move.new), move, deadline)
    old.transaction(*state.takes_writes(move))
    try:
        drop_triggers(old, move, time.monotonic() + TRIGGERS)
    except TooLong as error:
        say(move.old, f"-- {error}.  It takes writes again; its triggers stay, and do nothing.")
    return behind


def take_back(nodes, move):
    """The old node has the country again, with the rows that it keeps: the new one has lost them.

    The rows come before the route: who follows the route finds them, and does not find that there is no row.
    """
    old, deadline = nodes.owner(move.old), time.monotonic() + 60
    tables = [table for table in move.tables if table not in attached(old, move)]
    statements = [old.value(STANDING, {"at": table.view, "part": state.kept(table)}) for table in tables if shows(old, table)]
    statements += [f"DROP FOREIGN TABLE {relation}" for table in tables for relation in foreign(old, table, move)]
    for table in tables:
        statements += [f"ALTER TABLE {name(part.schema, part.name)} RENAME TO {name(unmoved(table, part))}"
                       for part in reversed(tree(old, table, state.kept(table)))]
        statements.append(f"ALTER TABLE {table} ATTACH PARTITION {table.part} {table.bounds(move.country)}")
    if statements:
        old.do_locked([f"ONLY {table.globally}" for table in tables if table.globally] + [str(table) for table in tables], statements, deadline)
    for each in nodes.publishers():
        nodes.owner(each).do(f"UPDATE @iuid@.iuid_routes SET node = {quote(move.old)}"
                             f" WHERE {routes(move, None)} OR {routes(move, move.new)};")
    route(nodes, move, move.new, move.old, deadline)
    # The views, as they are made for a country of this node.
    shown = [table.view for table in move.tables if shows(old, table)]
    statements = [f"DROP VIEW {view}" for view in shown]
    statements += [f"SELECT @iuid@.iuid_create_routed_partitions({quote(str(table))}::regclass, {table.entity})"
                   for table in move.tables]
    statements += rights(old, {view: view for view in shown})
    old.do_locked([str(table) for table in move.tables], [*statements, state.enter(move, state.SERVING)], deadline)
    follow(nodes, move, deadline)
    copying.withdraw(nodes, move)


def unmoved(table, part):
    return table.part_name if part.level == 0 else part.name.removesuffix("_moved")


def detach(new, move, deadline):
    """The new node looks for the country at the old node again, and keeps its copy, which is the owner's alone."""
    there = attached(new, move)
    tables = [table for table in move.tables if table in there]
    shown = [table.view for table in move.tables if shows(new, table)]
    locks, statements = leaving(new, move, tables, shown)
    statements += [f"DROP VIEW {view}" for view in shown]
    for table in tables:
        statements += state.not_for_replication(move, table.part, *state.REFUSING)
        for part in tree(new, table):
            statements += nobody_else(new, name(part.schema, part.name))
    statements += [at_node(table) for table in move.tables if table.globally]
    statements.append(state.enter(move, state.COPYING))
    if tables or shown:
        new.do_locked(locks, statements, deadline)


def clean(nodes, move):
    """After the switch: replication ends, and the new node needs its triggers no more."""
    new, old = nodes.owner(move.new), nodes.owner(move.old)
    copying.unsubscribe(nodes, move)
    copying.drop_slots(nodes, move)
    if old.value("SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = %s::name)", move.name):
        old.do(f"DROP PUBLICATION {name(move.name)};")
    drop_triggers(new, move, time.monotonic() + 60)


def finish(nodes, move, old_knows, new_knows):
    """After the switch: the views and rows that the old node keeps, and what both nodes know of the move."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    if old_knows:
        old.transaction(*(f"DROP VIEW IF EXISTS {table.view}" for table in move.tables),
                        *(f"DROP TABLE {state.kept(table)}" for table in reversed(move.tables)), *state.forget(move))
        nodes.lease.forget(move.old)
    if new_knows:
        triggers = [statement for table in move.tables
                    for statement in state.no_triggers(move, table.part, *state.REFUSING, *state.NOTING)]
        new.do_locked([table.part for table in move.tables], [*triggers, *state.forget(move)], time.monotonic() + 60)
        nodes.lease.forget(move.new)
