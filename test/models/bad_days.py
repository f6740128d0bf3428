"""Twelve bad days of a company with four nodes, each beside writers.

Each day begins with the same nodes, which are well.  Clients at all nodes write and read the orders
and trips of five countries, and log what the server confirms.  Then something happens, and an
operator does what doc/running-regions.md says.  At the end each row that is confirmed must be there once,
at the node of its country, as a version that was confirmed; what is deleted must be gone; all nodes
must find the same; and iuid_check_regions() must have no row at any node.

A node that is restored lacks what came after its backup.  The log knows what that is: writers pause
for the moment of a backup.  Nothing else may be missing, and a command must name what it puts aside.

Each day has ways in which it goes, and each way is run without and with a move of country 235 in
its middle.  A name such as restored, restored/too_early or restored/too_early/move chooses.
"""

import argparse
import atexit
import collections
import concurrent.futures
import configparser
import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import quote

import move
from move import COUNTRY, GONE, TABLES

IUID = move.PROGRAM[:-1]
COUNTRIES = {125: "almaty", COUNTRY: "almaty", 157: "mexico", 101: "jakarta", 164: "lagos"}  # that are written, and where they begin
PUBLISHER = "mexico"
HOST = "127.0.0.1"
LOST = r"^(None|08|57)"  # what a client gets when a node is gone
DISK = os.environ.get("SMALL_DISK")


class Failed(Exception):
    """Why a day has not ended well."""


class Skipped(Exception):
    """What this machine lacks for a day."""


class Log(move.Log):
    def __init__(self):
        super().__init__()
        self.country = {}
        self.rewound = 0  # how often

    def everything(self):
        """What each row can be now."""
        return {table: {key: self.possible(table, key) for key in self.version[table].keys() | self.unknown[table].keys()} for table in TABLES}

    def rewind(self, countries, before):
        """The rows of these countries are as they were.  Gives how many were something else."""
        lost = 0
        self.rewound += 1
        for table in TABLES:
            for key in self.version[table].keys() | self.unknown[table].keys():
                possible = before[table].get(key, {GONE})
                if self.country[key] in countries and possible != self.possible(table, key):
                    lost += 1
                    self.unknown[table].pop(key, None)
                    self.version[table][key] = next(iter(possible))
                    if len(possible) > 1:
                        self.unknown[table][key] = set(possible)
        return lost


class Pausing:
    """A client that can be held up between two statements."""

    def __init__(self, *given):
        super().__init__(*given)
        self.lock, self.ended = threading.Lock(), threading.Event()

    def work(self):
        with self.lock:
            super().work()


class Writer(Pausing, move.Writer):
    orders = {}  # of each country, that stay

    def __init__(self, node, log, table, country, suffix="_global"):
        super().__init__(node, log, table)
        self.country, self.suffix = country, suffix

    def order(self):
        return random.choice(Writer.orders[self.country])

    def change(self, key, version, statement, values):
        self.log.country[key] = self.country
        super().change(key, version, statement, values)

    def know(self):
        """After the log was rewound."""
        version, unknown = self.log.version[self.table], self.log.unknown[self.table]
        self.mine = [key for key in self.mine if version.get(key, GONE) is not GONE and key not in unknown]


class Reader(Pausing, move.Reader):
    def work(self):
        self.rewound = self.log.rewound
        super().work()

    def judge(self, *given):
        if self.rewound == self.log.rewound:
            super().judge(*given)


def at_once(work, these):
    with concurrent.futures.ThreadPoolExecutor(len(these)) as pool:
        return list(pool.map(work, these))


