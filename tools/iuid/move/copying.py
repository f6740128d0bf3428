"""The copy: logical replication brings the rows of all tables of the country to the new node."""

import time

import psycopg

from move import comparing, state
from move.country import COLUMNS, KEYS, bound, by_default, inside, moved, no_rights, tree
from sessions import Stop, TooLong, in_query, name, quote, say

LAG = 2**18  # bytes of log: with less than that the copy is as good as the original
STILL = 60  # seconds without progress, after which the copy is said to stand still

# How far each worker is: the slot stands still while a table catches up.
RECEIVED = "SELECT relid, received_lsn::text FROM pg_stat_subscription WHERE subname = %s::name ORDER BY 1, 2"

# How far each table of the subscription is.
STATES = """
SELECT s.srsubstate AS state, s.srrelid::int8 AS oid, c.relname AS part, b.subenabled AS enabled
FROM pg_subscription_rel AS s JOIN pg_subscription AS b ON b.oid = s.srsubid JOIN pg_class AS c ON c.oid = s.srrelid
WHERE b.subname = %s::name ORDER BY 3"""

# Its tables that do not move.
STRANGE = """
SELECT s.srrelid::regclass::text AS part FROM pg_subscription_rel AS s JOIN pg_subscription AS b ON b.oid = s.srsubid
WHERE b.subname = %s::name AND s.srrelid NOT IN (SELECT to_regclass(t)::oid FROM unnest(%s::text[]) AS t)"""

SLOT = """
SELECT active, coalesce(wal_status, '') AS wal_status, confirmed_flush_lsn::text AS place,
	coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn), -1)::int8 AS behind
FROM pg_replication_slots WHERE slot_name = %s::name"""


def publish(nodes, move):
    """The old node offers the rows; it notes from here on which are changed."""
    old = nodes.owner(move.old)
    months = [(table, month) for table in move.tables for month in tree(old, table) if table.divided and month.level > 0]
    parts = [table.part for table in move.tables]
    old.do_locked(parts, [
        *state.keep(move, by_default(old), state.SERVING, 1, months, nodes.lease.number),
        *(trigger for table in move.tables for trigger in state.noting_triggers(move, table)),
        *(trigger for table in move.tables for trigger in state.always(move, table.part, *state.NOTING)),
        f"CREATE PUBLICATION {name(move.name)} FOR TABLE {', '.join(parts)} WITH (publish_via_partition_root = true)"],
        time.monotonic() + nodes.given.patience, "SHARE ROW EXCLUSIVE")
    nodes.lease.keeps(move.old)


