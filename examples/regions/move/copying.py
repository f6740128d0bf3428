"""The copy: logical replication brings the rows of all tables of the country to the new node."""

import time

import psycopg

from country import COLUMNS, KEYS, TREE, by_default, find_move, function, keep, keys_inside, rights, triggers
from nodes import Stop, say

LAG = 2**18  # bytes of log: with less than that the copy is as good as the original

# How far each table of the subscription is.
STATES = """
SELECT s.srsubstate AS state, s.srrelid::regclass::text AS part
FROM pg_subscription_rel AS s JOIN pg_subscription AS b ON b.oid = s.srsubid WHERE b.subname = %s ORDER BY 2"""


def publish(nodes, move):
    """The old node offers the rows; the function and its comment say what moves from here on."""
    old = nodes.owner(move.old)
    if find_move(old, move.country):
        return
    old.do(";\n".join([
        "BEGIN", function(move, True), keep(move),
        f"CREATE PUBLICATION {move.name} FOR TABLE {', '.join(table.part for table in move.tables)}"
        " WITH (publish_via_partition_root = true)", "COMMIT"]) + ";")


def prepare(nodes, move):
    """The new node makes empty tables with everything that ATTACH asks for."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    if find_move(new, move.country):
        return
    statements = ["BEGIN", function(move, True), keep(move)]
    given = by_default(new)
    for table in move.tables:
        statements += empty_table(old, move, table, given)
    # ATTACH adopts a foreign key that was made while the table was empty.
    for table in move.tables:
        for key in keys_inside(old, move, table):
            statements.append(f"ALTER TABLE {table.part} ADD CONSTRAINT {key.quoted} {key.definition}")
    for table in move.tables:
        statements += triggers(move, table.part)
    new.do(";\n".join([*statements, "COMMIT"]) + ";", seconds=120)


def empty_table(old, move, table, given):
    """The partition as it is at the old node, with the tables below it and the rights of others."""
    tree = old.read(TREE, table.part)
    for part in tree:
        if part.level == 0:
            divided = f" PARTITION BY {part.key}" if part.key else ""
            country = [] if any("iuid_country(" in check for check in part.checks) else [
                f"CHECK (iuid_country(id) = {move.country} AND id ~>=~ iuid_country_floor({move.country})"
                f" AND id ~<~ iuid_country_floor({move.country + 1}))"]
            inside = ", ".join([f"LIKE {table.local} INCLUDING ALL", *country, *part.checks])
            yield f"CREATE TABLE {part.part} ({inside}){divided}"
        else:
            yield below(part)
        yield from rights(old, part.part, given)


def below(part):
    checks = f" ({', '.join(part.checks)})" if part.checks else ""
    divided = f" PARTITION BY {part.key}" if part.key else ""
    return f"CREATE TABLE {part.part} PARTITION OF {part.parent}{checks} {part.bound}{divided}"


def subscribe(nodes, move):
    """The new node follows the publication.  It waits for the transactions that write at the old one."""
    subscriber, mover = nodes.subscriber(move.new), nodes.mover(move.old)
    if has_subscription(nodes, move):
        return
    drop_slots(nodes, move)
    if not mover.dry:
        mover.read("SELECT 1")
    way, shown = nodes.way_of_mover(move)
    command = f"CREATE SUBSCRIPTION {move.name} CONNECTION %s PUBLICATION {move.name}"
    patience = nodes.given.patience
    subscriber.do(f"SET statement_timeout = '{patience}s'")
    try:
        subscriber.do(command % psycopg.sql.quote(way), shown=command % psycopg.sql.quote(shown) + ";",
                      seconds=patience + 10)
    except psycopg.errors.QueryCanceled as error:
        raise Stop(f"the copy could not begin within {patience} s, as it waits for the transactions at "
                   f"{move.old} that write{nodes.owner(move.old).in_the_way()}. Start copy again, or abort") from error
    subscriber.do("RESET statement_timeout")


def has_subscription(nodes, move):
    return nodes.owner(move.new).value(
        "SELECT EXISTS (SELECT FROM pg_subscription WHERE subname = %s"
        " AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))", move.name)


def drop_slots(nodes, move):
    """A slot without a subscription keeps the log of the old node for ever."""
    for row in nodes.owner(move.old).read(
            "SELECT slot_name FROM pg_replication_slots WHERE slot_name = %s AND NOT active", move.name):
        nodes.mover(move.old).do(f"SELECT pg_drop_replication_slot('{row.slot_name}')")


def lag(nodes, move):
    """How many bytes of the log of the old node the new one does not have yet."""
    return nodes.owner(move.old).value(
        "SELECT coalesce((SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)"
        " FROM pg_replication_slots WHERE slot_name = %s), -1)::bigint", move.name)


def follow(nodes, move):
    """Shows how far the copy is, until it has everything but the last moment."""
    new, subscriber = nodes.owner(move.new), nodes.subscriber(move.new)
    if new.dry:
        say(move.new, "-- Waits until the rows are copied.")
        return
    shown, errors = "", count_errors(new, move)
    while True:
        check_shape(nodes, move)
        states = new.read(STATES, move.name)
        behind = lag(nodes, move)
        copied = dict(subscriber.read("SELECT relid::regclass::text, tuples_processed FROM pg_stat_progress_copy"))
        parts = [f"{row.part} " + ("is copied" if row.state in "sr" else f"{copied.get(row.part, 0):,} rows")
                 for row in states]
        line = ", ".join(parts) + f"; {max(behind, 0):,} bytes of log behind"
        if line != shown:
            say(move.new, "-- " + line)
        shown = line
        if states and all(row.state == "r" for row in states) and 0 <= behind < LAG:
            break
        if count_errors(new, move) > errors + 2:
            raise Stop(f"the subscription {move.name} at {move.new} fails again and again: "
                       "the log of that server says why")
        time.sleep(1)
    months(nodes, move)
    prove(nodes, move, all_keys(nodes.owner(move.old), move))


def analyze(nodes, move):
    for table in move.tables:
        nodes.owner(move.new).do(f"ANALYZE {table.part};", seconds=600)


def count_errors(new, move):
    """Of all kinds: PostgreSQL 19 has other columns than the versions before it."""
    return new.value("SELECT coalesce(sum(value::bigint), 0) FROM pg_stat_subscription_stats AS s,"
                     " jsonb_each_text(to_jsonb(s)) WHERE subname = %s AND key LIKE '%%error_count'", move.name)


def check_shape(nodes, move):
    """A column that one node has and the other has not ends the replication."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    for table in move.tables:
        here = {row.shown for row in old.read(COLUMNS, table.part)}
        for name in (table.part, table.local):
            differ = here ^ {row.shown for row in new.read(COLUMNS, name)}
            if differ:
                raise Stop(f"the columns of {table.part} at {move.old} and of {name} at {move.new} differ: "
                           f"{', '.join(sorted(differ))}. Abort this move, and copy again when all nodes have "
                           "the same columns")


