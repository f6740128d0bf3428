"""What can be said of a country while it moves, without changing anything, and beside a command that works.

A node that does not answer is said to be silent; what the other ones say is given all the same.
"""

import psycopg

from move import checks, copying, situation, state
from move.country import attached
from sessions import LEASE, Silent, in_query, words

COUNT = 5  # seconds to count the rows of a table; beyond that they are estimated

ESTIMATE = """
SELECT coalesce(sum(nullif(c.reltuples, -1)), 0)::int8 FROM pg_partition_tree(%s::regclass) AS t JOIN pg_class AS c ON c.oid = t.relid
WHERE t.isleaf"""

# The commands that work on the country, by their sessions at a node, as far as a role may know.
COMMANDS = """
SELECT application_name AS command, min(backend_start)::text AS since, coalesce(min(client_addr)::text, 'the machine itself') AS address,
	extract(epoch FROM clock_timestamp() - max(state_change))::int AS silent
FROM pg_stat_activity WHERE starts_with(application_name, %s::text) AND application_name <> %s::text GROUP BY 1 ORDER BY 1"""


def read(nodes, country):
    """What is so, as a dictionary."""
    found = {"country": country, "route": {}, "move": None, "nodes": {}, "silent": []}
    moves, others = [], {}
    for node in nodes.names:
        try:
            session = nodes.owner(node)
            found["route"][node] = session.value(
                "SELECT string_agg(DISTINCT coalesce(node, 'nowhere'), ', ') FROM @iuid@.iuid_routes WHERE country = %s::int4", country)
            commands = [row._asdict() for row in session.read(COMMANDS, f"moving_c{country} ", session.application)]
            try:
                move, kept = state.find(session, country)
                if move:
                    moves.append((node, move, kept))
            except state.OtherVersion as error:
                others[node] = error
            found["nodes"][node] = {"commands": commands}
        except Silent as error:
            found["silent"].append(f"{node}: {error}")
            nodes.silent.add(node)
    for node, error in others.items():
        found["move"] = {"old": error.seen.old, "new": error.seen.new, "next": [f"It {error.why}"]}
        found["nodes"][node] |= {"phase": error.seen.phase, "since": error.seen.since}
    if moves and not others:
        _, move, _ = moves[0]
        nodes.given.old, nodes.given.new = move.old, move.new
        found["move"] = {"old": move.old, "new": move.new, "contradicts": len({each.token for _, each, _ in moves}) > 1}
        for node, _, kept in moves:
            found["nodes"][node] |= {"phase": kept.phase, "since": kept.since, "refuses writes": kept.refused,
                                     "same server": kept.same}
        found["move"]["refusal ended"] = move.new in found["route"].values() and any(
            node == move.old and kept.phase == state.SERVING and not kept.refusing for node, _, kept in moves)
        for node in (move.old, move.new):
            if node in found["nodes"]:
                found["nodes"][node] |= of_node(nodes, move, node)
        if not {move.old, move.new} & nodes.silent:
            if not any(kept.phase == state.GIVEN_UP for _, _, kept in moves):
                found["move"]["copy"] = copy(nodes, move)
            # Unless a command is at it.
            if not found["move"]["contradicts"] and not any(said["commands"] for said in found["nodes"].values()):
                now = situation.read(nodes, nodes.given)
                found["move"]["next"] = list(now.next()) if now else []
    return found


def of_node(nodes, move, node):
    """Which tables a node has, with how many rows, and who is in the way of a switch."""
    session = nodes.owner(node)
    there = attached(session, move)
    tables = {}
    for table in move.tables:
        for relation in table.part, state.kept(table):
            if session.value("SELECT to_regclass(%s) IS NOT NULL", relation):
                tables[relation] = {"rows": count(session, relation), "serves": table in there and relation == table.part}
    names = [each for table in move.tables for each in (table.part, str(table), table.globally) if each]
    return {"tables": tables, "in the way": [row.who for row in session.read(checks.USERS, names)]}


def count(session, relation):
    try:
        session.run(f"SET statement_timeout = '{COUNT}s'")
        return f"{session.value(in_query(f'SELECT count(*) FROM {relation}')):,}"
    except psycopg.errors.QueryCanceled:
        return f"about {session.value(ESTIMATE, relation):,}"
    finally:
        session.run("SET statement_timeout = 0")


def copy(nodes, move):
    """What is wrong with slot and subscription, or how far they are."""
    try:
        why = copying.well(nodes, move)
        if why:
            return why
        slot, = nodes.owner(move.old).read(copying.SLOT, move.name)
        runs = "" if slot.active else "; nobody reads the slot at present"
        return f"slot and subscription fit, {slot.behind:,} bytes of log behind{runs}"
    except psycopg.Error as error:
        return words(error)


def describe(found):
    """The same in lines."""
    routes = {route or "no node of its own" for route in found["route"].values()}
    yield f"The registry: country {found['country']} is at {' or '.join(sorted(routes)) or '?'}" + (
        "" if len(routes) < 2 else ": " + ", ".join(f"{node} says {route}" for node, route in found["route"].items()))
    move = found["move"]
    if move is None:
        yield "It does not move."
    else:
        yield f"It moves from {move['old']} to {move['new']}."
        if move.get("contradicts"):
            yield "The nodes know of two different moves: one of them was restored from a backup."
        if move.get("refusal ended"):
            yield (f"The registry leads to {move['new']}, and {move['old']} takes writes, which look-ups do not see: start switch"
                   " or abort.")
        if "copy" in move:
            yield f"The copy: {move['copy']}."
        yield from (f"{line}." for line in move.get("next", []))
    for node, said in found["nodes"].items():
        lines = []
        if "phase" in said:
            lines.append(f"{said['phase']} since {said['since']}" + ("" if said.get("same server", True) else
                         "; another server than when the copy began, or promoted or restored since"))
        if said.get("refuses writes"):
            lines.append(f"writes are refused {said['refuses writes']}")
        lines += [f"{table}: {of['rows']} rows{', in use' if of['serves'] else ''}" for table, of in said.get("tables", {}).items()]
        lines += [f"in the way: {who}" for who in said.get("in the way", [])]
        lines += [f"command: {each['command']} from {each['address']}, since {each['since']}" + (
            "" if each["silent"] is None else f", last sign of life {each['silent']} s ago"
            + (": --take-over may end it" if each["silent"] >= LEASE else "")) for each in said["commands"]]
        if lines:
            yield f"{node}:"
            yield from (f"   {line}" for line in lines)
    yield from (f"does not answer: {line}" for line in found["silent"])
