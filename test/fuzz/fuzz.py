#!/usr/bin/python3
"""Asks the server random questions, and computes in Python what the answers must be.

A world is a few random tables with their rows.  It is asked queries, and changed, under random
settings of the planner, with literals and with prepared statements.  The answers are computed row
by row from doc/format.md and doc/predicates.md, as if there were no index, partition or planner.

The server is the one of libpq's environment variables.  The program makes a database of its own
there.  The seed decides all: world W of a seed is always the same.  The first difference ends the
program with exit status 1, after a script for psql that shows the difference again.
"""

import argparse
import collections
import random
import sys
import time
from pathlib import Path

# What the models have, too: model.py and identifiers.py.
sys.path.append(str(Path(__file__).resolve().parents[1] / "models"))

from model import connect, make_database  # noqa: E402
from world import PREPARATION, Difference, World  # noqa: E402

STATEMENTS = 150  # of a world
TIMEOUT = "60s"   # for a statement, which takes milliseconds


def prepare_database():
    make_database()
    with connect() as connection:
        for statement in PREPARATION:
            connection.execute(statement)
        database = connection.info.dbname
        connection.execute(f"ALTER DATABASE {database} SET statement_timeout = '{TIMEOUT}'")
        # A plan that a setting forbids is so dear that the server would compile it.
        connection.execute(f"ALTER DATABASE {database} SET jit = off")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="about as long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of all random")
    parser.add_argument("--world", type=int, help="only this one")
    given = parser.parse_args()

    print(f"-- fuzz.py --seed {given.seed}", flush=True)
    prepare_database()
    end = time.monotonic() + given.seconds
    worlds, counts = 0, collections.Counter()
    with connect() as connection:
        while time.monotonic() < end and (given.world is None or worlds == 0):
            try:
                number = worlds if given.world is None else given.world
                world = World(connection, given.seed, number)
                for _ in range(STATEMENTS):
                    world.ask()
            except Difference:
                sys.exit(1)
            counts += world.counts
            worlds += 1
    print(f"{worlds} worlds, {counts.total()} statements, no difference:",
          ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))


if __name__ == "__main__":
    main()