def months(nodes, move, make=True):
    """Carries over what maintenance did to the time partitions of the old node meanwhile."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    for table in move.tables:
        if not table.divided:
            continue
        here = {part.oid: part for part in old.read(TREE, table.part) if part.level > 0 and part.isleaf}
        names = {part.name for part in here.values()}
        there = {part.name: part for part in new.read(TREE, table.part)}
        for name, (oid, file) in table.below.items():
            if oid in here and here[oid].file != file:
                raise Stop(f"{here[oid].part} at {move.old} was truncated or rewritten since the copy began, and "
                           "replication does not tell. Abort this move, and copy again")
            if oid not in here and name not in names and name in there:
                new.do_locked(locals_(move), [f"DROP TABLE {there[name].part}"], time.monotonic() + 60)
        for part in made_since(table, here.values()):
            if make and part.name not in there:
                make_month(new, move, part)


def made_since(table, parts):
    known = [oid for oid, _ in table.below.values()]
    return [part for part in parts if table.divided and part.level > 0 and part.isleaf and part.oid not in known]


def locals_(move):
    """The tables that foreign keys of the copy refer to, at the new node, which are in use there."""
    return [table.local for table in move.tables]


def make_month(new, move, part):
    """Rows of a month that the new node has not are in its open end, which then overlaps."""
    try:
        new.do_locked(locals_(move), [below(part)], time.monotonic() + 60, "SHARE ROW EXCLUSIVE")
    except psycopg.errors.InvalidObjectDefinition:
        say(new.node, f"-- Rows of {part.part} stay in the open end of the country.")


def new_months(nodes, move):
    """While nobody writes: a month that was attached with rows has rows that replication did not see."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    for table in move.tables:
        if not table.divided:
            continue
        for part in made_since(table, old.read(TREE, table.part)):
            (condition,), = old.read("SELECT pg_get_partition_constraintdef(%s::regclass)", part.part)
            (here,), = old.read(f"SELECT count(*) FROM {part.part}")
            (there,), = new.read(f"SELECT count(*) FROM {table.part} WHERE {condition}")
            if here != there:
                raise Stop(f"{part.part} at {move.old} has {here} rows, and the copy {there}: it was attached "
                           "with rows. Abort this move, and copy again")


