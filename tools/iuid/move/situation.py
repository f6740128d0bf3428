"""How far a move is, by what both nodes say, and what may be done then.

A node that was restored from a backup, or that failed over to a standby that was behind, says what was
so before.  Where the nodes contradict each other, nothing is dropped, and only what keeps all rows goes on.
"""

import dataclasses

from move import state
from move.country import attached
from sessions import Silent, Stop, say


@dataclasses.dataclass
class Situation:
    move: state.Move
    old: state.State  # None if the node knows of no move
    new: state.State
    old_has: list     # the tables that have the country attached
    new_has: list
    silent: set       # the nodes that do not answer

    def old_is_behind(self):
        """Why the old node is taken for one that was restored, or None."""
        if self.new is None or self.move.old in self.silent:
            return None
        if self.old is None:
            return "knows nothing of the move" if self.old_has or self.new.phase == state.COPYING else None
        if self.new.phase == state.SERVING and self.old.phase == state.SERVING:
            return f"says that it has the country, whose writes {self.move.new} takes since {self.new.since}"
        if self.new.number > self.old.number + 1:
            return "has forgotten a comparison of the rows"
        return None if self.old.same else "is another server, or was promoted or restored, since the copy began"

    def new_is_behind(self):
        """The same of the new node."""
        if self.old is None or self.new is None:
            return None
        if self.old.phase == state.GIVEN_UP and self.new.phase == state.COPYING:
            return f"says that it has not the country, which {self.move.old} gave up at {self.old.since}"
        if self.new.number < self.old.number:
            return "has forgotten a comparison of the rows"
        return None if self.new.same else "is another server, or was promoted or restored, since the copy began"

    def behind(self):
        """What contradicts, for who reads it."""
        if self.forgotten():
            yield (f"{self.move.old} keeps a move of which {self.move.new}, which has the country, knows nothing: one of them was"
                   " restored from a backup" if self.new_has else
                   f"{self.move.new} knows nothing of the move, and has not the country, which {self.move.old} gave up at"
                   f" {self.old.since}: it was restored from a backup")
        for node, why in (self.move.old, self.old_is_behind()), (self.move.new, self.new_is_behind()):
            if why:
                yield f"{node} is behind, as after a restore or a failover: it {why}"

    def forgotten(self):
        """The new node, which once knew of the move, knows nothing."""
        return self.new is None and self.move.new not in self.silent \
            and bool(self.new_has or self.old.phase == state.GIVEN_UP)

    def refilled(self):
        """The new node got the country's rows from the old one again, by hand."""
        return self.forgotten() and bool(self.new_has) and not self.old_has

    def emptied(self):
        """The new node was restored, and has no rows of the country; the old one keeps those of the switch.

        It has them attached if an abort was ended half-way.
        """
        return self.forgotten() and not self.new_has

    def switched(self):
        return self.old is not None and self.old.phase == state.GIVEN_UP \
            or self.serving()

    def serving(self):
        return self.new is not None and self.new.phase == state.SERVING

    def describe(self):
        """The lines of plan."""
        move = self.move
        yield f"Country {move.country} is moving from {move.old} to {move.new}."
        for node, kept, has in (move.old, self.old, self.old_has), (move.new, self.new, self.new_has):
            if node in self.silent:
                yield f"   {node}: does not answer"
            elif kept is None:
                yield f"   {node}: knows nothing of the move" + (", and has the country" if has else "")
            else:
                yield f"   {node}: {kept.phase} since {kept.since}"
                if kept.refused and kept.phase == state.SERVING:
                    yield f"      writes are refused {kept.refused}"
        yield from (f"   {line}" for line in self.next())

    def next(self):
        """What contradicts, and what the operator does next, in lines."""
        yield from self.behind()
        if self.forgotten():
            yield "Nothing is dropped: doc/running-regions.md has a node that is restored from a backup"
            if self.emptied():
                yield f"Next: abort, with which {self.move.old} takes the country back as it was at the switch"
        elif list(self.behind()):
            yield ("Nothing is dropped: switch goes on where the rows allow it" if self.switched() else
                   "Abort keeps the rows of the copy, under other names; then copy again")
        elif not self.switched():
            yield "Next: copy, switch or abort"
        elif self.serving() and not self.old_has:
            yield "Next: finish"
        else:
            yield "Next: switch, started again, as it was ended half-way"


def read(nodes, given):
    """The situation of the move that is under way, or None.  A node that does not answer is in nodes.silent."""
    found = {}
    for node in given.old, given.new:
        if node in nodes.silent:
            continue
        try:
            found[node] = state.find(nodes.owner(node), given.country)
        except Silent as error:
            say(node, f"-- {error}")
            nodes.silent.add(node)
    moves = [move for move, _ in found.values() if move]
    if not moves:
        return None
    move = moves[0]
    if (move.old, move.new) != (given.old, given.new):
        raise Stop(f"country {given.country} is moving from {move.old} to {move.new} already")
    if any(other.token != move.token for other in moves):
        raise Stop(f"{move.old} and {move.new} know of two different moves of country {move.country}: one of them was "
                   "restored from a backup. Nothing is dropped: drop the copy by hand, when its rows are at the other node")
    has = [attached(nodes.owner(node), move) if node in found else [] for node in (move.old, move.new)]
    return Situation(move, found.get(move.old, (None, None))[1], found.get(move.new, (None, None))[1], *has, nodes.silent)


def steady(situation):
    """Before the switch: both nodes are those of the copy."""
    why = list(situation.behind())
    if why:
        raise Stop(". ".join(why) + ". Changes can be missing at either node: abort, which keeps the rows of the copy"
                   " under other names, and copy again")
