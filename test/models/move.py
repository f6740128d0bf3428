"""A country that moves between four nodes (tools/iuid), while it is written and read.

Writers at all nodes insert, update and delete orders and trips of the country, and log what the
server confirms.  Readers at all nodes look up ids of that log, by iuid_find and by the global
tables: a row must be there once, and be no older than what was confirmed before the question.  At
the end all nodes must have what the log says.

The nodes are services of libpq; --node names each with the folder of its socket.  What is measured
is printed, and decides nothing.
"""

import argparse
import atexit
import configparser
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg

import model

PROGRAM = [sys.executable, str(model.ROOT / "tools/iuid"), "move"]
COUNTRY = 235
TABLES = {"orders": ("customer", 1), "trips": ("km", 3)}  # the column that is written, and the entity

# The statements of a move, one after the other, by what is in them.
COPY = ["CREATE PUBLICATION", "CREATE TABLE \"public\"", "CREATE SUBSCRIPTION", " ENABLE;", "is copied", "SET number", "ANALYZE"]
UNTIL_GIVEN_UP = ["LOCK TABLE \"public\".\"trips_c235\" IN SHARE", "ATTACH PARTITION", "UPDATE public.iuid_routes", "create_routed_partitions",
                  "DETACH PARTITION"]
AFTER = ["IF false THEN", "lagos      SELECT public.iuid_create_global_table", "DROP SUBSCRIPTION", "DROP PUBLICATION", "DROP TRIGGER"]
FINISH = ["DROP VIEW", "jakarta    COMMIT"]


class GONE:
    """The version of a row that was deleted."""


class Log:
    """What is confirmed of each row, what is being changed, and what nobody knows."""

    def __init__(self):
        self.version = {table: {} for table in TABLES}
        self.changing = {table: {} for table in TABLES}  # the version that a statement is to make
        self.unknown = {table: {} for table in TABLES}   # the versions that a row may have instead
        self.wrong = []

    def possible(self, table, key):
        return {self.version[table].get(key, GONE), *self.unknown[table].get(key, ())}


class Client:
    """A session that works again and again, and how long it had to wait for success."""
    pause = 0.0  # seconds after each success

    def __init__(self, node, log):
        self.node, self.log, self.session = node, log, None
        self.last, self.longest, self.errors, self.done = None, 0.0, {}, 0

    def run(self, stop):
        while not stop.is_set():
            try:
                if self.session is None or self.session.closed:
                    self.session = psycopg.connect(f"service={self.node}", autocommit=True, connect_timeout=3, tcp_user_timeout=5000,
                                                   options="-c statement_timeout=20s")
                self.work()
                now = time.monotonic()
                if self.last is not None:
                    self.longest = max(self.longest, now - self.last)
                self.last, self.done = now, self.done + 1
                time.sleep(Client.pause)
            except psycopg.Error as error:
                what = f"{error.sqlstate} {(error.diag.message_primary or 'connection')[:60]}"
                self.errors[what] = self.errors.get(what, 0) + 1
                if self.session is None or self.session.broken or error.sqlstate is None or error.sqlstate.startswith("57P"):
                    self.session = None
                time.sleep(max(0.02, Client.pause))

    def forget_waits(self):
        self.last, self.longest, self.errors = None, 0.0, {}


class Writer(Client):
    country, suffix = COUNTRY, "_global"  # of the rows, and of the name of the table

    def __init__(self, node, log, table):
        super().__init__(node, log)
        self.table, self.mine = table, []

    def work(self):
        column, entity = TABLES[self.table]
        choice = random.random()
        if not self.mine or choice < 0.4:
            (key,), = self.session.execute("SELECT gen_iuid(%s, %s)::uuid", [self.country, entity]).fetchall()
            values = [key, 1, self.node] if self.table == "orders" else [key, self.order(), 1]
            self.change(key, 1, f"INSERT INTO {self.table}{self.suffix} VALUES (%s, %s, %s)", values)
            self.mine.append(key)
        elif choice < 0.9 or len(self.mine) < 20:
            key = random.choice(self.mine)
            version = self.log.version[self.table][key] + 1
            self.change(key, version, f"UPDATE {self.table}{self.suffix} SET {column} = %s WHERE id = %s", [version, key])
        else:
            key = self.mine.pop(random.randrange(len(self.mine)))
            self.change(key, GONE, f"DELETE FROM {self.table}{self.suffix} WHERE id = %s", [key])

    def order(self):
        """An order that stays."""
        return random.choice(Writer.orders)

    def change(self, key, version, statement, values):
        log, table = self.log, self.table
        log.changing[table][key] = version
        try:
            count = self.session.execute(statement, values).rowcount
        except psycopg.Error as error:
            # Behind postgres_fdw, and when the connection breaks, nobody knows whether it was done.
            if error.sqlstate is None or error.sqlstate[:2] in ("08", "57", "HV"):
                log.unknown[table].setdefault(key, set()).update({version, log.version[table].get(key, GONE)})
                if key in self.mine:
                    self.mine.remove(key)
            elif version is GONE:
                self.mine.append(key)
            del log.changing[table][key]
            raise
        if count != 1:
            log.wrong.append(f"{self.node}: {statement} of {key} changed {count} rows")
        log.version[table][key] = version
        del log.changing[table][key]


