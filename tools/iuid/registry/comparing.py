"""Whether all nodes have one registry."""

import time

from sessions import Differ, Silent, say

TRANSIT = 10  # seconds for what is on its way to a subscriber


def persisting(nodes, node, other):
    """What differs for so long that it is not on its way."""
    deadline = time.monotonic() + TRANSIT
    found = nodes.differences(node, other)
    while found and time.monotonic() < deadline:
        time.sleep(0.2)
        again = set(nodes.differences(node, other))
        found = [row for row in found if row in again]
    return found


def compare(nodes):
    """Who publishes, and what differs: as (node, other node, row).

    If not one node publishes, a node is compared with one of each registry that was found before.
    """
    publishers = nodes.publishers()
    kinds, differ = list(publishers) if len(publishers) == 1 else [], []
    for node in nodes.answering():
        rows = []
        for kind in kinds:
            found = [] if kind == node else persisting(nodes, node, kind)
            if not found:
                break
            rows += [(node, kind, row) for row in found]
        else:
            differ += rows
            if len(publishers) != 1:
                kinds.append(node)
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