def prepare(nodes, move):
    """The new node makes empty tables with everything that ATTACH asks for.  They are the owner's alone."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    number = int(old.value(f"SELECT number FROM {move.at('move')}")) if not old.dry else 1
    given = by_default(new)
    statements = list(state.keep(move, given, state.COPYING, number, taking=nodes.lease.number))
    for table in move.tables:
        statements += empty_table(old, move, table, given)
    # ATTACH adopts a foreign key that was made while the table was empty.
    for table in move.tables:
        for key in keys_inside(new, move, table):
            statements.append(f"ALTER TABLE {table.part} ADD CONSTRAINT {name(key.name)} {key.definition}")
    for table in move.tables:
        statements += state.refusing_triggers(move, table.part) + state.noting_triggers(move, table)
    new.transaction(*statements, seconds=120)
    nodes.lease.keeps(move.new)


def empty_table(old, move, table, given):
    """The partition with the tables below it: divided as at the old node, and all else as at the new one."""
    key, floor = name(table.key), "@iuid@.iuid_country_floor"
    for part in tree(old, table):
        if part.level == 0:
            check = (f"CHECK (@iuid@.iuid_country({key}::uuid) = {move.country}"
                     f" AND {key} OPERATOR(@iuid@.~>=~) {floor}({move.country})"
                     f" AND {key} OPERATOR(@iuid@.~<~) {floor}({move.country + 1}))")
            divided = f" PARTITION BY RANGE ({key})" if table.divided else ""
            # ATTACH refuses a partition with identity columns of its own.
            yield f"CREATE TABLE {table.part} (LIKE {table} INCLUDING ALL EXCLUDING IDENTITY, {check}){divided}"
        else:
            yield month(table, part)
        yield from no_rights(name(part.schema, part.name), given)


def month(table, part):
    return f"CREATE TABLE {name(part.schema, part.name)} PARTITION OF {table.part} {bound(part)}"


def subscribe(nodes, move):
    """The new node makes its subscription.  That waits for the transactions that write at the old one."""
    new, subscriber = nodes.owner(move.new), nodes.subscriber(move.new)
    for table in () if new.dry else move.tables:
        if new.value(in_query(f"SELECT EXISTS (SELECT FROM {table.part})")):
            raise Stop(f"{table.part} at {move.new} has rows of a copy that was ended: abort, and copy again")
    drop_slots(nodes, move)
    way = nodes.way_of_copy(move)
    patience = nodes.given.patience
    subscriber.do(f"SET statement_timeout = '{patience}s'")
    owner = "" if subscriber.version() < 160000 else ", run_as_owner = false"
    try:
        subscriber.do(f"CREATE SUBSCRIPTION {name(move.name)} {way} PUBLICATION {name(move.name)}"
                      f" WITH (slot_name = {quote(move.name)}, enabled = false{owner})", seconds=patience + 10)
    except psycopg.errors.QueryCanceled as error:
        raise Stop(f"the copy could not begin within {patience} s, as it waits for the transactions at "
                   f"{move.old} that write{nodes.owner(move.old).in_the_way()}. Start copy again, or abort") from error
    subscriber.do("SET statement_timeout = 0")


def enable(nodes, move):
    """Rows come into the tables of the move alone, whatever else the owner of the publication has put there."""
    new, subscriber = nodes.owner(move.new), nodes.subscriber(move.new)
    strange = [] if new.dry else new.read(STRANGE, move.name, [table.part for table in move.tables])
    if strange:
        raise Stop(f"the publication {move.name} at {move.old} has other tables than those that move: "
                   f"{', '.join(row.part for row in strange)}. Abort, and copy again")
    subscriber.do(f"ALTER SUBSCRIPTION {name(move.name)} ENABLE;")


def has_subscription(nodes, move):
    return nodes.owner(move.new).value(
        "SELECT EXISTS (SELECT FROM pg_subscription WHERE subname = %s::name"
        " AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))", move.name)


def unsubscribe(nodes, move):
    """Ends the subscription, whatever is left of its slot."""
    subscriber = nodes.subscriber(move.new)
    subscriber.read("SELECT 1")  # no other command is about to make it
    if has_subscription(nodes, move):
        for how in "DISABLE", "SET (slot_name = NONE)":
            subscriber.do(f"ALTER SUBSCRIPTION {name(move.name)} {how};")
        subscriber.do(f"DROP SUBSCRIPTION {name(move.name)};", seconds=60)


def drop_slots(nodes, move):
    """A slot without a subscription keeps the log of the old node for ever, and so do those of its tables."""
    old, mover = nodes.owner(move.old), nodes.mover(move.old)
    mine = ("SELECT slot_name AS slot, active FROM pg_replication_slots WHERE slot_name = %s::name OR slot_name ~ '^pg_[0-9]+_sync_'"
            " AND split_part(slot_name::text, '_', 4) = ANY (%s::text[]) AND right(slot_name::text, %s::int4) = %s::text")
    values = move.name, *copied_tables(nodes, move)
    deadline = time.monotonic() + 20
    while True:
        rows = old.read(mine, *values)
        for row in rows:
            if not row.active:
                mover.do(f"SELECT pg_drop_replication_slot({quote(row.slot)});")
        if not any(row.active for row in rows):
            return
        if time.monotonic() > deadline:
            raise TooLong(f"{move.old}: the slot {rows[0].slot} is still in use by its old session")
        time.sleep(0.1)


def copied_tables(nodes, move):
    """What is in the names of the slots by which the tables of the new node are copied."""
    new = nodes.owner(move.new)
    if move.new in nodes.silent:
        return [], 1, ""
    system = str(new.value("SELECT system_identifier FROM pg_control_system()"))
    oids = [str(row[0]) for row in new.read("SELECT to_regclass(t)::oid::int8 FROM unnest(%s::text[]) AS t",
                                            [table.part for table in move.tables]) if row[0]]
    return oids, len(system) + 1, "_" + system


def well(nodes, move):
    """Why the copy cannot go on, or None: what replication needs at both nodes."""
    slots = nodes.owner(move.old).read(SLOT, move.name)
    if not slots:
        return f"the slot {move.name} is not at {move.old}, as after a failover: abort, and copy again"
    if slots[0].wal_status == "lost":
        return f"the slot {move.name} at {move.old} has lost its log: abort, and copy again"
    states = nodes.owner(move.new).read(STATES, move.name)
    if not states:
        return f"the subscription {move.name} is not at {move.new}: start copy"
    if not states[0].enabled:
        return f"the subscription {move.name} at {move.new} is disabled: start copy, or abort"
    return None


def follow(nodes, move):
    """Shows how far the copy is, until it has everything but the last moment."""
    new, subscriber = nodes.owner(move.new), nodes.subscriber(move.new)
    if new.dry:
        say(move.new, "-- Waits until the rows are copied.")
        return
    shown, progress, errors, moving = "", None, count_errors(new, move), time.monotonic()
    before, restarts = {}, 0  # the rows of each table
    while True:
        check_shape(nodes, move)
        why = well(nodes, move)
        if why:
            raise Stop(why)
        states = new.read(STATES, move.name)
        slot, = nodes.owner(move.old).read(SLOT, move.name)
        behind = slot.behind
        copied = dict(subscriber.read("SELECT relid::int8, tuples_processed FROM pg_stat_progress_copy"
                                      " WHERE command = 'COPY FROM' AND relid = ANY (%s::oid[])", [row.oid for row in states]))
        parts = [f"{row.part} " + ("is copied" if row.state in "sr" else "catches up" if row.state == "f"
                                   else f"{copied.get(row.oid, 0):,} rows") for row in states]
        line = ", ".join(parts) + f"; {max(behind, 0):,} bytes of log behind"
        if line != shown:
            say(move.new, "-- " + line)
        shown = line
        received = subscriber.read(RECEIVED, move.name)
        if (parts, slot.place, received) != progress:
            progress, moving = (parts, slot.place, received), time.monotonic()
        # The end of a worker by a time limit is no error to the server.
        restarts += any(0 < count < before.get(oid, 0) for oid, count in copied.items())
        before |= {oid: count for oid, count in copied.items() if count}
        if all(row.state == "r" for row in states) and 0 <= behind < LAG:
            break
        if count_errors(new, move) + restarts > errors + 2:
            raise Stop(f"the subscription {move.name} at {move.new} fails again and again: "
                       "the log of that server says why")
        if time.monotonic() > moving + STILL:
            raise Stop(f"the copy stands still for {STILL} s, {max(behind, 0):,} bytes of log behind, and its worker at "
                       f"{move.new} {'runs' if runs(new, move) else 'does not run'}: the logs of both servers say why")
        time.sleep(1)
    months(nodes, move)
    prove(nodes, move, all_keys(new, move))


def runs(new, move):
    return new.value("SELECT EXISTS (SELECT FROM pg_stat_subscription WHERE subname = %s::name AND pid IS NOT NULL)", move.name)


def passed(nodes, move, place, deadline):
    """Waits until the new node has the changes up to a place in the log of the old one."""
    old = nodes.owner(move.old)
    old.wait_until("SELECT count(*) = 0 OR bool_and(confirmed_flush_lsn >= %s::pg_lsn) FROM pg_replication_slots"
                   " WHERE slot_name = %s::name", deadline, f"the slot {move.name} passes {place}", place, move.name)
    if not old.dry and not old.read(SLOT, move.name):
        raise Stop(f"the slot {move.name} is not at {move.old} any more: abort, and copy again")


def compare(nodes, move, whole):
    """All rows of both nodes, or those that changed since they were compared."""
    def wait(place):
        passed(nodes, move, place, time.monotonic() + STILL)

    if whole:
        comparing.compare(nodes, move, True, wait)
        alive = move.at("alive")
        for node in move.new, move.old:
            nodes.owner(node).do(f"INSERT INTO {alive} SELECT now() WHERE NOT EXISTS (SELECT FROM {alive});")
    comparing.few(nodes, move, wait)


def analyze(nodes, move):
    for table in move.tables:
        nodes.owner(move.new).do(f"ANALYZE {table.part};", seconds=600)


def count_errors(new, move):
    """Of all kinds: PostgreSQL 19 has other columns than the versions before it."""
    return new.value("SELECT coalesce(sum(value::int8), 0) FROM pg_stat_subscription_stats AS s,"
                     " jsonb_each_text(to_jsonb(s)) WHERE subname = %s::name AND key LIKE '%%error_count'", move.name)


def check_shape(nodes, move):
    """A column that one node has and the other has not ends the replication."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    for table in move.tables:
        here = {row.shown for row in old.read(COLUMNS, table.part)}
        for relation in table.part, str(table):
            differ = here ^ {row.shown for row in new.read(COLUMNS, relation)}
            if differ:
                raise Stop(f"the columns of {table.part} at {move.old} and of {relation} at {move.new} differ: "
                           f"{', '.join(sorted(differ))}. Abort this move, and copy again when all nodes have "
                           "the same columns")