def run(*words):
    """A program of the server's; what it says."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/")
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))}\n{done.stdout}")
    return done.stdout


def free_port():
    """As in library.sh."""
    while True:
        port = random.randrange(20000, 30000)
        with socket.socket() as one:
            if one.connect_ex((HOST, port)) != 0:
                return str(port)


class Company:
    """The four nodes, and what they were when all was well."""

    def __init__(self, given):
        self.nodes = move.Nodes(given.sockets)
        self.names = self.nodes.names
        self.file = Path(os.environ["PGSERVICEFILE"])
        self.services, self.folder = self.file.read_text(), self.file.parent
        self.machine, self.data = dict(self.nodes.machine), dict(self.nodes.data)
        self.port = {name: self.nodes.rows(name, "SHOW port")[0][0] for name in self.names}
        self.standbys = []  # the folders of their data, which library.sh stops, too
        atexit.register(self.end)

    def set_up(self, rows):
        """What the days need, and more rows of the country that moves."""
        for name in self.names:
            file = Path(self.nodes.rows(name, "SHOW hba_file")[0][0])
            if "replication" not in file.read_text():
                with file.open("a") as lines:
                    lines.write("local replication all trust\n")
            for setting in ("wal_retrieve_retry_interval = '200ms'", "min_wal_size = '32MB'", "checkpoint_timeout = '1h'"):
                self.nodes.rows(name, f"ALTER SYSTEM SET {setting}")
        with psycopg.connect("service=almaty", autocommit=True) as session:
            session.execute(f"INSERT INTO orders SELECT gen_iuid({COUNTRY}, 1, now() - n * interval '1 second'), 0, 'loaded'"
                            f" FROM generate_series(1, {rows}) AS n")
            session.execute(f"INSERT INTO trips SELECT gen_iuid({COUNTRY}, 3, now() - n * interval '1 second'), id, 0"
                            f" FROM (SELECT id FROM orders WHERE iuid_is_from(id, {COUNTRY}) LIMIT 1) AS o, generate_series(1, {rows // 10}) AS n")
            session.execute("ANALYZE")
        # The publisher ends when all have what it has sent.
        for name in sorted(self.names, key=PUBLISHER.__eq__):
            self.nodes.control(name, "-m", "fast", "-w", "stop")
            shutil.rmtree(self.well(name), ignore_errors=True)
            run("cp", "-a", self.data[name], self.well(name))

    def well(self, name):
        return Path(self.data[name]).parent / "well"

    def read_services(self):
        services = configparser.ConfigParser(interpolation=None)
        services.read(self.file)
        return services

    def renew(self):
        """The nodes are as they were."""
        self.nodes.go_on()
        at_once(self.halt, [*self.data.values(), *self.standbys])
        for folder in "standby", "backup", "closed":
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        self.standbys.clear()
        at_once(lambda name: run("sh", "-c", f"rm -rf '{self.data[name]}' && cp -a '{self.well(name)}' '{self.data[name]}'"), self.names)
        make_room()
        self.nodes.machine, self.nodes.data = dict(self.machine), dict(self.data)
        self.file.write_text(self.services)
        self.nodes.start(PUBLISHER)
        at_once(self.nodes.start, [name for name in self.names if name != PUBLISHER])

    @staticmethod
    def halt(data):
        if Path(data, "postmaster.pid").exists():
            subprocess.run(["pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def end(self):
        self.nodes.go_on()
        for data in self.standbys:
            self.halt(data)


def fill_disk():
    with open(f"{DISK}/ballast", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(65536))


def make_room():
    if DISK:
        Path(DISK, "ballast").unlink(missing_ok=True)
        for folder in "tables", "log":
            shutil.rmtree(Path(DISK, folder), ignore_errors=True)


class Day(move.Test):
    """One day, in one way."""

    def __init__(self, company, name, way, with_move, given):
        self.company, self.nodes, self.names = company, company.nodes, company.names
        self.label = "/".join([name, *([way] if way else []), *(["move"] if with_move else [])])
        self.name, self.way, self.with_move = name, way, with_move
        self.random, self.show = random.Random(f"{given.seed} {self.label}"), given.show
        self.said, self.clients, self.threads, self.commands, self.notes = [], [], [], [], []
        self.live, self.port, self.log = list(company.names), dict(company.port), Log()

    # --- from the morning to the evening ---

    def whole(self):
        """Gives what was wrong."""
        self.morning, wrong = time.monotonic(), []
        try:
            self.begin()
            getattr(self, self.name)(self.way)
            self.be_well()
            self.go_on(self.clients, "in the evening")
            self.stop_clients()
            self.be_well()
            wrong = self.compare()
        except Skipped as reason:
            print(f"{self.label}: SKIPPED: {reason}", flush=True)
            return []
        except (Exception, SystemExit) as error:
            wrong = [f"{type(error).__name__}: {error}"]
        finally:
            self.nodes.go_on()
            self.stop_clients()
            for command in self.commands:
                command.kill()
        if self.log.wrong:
            with contextlib.suppress(psycopg.Error):
                wrong += self.compare()
        errors = collections.Counter()
        for error, count in self.errors().items():
            errors[error.split()[0]] += count
        count = ", ".join(f"{error}: {count}" for error, count in sorted(errors.items()))
        print(f"{self.label}: {sum(client.done for client in self.clients)} statements of clients; errors {count or 'none'}; "
              + "".join(f"{note}; " for note in self.notes)
              + f"{time.monotonic() - self.morning:.0f} s: {'WRONG' if wrong else 'well'}", flush=True)
        if wrong or self.show:
            for said in self.said:
                first, *lines = said.split("\n")
                print("\n".join([first, *(lines if self.show else lines[-10:])]))
        if wrong:
            print("\n".join(f"   {line}" for line in wrong), flush=True)
            for error, count in sorted(self.errors().items()):
                print(f"   {count} x {error}", flush=True)
        return wrong

    def begin(self):
        self.company.renew()
        self.moves = move.Moves(self.nodes, "almaty", "jakarta")
        self.all_follow()
        self.read_rows()
        self.start_clients()
        self.faultless = self.errors()

    def read_rows(self):
        """What is there in the morning stays."""
        Writer.orders, self.loaded = {country: [] for country in COUNTRIES}, set()
        for name in self.names:
            for table, (column, _) in TABLES.items():
                for key, version, country in self.nodes.rows(name, f"SELECT id::uuid, {column}, iuid_country(id) FROM {table}"):
                    self.log.version[table][key], self.log.country[key] = version, country
                    self.loaded.add(key)
                    if table == "orders" and country in COUNTRIES and len(Writer.orders[country]) < 100:
                        Writer.orders[country].append(key)

    def start_clients(self, *others):
        # At the node of a country its own table is written, too, but for the country that moves.
        self.writers = [Writer(name, self.log, list(TABLES)[(i + j) % 2], country, "" if home == name and country != COUNTRY else "_global")
                        for i, name in enumerate(self.names) for j, (country, home) in enumerate(COUNTRIES.items())]
        self.readers = [Reader(name, self.log) for name in self.names]
        self.clients = [*self.writers, *self.readers, *others]
        self.threads = [threading.Thread(target=client.run, args=[client.ended], daemon=True) for client in self.clients]
        for thread in self.threads:
            thread.start()
        self.go_on(self.clients, "in the morning")

    def stop_clients(self):
        for client in self.clients:
            client.ended.set()
        for thread in self.threads:
            thread.join(90)

    def retire(self, name):
        """Nobody works at a node any more."""
        self.live.remove(name)
        for client in self.clients:
            if client.node == name:
                client.ended.set()
        self.clients = [client for client in self.clients if client.node != name]

    @contextlib.contextmanager
    def paused(self, clients=None):
        with contextlib.ExitStack() as stack:
            for client in self.clients if clients is None else clients:
                stack.enter_context(client.lock)
            yield

    def kept_out(self, name):
        """The application of a node does not work, and nobody writes its countries."""
        return self.paused([client for client in self.clients if client.node == name or COUNTRIES.get(getattr(client, "country", None)) == name])

    def errors(self):
        found = collections.Counter()
        for client in self.clients:
            found.update(dict(client.errors))
        return found

    def fault(self):
        """What clients see from here on is of the fault."""
        self.faultless = self.errors()

    def must_see(self, pattern):
        """The fault is real: a client has seen it."""
        for _ in range(300):
            if any(re.search(pattern, error) and count > self.faultless[error] for error, count in self.errors().items()):
                return
            time.sleep(0.1)
        raise Failed(f"no client has seen an error like {pattern}: {dict(self.errors())}")

    def but(self, name, *others):
        """The writers that have nothing to do with a node, or with its way to some others."""
        def concerned(client):
            here, there = client.node, COUNTRIES[client.country]
            return name in (here, there) if not others else {here, there} in [{name, other} for other in others]
        return [client for client in self.writers if not concerned(client)]

    # --- the operator ---

    def iuid(self, *words, ends=0):
        """The command; ENDS is its exit status, or None if any may be."""
        done = subprocess.run([*IUID, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        return self.judged(" ".join(words), done.returncode, done.stdout, ends)

    def judged(self, command, status, out, ends):
        self.said.append(f"{time.strftime('%H:%M:%S')} iuid {command}\n{out}exit status {status}")
        if "Traceback" in out or ends is not None and status != ends:
            raise Failed(f"iuid {command}: exit status {status}, not {ends}")
        return status, out

    def move(self, command, *options, ends=None):
        process = self.moves.start(command, *options)
        self.commands.append(process)
        out = process.communicate(timeout=300)[0]
        return self.judged(f"move {command}", process.returncode, out, ends)

    def until_done(self, command, *options):
        """Started again until it is done."""
        for _ in range(20):
            status, out = self.move(command, *options)
            if status == 0:
                return out
            time.sleep(1)
        raise Failed(f"iuid move {command} is not done after twenty times")

    def begin_move(self):
        if self.with_move:
            self.until_done("copy")

    def cannot_switch(self):
        """A move waits until all nodes are up."""
        if self.with_move:
            status, _ = self.move("switch")
            if status == 0:
                raise Failed("the switch is done in spite of the fault")

    def end_move(self):
        """The operator goes on as the command says."""
        if self.with_move:
            self.iuid("move", "status", str(COUNTRY))
            self.go_through()

    def go_through(self):
        """To the end of a move, whatever is in the way."""
        new = self.moves.new
        for _ in range(20):
            status, out = self.move("switch")
            why = out.strip().splitlines()[-1]
            if status == 0 or f"does not move, and {new} has it" in why or "the switch is done already" in why:
                break
            if re.search(r"try again|started again", why, re.IGNORECASE):
                pass
            elif re.search(r"\babort\b", why, re.IGNORECASE):
                self.notes.append("abort, and copied again")
                self.until_done("abort")
                self.until_done("copy")
            elif "start copy" in why:
                self.until_done("copy")
            time.sleep(1)
        else:
            raise Failed("the switch is not done after twenty times")
        self.until_done_or_done("finish")
        (there,), = self.nodes.rows(new, f"SELECT iuid_node({COUNTRY}, 1)")
        if there != new:
            raise Failed(f"country {COUNTRY} is at {there} after the move")

    def machines(self, *names):
        return [word for name in names for word in ("--machine", self.nodes.machine[name])]

    def publish(self, node, names, *options, ends=0, mended=PUBLISHER, others_right=True):
        """iuid registry publisher, on the machines of NAMES.  The node that is MENDED gets what it lacks."""
        for _ in range(5):
            status, out = self.iuid("registry", "publisher", node, *options, *self.machines(*names), ends=None)
            if status == ends:
                return
            if status == 5:
                first, _, second = out.partition(f"If {node} is right:")
                self.nodes.rows(mended, "\n".join(re.findall(rf"^{mended} +([^-\s].*)$", first if others_right else second, re.MULTILINE)))
                self.notes.append("the registry was mended")
        raise Failed(f"iuid registry publisher: exit status {status}, not {ends}")

    def problems(self, name):
        with psycopg.connect(f"service={name}", autocommit=True) as session:
            return session.execute("SELECT problem, relation::text, country, node, detail, remedy FROM iuid_check_regions()").fetchall()

    def says(self, name, problem):
        """iuid_check_regions() at a node has a row of this problem, at last."""
        for _ in range(100):
            found = self.problems(name)
            if any(row[0] == problem for row in found):
                return
            time.sleep(0.2)
        raise Failed(f"iuid_check_regions() at {name} does not say {problem}: {found}")

    def be_well(self):
        """iuid_check_regions() has no row at any node.  The operator enters its remedies, if they
        make global tables or views."""
        begin, entered = time.monotonic(), 0
        while True:
            found = {name: self.problems(name) for name in self.live}
            if not any(found.values()):
                break
            if time.monotonic() > begin + 60:
                raise Failed(f"iuid_check_regions(): {({name: rows for name, rows in found.items() if rows})}")
            remedies = {(row[3] if row[5].endswith("-- at that node") else name, row[5]) for name, rows in found.items() for row in rows
                        if row[5] and "iuid_create_" in row[5]}
            for name, remedy in remedies if time.monotonic() > begin + 10 else ():
                self.rows(name, remedy)
                entered += 1
            time.sleep(0.5)
        if entered:
            self.notes.append(f"{entered} remedies of iuid_check_regions()")

    def change_registry(self, publisher=PUBLISHER):
        self.nodes.rows(publisher, "UPDATE iuid_entities SET name = 'Purse' WHERE entity = 2")

    # --- backups ---

    def back_up(self, name, kind):
        """A backup of a node; what each row was then."""
        folder = self.company.folder / "backup"
        if kind == "disk":
            with self.paused():
                self.nodes.control(name, "-m", "fast", "-w", "stop")
                run("cp", "-a", self.nodes.data[name], folder)
                self.nodes.start(name)
                return self.log.everything()
        if kind == "dump":
            folder.mkdir()
            with self.paused():
                run("pg_dumpall", "-g", "-d", self.nodes.machine[name], "-f", folder / "globals")
                run("pg_dump", "-Fc", "-C", "-d", self.nodes.machine[name], "-f", folder / "shop")
                return self.log.everything()
        backup = subprocess.Popen(["pg_basebackup", "-D", folder, "-c", "fast", "--max-rate", "20M", "-d", self.nodes.machine[name]], cwd="/")
        self.commands.append(backup)
        time.sleep(1)
        with self.paused():
            if backup.wait(120) != 0:
                raise Failed("pg_basebackup")
            return self.log.everything()

    def homes(self, name):
        """The node of each country, by the registry of a node."""
        return dict(self.nodes.rows(name, "SELECT country, iuid_node(country, 1) FROM iuid_countries"))

    def lose(self, name, before, switched=None):
        """The log forgets what a backup lacks.  SWITCHED: what the old node of a move has kept."""
        other = next(each for each in self.live if each != name)
        countries = {country for country, home in self.homes(other).items() if home == name}
        lost = 0
        with self.paused():
            if switched and COUNTRY in countries:
                countries.remove(COUNTRY)
                lost = self.log.rewind({COUNTRY}, switched)
            lost += self.log.rewind(countries, before)
            for writer in self.writers:
                writer.know()
        self.notes.append(f"{lost} rows are set back")

    def restore(self, name, kind):
        """The server is down afterwards."""
        data, folder = self.nodes.data[name], self.company.folder / "backup"
        if kind != "dump":
            shutil.rmtree(data)
            shutil.move(folder, data)
            return
        kept = {file: Path(data, file).read_bytes() for file in ("postgresql.conf", "postgresql.auto.conf", "pg_hba.conf")}
        shutil.rmtree(data)
        run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--no-locale")
        for file, text in kept.items():
            Path(data, file).write_bytes(text)
        machine = self.start_closed(name)
        # The role postgres is there already.
        run("psql", "-Xq", "-d", make_conninfo(machine, dbname="postgres"), "-f", folder / "globals")
        self.restore_dump(make_conninfo(machine, dbname="postgres"), folder / "shop")
        self.nodes.control(name, "-m", "fast", "-w", "stop")

    @staticmethod
    def restore_dump(way, dump):
        """The foreign keys of a copy hold only once it is part of its table, and fail until then."""
        done = subprocess.run(["pg_restore", "-C", "-d", way, dump], stderr=subprocess.PIPE, text=True, cwd="/")
        errors = re.findall(r"error: .*", done.stderr)
        if not all(f'"trips_c{COUNTRY}" violates foreign key constraint' in error for error in errors) or done.returncode != bool(errors):
            raise Failed(done.stderr)

    def start_closed(self, name):
        """Reached by nobody but who is on the machine; the way to it."""
        folder, data = self.company.folder / "closed", self.nodes.data[name]
        folder.mkdir(exist_ok=True)
        self.nodes.control(name, "-l", f"{data}/../{name}.closed.log", "-w", "-o",
                           f"-c listen_addresses='' -c unix_socket_directories={folder}", "start")
        return make_conninfo(self.nodes.machine[name], host=str(folder), port=self.port[name])

    def restarting(self, name):
        """The command that opens a node for everybody."""
        data, script = self.nodes.data[name], self.company.folder / "restart"
        control = f"pg_ctl -D '{data}' -l '{data}/../{name}.again.log' -m fast -w"
        script.write_text(f"#!/bin/sh\nset -e\ncd /\n{control} stop\n{control} start\n")
        script.chmod(0o755)
        return str(script)

    # --- standbys ---

    def make_standby(self, name):
        """A synchronous one.  Gives its folder and its port."""
        folder, port = self.company.folder / "standby/data", free_port()
        run("pg_basebackup", "-R", "-D", folder, "-c", "fast", "-d", make_conninfo(self.nodes.machine[name], application_name="standby"))
        self.company.standbys.append(folder)
        run("pg_ctl", "-D", folder, "-l", folder.parent / "log", "-w", "-o", f"-c port={port} -c unix_socket_directories={folder.parent}", "start")
        self.nodes.rows(name, "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.nodes.rows(name, "SELECT pg_reload_conf()")
        self.until(name, "SELECT 1 FROM pg_stat_replication WHERE application_name = 'standby' AND sync_state = 'sync'")
        return folder, port

    def promote(self, name, standby):
        """The primary is gone."""
        folder, port = standby
        self.fault()
        self.nodes.stop(name, hang=False)
        self.must_see(LOST)
        run("pg_ctl", "-D", folder, "-w", "promote")
        self.nodes.data[name], self.port[name] = str(folder), port
        self.nodes.machine[name] = make_conninfo(self.nodes.machine[name], host=str(folder.parent), port=port)

    def name_both(self, name, standby):
        """The server of a node at the others has both addresses, and so has its service."""
        hosts, ports = f"{HOST},{HOST}", f"{self.port[name]},{standby[1]}"
        for other in self.names:
            if other != name:
                self.nodes.rows(other, f"ALTER SERVER {name} OPTIONS (SET host '{hosts}', SET port '{ports}', ADD target_session_attrs 'read-write')")
        services = self.company.read_services()
        services[name].update({"host": hosts, "port": ports, "target_session_attrs": "read-write"})
        with self.company.file.open("w") as file:
            services.write(file, space_around_delimiters=False)

    # --- the days ---

    def freeze(self, _):
        """A node freezes in a transaction.

        The row that it has locked elsewhere is free after the time limit of mesh, and nothing of the
        transaction is done when the node goes on.
        """
        name = self.random.choice([each for each in self.names if each != "jakarta"])
        self.begin_move()
        for each in self.names:
            self.nodes.rows(each, "ALTER ROLE mesh SET idle_in_transaction_session_timeout = '2s'")
        hand = Writer("jakarta", self.log, "orders", 101, "")
        self.clients.append(hand)
        with psycopg.connect("service=jakarta", autocommit=True, options="-c statement_timeout=20s") as hand.session:
            (key,), = hand.session.execute("SELECT gen_iuid(101, 1)::uuid").fetchall()
            hand.change(key, 1, "INSERT INTO orders VALUES (%s, %s, %s)", [key, 1, "by hand"])
            session = psycopg.connect(f"service={name}")
            session.execute("UPDATE orders_global SET customer = 1000 WHERE id = %s", [key])
            self.fault()
            self.nodes.stop(name, hang=True)
            hand.change(key, 2, "UPDATE orders SET customer = %s WHERE id = %s", [2, key])
            self.go_on(self.but(name), f"while {name} is frozen")
            self.cannot_switch()
            self.nodes.start(name)
            try:
                session.commit()
            except psycopg.Error as error:
                hand.errors[f"{error.sqlstate} {error.diag.message_primary}"] = 1
            session.close()
        self.must_see("^08006")
        self.clients.remove(hand)
        self.go_on(self.clients, f"{name} is not frozen any more")
        self.end_move()

    def cut_off(self, way):
        """Two nodes cannot reach each other, and all else goes on.

        One of them is the publisher of the registry, too; and for so long that the slot is lost.
        """
        here, there = "almaty", "jakarta" if way == "nodes" else PUBLISHER
        self.begin_move()
        self.fault()
        back = [*self.cut(here, there), *self.cut(there, here)]
        self.must_see("^08")
        self.says(here, "no answer")
        if way != "nodes":
            self.until(PUBLISHER, f"SELECT 1 FROM pg_replication_slots WHERE slot_name = 'registry_{here}' AND NOT active")
            self.change_registry()
        self.go_on(self.but(here, there), "beside two nodes that do not reach each other")
        self.cannot_switch()
        if way == "lost_slot":
            self.lose_slot(here)
        for name, statement in back:
            self.nodes.rows(name, statement)
        if way == "lost_slot":
            self.publish(PUBLISHER, [here], mended=here, others_right=False)
        self.go_on(self.clients, "the network is back")
        self.end_move()

    def cut(self, name, other):
        """A node does not reach another one.  Gives the statements that bring the way back."""
        port, back = self.port[other], [(name, f"ALTER SERVER {other} OPTIONS (SET port '{self.port[other]}')")]
        self.nodes.rows(name, f"ALTER SERVER {other} OPTIONS (SET port '1')")
        for subscription, way in self.nodes.rows(name, "SELECT subname, subconninfo FROM pg_subscription"):
            parts = conninfo_to_dict(way)
            if port == parts.get("port") or other == parts.get("service"):
                self.nodes.rows(name, f"ALTER SUBSCRIPTION {subscription} CONNECTION {quote(make_conninfo(way, port='1'))}")
                back.append((name, f"ALTER SUBSCRIPTION {subscription} CONNECTION {quote(way)}"))
        return back

    def lose_slot(self, name):
        """The publisher has no more room for the log of a node."""
        for _ in range(4):
            for statement in "CREATE TABLE filler ()", "DROP TABLE filler", "SELECT pg_switch_wal()":
                self.nodes.rows(PUBLISHER, statement)
        (end,), = self.nodes.rows(PUBLISHER, "SELECT pg_current_wal_insert_lsn()")
        self.nodes.rows(PUBLISHER, "CHECKPOINT")
        self.until(PUBLISHER, f"SELECT 1 WHERE (SELECT count(*) FROM pg_replication_slots WHERE restart_lsn >= '{end}') = 2")
        for size in "16MB", "-1":
            self.nodes.rows(PUBLISHER, f"ALTER SYSTEM SET max_slot_wal_keep_size = '{size}'")
            self.nodes.rows(PUBLISHER, "SELECT pg_reload_conf()")
            self.nodes.rows(PUBLISHER, "CHECKPOINT")
        self.says(PUBLISHER, "lost slot")

    def restored(self, way):
        """A node is restored from a copy of its disk, or from pg_basebackup.

        Its countries have the rows of the backup, and a country that has moved since is where it
        moved to.  Clients come before the operator does, too.
        """
        kind = "basebackup" if way == "basebackup" else "disk"
        self.node_restored(kind, way == "too_early")

    def dump(self, way):
        """A node is restored from pg_dump, on a new server; the publisher of the registry, too."""
        if way == "node":
            self.node_restored("dump", False)
        else:
            self.restored_publisher("dump")

    def node_restored(self, kind, too_early):
        name, moving = self.random.choice(["almaty", "jakarta", "lagos"]), None
        if self.with_move:
            # When the copy was made, and whether the backup is of before the switch.
            name, moving = self.random.choice([("almaty", "before"), ("almaty", "after"), ("almaty", "before, switched"),
                                               ("almaty", "switched"), ("jakarta", "before"), ("jakarta", "after"), ("jakarta", "switched")])
            self.notes.append(f"{name}, copied {moving}")
        switched = None
        if moving in ("before", "before, switched"):
            self.begin_move()
        before = self.back_up(name, kind)
        self.change_registry()
        if moving in ("after", "switched"):
            self.begin_move()
        if moving in ("switched", "before, switched"):
            with self.paused():
                self.until_done("switch")
                switched = self.log.everything()
        self.go_on(self.clients, "after the backup")
        self.fault()
        self.nodes.stop(name, hang=False)
        self.must_see(LOST)
        self.lose(name, before, switched)
        self.restore(name, kind)
        strayed = []
        if too_early:
            strayed = self.come_too_early(name, moved=switched and name == "almaty")
        machine = self.start_closed(name)
        _, out = self.iuid("node", "restored", name, "--machine", machine, "--restart", self.restarting(name))
        if switched and name == "almaty":
            self.bring_back(name, out, strayed)
        if switched and name == "jakarta":
            if "iuid move abort" not in out:
                raise Failed("a country that is nowhere is not named")
            self.until_done("abort")
            self.until_done("copy")
        self.end_move()

    def come_too_early(self, name, moved):
        """Clients come before the operator.  MOVED: the node has a country that is elsewhere."""
        strayed = []
        with self.paused() if moved else contextlib.nullcontext():
            self.nodes.start(name)
            if moved:
                hand = Writer(name, Log(), "orders", COUNTRY, "")  # nobody finds them before they are brought back
                with psycopg.connect(f"service={name}", autocommit=True) as hand.session:
                    for _ in range(5):
                        (key,), = hand.session.execute(f"SELECT gen_iuid({COUNTRY}, 1)::uuid").fetchall()
                        hand.change(key, 1, "INSERT INTO orders VALUES (%s, %s, %s)", [key, 1, "too early"])
                        strayed.append(key)
            else:
                self.go_on([client for client in self.writers if client.node == name and client.country != COUNTRY], "too early")
            self.iuid("node", "restored", name, "--machine", self.nodes.machine[name], ends=1)
            self.nodes.control(name, "-m", "fast", "-w", "stop")
        return strayed

    def bring_back(self, name, out, strayed):
        """The command names what it put aside.  What came too early goes where the country is."""
        for table in TABLES:
            kept = f"{table}_c{COUNTRY}_restored"
            if not re.search(rf'"{kept}" keeps ', out):
                raise Failed(f"{kept} is not named")
        said = re.search(rf'"orders_c{COUNTRY}_restored" keeps .*?(?:drop it|drop the table)', out, re.DOTALL).group()
        if strayed:
            if "What came here after the restore is among them" not in said:
                raise Failed(f"what came too early is not named: {said}")
            self.rows(name, f"INSERT INTO orders_global SELECT * FROM orders_c{COUNTRY}_restored WHERE note = 'too early'")
            self.log.country.update(dict.fromkeys(strayed, COUNTRY))
            self.log.version["orders"].update(dict.fromkeys(strayed, 1))
        for table in reversed(TABLES):
            self.rows(name, f"DROP TABLE {table}_c{COUNTRY}_restored")

    def publisher_restored(self, way):
        """The publisher is restored, with its slots or without.

        The others have changes of the registry that it has lost, and give them back.  Its countries
        have the rows of the backup.
        """
        self.restored_publisher(way)

    def restored_publisher(self, way):
        moving = self.random.choice(["copied", "switched", "finished"]) if self.with_move else ""
        before = self.back_up(PUBLISHER, "dump" if way == "dump" else "disk")
        self.change_registry()
        self.begin_move()
        if moving in ("switched", "finished"):
            self.until_done("switch")
        if moving == "finished":
            self.until_done("finish")
        if moving:
            self.notes.append(f"{moving} since the backup")
        self.go_on(self.clients, "after the backup")
        self.fault()
        self.nodes.stop(PUBLISHER, hang=False)
        self.must_see(LOST)
        self.lose(PUBLISHER, before)
        self.restore(PUBLISHER, "dump" if way == "dump" else "disk")
        if way == "without_slots":
            for slot in Path(self.nodes.data[PUBLISHER], "pg_replslot").iterdir():
                shutil.rmtree(slot)
        with self.kept_out(PUBLISHER):
            self.nodes.start(PUBLISHER)
            if way == "dump":
                self.nodes.rows(PUBLISHER, "ALTER PUBLICATION registry SET TABLE iuid_countries, iuid_entities, iuid_nodes, iuid_routes")
            self.publish(PUBLISHER, self.names)
            self.be_well()
        self.end_move()

    def publisher_lost(self, way):
        """The publisher dies for good, and another node publishes.

        Its countries begin anew elsewhere; or it comes back, with its rows, and follows.
        """
        left = [name for name in self.names if name != PUBLISHER]
        self.begin_move()
        self.fault()
        self.nodes.stop(PUBLISHER, hang=False)
        self.must_see(LOST)
        self.go_on(self.but(PUBLISHER), "without the publisher")
        self.cannot_switch()
        if way == "for_good":
            self.lose(PUBLISHER, {table: {} for table in TABLES})
            self.retire(PUBLISHER)
        self.publish("jakarta", left, "--without", PUBLISHER, ends=3)
        if way == "for_good":
            self.begin_anew(left)
            self.go_on(self.clients, "another node has the countries")
        else:
            self.change_registry("jakarta")
            with self.kept_out(PUBLISHER):
                self.nodes.start(PUBLISHER)
                self.publish("jakarta", [PUBLISHER], "--without", PUBLISHER, others_right=False)
        self.end_move()

    def begin_anew(self, left):
        """The countries of the publisher go to another node; it is a node no more."""
        tables = [(table, entity) for table, (_, entity) in TABLES.items()]
        self.nodes.rows("jakarta", f"UPDATE iuid_routes SET node = 'jakarta' WHERE node = '{PUBLISHER}'")
        for table, entity in tables:
            self.rows("jakarta", f"SELECT iuid_create_routed_partitions('{table}', {entity})")
        self.iuid("node", "remove", PUBLISHER, "--lost", *self.machines(*left))
        country = next(country for country, home in COUNTRIES.items() if home == PUBLISHER)
        hand = Writer("jakarta", self.log, "orders", country, "")
        with psycopg.connect("service=jakarta", autocommit=True) as hand.session:
            keys = [hand.session.execute(f"SELECT gen_iuid({country}, 1)::uuid").fetchone()[0] for _ in range(5)]
            for key in keys:
                hand.change(key, 1, "INSERT INTO orders VALUES (%s, %s, %s)", [key, 1, "anew"])
        Writer.orders[country] = keys

    def failover(self, way):
        """A node fails over to its standby, which lacks nothing.

        The others get its address; or they have both addresses, and iuid_check_regions() says when the
        old primary comes back.
        """
        name = self.random.choice(["almaty", "jakarta", "lagos"])
        others = [other for other in self.names if other != name]
        self.begin_move()
        standby = self.make_standby(name)
        if way == "two_primaries":
            self.name_both(name, standby)
        self.go_on(self.clients, "with a standby")
        self.notes.append(name)
        self.promote(name, standby)
        if way == "address":
            self.iuid("node", "address", name, HOST, standby[1], *self.machines(*others))
        self.go_on(self.clients, "after the failover")
        self.end_move()
        if way == "two_primaries":
            # What is written there is lost, so nobody writes.
            old = self.company.data[name]
            with self.paused():
                run("pg_ctl", "-D", old, "-l", f"{old}/../{name}.again.log", "-w", "start")
                self.says(others[0], "two primaries")
                run("pg_ctl", "-D", old, "-m", "immediate", "-w", "stop")

    def publisher_failover(self, way):
        """The publisher fails over to its standby, without slots: the others subscribe again."""
        others = [name for name in self.names if name != PUBLISHER]
        self.begin_move()
        standby = self.make_standby(PUBLISHER)
        if way == "addresses":
            both = {"host": f"{HOST},{HOST}", "port": f"{self.port[PUBLISHER]},{standby[1]}", "target_session_attrs": "read-write"}
            self.name_both(PUBLISHER, standby)
            for name in others:
                (before,), = self.nodes.rows(name, f"SELECT subconninfo FROM pg_subscription WHERE subname = 'registry_{name}'")
                self.nodes.rows(name, f"ALTER SUBSCRIPTION registry_{name} CONNECTION {quote(make_conninfo(before, **both))}")
        self.go_on(self.clients, "with a standby")
        self.change_registry()
        self.promote(PUBLISHER, standby)
        if way == "address":
            self.iuid("node", "address", PUBLISHER, HOST, standby[1], *self.machines(*others))
        self.publish(PUBLISHER, self.names)
        self.go_on(self.clients, "after the failover")
        self.end_move()

    def full_disk(self, way):
        """The disk of a node is full.

        Without room for tables writes fail, and reads go on.  Without room for the log the server ends.
        """
        if not DISK:
            raise Skipped("SMALL_DISK names no small file system")
        room = os.statvfs(DISK).f_bavail * os.statvfs(DISK).f_frsize
        if way == "log" and room < 90 << 20:
            raise Skipped("the file system that SMALL_DISK names has no room for a log")
        name = "jakarta"
        if way == "log":
            self.log_on_disk(name)
        else:
            self.tables_on_disk(name)
        self.begin_move()
        self.go_on(self.clients, "before the disk is full")
        self.fault()
        fill_disk()
        if way == "log":
            with contextlib.suppress(psycopg.Error):
                for _ in range(20):
                    self.nodes.rows(name, "SELECT pg_switch_wal()")
                    time.sleep(0.2)
            self.must_see(LOST)
        else:
            self.must_see("^53100")
            self.reads_on("the disk is full")
        self.go_on(self.but(name), "the disk of another node is full")
        if self.with_move:
            self.move("switch")
        Path(DISK, "ballast").unlink()
        if way == "log":
            self.company.halt(self.nodes.data[name])
            self.nodes.start(name)
        self.go_on(self.clients, "with room")
        self.end_move()

    def tables_on_disk(self, name):
        Path(DISK, "tables").mkdir()
        self.nodes.rows(name, f"CREATE TABLESPACE small LOCATION '{DISK}/tables'")
        self.nodes.rows(name, "GRANT CREATE ON TABLESPACE small TO PUBLIC")
        self.nodes.rows(name, "ALTER DATABASE shop SET default_tablespace = small")
        for table in TABLES:
            self.nodes.rows(name, f"ALTER TABLE {table}_c101 SET TABLESPACE small")

    def log_on_disk(self, name):
        data, log = Path(self.nodes.data[name]), Path(DISK, "log")
        for setting in "min_wal_size = '32MB'", "max_wal_size = '48MB'":
            self.nodes.rows(name, f"ALTER SYSTEM SET {setting}")
        with self.paused():
            self.nodes.control(name, "-m", "fast", "-w", "stop")
            shutil.move(data / "pg_wal", log)
            (data / "pg_wal").symlink_to(log)
            self.nodes.start(name)

    def read_only(self, _):
        """A node is read-only for a while: writes fail, and reads go on."""
        name = self.random.choice(self.names)
        self.notes.append(name)
        self.begin_move()
        self.fault()
        self.nodes.rows(name, "ALTER SYSTEM SET default_transaction_read_only = on")
        self.nodes.rows(name, "SELECT pg_reload_conf()")
        self.must_see("^25006")
        self.says(next(each for each in self.names if each != name), "read-only")
        self.reads_on(f"{name} is read-only")
        self.go_on(self.but(name), f"{name} is read-only")
        self.cannot_switch()
        with psycopg.connect(self.nodes.machine[name], autocommit=True, options="-c default_transaction_read_only=off") as session:
            session.execute("ALTER SYSTEM RESET default_transaction_read_only")
            session.execute("SELECT pg_reload_conf()")
        self.go_on(self.clients, f"{name} is not read-only any more")
        self.end_move()

    def command(self, way):
        """The command of a move is killed at a statement of each step, and started again.

        Or it is frozen, and the next operator takes over.  What was frozen changes nothing when it
        goes on.
        """
        steps = ("copy", move.COPY), ("switch", move.UNTIL_GIVEN_UP + move.AFTER), ("finish", move.FINISH)
        if way == "frozen":
            steps = steps[:2]
            frozen = self.random.choice(["copy", "switch"])
        count = 0
        for step, labels in steps:
            if way == "killed" or step == frozen:
                label = self.random.choice(labels)
                process, out = self.moves.run_until(step, label)
                self.judged(f"move {step}", "none yet", "".join(out), None)
                if process:
                    count += 1
                    self.commands.append(process)
                    self.notes.append(f"{way} at {label}")
                    self.interrupt(way, process, step)
            self.until_done_or_done(step)
        if count == 0:
            raise Failed("no command was interrupted")
        self.until_done_or_done("finish")

    def interrupt(self, way, process, step):
        time.sleep(self.random.choice([0, 0.001, 0.01, 0.03]))
        if way == "killed":
            process.kill()
            process.communicate()
            self.reads_on("the command is killed")
            return
        process.send_signal(signal.SIGSTOP)
        self.reads_on("the command is frozen")
        time.sleep(16)
        self.until_done_or_done(step, "--take-over")
        process.send_signal(signal.SIGCONT)
        out = process.communicate(timeout=120)[0]
        self.judged(f"move {step}, which was frozen", process.returncode, out, None)

    def until_done_or_done(self, step, *options):
        """A command that was killed can have come to its end."""
        for _ in range(20):
            status, out = self.move(step, *options)
            if status == 0 or f"does not move, and {self.moves.new} has it" in out or step == "copy" and "the switch is done already" in out:
                return
            time.sleep(1)
        raise Failed(f"iuid move {step} is not done after twenty times")

    def crash(self, _):
        """A server is killed, twice, and has what it has confirmed."""
        name = self.random.choice(self.names)
        self.notes.append(name)
        self.nodes.rows(name, "ALTER SYSTEM SET fsync = on")
        self.nodes.rows(name, "SELECT pg_reload_conf()")
        self.begin_move()
        for _ in range(2):
            self.fault()
            self.nodes.stop(name, hang=False)
            self.must_see(LOST)
            self.go_on(self.but(name), f"{name} has crashed")
            self.nodes.start(name)
            self.go_on(self.clients, f"{name} is up again")
        self.end_move()

    # --- the comparison ---

    def compare(self):
        """What is wrong, in lines."""
        wrong = list(self.log.wrong)
        homes = self.homes(self.live[0])
        for table, (column, _) in TABLES.items():
            places = {}
            for name in self.live:
                for key, version, country in self.nodes.rows(name, f"SELECT id::uuid, {column}, iuid_country(id) FROM {table}"):
                    self.log.country[key] = country
                    places.setdefault(key, []).append((name, version))
            wrong += self.compare_rows(table, places, homes)
            there = {key: found[0][1] for key, found in places.items()}
            written = list((self.log.version[table].keys() | self.log.unknown[table].keys()) - self.loaded)
            written = self.random.sample(written, min(len(written), 50000))  # of a soak, by iuid_find
            for name, everything, found in at_once(lambda name: (name, *self.look_up(name, table, written)), self.live):
                wrong += unlike(f"{table}_global at {name}", everything, there)
                wrong += unlike(f"iuid_find at {name}", found, {key: there[key] for key in written if key in there})
        return wrong[:20]

    def compare_rows(self, table, places, homes):
        """Each row once, at the node of its country, as the log allows."""
        log = self.log
        for key in log.version[table].keys() | log.unknown[table].keys() | places.keys():
            found, possible, home = places.get(key, []), log.possible(table, key), homes[log.country[key]]
            what = f"{key} of {table}, country {log.country[key]}, at {' and '.join(name for name, _ in found) or 'no node'}"
            if len(found) > 1:
                yield f"doubled: {what}"
            elif found and found[0][0] != home:
                yield f"at the wrong node: {what}, not {home}"
            elif not found and GONE not in possible:
                yield f"lost: {what}; it was {possible}"
            elif found and found[0][1] not in possible:
                yield f"{'not deleted' if possible == {GONE} else 'another version'}: {what}: {found[0][1]}, not {possible}"

    @staticmethod
    def look_up(name, table, keys):
        """What a node finds: all rows of the global table, and by iuid_find those of KEYS."""
        column, found = TABLES[table][0], []
        with psycopg.connect(f"service={name}", autocommit=True) as session:
            everything = session.execute(f"SELECT id::uuid, {column} FROM {table}_global").fetchall()
            for begin in range(0, len(keys), 500):
                found += session.execute(f"SELECT id::uuid, {column} FROM iuid_find(NULL::{table}, VARIADIC %s::uuid[])",
                                         [keys[begin:begin + 500]]).fetchall()
        return everything, found


def unlike(what, rows, expected):
    """How rows of keys and versions are not as expected."""
    found = dict(rows)
    if len(found) < len(rows):
        yield f"{what}: {len(rows) - len(found)} rows are there twice"
    for key in found.keys() | expected.keys():
        if found.get(key) != expected.get(key):
            yield f"{what}: {key} is {found.get(key)}, not {expected.get(key)}"


DAYS = {
    "freeze": [""], "cut_off": ["nodes", "publisher", "lost_slot"], "restored": ["disk", "basebackup", "too_early"],
    "publisher_restored": ["with_slots", "without_slots"], "publisher_lost": ["for_good", "comes_back"],
    "failover": ["address", "two_primaries"], "publisher_failover": ["address", "addresses"], "full_disk": ["tables", "log"],
    "read_only": [""], "dump": ["node", "publisher"], "command": ["killed", "frozen"], "crash": [""]}


def chosen(company, given):
    """The days in order.  A command that is interrupted moves a country by itself."""
    found = []
    for name, ways in DAYS.items():
        if given.plain and name != "command":
            found.append(Day(company, name, ways[0], False, given))
        elif not given.plain:
            moves = (False,) if name == "command" else (False, True)
            found += [Day(company, name, way, with_move, given) for way in ways for with_move in moves]
    if given.days:
        found = [day for day in found if any(f"{day.label}/".startswith(f"{each}/") for each in given.days)]
    return found or sys.exit(f"there is no day {', '.join(given.days)}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2000, help="orders of the country that moves; a tenth as many trips (%(default)s)")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds that a client waits after each success (%(default)s)")
    parser.add_argument("--plain", action="store_true", help="the first way of each day, without a move")
    parser.add_argument("--show", action="store_true", help="what the commands say")
    parser.add_argument("days", nargs="*", help=f"all, or {', '.join(DAYS)}; also restored/disk, or restored/disk/move")
    given = move.with_nodes(parser)
    move.Client.pause = given.pause
    print(f"bad_days --rows {given.rows} --seed {given.seed}", flush=True)
    return given


def main():
    given = arguments()
    company = Company(given)
    company.set_up(given.rows)
    wrong = [day.label for day in chosen(company, given) if day.whole()]
    company.renew()  # whoever has started the nodes stops them
    sys.exit(f"WRONG: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
