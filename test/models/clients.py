"""Clients that write while tables are migrated, and the steps of the migration beside them."""

import contextlib
import random
import threading
import time

import model

# The longest that a client may wait; the aim is half of a second, on a machine with nothing else.
LIMIT = 5.0

all = []
_steps = []


class Client(threading.Thread):
    """A client that goes on until it is stopped, and keeps what it knows and how long it waited.

    What it does is work().  What it was told is committed is in rows: by table and key, the rest of
    the row, or None for one that is deleted.
    """

    def __init__(self, number, tables):
        super().__init__(daemon=True)
        self.number, self.rows = number, {table: {} for table in tables}
        self.waits, self.error, self.failed = [], None, None
        self.turn, self.stopped = threading.Lock(), threading.Event()

    def run(self):
        try:
            with model.connect() as self.connection:
                while not self.stopped.is_set():
                    with self.turn:
                        self.work()
                    time.sleep(random.random() / 20)
        except Exception as error:
            self.error, self.failed = error, time.monotonic()
            raise

    def stop(self):
        self.stopped.set()
        self.join()

    def execute(self, statement, parameters=()):
        begin = time.monotonic()
        cursor = self.connection.execute(statement, parameters)
        self.waits.append((begin, time.monotonic() - begin, statement))
        return cursor.fetchone() if cursor.description else None


def start(client):
    all.append(client)
    client.start()


@contextlib.contextmanager
def at_rest():
    """No client does anything meanwhile."""
    with contextlib.ExitStack() as stack:
        for client in all:
            stack.enter_context(client.turn)
        yield


def step(what, work):
    """A step of the migration, of which check() prints what the clients waited."""
    begin = time.monotonic()
    work()
    _steps.append((what, begin, time.monotonic()))
    print(f"{what}: {time.monotonic() - begin:.1f} s", flush=True)


def call(statement):
    with model.connect() as connection:
        connection.execute(statement)


def check():
    """No client had an error, and none waited for long.  The waits are printed."""
    model.same("errors of clients", {}, {number: str(client.error) for number, client in enumerate(all)
                                         if client.error})
    waits = sorted(wait for client in all for wait in client.waits)
    print(f"{len(waits)} statements of {len(all)} clients, in seconds:")
    print("| step | it took | statements | failed | longest | 99.9 % below |\n|---|---|---|---|---|---|")
    longest = 0
    for what, begin, end in [*_steps, ("all of it", waits[0][0], time.monotonic())]:
        # A statement counts where it was at work.
        during = sorted(wait for at, wait, _ in waits if at < end and at + wait > begin)
        failed = sum(1 for client in all if client.failed and begin < client.failed < end)
        if during:
            print(f"| {what} | {end - begin:.1f} | {len(during)} | {failed} | {during[-1]:.3f} | {during[len(during) * 999 // 1000]:.3f} |")
            longest = max(longest, during[-1])
    for at, wait, statement in sorted(waits, key=lambda w: -w[1])[:3]:
        inside = [what for what, begin, end in _steps if at < end and at + wait > begin]
        print(f"  {wait:.3f} s, {', '.join(inside) or 'between the steps'}: {statement}")
    model.same(f"clients waited for less than {LIMIT} s", [True], [longest < LIMIT])