def months(nodes, move, make=True):
    """Carries over what maintenance did to the time partitions of the old node meanwhile."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    known = [] if old.dry else old.read(f"SELECT * FROM {move.at('months')}")
    for table in move.tables:
        if not table.divided:
            continue
        here = {part.oid: part for part in tree(old, table) if part.level > 0}
        names = {(part.schema, part.name) for part in here.values()}
        there = {(part.schema, part.name) for part in tree(new, table)}
        for before in known:
            if before.number != table.number:
                continue
            part = here.get(before.oid)
            if part and part.file != before.file:
                raise Stop(f"{part.name} at {move.old} was truncated or rewritten since the copy began, and "
                           "replication does not tell. Abort this move, and copy again")
            if not part and (before.schema, before.name) not in names and (before.schema, before.name) in there:
                new.do_locked(locals_(move), [f"DROP TABLE {name(before.schema, before.name)}"], time.monotonic() + 60)
        for part in made_since(known, here.values()):
            if make and (part.schema, part.name) not in there:
                make_month(new, move, table, part)


def made_since(known, parts):
    oids = {row.oid for row in known}
    return [part for part in parts if part.oid not in oids]


def locals_(move):
    """The tables that foreign keys of the copy refer to, at the new node, which are in use there."""
    return [str(table) for table in move.tables]


def make_month(new, move, table, part):
    """Rows of a month that the new node has not are in its open end, which then overlaps."""
    try:
        new.do_locked(locals_(move), [month(table, part), *no_rights(name(part.schema, part.name), by_default(new))],
                      time.monotonic() + 60, "SHARE ROW EXCLUSIVE")
    except psycopg.errors.InvalidObjectDefinition:
        say(new.node, f"-- Rows of {part.name} stay in the open end of the country.")


def new_months(nodes, move):
    """While nobody writes: a month that was attached with rows has rows that replication did not see."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    known = [] if old.dry else old.read(f"SELECT * FROM {move.at('months')}")
    for table in move.tables:
        for part in made_since(known, [part for part in tree(old, table) if table.divided and part.level > 0]):
            key, copy = in_query(name(table.key)), in_query(table.part)
            found = old.read(f"SELECT {key}::uuid FROM {in_query(name(part.schema, part.name))}")
            missing = new.value(f"SELECT count(*) FROM unnest(%s::uuid[]) AS k WHERE NOT EXISTS (SELECT FROM {copy} AS t"
                                f" WHERE t.{key}::uuid = k)", [row[0] for row in found])
            if missing:
                raise Stop(f"{missing} rows of {part.name} at {move.old} are not in the copy: it was attached "
                           "with rows. Abort this move, and copy again")


