"""Hours of a company with four nodes, and what grows.

The clients of bad_days write and read.  Each minute an operator's cron maintains partitions at all
nodes, and what the nodes use is measured.  Every ten minutes a country moves, there and back, and then
each row that is confirmed must be there once, at the node of its country, all nodes must find the
same, and iuid_check_regions() must have no row.  Every five minutes something is killed, in turn: a
session, a server, which then starts again, and the command of the next move, once in each of its steps.

The last node is never killed, so that its session of class Observed lives all the time.  Memory,
descriptors and slots grow without bound if their median in the last quarter of all measures is more
than half above that in the second quarter, and more than what LIMITS grants.

At the end, or at SIGTERM, everything is saved in the folder beside the nodes, and the next call goes
on there.
"""

import argparse
import itertools
import os
import pickle
import random
import signal
import statistics
import sys
import threading
import time
import traceback
from pathlib import Path

import psycopg

import bad_days
import move
from bad_days import Failed
from move import COUNTRY, TABLES

KILLS = ["session", "server", "command"]
LIMITS = {"memory": 2.0, "descriptors": 20.0, "slots": 4.0}  # megabytes, and numbers
COLUMNS = ["hours", "node", "session", "memory", "descriptors", "slots", "connections", "table", "indexes", "bloat", "rows"]

# Megabytes, and how many times the leaves of a fresh index the leaves of the keys of the orders are.
SIZES = """
    SELECT (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
        sum(pg_table_size(relid)) / 1e6, sum(pg_indexes_size(relid)) / 1e6,
        (SELECT sum(leaf_pages) / (sum(leaf_pages * avg_leaf_density) / 90)
         FROM pg_partition_tree('orders_pkey') AS k, pgstatindex(k.relid) WHERE k.isleaf AND leaf_pages > 0)
    FROM pg_partition_tree('orders') WHERE isleaf"""


class Observed(bad_days.Pausing, move.Client):
    """A session that uses what keeps something in memory.  It stays when another node is killed."""

    def work(self):
        known = list(self.log.version["orders"])
        while True:
            try:
                for key in random.sample(known, 10):
                    self.session.execute("SELECT gen_iuid(%s, 1)", [COUNTRY])
                    self.session.execute("SELECT * FROM iuid_find(NULL::orders, %s::uuid)", [key])
                    self.session.execute("SELECT * FROM iuid_select_on_nodes(NULL::orders,"
                                         " 'SELECT * FROM orders WHERE customer = 42 ORDER BY id DESC LIMIT 8')")
                return
            except psycopg.Error as error:
                if self.session.broken or self.ended.is_set():
                    raise
                self.errors[error.sqlstate] = self.errors.get(error.sqlstate, 0) + 1
                time.sleep(0.1)


