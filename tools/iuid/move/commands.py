"""The commands that move a country from one node to another, while it is read and written.

Each command reads from the nodes how far the move is.  So a command that was ended, by whatever, is
started again, and goes on.
"""

import contextlib
import time

import psycopg
from psycopg.conninfo import make_conninfo

from move import checks, comparing, copying, situation, state, switching
from move.lease import Lease, TakenOver
from services import services
from sessions import SUBSCRIBES, Session, Silent, Stop, name, quote, say, words


class Nodes:
    """The sessions of the command, by the names of their nodes.

    LOCKS: the command changes something, and is the only one that does.
    """

    def __init__(self, given, locks=True):
        self.given, self.locks, self.names, self.sessions = given, locks and not given.dry_run, [], {}
        self.lease = Lease(self, given.country)
        self.silent, self.subscribed = set(), set()  # what is known of nodes
        self.routed = True  # unless no node can have heard of the new route

    def session(self, kind, node, way):
        key = (kind, node)
        if key not in self.sessions:
            self.sessions[key] = Session(node, way, f"moving_c{self.given.country}", kind, self.given.dry_run, self.locks,
                                         self.given.take_over, None if kind == "lease" else self.lease.check,
                                         lambda: self.lease.guard(kind, node))
        return self.sessions[key]

    @staticmethod
    def way(node, **options):
        """The name of a node is the name of a service, and nothing else."""
        return make_conninfo(service=node, **options)

    def owner(self, node):
        return self.session("owner", node, self.way(node))

    def subscriber(self, node):
        return self.session("subscriber", node, self.given.subscribe_as or self.way(node))

    def mover(self, node):
        return self.session("mover", node, self.given.copy_as or self.way(node, user="mover"))

    def begin(self):
        """The command is the only one, and knows the nodes."""
        for node in self.given.old, self.given.new:
            try:
                if self.locks:
                    self.lease.session(node).read("SELECT 1")
            except Silent as error:
                say(node, f"-- {error}")
                self.silent.add(node)
        for node in [each for each in (self.given.old, self.given.new) if each not in self.silent]:
            try:
                self.read_names(node)
                return
            except Silent as error:
                say(node, f"-- {error}")
                self.silent.add(node)
        raise Silent("neither node answers")

    def read_names(self, node):
        self.names = [row[0] for row in self.owner(node).read("SELECT node FROM @iuid@.iuid_nodes ORDER BY node")]

    def answering(self):
        return [node for node in self.names if node not in self.silent]

    def publishers(self):
        """The nodes that have the registry from no other node."""
        found = []
        for node in self.answering():
            try:
                if node not in self.subscribed and not self.owner(node).value(SUBSCRIBES):
                    found.append(node)
                else:
                    self.subscribed.add(node)
            except Silent as error:
                say(node, f"-- {error}")
                self.silent.add(node)
        if not found:
            raise Silent("The node that publishes the registry does not answer")
        return found

    def way_of_copy(self, move):
        """How the new node reaches the old one to copy, without a password in the statement."""
        subscriber, mover = self.subscriber(move.new), self.mover(move.old)
        mover.read("SELECT 1")
        servers = subscriber.read(
            "SELECT n.server FROM @iuid@.iuid_nodes AS n JOIN pg_user_mappings AS m ON m.srvname = n.server"
            " WHERE n.node = %s::text AND m.usename = current_user", move.old) if subscriber.version() >= 190000 else []
        if servers:
            return f"SERVER {name(servers[0].server)}"
        # Rows that row security would hide are an error, and no time limit of the role ends a long copy.
        limits = ["statement_timeout", "lock_timeout", *(["transaction_timeout"] if mover.version() >= 170000 else [])]
        options = " ".join(["-c row_security=off", *(f"-c {limit}=0" for limit in limits)])
        return "CONNECTION " + quote(self.way(move.old, user=mover.connection.info.user, options=options))


def complain(found):
    for problem in found:
        print(f"PROBLEM   {problem}", flush=True)
    if found:
        raise Stop("this has to be put right first")


def end(given, done):
    print("Nothing was changed, as this is a dry run." if given.dry_run else done)