def keys_inside(session, move, table):
    """The foreign keys of a table to tables that move, too."""
    return [key for key in session.read(KEYS, str(table)) if inside(move, key)]


def keys_outside(session, move):
    """The foreign keys to tables that do not move, by the tables that have them."""
    return [(table, key) for table, key in all_keys(session, move) if not inside(move, key)]


def all_keys(session, move):
    return [(table, key) for table in move.tables for key in session.read(KEYS, str(table))]


def prove(nodes, move, keys):
    """Foreign keys hold for the copy: the apply worker does not look."""
    new = nodes.owner(move.new)
    for table, key in keys if not new.dry else ():
        moving = inside(move, key)
        wanted = " AND ".join(f"t.{name(other)} = f.{name(column)}" for column, other in zip(key.columns, key.others))
        null = " OR ".join(f"f.{name(column)} IS NULL" for column in key.columns)
        # The partition of the country is not in the table yet, if that moves, too.
        missing = " AND ".join(f"NOT EXISTS (SELECT FROM {target} AS t WHERE {wanted})"
                               for target in [name(key.schema, key.target), *([moving.part] if moving else [])])
        (count,), = new.read(in_query(f"SELECT count(*) FROM {table.part} AS f WHERE NOT ({null}) AND {missing}"), seconds=600)
        if count:
            raise Stop(f"{count} rows of {table.part} at {move.new} break the foreign key {key.name}: "
                       f"what they refer to in {key.target} is not there")


