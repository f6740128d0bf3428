"""Who works on the move of a country: one command at a time, and what becomes of one that is frozen.

A session at the old and at the new node holds the lock of the country, and gives a sign of life every
few seconds.  That is the lease of a command, by the clock of that node.  Each command that begins raises
a number at both nodes.  Each of its transactions there fails if the number is another one, and each
session that connects, at whichever node, looks at it first.  So a command that was frozen while
another one took over changes nothing when it goes on: its sessions have ended.
"""

import secrets

import psycopg

from move import state
from sessions import Busy, Silent


class Lease:
    def __init__(self, nodes, country):
        self.nodes, self.country = nodes, country
        self.number, self.held = None, set()  # the nodes that keep the number

    def session(self, node):
        return self.nodes.session("lease", node, self.nodes.way(node))

    def take(self, nodes):
        """Raises the number at these nodes, which keep the move."""
        found = {node: self.taking(node) for node in nodes}
        # Each copy begins with another one: who was frozen in an earlier copy is not taken for who works on this one.
        self.number = max(found.values(), default=secrets.randbelow(2**62)) + 1
        for node in nodes:
            self.session(node).do(f"UPDATE {state.at(self.country, 'move')} SET taking = {self.number};")
            self.keeps(node)

    def keeps(self, node):
        """A node keeps the number from here on."""
        self.held.add(node)

    def forget(self, node):
        """A node keeps the move no more."""
        self.held.discard(node)

    def guard(self, kind, node):
        """What the transactions of a session begin with.  A subscription is made and dropped in none."""
        if node in self.held and kind not in ("subscriber", "mover"):
            return state.raise_unless(f"(SELECT taking FROM {state.at(self.country, 'move')}) = {self.number}", TAKEN)
        return None

    def check(self):
        """What a session asks that has just connected, before it does anything."""
        for node in self.held:
            try:
                taking = self.taking(node)
            except Silent:  # who took over has ended this session, too
                taking = self.taking(node)
            if taking != self.number:
                raise TakenOver(TAKEN)

    def taking(self, node):
        try:
            return self.session(node).value(f"SELECT taking FROM {state.at(self.country, 'move')}")
        except psycopg.errors.UndefinedTable:
            return None


class TakenOver(Busy):
    """This command does nothing more, not even undo what it has done."""


TAKEN = "another command has taken this move over"