def under_way(nodes, given, allows=lambda found: False):
    """The situation of the move that is under way, or None.  ALLOWS says of one that the new node has forgotten
    whether the command goes on."""
    found = situation.read(nodes, given)
    if nodes.locks:
        nodes.lease.take([node for node, kept in ((given.old, found and found.old), (given.new, found and found.new)) if kept])
        found = situation.read(nodes, given)
    if found and found.forgotten() and not allows(found):
        raise Stop(". ".join(found.behind()) + ". Nothing is dropped: doc/running-regions.md has a node that is restored from a backup")
    return found


def require(nodes, given, allows=lambda found: False):
    """The same; without a move the command ends."""
    found = under_way(nodes, given, allows)
    if found is None:
        there = where(nodes, given)
        raise Stop(f"country {given.country} does not move, and {there or 'no node'} has it: "
                   "the move is at its end, or begins with copy")
    return found


def where(nodes, given):
    answering = nodes.answering()
    return answering and nodes.owner(answering[0]).value(
        "SELECT string_agg(DISTINCT node, ', ') FROM @iuid@.iuid_routes WHERE country = %s::int4", given.country)


def answer(nodes, *names):
    """Both nodes must say how far the move is."""
    for node in names:
        if node in nodes.silent:
            raise Stop(f"{node} does not answer")


def plan(nodes, given):
    found = situation.read(nodes, given)
    if found:
        print("\n".join(found.describe()))
        return
    move = state.read_move(nodes.owner(given.old), given.country, given.new)
    print(f"Country {move.country} moves from {move.old} to {move.new}, in this order:")
    for table in move.tables:
        (rows, size), = nodes.owner(move.old).read(
            "SELECT coalesce(sum(nullif(c.reltuples, -1)) FILTER (WHERE t.isleaf), 0)::int8 AS rows,"
            " coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 AS size"
            " FROM pg_partition_tree(%s::regclass) AS t JOIN pg_class AS c ON c.oid = t.relid", table.part)
        print(f"   {table.part} of {table}: about {rows:,} rows, {size >> 20:,} MB")
    for left in checks.left_behind(nodes, move):
        print(f"   does not go along: {left}")
    complain(checks.before_copy(nodes, move))
    print("Nothing is in the way.")


def copy(nodes, given):
    found = under_way(nodes, given)
    move = found.move if found else state.read_move(nodes.owner(given.old), given.country, given.new)
    if found:
        answer(nodes, move.old, move.new)
        if found.switched():
            raise Stop("the switch is done already" + "".join(f". {line}" for line in found.behind()))
        situation.steady(found)
    if found and found.new:
        complain(list(checks.may_subscribe(nodes, move)))
    else:
        if found:
            copying.drop_slots(nodes, move)  # of a copy that the new node has forgotten
        for left in checks.left_behind(nodes, move) if found is None else ():
            print(f"-- Does not go along: {left}")
        complain(checks.before_copy(nodes, move))
        if found is None:
            copying.publish(nodes, move)
        copying.prepare(nodes, move)
    if given.dry_run or not copying.has_subscription(nodes, move):
        copying.subscribe(nodes, move)
    copying.enable(nodes, move)
    copying.follow(nodes, move)
    copying.compare(nodes, move, True)
    copying.analyze(nodes, move)
    end(given, "The copy is complete, and follows.  Next: switch, or abort.")


def switch(nodes, given):
    found = require(nodes, given)
    move = found.move
    answer(nodes, move.old, move.new)
    if found.new is None or found.old is None:
        raise Stop(". ".join(found.next()) if list(found.behind()) else
                   "the switch is done already: start finish" if found.switched() else "the copy is not there yet: start copy")
    if not found.switched():
        begin_switch(nodes, given, found)
    elif found.serving() and found.old_has:
        print(f"-- {'. '.join(found.behind())}.  The rows of {move.new} stay.")
        switching.again(nodes, move)
    elif not found.serving():
        # What was compared while nobody wrote is what the new node has, if it is the same one.
        if list(found.behind()) or not found.new.alive:
            comparing.after(nodes, move, state.kept)
        switching.complete(nodes, move)
    after_switch(nodes, move)
    end(given, "The switch is done.  Next: finish, which drops the rows that the old node keeps.")