def keys_outside(old, move):
    """The foreign keys to tables that do not move, by the tables that have them."""
    return [(table, key) for table, key in all_keys(old, move) if not move.table(key.target)]


def all_keys(old, move):
    return [(table, key) for table in move.tables for key in old.read(KEYS, table.local)]


def prove(nodes, move, keys):
    """Foreign keys hold for the copy: the apply worker does not look."""
    new = nodes.owner(move.new)
    for table, key in keys if not new.dry else ():
        inside = move.table(key.target)
        wanted = " AND ".join(f"t.{other} = f.{column}" for column, other in zip(key.columns, key.others))
        null = " OR ".join(f"f.{column} IS NULL" for column in key.columns)
        # The partition of the country is not in the table yet, if that moves, too.
        missing = " AND ".join(f"NOT EXISTS (SELECT FROM {target} AS t WHERE {wanted})"
                               for target in [key.target, *([inside.part] if inside else [])])
        (count,), = new.read(f"SELECT count(*) FROM {table.part} AS f WHERE NOT ({null}) AND {missing}", seconds=600)
        if count:
            raise Stop(f"{count} rows of {table.part} at {move.new} break the foreign key {key.name}: "
                       f"what they refer to in {key.target} is not there")


def remove(nodes, move, without_new=False):
    """Undoes the copy.  The function, by which the move is known, goes last."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    if not without_new:
        if has_subscription(nodes, move):
            nodes.subscriber(move.new).do(f"DROP SUBSCRIPTION {move.name};", seconds=60)
        if find_move(new, move.country):
            # The foreign keys of the copy go, and for that the tables that they refer to are locked.
            new.do_locked(locals_(move),
                          [*(f"DROP TABLE IF EXISTS {table.part}" for table in reversed(move.tables)),
                           f"DROP FUNCTION {move.name}()"], time.monotonic() + 60)
    drop_slots(nodes, move)
    if find_move(old, move.country):
        old.do(f"BEGIN;\nDROP PUBLICATION IF EXISTS {move.name};\nDROP FUNCTION {move.name}();\nCOMMIT;")


def forget(nodes, move):
    """After the switch: the views and rows that the old node keeps, and the functions."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    if find_move(old, move.country):
        old.do(";\n".join(["BEGIN", *(f"DROP VIEW IF EXISTS {table.view}" for table in move.tables),
                           *(f"DROP TABLE IF EXISTS {table.kept}" for table in reversed(move.tables)),
                           f"DROP FUNCTION {move.name}()", "COMMIT"]) + ";")
    new.do(f"DROP FUNCTION IF EXISTS {move.name}();")