class Reader(Client):
    def work(self):
        table = random.choice(list(TABLES))
        known = self.log.version[table]
        keys = random.sample(list(known), min(len(known), 3)) if random.random() < 0.1 else [random.choice(list(known)[-200:])] if known else []
        if not keys:
            return
        column = TABLES[table][0]
        before = {key: known[key] for key in keys if key not in self.log.unknown[table]}
        self.way = random.choice(["iuid_find", "the global table"])
        if self.way == "iuid_find":
            rows = self.session.execute(f"SELECT id::uuid, {column} FROM iuid_find(NULL::{table}, VARIADIC %s::uuid[])", [keys]).fetchall()
        else:
            rows = self.session.execute(f"SELECT id::uuid, {column} FROM {table}_global WHERE id = ANY (%s::uuid[])", [keys]).fetchall()
        for key, version in before.items():
            self.judge(table, key, version, [found for at, found in rows if at == key])

    def judge(self, table, key, before, found):
        log = self.log
        after = {log.version[table].get(key), log.changing[table].get(key)} | log.unknown[table].get(key, set())
        if len(found) > 1:
            wrong = f"is there {len(found)} times"
        elif not found and before is not GONE and GONE not in after:
            wrong = "is missing"
        elif found and (before is GONE or found[0] < before):
            wrong = f"is older than what was confirmed: {found[0]}, not {'deleted' if before is GONE else before}"
        else:
            return
        log.wrong.append(f"{time.strftime('%H:%M:%S')} {self.node}: a look-up in {table} by {self.way}: {key} {wrong}")


class Counter(Client):
    """How long a view over all nodes counts a row twice."""
    twice = never = 0.0

    def work(self):
        begin = time.monotonic()
        (count,), = self.session.execute("SELECT count(*) FROM orders_all WHERE id = %s", [Counter.row]).fetchall()
        took = time.monotonic() - (self.last or begin)
        if count == 2:
            self.twice += took
        elif count == 0:
            self.never += took


class Nodes:
    """The servers, to stop and start them, and to ask them."""

    def __init__(self, sockets):
        services = configparser.ConfigParser(interpolation=None)
        services.read(os.environ["PGSERVICEFILE"])
        self.names = list(sockets)
        self.machine = {name: f"host={socket} port={services[name]['port'] if socket_port is None else socket_port} user=postgres dbname=shop"
                        for name, (socket, socket_port) in sockets.items()}
        self.data = {name: self.rows(name, "SHOW data_directory")[0][0] for name in self.names}
        self.stopped = []
        atexit.register(self.go_on)  # a server that hangs cannot be stopped

    def rows(self, name, query, values=None):
        with psycopg.connect(self.machine[name], autocommit=True) as session:
            cursor = session.execute(query, values)
            return cursor.fetchall() if cursor.description else []

    def stop(self, name, hang):
        if hang:
            postmaster = int(Path(self.data[name], "postmaster.pid").read_text().split()[0])
            self.hang(postmaster)
            for stat in Path("/proc").glob("[0-9]*/stat"):
                if self.parent(stat) == postmaster:
                    with contextlib.suppress(ProcessLookupError):  # its session has ended
                        self.hang(int(stat.parent.name))
        else:
            self.control(name, "stop", "-m", "immediate")

    def hang(self, process):
        os.kill(process, signal.SIGSTOP)
        self.stopped.append(process)

    def go_on(self):
        for process in reversed(self.stopped):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
        self.stopped = []

    @staticmethod
    def parent(stat):
        try:
            return int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            return None

    def start(self, name):
        if self.stopped:
            self.go_on()
        else:
            self.control(name, "-l", f"{self.data[name]}/../{name}.again.log", "-w", "start")

    def control(self, name, *words):
        program = self.rows_program(name)
        subprocess.run([program, "-D", self.data[name], *words], check=True, stdout=subprocess.DEVNULL, cwd="/")

    @staticmethod
    def rows_program(name):
        return "pg_ctl"

    def catalog(self):
        """What a node has: tables, views, bounds, triggers, constraints, publications and the like."""
        return {name: self.rows(name, """
            SELECT c.relname::text, c.relkind::text, i.inhparent::regclass::text, pg_get_expr(c.relpartbound, c.oid), c.relacl::text,
                (SELECT string_agg(concat_ws(' ', conname, pg_get_constraintdef(k.oid), convalidated), ';' ORDER BY conname, conparentid) FROM pg_constraint AS k
                    WHERE conrelid = c.oid),
                (SELECT string_agg(tgname, ';' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal),
                (SELECT s.srvname::text FROM pg_foreign_table AS f JOIN pg_foreign_server AS s ON s.oid = f.ftserver WHERE f.ftrelid = c.oid)
            FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'S'
            UNION ALL SELECT pubname::text, 'publication', NULL, NULL, NULL, NULL, NULL, NULL FROM pg_publication
            UNION ALL SELECT subname::text, 'subscription', NULL, NULL, NULL, NULL, NULL, NULL FROM pg_subscription
            UNION ALL SELECT slot_name::text, 'slot', NULL, NULL, NULL, NULL, NULL, NULL FROM pg_replication_slots WHERE slot_name NOT LIKE 'pg_%%'
            UNION ALL SELECT proname::text, 'function', NULL, NULL, NULL, NULL, NULL, NULL FROM pg_proc WHERE pronamespace::regnamespace::text LIKE 'moving%%'
            UNION ALL SELECT 'route', country::text, entity::text, node, NULL, NULL, NULL, NULL FROM iuid_routes
            ORDER BY 1, 2, 3""", []) for name in self.names}