def begin_switch(nodes, given, found):
    move = found.move
    situation.steady(found)
    if found.new_has and not found.old.refusing:
        say(move.old, "-- Takes writes again, as the switch was ended half-way.  Goes back first.")
        go_back(nodes, move)
        found = situation.read(nodes, given)
    why = copying.well(nodes, move)
    if why:
        raise Stop(why)
    if not found.new_has:
        complain(checks.before_switch(nodes, move))
        copying.follow(nodes, move)
    copying.compare(nodes, move, not (found.old.compared and found.old.alive and found.new.alive))
    try:
        switching.forward(nodes, move, given.limit)
    except TakenOver:
        raise
    except (Stop, psycopg.Error, KeyboardInterrupt) as error:
        why = words(error)
        say(move.old, f"-- {why}.  Goes back.")
        go_back(nodes, move)
        raise Stop(f"{why}. The country is where it was, and the copy follows. Try again, or abort") from error


def go_back(nodes, move):
    try:
        switching.back(nodes, move)
    except TakenOver:
        raise
    except (Stop, psycopg.Error, KeyboardInterrupt) as error:
        with contextlib.suppress(Silent):
            nodes.lease.check()  # who took over has ended the sessions, and the writes are his matter
        raise Stop(f"{words(error)}. The country cannot be written until switch or abort is started again, with all nodes,"
                   f" or for {switching.REFUSED} seconds") from error


def after_switch(nodes, move):
    """Forward only: what is left when the new node writes."""
    deadline = time.monotonic() + switching.OTHERS
    switching.route(nodes, move, move.old, move.new, deadline)
    showing = switching.views(nodes, move)
    if showing:
        nodes.owner(move.new).transaction(*showing)
    behind = switching.follow(nodes, move, deadline)
    switching.clean(nodes, move)
    if behind:
        print(f"Behind: {', '.join(sorted(behind))}.  They reach the country by way of {move.old} until finish is "
              "started while they answer.")
    return behind


def abort(nodes, given):
    found = require(nodes, given, situation.Situation.emptied)
    if found.emptied():
        switching.take_back(nodes, found.move)
        end(given, f"{found.move.old} has the country again, as it was at the switch.")
        return
    move, lost = found.move, given.without_new and given.new in nodes.silent
    answer(nodes, move.old, *([] if lost else [move.new]))
    if found.serving() or found.old and found.old.phase == state.GIVEN_UP:
        raise Stop(f"{move.old} has given the country up already: the move only goes forward"
                   + "".join(f". {line}" for line in found.behind()) + ". Nothing is dropped. Start switch again")
    behind = set()
    if found.old:
        behind = switching.back(nodes, move, lost)
        switching.drop_triggers(nodes.owner(move.old), move, time.monotonic() + 60)
    if found.new:
        copying.remove(nodes, move, keep=bool(list(found.behind())))
    if found.old:
        copying.withdraw(nodes, move)
    if behind:
        print(f"Behind: {', '.join(sorted(behind))}.  Call iuid_create_global_table there.")
    end(given, "The move is undone.")


def finish(nodes, given):
    found = under_way(nodes, given, situation.Situation.refilled)
    if found is None:
        if where(nodes, given) == given.new:
            print("The move is finished already.")
            return
        require(nodes, given)
    move = found.move
    answer(nodes, move.old, move.new)
    if found.old and not found.refilled() and (found.old_has or not found.serving()):
        raise Stop("".join(f"{line}. " for line in found.behind()) + f"{move.new} does not take writes yet, or {move.old}"
                   " still has the country: start switch")
    if found.old is None and found.old_has:
        raise Stop(". ".join(found.behind()) + f". {move.new} keeps its rows; doc/running-regions.md has a node that is restored")
    if found.old:
        comparing.after(nodes, move, state.kept, noted=not found.refilled())
    if after_switch(nodes, move):
        raise Stop("not all nodes look for the country at the new node")
    switching.finish(nodes, move, found.old, found.new)
    end(given, "The move is finished.")


STEPS = {"plan": plan, "copy": copy, "switch": switch, "abort": abort, "finish": finish}


def watching(given):
    """Sessions that only read, of all nodes that a node which answers knows: each service may be one."""
    given.dry_run, given.take_over, given.subscribe_as, given.copy_as = False, False, None, None
    failed = []
    for service in services():
        nodes = Nodes(given, locks=False)
        try:
            nodes.read_names(service)
            return nodes
        except Stop as error:
            failed.append(str(error))
    raise Stop("no service of libpq leads to a node that answers" + "".join(f". {why}" for why in failed))
