#!/usr/bin/python3
"""Moves a country from one node to another, while it is read and written.

    move plan   COUNTRY OLD NEW   says what will move, what does not go along, and what is wrong
    move copy   COUNTRY OLD NEW   makes the copy, which follows the old node from then on
    move switch COUNTRY OLD NEW   gives the country to the new node, within about a second
    move abort  COUNTRY OLD NEW   undoes the copy, at any time before the old node gave up
    move finish COUNTRY OLD NEW   after the switch: nodes that missed it, and the rows of the old node

Each command reads from the nodes how far the move is.  So a command that was ended, by whatever, is
started again, and goes on.  OLD and NEW are names of iuid_nodes.  A node is reached by the service
of libpq with its name, as the owner of the tables.
"""

import argparse
import sys
import time

import psycopg

import checks
import copying
import switching
from country import attached, find_move, read_move
from nodes import Session, Silent, Stop, say, words

# The options of a foreign server that go into a connection string, too.
WORDS = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()} - {
    "application_name", "user", "password", "passfile", "options"}


class Nodes:
    """The sessions of the command, by the names of their nodes."""

    def __init__(self, given):
        self.given, self.names, self.sessions = given, [], {}
        self.silent, self.subscribed = set(), set()  # what is known of nodes
        self.routed = True  # unless no node can have heard of the new route

    def session(self, kind, node, way):
        key = (kind, node)
        if key not in self.sessions:
            self.sessions[key] = Session(node, way, f"moving_c{self.given.country}", kind, self.given.dry_run)
        return self.sessions[key]

    def owner(self, node):
        return self.session("owner", node, f"service={node}")

    def subscriber(self, node):
        return self.session("subscriber", node, self.given.subscribe_as or f"service={node}")

    def mover(self, node):
        return self.session("mover", node, self.given.copy_as or f"service={node} user=mover")

    def read_names(self):
        for node in self.given.old, self.given.new:
            try:
                self.names = [row[0] for row in self.owner(node).read("SELECT node FROM iuid_nodes ORDER BY node")]
                return
            except Silent as error:
                say(node, f"-- {error}")
                self.silent.add(node)
        raise Stop("neither node answers")

    def answering(self):
        return [name for name in self.names if name not in self.silent]

    def publishers(self):
        """The nodes that have the registry from no other node."""
        found = []
        for name in self.answering():
            try:
                if name not in self.subscribed and not self.owner(name).value(
                        "SELECT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = 'iuid_routes'::regclass)"):
                    found.append(name)
                else:
                    self.subscribed.add(name)
            except Silent:
                self.silent.add(name)
        if not found:
            raise Silent("The node that publishes the registry does not answer")
        return found

    def way_of_mover(self, move):
        """How the new node reaches the old one to copy; and the same to be shown."""
        options = self.owner(move.new).read(
            "SELECT o.option_name AS name, o.option_value AS value FROM iuid_nodes AS n"
            " JOIN pg_foreign_server AS s ON s.srvname = n.server, pg_options_to_table(s.srvoptions) AS o"
            " WHERE n.node = %s", move.old)
        if not options:
            return None
        mover = self.mover(move.old)
        if mover.connection is None:
            mover.connect()
        words_ = {row.name: row.value for row in options if row.name in WORDS} | {"user": mover.connection.info.user}
        # Rows that row security would hide are an error.
        words_["options"] = "-c row_security=off"
        password = mover.connection.info.password
        shown = psycopg.conninfo.make_conninfo("", **words_, **({"password": "***"} if password else {}))
        return psycopg.conninfo.make_conninfo("", **words_, **({"password": password} if password else {})), shown


def known(nodes, given):
    """The move that is under way, or None."""
    for node in given.new, given.old:
        if node in nodes.silent:
            continue
        try:
            move = find_move(nodes.owner(node), given.country)
        except Silent as error:
            say(node, f"-- {error}")
            nodes.silent.add(node)
            continue
        if move:
            if (move.old, move.new) != (given.old, given.new):
                raise Stop(f"country {given.country} is moving from {move.old} to {move.new} already")
            return move
    return None


def require(nodes, given):
    move = known(nodes, given)
    if move is None:
        (there,), = nodes.owner(nodes.answering()[0]).read(
            "SELECT string_agg(DISTINCT node, ', ') FROM iuid_routes WHERE country = %s", given.country)
        raise Stop(f"country {given.country} does not move, and {there or 'no node'} has it: "
                   "the move is at its end, or begins with copy")
    return move


def complain(found):
    for problem in found:
        print(f"PROBLEM   {problem}", flush=True)
    if found:
        raise Stop("this has to be put right first")


def end(given, done):
    print("Nothing was changed, as this is a dry run." if given.dry_run else done)