class Moves:
    """The command, for one move after the other: there and back."""
    services = None  # another file for the command than for the clients

    def __init__(self, nodes, old, new, country=COUNTRY):
        self.nodes, self.old, self.new, self.country = nodes, old, new, country

    def start(self, command, *options):
        environment = os.environ | ({"PGSERVICEFILE": Moves.services} if Moves.services else {})
        return subprocess.Popen([*PROGRAM, command, str(self.country), self.old, self.new, "--subscribe-as", self.nodes.machine[self.new], "--trust-owners", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)

    def run(self, command, *options, fails=False):
        process, begin, out = self.start(command, *options), time.monotonic(), ""
        for line in process.stdout:
            out += f"{time.monotonic() - begin:8.3f} {line}"
        process.wait()
        if (process.returncode != 0) != fails and fails is not None:
            sys.exit(f"{command}: status {process.returncode}\n{out}")
        return out

    def run_until(self, command, label, *options):
        """Until a statement is printed.  Gives the process, or None if it ended before, and what it said."""
        process, out = self.start(command, *options), []
        for line in process.stdout:
            out.append(line)
            if label in line:
                return process, out
        process.wait()
        return None, out

    def killed(self, command, label):
        process, out = self.run_until(command, label)
        if process is None:
            return False
        time.sleep(random.choice([0, 0.001, 0.01, 0.03]))
        process.kill()
        process.communicate()
        return True

    def whole(self):
        self.run("copy")
        out = self.run("switch")
        self.run("finish")
        self.turn()
        return out

    def turn(self):
        self.old, self.new = self.new, self.old


class Test:
    def __init__(self, given):
        self.given = given
        self.nodes = Nodes(given.sockets)
        self.log = Log()
        (here,), = self.nodes.rows("almaty", f"SELECT iuid_node({COUNTRY}, 1)")
        self.moves = Moves(self.nodes, here, "jakarta" if here == "almaty" else "almaty")
        self.stop = threading.Event()

    def load(self):
        rows = self.given.rows
        for table, values, count in (("orders", "0, 'loaded'", rows), ("trips", f"(SELECT id FROM orders WHERE iuid_is_from(id, {COUNTRY}) LIMIT 1), 0", rows // 10)):
            entity = TABLES[table][1]
            with psycopg.connect(f"service={self.moves.old}", autocommit=True) as session:
                session.execute(f"INSERT INTO {table} SELECT gen_iuid({COUNTRY}, {entity}, now() - n * interval '1 second'), {values} FROM generate_series(1, {count}) AS n")
                session.execute(f"ANALYZE {table}")
        Writer.orders = [row[0] for row in self.nodes.rows(self.moves.old, f"SELECT id::uuid FROM orders WHERE iuid_is_from(id, {COUNTRY}) LIMIT 1000")]
        Counter.row = Writer.orders[0]
        self.loaded = {table: self.count(self.moves.old, table) for table in TABLES}

    def count(self, name, table):
        return self.nodes.rows(name, f"SELECT count(*) FROM {table} WHERE iuid_is_from(id, {COUNTRY})")[0][0]

    def begin(self):
        names, writers = self.nodes.names, self.given.writers
        self.writers = [Writer(names[n % len(names)], self.log, "orders" if n % 7 < 4 else "trips") for n in range(writers)]
        self.readers = [Reader(names[n % len(names)], self.log) for n in range(self.given.readers)]
        self.counter = Counter(names[-1], self.log)
        self.clients = [*self.writers, *self.readers, self.counter]
        self.threads = [threading.Thread(target=client.run, args=[self.stop], daemon=True) for client in self.clients]
        for thread in self.threads:
            thread.start()
        self.all_go_on("at the beginning")

    def all_go_on(self, when):
        self.go_on(self.clients, when)

    def go_on(self, clients, when):
        """Every client works again, and none has seen what is wrong."""
        if self.log.wrong:
            sys.exit(f"{when}: {self.log.wrong[:20]}")
        before = [client.done for client in clients]
        for _ in range(600):
            if all(client.done > count + 2 for client, count in zip(clients, before)):
                return
            time.sleep(0.1)
        stuck = [f"{type(client).__name__} at {client.node}: {client.errors}" for client, count in zip(clients, before) if client.done <= count + 2]
        sys.exit(f"{when}: these do not go on: {stuck}")

    def forget_waits(self):
        for client in self.clients:
            client.forget_waits()
        self.counter.twice = self.counter.never = 0.0

    def report(self, what):
        waits = {kind: max((client.longest for client in clients), default=0) for kind, clients in (("writers", self.writers), ("readers", self.readers))}
        print(f"{what}: longest without success: writers {waits['writers']:.2f} s, readers {waits['readers']:.2f} s; "
              f"orders_all counted twice for {self.counter.twice:.2f} s, not at all for {self.counter.never:.2f} s", flush=True)
        for kind, clients in (("writers", self.writers), ("readers", self.readers), ("view", [self.counter])):
            errors = {}
            for client in clients:
                for error, count in client.errors.items():
                    errors[error] = errors.get(error, 0) + count
            print(f"   errors of the {kind}: {errors or 'none'}", flush=True)

    def plain(self):
        self.moves.run("copy")
        self.all_go_on("beside the copy")
        self.forget_waits()
        out = self.moves.run("switch")
        self.all_go_on("after the switch")
        self.report("the switch")
        print(out if self.given.show else "".join(line for line in out.splitlines(True) if "Takes writes" in line), flush=True)
        self.well("before finish")
        for table, (_, entity) in TABLES.items():
            self.rows(self.moves.old, f"SELECT iuid_create_routed_partitions('{table}', {entity})")
            self.rows(self.moves.old, f"SELECT iuid_create_global_table('{table}_global', '{table}', {entity})")
        (views,), = self.nodes.rows(self.moves.old, f"SELECT count(*) FROM pg_views WHERE viewname ~ '_c{COUNTRY}_e'")
        model.same("views that lead to the new node", {"views": 2}, {"views": views})
        self.moves.run("finish")
        self.moves.turn()

    def kill(self):
        """Each command is killed at each of its statements, and started again."""
        for command, labels in (("copy", COPY), ("switch", UNTIL_GIVEN_UP + AFTER), ("finish", FINISH)):
            chosen = self.some(labels)
            for label in chosen:
                # The statement after the label before can have been faster than the kill.
                if not self.moves.killed(command, label) and label == chosen[0]:
                    sys.exit(f"{command} has no {label}")
                self.reads_on(f"{command} is killed at {label}")
            if command == "copy":
                self.all_go_on("killed beside the copy")
            # The last statement can be faster than the kill.
            out = self.moves.run(command, fails=None)
            if "does not move" not in out and not any(word in out for word in ("is complete", "is done", "is finished")):
                sys.exit(f"{command}, after it was killed\n{out}")
        self.moves.turn()
        self.all_go_on("killed at each statement")

    def some(self, labels):
        """In order.  The test has no time for all of them."""
        return labels if self.given.every else [labels[n] for n in sorted(random.sample(range(len(labels)), 2))]

    def abort(self):
        """A move that is killed at a statement is undone, and leaves nothing."""
        before = self.nodes.catalog()
        for command, labels in (("copy", COPY), ("switch", UNTIL_GIVEN_UP)):
            for label in self.some(labels):
                if command == "switch":
                    self.moves.run("copy")
                if not self.moves.killed(command, label):
                    sys.exit(f"{command} has no {label}")
                out = self.moves.run("abort", fails=None)
                if "only goes forward" in out:  # the statement was faster than the kill
                    self.moves.run("switch")
                    self.moves.run("finish")
                    self.moves.turn()
                    before = self.nodes.catalog()
                elif "is undone" not in out and "does not move" not in out:
                    sys.exit(f"abort, killed at {label}\n{out}")
                for name, catalog in self.nodes.catalog().items():
                    model.same(f"{name}, aborted at {label}", {str(row) for row in before[name]}, {str(row) for row in catalog})
                self.all_go_on(f"aborted at {label}")

    def limit(self):
        """A switch that takes too long goes back by itself, to exactly what was, and can be tried again."""
        self.moves.run("copy")
        before = self.nodes.catalog()
        for name, table in (self.moves.new, "orders_global"), (self.moves.old, "orders"):
            with psycopg.connect(self.nodes.machine[name]) as session:
                # Not before, or the switch would not begin.
                process, out = self.moves.run_until("switch", "Refuses writes", "--limit", "1.5")
                if process:
                    session.execute(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
                    out.append(process.communicate()[0])
                self.all_go_on(f"{name} is busy")
            if "where it was" not in "".join(out):
                sys.exit("".join(out))
            # Foreign keys can be validated anew, and triggers that do nothing stay where the tables are in use.
            end = 6 if name != self.moves.old else 7
            same = [{each: {str(row[:5] + row[end:]) for row in rows} for each, rows in catalog.items()} for catalog in (before, self.nodes.catalog())]
            for each in self.nodes.names:
                model.same(f"{each}, after {name} was busy", same[0][each], same[1][each])
        self.behind()
        self.moves.turn()

    def linked(self):
        """A transaction of another node inserts an order and then its trip, by the same way, whatever the switch does."""
        name = self.nodes.names[-1]
        self.moves.run("copy")
        with psycopg.connect(f"service={name}") as session:
            session.execute("LOCK TABLE ONLY orders_global IN ACCESS SHARE MODE")
            out = self.moves.run("switch")
            model.same("who is behind", {f"Behind: {name}": True}, {f"Behind: {name}": f"Behind: {name}." in out})
            (order,), = session.execute("INSERT INTO orders_global VALUES (gen_iuid(%s, 1), 1, 'linked') RETURNING id::uuid", [COUNTRY])
            (trip,), = session.execute("INSERT INTO trips_global VALUES (gen_iuid(%s, 3), %s, 1) RETURNING id::uuid", [COUNTRY, order])
            # Each row is deleted by the way by which it came: the transaction does not wait for itself.
            session.execute("DELETE FROM trips_global WHERE id = %s", [trip])
            session.execute("DELETE FROM orders_global WHERE id = %s", [order])
        self.moves.run("finish")
        self.moves.turn()
        self.all_go_on("after a transaction over two tables")

    def behind(self):
        """Another node whose tables are in use is led to the new node, and holds nobody up."""
        name = self.nodes.names[-1]
        with psycopg.connect(self.nodes.machine[name]) as session:
            session.execute("LOCK TABLE orders IN ACCESS SHARE MODE")
            out = self.moves.run("switch")
            model.same("who is behind", {f"Behind: {name}": True}, {f"Behind: {name}": f"Behind: {name}." in out})
            self.all_go_on(f"{name} is behind")
            self.moves.run("finish", fails=True)
            self.all_go_on(f"{name} is behind, and the move not finished")
        self.moves.run("finish")

    def rights(self):
        """No role may do more at the new node than at the old one, nor by way of the old one."""
        old, new, last = self.moves.old, self.moves.new, self.nodes.names[-1]
        may_not = "permission denied"
        self.nodes.rows(old, f"REVOKE SELECT ON trips_c{COUNTRY} FROM desk")
        self.nodes.rows(old, f"GRANT SELECT (id) ON trips_c{COUNTRY} TO desk")
        self.moves.run("copy")
        policies = (f"ALTER TABLE orders_c{COUNTRY} ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON orders_c{COUNTRY} TO desk USING (false);"
                    f" CREATE POLICY mesh ON orders_c{COUNTRY} TO %s USING (true)")
        self.nodes.rows(old, policies % "mesh")
        self.nodes.rows(new, policies % "public")
        model.same("policies for other roles", {"not that": True}, {"not that": "is not that of" in self.moves.run("switch", fails=True)})
        self.nodes.rows(new, f"ALTER POLICY mesh ON orders_c{COUNTRY} TO mesh")
        model.same("desk before the switch", {"orders": 0, "trips": may_not}, self.seen_by_desk(last))
        with psycopg.connect(self.nodes.machine[last]) as session:
            session.execute("LOCK TABLE orders, trips IN ACCESS SHARE MODE")
            self.moves.run("switch")
            model.same("desk is not led", {"orders": may_not, "trips": may_not}, self.seen_by_desk(last))
            self.all_go_on("led with row security")
        self.moves.run("finish")
        for name in last, new:
            model.same(f"desk at {name} after the move", {"orders": 0, "trips": may_not}, self.seen_by_desk(name))
        self.nodes.rows(new, f"ALTER TABLE orders_c{COUNTRY} DISABLE ROW LEVEL SECURITY; DROP POLICY none ON orders_c{COUNTRY}; DROP POLICY mesh ON orders_c{COUNTRY};"
                             f" REVOKE SELECT (id) ON trips_c{COUNTRY} FROM desk; GRANT SELECT ON trips_c{COUNTRY} TO desk")
        self.moves.turn()

    def seen_by_desk(self, name):
        """How many rows a role sees, or why none; at the node of the country from its partitions."""
        seen = {}
        for table in TABLES:
            with psycopg.connect(f"service={name} user=desk", autocommit=True) as session:
                here = session.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{table}_c{COUNTRY}"]).fetchone()[0]
                try:
                    seen[table] = session.execute(f"SELECT count({TABLES[table][0]}) FROM {table}_c{COUNTRY}" if here else
                                                  f"SELECT count({TABLES[table][0]}) FROM {table}_global WHERE iuid_is_from(id, {COUNTRY})").fetchone()[0]
                except psycopg.errors.InsufficientPrivilege as error:
                    seen[table] = (error.diag.message_primary or "")[:17]
        return seen

    def circle(self):
        """Who waits for the switch, and is waited for, is not the one that fails."""
        node = self.nodes.names[-1]
        self.moves.run("copy")
        with psycopg.connect(f"service={node}") as session:
            # A plan that is kept locks no table above the one that it reads.
            session.execute("SET plan_cache_mode = force_generic_plan")
            session.execute("PREPARE read_here AS SELECT count(*) FROM orders WHERE note = 'none'")
            session.execute("EXECUTE read_here")
            session.commit()
            session.execute("EXECUTE read_here")
            process, out = self.moves.run_until("switch", f"{node:10} SELECT public.iuid_create_global_table('\"public\".\"orders_global\"'")
            if process is None:
                sys.exit("".join(out))
            self.until(node, "SELECT 1 FROM pg_locks WHERE relation = 'orders_global'::regclass"
                             " AND mode = 'AccessExclusiveLock' AND granted")
            session.execute("SELECT FROM orders_global WHERE id = %s", [Counter.row])
        out += process.communicate()[0]
        model.same("a circle of locks", {"once more": True, "status": 0},
                   {"once more": f"{node:10} -- The tables are in use" in "".join(out), "status": process.returncode})
        self.moves.run("finish")
        self.moves.turn()
        self.all_go_on("after a circle of locks")

    def reader_writes(self):
        """Who has read a table writes it while the new node drops its triggers."""
        node = self.moves.new
        self.moves.run("copy")
        with psycopg.connect(f"service={node}") as session:
            process, out = self.moves.run_until("switch", "Takes writes")
            if process is None:
                sys.exit("".join(out))
            session.execute(f"SELECT FROM orders_c{COUNTRY} WHERE id = %s", [Counter.row])
            self.until(node, f"SELECT 1 FROM pg_locks WHERE relation = 'orders_c{COUNTRY}'::regclass"
                             " AND mode = 'AccessExclusiveLock' AND NOT granted")
            count = session.execute(f"UPDATE orders_c{COUNTRY} SET note = note WHERE id = %s", [Counter.row]).rowcount
        out += process.communicate()[0]
        model.same("a reader who writes", {"rows": 1, "status": 0}, {"rows": count, "status": process.returncode})
        self.moves.run("finish")
        self.moves.turn()
        self.all_go_on("after a reader who writes")

    def outage(self):
        """A node stops, or hangs, at each statement of the switch."""
        for label in self.some(UNTIL_GIVEN_UP + AFTER):
            for name in self.nodes.names if self.given.every else [random.choice(self.nodes.names)]:
                self.outage_at(label, name, hang=random.random() < 0.3)

    def outage_at(self, label, name, hang):
        what = f"{name} {'hangs' if hang else 'stops'} at {label}"
        print(what, flush=True)
        self.all_follow()
        self.moves.run("copy")
        process, out = self.moves.run_until("switch", label)
        if process is None:
            sys.exit(f"switch has no {label}\n{''.join(out)}")
        self.nodes.stop(name, hang)
        said = process.communicate(timeout=300)[0]
        if "Traceback" in said:
            sys.exit(f"{what}\n{said}")
        self.nodes.start(name)
        for command in "switch", "finish":
            for attempt in range(20):
                out = self.moves.run(command, fails=None)
                if "is done" in out or "is finished" in out:
                    break
                if "Traceback" in out or attempt == 19:
                    sys.exit(f"{what}: {command}\n{said}\n---\n{out}")
                time.sleep(0.5)
        self.moves.turn()
        self.all_go_on(what)

    def all_follow(self):
        """A worker of replication that began, or whose node was back, a moment ago is not there yet."""
        for name in self.nodes.names:
            self.until(name, "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_subscription WHERE pid IS NULL)"
                             " AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE NOT active)")

    def publisher(self):
        """Before the route changes, the switch and abort need no publisher of the registry."""
        name = "mexico"
        self.moves.run("copy")
        process, out = self.moves.run_until("switch", "ATTACH PARTITION")
        if process is None:
            sys.exit("".join(out))
        # The route would change before the publisher has stopped.
        process.send_signal(signal.SIGSTOP)
        self.nodes.stop(name, hang=False)
        process.send_signal(signal.SIGCONT)
        out += process.communicate(timeout=300)[0]
        model.same("without the publisher", {"it goes back": True}, {"it goes back": "where it was" in "".join(out)})
        self.go_on([client for client in self.clients if client.node != name and client is not self.counter], "without the publisher")
        self.moves.run("abort")
        self.nodes.start(name)
        self.all_go_on("with the publisher again")

    def checks(self):
        """What is wrong at a node is said before anything is published."""
        old, new, last = self.moves.old, self.moves.new, self.nodes.names[-1]
        before = self.nodes.catalog()
        model.same("plan", {"Nothing is in the way": True}, {"Nothing is in the way": "Nothing is in the way" in self.moves.run("plan")})
        self.moves.run("copy", "--dry-run")
        slots = "FROM generate_series(1, current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots)::int - 2) AS n"
        subscription = self.nodes.rows(last, "SELECT subname FROM pg_subscription")[0][0]
        for node, wrong, right, reason in (
                (old, "ALTER TABLE trips_c235 REPLICA IDENTITY NOTHING", "ALTER TABLE trips_c235 REPLICA IDENTITY DEFAULT", "has no replica identity"),
                (old, "ALTER TABLE trips_c235 ENABLE ROW LEVEL SECURITY", "ALTER TABLE trips_c235 DISABLE ROW LEVEL SECURITY", "row security hides"),
                (old, "REVOKE SELECT ON trips_c235 FROM mover", "GRANT SELECT ON trips_c235 TO mover", "may not read"),
                (old, "ALTER ROLE mover NOREPLICATION", "ALTER ROLE mover REPLICATION", "has not REPLICATION"),
                (old, "CREATE TABLE bills (order_id iuid REFERENCES orders)", "DROP TABLE bills", "bills at"),
                (old, "CREATE TABLE trips_c235_moved ()", "DROP TABLE trips_c235_moved", "\"trips_c235_moved\" is there already"),
                (old, f"SELECT pg_create_physical_replication_slot('full' || n) {slots}",
                 "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE 'full%'", f"max_replication_slots at {old} leaves 2, and the copy takes 3"),
                (new, "CREATE TABLE orders_c235 ()", "DROP TABLE orders_c235", "\"orders_c235\" is there already"),
                (new, "ALTER TABLE trips DROP CONSTRAINT trips_order_id_fkey",
                 "ALTER TABLE trips ADD FOREIGN KEY (order_id) REFERENCES orders (id)", "not the same foreign keys"),
                ("mexico", "REVOKE UPDATE ON iuid_routes FROM shop", "GRANT UPDATE ON iuid_routes TO shop", "may not change iuid_routes"),
                (last, f"ALTER SUBSCRIPTION {subscription} DISABLE", f"ALTER SUBSCRIPTION {subscription} ENABLE", "does not run"),
                (last, "ALTER TABLE orders_global RENAME TO hidden", "ALTER TABLE hidden RENAME TO orders_global", "orders_global")):
            self.nodes.rows(node, wrong)
            self.refuses(wrong, reason)
            self.nodes.rows(node, right)
        self.nodes.stop(last, hang=False)
        self.refuses("a node is down", f"{last} does not answer")
        self.nodes.start(last)
        out = self.moves.run("plan", "--subscribe-as", f"service={new}", fails=True)
        model.same("who may subscribe", {"may not": True}, {"may not": "may not subscribe" in out})
        for name, catalog in self.nodes.catalog().items():
            model.same(f"{name}: a plan", {str(row) for row in before[name]}, {str(row) for row in catalog})

    def refuses(self, what, reason):
        for _ in range(40):  # a worker that is disabled ends a moment later
            out = self.moves.run("copy", "--dry-run", fails=None)
            if reason in out:
                break
            time.sleep(0.1)
        model.same(what, {reason: True}, {reason: reason in out and "has to be put right" in out})

    def consumers(self):
        """Who follows both nodes has each row as it is.  Who follows the new node alone has what came after ATTACH."""
        old, new, last = self.moves.old, self.moves.new, self.nodes.names[-1]
        lakes = {"of_two": [old, new], "of_one": [new]}

        def at(lake, query):
            with psycopg.connect(self.nodes.machine[last], dbname=lake, autocommit=True) as session:
                cursor = session.execute(query)
                return cursor.fetchall() if cursor.description else []

        for node in old, new:
            self.nodes.rows(node, "CREATE PUBLICATION own FOR TABLE orders WITH (publish_via_partition_root = true)")
        for lake, followed in lakes.items():
            self.nodes.rows(last, f"CREATE DATABASE {lake}")
            at(lake, "CREATE EXTENSION iuid")
            at(lake, "CREATE TABLE orders (id iuid PRIMARY KEY, customer int, note text)")
            for node in followed:
                at(lake, f"CREATE SUBSCRIPTION {lake}_{node} CONNECTION '{self.nodes.machine[node]}' PUBLICATION own WITH (copy_data = false)")

        def insert(node, numbers):
            self.nodes.rows(node, f"INSERT INTO orders SELECT gen_iuid({COUNTRY}, 1), n, 'consumed' FROM generate_series({numbers}) AS n")

        def change(node, query):
            self.nodes.rows(node, query + " AND note = 'consumed'")

        def becomes(lake, expected):
            for _ in range(300):
                found = {row[0] for row in at(lake, "SELECT customer FROM orders WHERE note = 'consumed'")}
                if found == expected:
                    break
                time.sleep(0.1)
            model.same(f"who follows {' and '.join(lakes[lake])}", expected, found)

        insert(old, "1, 30")
        self.all_follow()
        self.moves.run("copy")
        change(old, "UPDATE orders SET customer = customer + 100 WHERE customer <= 20")
        change(old, "DELETE FROM orders WHERE customer BETWEEN 21 AND 25")
        self.moves.run("switch")
        # To the end of the old node first.
        (end,), = self.nodes.rows(old, "SELECT pg_current_wal_lsn()")
        self.until(old, f"SELECT 1 FROM pg_replication_slots WHERE slot_name = 'of_two_{old}' AND confirmed_flush_lsn >= '{end}'")
        change(new, "UPDATE orders SET customer = customer + 1000 WHERE customer BETWEEN 101 AND 110")
        change(new, "DELETE FROM orders WHERE customer = 115")
        insert(new, "31, 35")
        self.moves.run("finish")
        expected = {row[0] for row in self.nodes.rows(new, "SELECT customer FROM orders WHERE note = 'consumed'")}
        model.same("rows to be followed", {"rows": 29}, {"rows": len(expected)})
        becomes("of_two", expected)
        becomes("of_one", set(range(31, 36)))
        for row in self.nodes.rows(new, f"SELECT format('(%L, %s, %L)', id, customer, note) FROM orders WHERE iuid_is_from(id, {COUNTRY}) AND note = 'consumed'"):
            at("of_one", f"INSERT INTO orders VALUES {row[0]} ON CONFLICT DO NOTHING")
        change(new, "UPDATE orders SET customer = -1 WHERE customer = 30")
        for lake in lakes:
            becomes(lake, expected - {30} | {-1})

        for lake, followed in lakes.items():
            for node in followed:
                at(lake, f"DROP SUBSCRIPTION {lake}_{node}")
            self.nodes.rows(last, f"DROP DATABASE {lake}")
        for node in old, new:
            self.nodes.rows(node, "DROP PUBLICATION own")
        change(new, "DELETE FROM orders WHERE true")
        self.moves.turn()

    def maintenance(self):
        """What happens at the old node beside a copy comes along, or stops the command with its reason."""
        old, new = self.moves.old, self.moves.new
        divided, plain = self.country(old, "NZ", "'1 month'"), self.country(old, "NO", "NULL")
        rows = " || ".join(f"(SELECT string_agg(id::text || {column}, ' ' ORDER BY id) FROM {table} WHERE iuid_is_from(id, {divided}))"
                           for table, (column, _) in TABLES.items())
        month, bound = self.rows(old, f"SELECT ARRAY[c.relname::text, pg_get_expr(relpartbound, oid)] FROM pg_class AS c"
                                 f" WHERE relname ~ '^trips_c{divided}_.*[0-9]$' AND relkind = 'r' ORDER BY relname DESC LIMIT 1")
        before = self.nodes.catalog()
        away = Moves(self.nodes, old, new, divided)

        # ANALYZE also counts the rows of the divided table as a whole.
        self.rows(old, f"ANALYZE orders_c{divided}")
        (rows_of_orders,), = self.nodes.rows(old, f"SELECT format('about %s rows', count(*)) FROM orders_c{divided}")
        model.same("rows of a plan", {rows_of_orders: True}, {rows_of_orders: rows_of_orders in away.run("plan")})

        # A month that is truncated alone is not in the log.
        away.run("copy")
        self.rows(old, f"TRUNCATE {month}")
        self.stops(away, "switch", "was truncated or rewritten", before)

        # Months are cut out of the open ends, and dropped.
        away.run("copy")
        for table in TABLES:
            self.rows(old, f"SELECT iuid_create_partitions('{table}_c{divided}', '1 month', now() - interval '1 year', now() + interval '1 year')")
        self.rows(old, f"DROP TABLE {month}")
        self.write(old, divided)
        expected = self.rows(old, "SELECT " + rows)
        away.run("switch")
        model.same("orders beside months that come and go", {"rows": expected}, {"rows": self.rows(new, "SELECT " + rows)})
        away.run("finish")

        # A month that is attached with rows is not in the log, either.
        back = Moves(self.nodes, new, old, divided)
        back.run("copy")
        self.rows(new, f"CREATE TABLE late (LIKE trips_c{divided} INCLUDING ALL)")
        self.rows(new, f"INSERT INTO late SELECT gen_iuid({divided}, 3, iuid_time_of_bound('{bound[18:54]}') + interval '1 day'), id, 1 FROM orders WHERE iuid_is_from(id, {divided}) LIMIT 1")
        self.rows(new, f"ALTER TABLE trips_c{divided} ATTACH PARTITION late {bound}")
        self.stops(back, "switch", "was attached with rows", None)
        self.rows(new, "DROP TABLE late")

        # TRUNCATE of a whole table is.
        move = Moves(self.nodes, old, new, plain)
        before = self.nodes.catalog()
        move.run("copy")
        self.rows(old, f"TRUNCATE trips_c{plain}")
        self.write(old, plain)
        self.vacuum_slowly(old, plain)
        out = move.run("switch")
        model.same("autovacuum gives way", {"once more": False}, {"once more": f"{old:10} -- The tables are in use" in out})
        model.same("trips after TRUNCATE", {"rows": 1}, {"rows": self.rows(new, f"SELECT count(*) FROM trips WHERE iuid_is_from(id, {plain})")})
        move.run("finish")

        # A transaction that writes keeps the copy from beginning, and a later one the switch.
        move.turn()
        before = self.nodes.catalog()
        with psycopg.connect(f"service={new}") as session:
            session.execute("SELECT pg_current_xact_id()")
            out = move.run("copy", "--patience", "3", fails=True)
            model.same("a long transaction", {"it waits for the transactions": True}, {"it waits for the transactions": "waits for the transactions" in out})
            session.rollback()
        self.stops(move, None, None, before)
        move.run("copy")
        with psycopg.connect(f"service={new}") as session:
            session.execute("INSERT INTO orders VALUES (gen_iuid(%s, 1), 1, 'long')", [plain])
            time.sleep(6)
            out = move.run("switch", fails=True)
            model.same("why switch stops", {"has used the tables": True}, {"has used the tables": "has used the tables" in out})
            session.rollback()
        self.stops(move, None, None, before)

        # A column that comes meanwhile.
        move.run("copy")
        for name in self.nodes.names:
            # Under load each in a transaction of its own, as each waits for its locks.
            for statement in ("ALTER TABLE trips_global ADD COLUMN fare int", "SELECT iuid_create_routed_partitions('trips', 3)",
                              "SELECT iuid_create_global_view('trips_all', 'trips')"):
                self.rows(name, statement)
        self.stops(move, "switch", "columns of", None)
        self.all_go_on("after maintenance")

    def vacuum_slowly(self, name, country):
        """Until autovacuum is at work on the orders of a country, for which it needs minutes."""
        table = f"orders_c{country}"
        self.rows(name, f"ALTER TABLE {table} SET (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,"
                        " autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)")
        self.rows(name, f"INSERT INTO orders SELECT gen_iuid({country}, 1), n, 'gone' FROM generate_series(1, 20000) AS n")
        self.rows(name, f"DELETE FROM {table} WHERE note = 'gone'")
        self.until(name, f"SELECT 1 FROM pg_stat_progress_vacuum WHERE relid = '{table}'::regclass")

    def until(self, name, query):
        """Until a query gives a row."""
        end = time.monotonic() + 60
        while not self.nodes.rows(name, query):
            if time.monotonic() > end:
                sys.exit(f"{name}: waited a minute: {query}")
            time.sleep(0.02)

    def stops(self, move, command, reason, before):
        """The command stops with its reason, and abort leaves the catalogs of before."""
        if command:
            out = move.run(command, fails=True)
            model.same(f"why {command} stops", {reason: True}, {reason: reason in out})
            if reason not in out:
                print(out)
        move.run("abort")
        for name, catalog in self.nodes.catalog().items() if before else ():
            model.same(f"{name} after abort", {str(row) for row in before[name]}, {str(row) for row in catalog})

    def rows(self, name, statement):
        with psycopg.connect(f"service={name}", autocommit=True, options="-c client_min_messages=error") as session:
            cursor = session.execute(statement)
            return (cursor.fetchone() or [None])[0] if cursor.description else None

    def country(self, node, code, step):
        """A new country with orders and trips of a year, and months or not."""
        (number,), = self.nodes.rows("mexico", f"SELECT country FROM iuid_iso_countries() WHERE code = '{code}'")
        self.nodes.rows("mexico", f"INSERT INTO iuid_countries SELECT country, code, name FROM iuid_iso_countries() WHERE code = '{code}' ON CONFLICT DO NOTHING")
        self.nodes.rows("mexico", f"INSERT INTO iuid_routes SELECT {number}, NULL, '{node}' ON CONFLICT DO NOTHING")
        for name in [node, *(name for name in self.nodes.names if name != node)]:
            while self.nodes.rows(name, f"SELECT iuid_node({number}, 1)") != [(node,)]:
                time.sleep(0.05)
            for table, (_, entity) in TABLES.items():
                self.rows(name, f"SELECT iuid_create_routed_partitions('{table}', {entity}, {step})" if name == node else
                          f"SELECT iuid_create_global_table('{table}_global', '{table}', {entity})")
        self.rows(node, f"INSERT INTO orders SELECT gen_iuid({number}, 1, now() - n * interval '5 days'), n, '' FROM generate_series(-5, 70) AS n")
        self.write(node, number)
        return number

    def write(self, node, country):
        self.rows(node, f"INSERT INTO trips SELECT gen_iuid({country}, 3), id, 1 FROM orders WHERE iuid_is_from(id, {country}) LIMIT 1")
        self.rows(node, f"UPDATE orders SET customer = customer + 1000 WHERE iuid_is_from(id, {country})")

    def reads_on(self, when):
        """Look-ups go on, also while nobody can write."""
        before = [client.done for client in self.readers]
        for _ in range(600):
            if all(client.done > count + 2 for client, count in zip(self.readers, before)):
                return
            time.sleep(0.1)
        sys.exit(f"{when}: readers do not go on: {[client.errors for client in self.readers]}")

    def compare(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()
        for table in TABLES:
            column = TABLES[table][0]
            keys = list(self.log.version[table] | self.log.unknown[table])
            for name in self.nodes.names:
                with psycopg.connect(f"service={name}", autocommit=True) as session:
                    rows = session.execute(f"SELECT id::uuid, {column} FROM {table}_global WHERE id = ANY (%s::uuid[])", [keys]).fetchall()
                found = dict(rows)
                if len(found) != len(rows):
                    self.log.wrong.append(f"{name}: a row of {table} is there twice")
                expected = {key: version for key, version in self.log.version[table].items() if version is not GONE and key not in self.log.unknown[table]}
                unknown = self.log.unknown[table]
                model.same(f"{table} at {name}", expected, {key: version for key, version in found.items() if key not in unknown})
                self.log.wrong += [f"{name}: {key} of {table} has {found.get(key)}" for key in unknown
                                   if found.get(key, GONE) not in self.log.possible(table, key)]
            here = self.count(self.moves.old, table)
            written = sum(key in found for key in keys)
            model.same(f"all {table}", {"rows": self.loaded[table] + written}, {"rows": here})
        model.same("what readers and writers saw", set(), set(self.log.wrong[:20]))
        self.well("at the end")

    def well(self, when):
        for name in self.nodes.names:
            with psycopg.connect(f"service={name}", autocommit=True) as session:
                for table in TABLES:
                    found = session.execute(f"SELECT problem, country, node FROM iuid_check_regions('{table}_global')").fetchall()
                    model.same(f"iuid_check_regions at {name} {when}", set(), {str(row) for row in found})


def sockets_of(nodes):
    """The folder of the socket, and the port if it is said, of each NAME=SOCKET[:PORT]."""
    found = {}
    for node in nodes:
        name, _, way = node.partition("=")
        socket, _, port = way.partition(":")
        found[name] = (socket, port or None)
    return found


def with_nodes(parser):
    """What is given, with the nodes and the seed of a run, which begins here."""
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--node", action="append", required=True, metavar="NAME=SOCKET[:PORT]")
    given = parser.parse_args()
    given.sockets = sockets_of(given.node)
    random.seed(given.seed)
    return given


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000, help="orders of the country; a tenth as many trips (%(default)s)")
    parser.add_argument("--writers", type=int, default=14)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds that a client waits after each success (%(default)s)")
    parser.add_argument("--program-services", metavar="FILE", help="where the command finds the nodes, if not where the clients do")
    parser.add_argument("--show", action="store_true", help="what the switch says, with its seconds")
    parser.add_argument("--every", action="store_true", help="faults at each statement and of each node, not at a few")
    parser.add_argument("parts", nargs="*", default=["plain"], help="plain, rights, circle, reader_writes, linked, kill, abort, limit, outage, publisher, consumers, maintenance")
    given = with_nodes(parser)
    Moves.services, Client.pause = given.program_services, given.pause
    print(f"move --rows {given.rows} --seed {given.seed}", flush=True)
    return given


def main():
    given = arguments()
    test = Test(given)
    test.load()
    if "checks" in given.parts:
        given.parts.remove("checks")
        test.checks()
    test.begin()
    for part in given.parts:
        getattr(test, part)()
    test.compare()
    model.finish()


if __name__ == "__main__":
    main()
