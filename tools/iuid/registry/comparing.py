"""Whether all nodes have one registry."""

import time

from sessions import Differ, Silent, say

TRANSIT = 10  # seconds for what is on its way to a subscriber


def persisting(nodes, pairs):
    """What a node and another one differ in for so long that it is not on its way, by these pairs."""
    deadline = time.monotonic() + TRANSIT
    found = {pair: nodes.differences(*pair) for pair in pairs}
    while any(found.values()) and time.monotonic() < deadline:
        time.sleep(0.2)
        for pair, rows in found.items():
            if rows:
                again = set(nodes.differences(*pair))
                found[pair] = [row for row in rows if row in again]
    return found


def compare(nodes):
    """Who publishes, and what differs: as (node, other node, row).

    If not one node publishes, a node is compared with one of each registry that was found before.
    """
    publishers, names = nodes.publishers(), nodes.answering()
    one = len(publishers) == 1
    pairs = [(node, other) for node in names for other in (publishers if one else names[:names.index(node)]) if node != other]
    found = persisting(nodes, pairs)
    kinds, differ = list(publishers) if one else [], []
    for node in names:
        if node not in kinds and all(found[node, kind] for kind in kinds):
            differ += [(node, kind, row) for kind in kinds for row in found[node, kind]]
            kinds += [] if one else [node]
    return publishers, differ


def describe(differ):
    """The statements that mend it, each at the node at which it is run."""
    for node, other in dict.fromkeys((node, other) for node, other, _ in differ):
        say(node, f"-- Differs from {other}.  As a superuser, to have the registry of {other}:")
        for at, there, row in differ:
            if (at, there) == (node, other):
                say(node, row.remedy)


def judge(nodes, differ):
    """The exit status."""
    if differ:
        raise Differ("the registries are not equal")
    if nodes.silent:
        raise Silent(". ".join(nodes.silent.values()))