def plan(nodes, given):
    move = known(nodes, given)
    if move:
        old_has = attached(nodes.owner(move.old), move)
        print(f"Country {move.country} is moving from {move.old} to {move.new}: "
              + ("not switched yet" if old_has else
                 f"{move.old} has given it up. Start switch again if it was ended, then finish"))
        return
    move = read_move(nodes.owner(given.old), given.country, given.new)
    print(f"Country {move.country} moves from {move.old} to {move.new}, in this order:")
    for table in move.tables:
        (rows, size), = nodes.owner(move.old).read(
            "SELECT coalesce(sum(nullif(c.reltuples, -1)) FILTER (WHERE t.isleaf), 0)::bigint AS rows,"
            " coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS size"
            " FROM pg_partition_tree(%s::regclass) AS t JOIN pg_class AS c ON c.oid = t.relid", table.part)
        print(f"   {table.part} of {table.local}: about {rows:,} rows, {size >> 20:,} MB")
    for name in checks.left_behind(nodes, move):
        print(f"   does not go along: {name}")
    complain(checks.before_copy(nodes, move))
    print("Nothing is in the way.")


def copy(nodes, given):
    move = known(nodes, given)
    if move is None:
        move = read_move(nodes.owner(given.old), given.country, given.new)
        for name in checks.left_behind(nodes, move):
            print(f"-- Does not go along: {name}")
        complain(checks.before_copy(nodes, move))
    if not attached(nodes.owner(move.old), move):
        raise Stop("the switch is done already")
    copying.publish(nodes, move)
    copying.prepare(nodes, move)
    copying.subscribe(nodes, move)
    copying.follow(nodes, move)
    copying.analyze(nodes, move)
    end(given, "The copy is complete, and follows.  Next: switch, or abort.")


def switch(nodes, given):
    move = require(nodes, given)
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    if attached(old, move) and not attached(new, move):
        complain(checks.before_switch(nodes, move))
        if not copying.has_subscription(nodes, move):
            raise Stop("the copy is not there yet: start copy")
        copying.follow(nodes, move)
    try:
        switching.forward(nodes, move, given.limit)
    except (Stop, psycopg.Error) as error:
        why = words(error) if isinstance(error, psycopg.Error) else error
        say(move.old, f"-- {why}.  Goes back.")
        go_back(nodes, move)
        raise Stop(f"{why}. The country is where it was, and the copy follows. Try again, or abort") from error
    after_switch(nodes, move)
    end(given, "The switch is done.  Next: finish, which drops the rows that the old node keeps.")


def go_back(nodes, move):
    try:
        switching.back(nodes, move)
    except (Silent, psycopg.Error) as error:
        raise Stop(f"{words(error) if isinstance(error, psycopg.Error) else error}. "
                   "The country cannot be written until this node is back and switch or abort is started again"
                   ) from error


def after_switch(nodes, move):
    """Forward only: what is left when the new node writes."""
    deadline = time.monotonic() + switching.OTHERS
    switching.route(nodes, move, move.old, move.new, deadline)
    showing = switching.views(nodes, move)
    if showing:
        nodes.owner(move.new).do(showing)
    behind = switching.follow(nodes, move, deadline)
    switching.clean(nodes, move)
    if behind:
        print(f"Behind: {', '.join(sorted(behind))}.  They reach the country by way of {move.old} until finish is "
              "started while they answer.")
    return behind


def abort(nodes, given):
    move = require(nodes, given)
    behind = switching.back(nodes, move, given.without_new)
    switching.drop_triggers(nodes.owner(move.old), move, time.monotonic() + 60)
    copying.remove(nodes, move, given.without_new)
    if behind:
        print(f"Behind: {', '.join(sorted(behind))}.  Call iuid_create_global_table there.")
    end(given, "The move is undone.")


def finish(nodes, given):
    move = require(nodes, given)
    if attached(nodes.owner(move.old), move):
        raise Stop(f"{move.old} still has the country: start switch")
    switching.accept(nodes.owner(move.new), move)
    if after_switch(nodes, move):
        raise Stop("not all nodes look for the country at the new node")
    copying.forget(nodes, move)
    end(given, "The move is finished.")


def main():
    parser = argparse.ArgumentParser(
        prog="move", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["plan", "copy", "switch", "abort", "finish"])
    parser.add_argument("country", type=int)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--subscribe-as", metavar="CONNECTION", help="to the new node, as a role that may subscribe")
    parser.add_argument("--copy-as", metavar="CONNECTION",
                        help="to the old node, as the role that the copy comes in as (service=OLD user=mover)")
    parser.add_argument("--limit", type=float, default=10, metavar="SECONDS",
                        help="the switch goes back when it takes longer (%(default)s)")
    parser.add_argument("--patience", type=int, default=60, metavar="SECONDS",
                        help="for transactions that the copy has to wait for (%(default)s)")
    parser.add_argument("--without-new", action="store_true", help="abort although the new node is lost for good")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be done from here on")
    given = parser.parse_args()
    nodes = Nodes(given)
    try:
        nodes.read_names()
        globals()[given.command](nodes, given)
    except (Stop, psycopg.Error) as error:
        sys.exit(f"move {given.command}: {words(error) if isinstance(error, psycopg.Error) else error}.")


if __name__ == "__main__":
    main()