class Soak(bad_days.Day):
    def __init__(self, company, given):
        super().__init__(company, "soak", "", True, given)
        self.given, self.over, self.nodes_up = given, threading.Event(), threading.Lock()
        self.state, self.measures = company.folder / "state", company.folder / "measures"
        self.hours = 0.0  # of the calls before this one
        self.morning = time.monotonic()
        self.kills, self.next_kill, self.kill_command = dict.fromkeys(KILLS, 0), itertools.cycle(KILLS), False
        self.moved, self.refused, self.wrong = 0, 0, []

    # --- the whole ---

    def whole(self):
        try:
            self.begin()
            threads = [threading.Thread(target=self.every, args=each) for each in ((1, self.cron), (1, self.measure), (5, self.kill), (10, self.move_there))]
            for thread in threads:
                thread.start()
            self.over.wait(self.given.hours * 60 * self.given.minute)
            self.over.set()
            for thread in threads:
                thread.join()
            if not self.wrong:
                self.check("at the end")
                print("uses of a session: " + ", ".join(f"{10 * client.done} at {name}" for name, client in self.observed.items()), flush=True)
                self.wrong += self.grown()
        except (Exception, SystemExit):
            self.wrong.append(traceback.format_exc())
        self.stop_clients()
        if self.wrong:
            print("\n".join([*self.said[-6:], *self.wrong, str(dict(self.errors()))]), flush=True)
        else:
            self.save()

    def end(self, *_):
        print(f"{self.now():6.2f} h: SIGTERM: it ends after what is under way", flush=True)
        self.over.set()

    def begin(self):
        (here,), = self.nodes.rows(self.names[0], f"SELECT iuid_node({COUNTRY}, 1)")
        self.moves = move.Moves(self.nodes, here, "jakarta" if here == "almaty" else "almaty")
        for name in self.names:
            self.nodes.rows(name, "CREATE EXTENSION IF NOT EXISTS pgstattuple")
        if self.state.exists():
            saved = pickle.loads(self.state.read_bytes())
            self.log, self.loaded, bad_days.Writer.orders, self.hours, self.kills, self.moved = saved
            self.state.unlink()
            print(f"goes on after {self.hours:.2f} hours", flush=True)
        else:
            self.read_rows()
            self.measures.write_text("\t".join(COLUMNS) + "\n")
        self.all_follow()
        self.observed = {name: Observed(name, self.log) for name in self.names}
        self.start_clients(*self.observed.values())
        self.morning = self.measured = time.monotonic()
        self.written = dict.fromkeys(self.names, 0)

    def save(self):
        """The writers begin with new rows, as if their sessions had ended."""
        self.state.write_bytes(pickle.dumps((self.log, self.loaded, bad_days.Writer.orders, self.now(), self.kills, self.moved)))

    def now(self):
        """Hours of all calls."""
        return self.hours + (time.monotonic() - self.morning) / 60 / self.given.minute

    def every(self, minutes, work):
        """As long as nothing is wrong."""
        due = time.monotonic() + minutes * self.given.minute
        while not self.over.wait(max(0, due - time.monotonic())):
            due = time.monotonic() + minutes * self.given.minute
            try:
                work()
            except (Exception, SystemExit):
                self.wrong.append(traceback.format_exc())
                self.over.set()

    # --- what happens ---

    def cron(self):
        """A node that is down, or a lock that does not come, waits for the next minute."""
        for name in self.names:
            try:
                self.maintain(name)
            except psycopg.Error:
                self.refused += 1

    @staticmethod
    def maintain(name):
        with psycopg.connect(f"service={name}", autocommit=True, options="-c client_min_messages=error") as session:
            session.execute("SELECT iuid_create_routed_partitions('orders', 1, '1 hour'), iuid_create_routed_partitions('trips', 3)")
            for table, in session.execute("SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhrelid"
                                          " WHERE inhparent = 'orders'::regclass AND relkind = 'p'").fetchall():
                session.execute(f"CALL iuid_maintain_partitions('{table}', '1 hour', ahead => 4, keep => '1 year')")

    def kill(self):
        kind = next(self.next_kill)
        if kind == "command":
            self.kill_command = True
            return
        with self.nodes_up:
            getattr(self, f"kill_{kind}")(self.random.choice(self.names[:-1]))
        self.kills[kind] += 1

    def kill_session(self, name):
        """The server ends all sessions, and recovers."""
        with psycopg.connect(self.nodes.machine[name], autocommit=True) as session:
            (pid,), = session.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'shop' ORDER BY random() LIMIT 1").fetchall()
            os.kill(pid, signal.SIGKILL)
            try:
                session.execute("SELECT pg_sleep(60)")
            except psycopg.OperationalError:
                self.until_up(name, lambda: self.nodes.rows(name, "SELECT"))
                return
        raise Failed(f"{name} does not notice that a session is killed")

    def kill_server(self, name):
        os.kill(int(Path(self.nodes.data[name], "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        time.sleep(self.random.uniform(0, 5))
        # The processes that it has left must have ended.
        data = self.nodes.data[name]
        self.until_up(name, lambda: bad_days.run("pg_ctl", "-D", data, "-l", f"{data}/../{name}.again.log", "-w", "start"))

    @staticmethod
    def until_up(name, attempt):
        for _ in range(300):
            try:
                return attempt()
            except (psycopg.Error, Failed):
                time.sleep(1)
        raise Failed(f"{name} does not come back")

    def move_there(self):
        """Beside kills of nodes, or with kills of the command."""
        if self.kill_command:
            with self.nodes_up:
                self.command("killed")
            self.kill_command = False
            self.kills["command"] += 1
        else:
            self.until_done("copy")
            self.until_up(self.moves.new, self.go_through)
        self.moves.turn()
        self.moved += 1
        self.check(f"move {self.moved}, to {self.moves.old}")
        self.said.clear()

    def check(self, what):
        with self.nodes_up:
            self.all_follow()
            for name in self.names:
                self.until_up(name, lambda: self.maintain(name))
            self.be_well()
            self.go_on(self.clients, what)
            with self.paused():
                wrong = self.compare()
                rows = sum(version is not move.GONE for table in TABLES for version in self.log.version[table].values())
        if wrong:
            raise Failed("\n".join([what, *wrong]))
        print(f"{self.now():6.2f} h: {what}: {rows} rows are as confirmed; killed: "
              + ", ".join(f"{count} x {kind}" for kind, count in self.kills.items())
              + f"; maintenance put off {self.refused} times", flush=True)

    # --- what is measured ---

    def measure(self):
        """A line for each node that is up."""
        seconds, self.measured = time.monotonic() - self.measured, time.monotonic()
        for name in self.names:
            done = sum(writer.done for writer in self.writers if writer.node == name)
            done, self.written[name] = done - self.written[name], done
            try:
                pid = self.observed[name].session.info.backend_pid
                memory, descriptors = self.process(pid)
                (slots, connections, *sizes), = self.nodes.rows(name, SIZES)
            except (psycopg.Error, OSError, AttributeError):
                continue
            numbers = [memory, descriptors, slots, connections, *sizes, done / seconds]
            with self.measures.open("a") as file:
                print(f"{self.now():.4f}", name, pid, *(f"{number:.2f}" for number in numbers), sep="\t", file=file)

    @staticmethod
    def process(pid):
        """Megabytes that are the process's own, without its share of the server's buffers, and open descriptors."""
        rollup = dict(line.split()[:2] for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
        return int(rollup["Pss_Anon:"]) / 1024, len(os.listdir(f"/proc/{pid}/fd"))

    def grown(self):
        """Which measures grow without bound."""
        lines = [dict(zip(COLUMNS, line.split("\t"))) for line in self.measures.read_text().splitlines()[1:]]
        for measure, granted in LIMITS.items():
            for name in self.names:
                found = [float(line[measure]) for line in lines if line["node"] == name]
                quarter = len(found) // 4
                if quarter == 0:
                    yield f"{name}: only {len(found)} measures"
                    continue
                second, last = statistics.median(found[quarter:2 * quarter]), statistics.median(found[3 * quarter:])
                print(f"{measure} at {name}: {second:.2f}, then {last:.2f}", flush=True)
                if last > max(1.5 * second, second + granted):
                    yield f"{measure} at {name} grows: {second:.2f}, then {last:.2f}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hours", type=float, default=2)
    parser.add_argument("--minute", type=float, default=60, help="seconds, for tests of this program (%(default)s)")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds that a client waits after each success (%(default)s)")
    given = move.with_nodes(parser)
    given.show = False
    move.Client.pause = given.pause
    print(f"soak --hours {given.hours} --seed {given.seed}", flush=True)
    return given


def main():
    given = arguments()
    company = bad_days.Company(given)
    soak = Soak(company, given)
    signal.signal(signal.SIGTERM, soak.end)
    soak.whole()
    sys.exit(1 if soak.wrong else 0)


if __name__ == "__main__":
    main()