def remove(nodes, move, keep=False):
    """Undoes the copy at the new node.  KEEP: its rows stay, under other names."""
    new = nodes.owner(move.new)
    unsubscribe(nodes, move)
    if keep:
        statements = [f"ALTER TABLE {name(part.schema, part.name)} RENAME TO {name(moved(part.name, '_copy'))}"
                      for table in move.tables for part in reversed(tree(new, table))]
        for table in move.tables:
            part = name(table.part_schema, moved(table.part_name, "_copy"))
            statements += state.no_triggers(move, part, *state.REFUSING, *state.NOTING)
            statements += [f"ALTER TABLE {part} DROP CONSTRAINT IF EXISTS {name(key.name)}" for key in keys_inside(new, move, table)]
    else:
        statements = [f"DROP TABLE {table.part}" for table in reversed(move.tables)]
    # The foreign keys of the copy go, and for that the tables that they refer to are locked.
    new.do_locked(locals_(move), [*statements, *state.forget(move)], time.monotonic() + 60)
    nodes.lease.forget(move.new)


def withdraw(nodes, move):
    """The old node offers the rows no more, and forgets the move."""
    old = nodes.owner(move.old)
    drop_slots(nodes, move)
    triggers = [statement for table in move.tables
                for statement in state.no_triggers(move, table.part, *state.REFUSING, *state.NOTING)]
    old.do_locked([table.part for table in move.tables],
                  [f"DROP PUBLICATION IF EXISTS {name(move.name)}", *triggers, *state.forget(move)], time.monotonic() + 60)
    nodes.lease.forget(move.old)
