"""Model of examples/outbox, from doc/global-services.md: transfers between wallets of three nodes.

Clients at each node make transfers, some with a message to a provider, and try again, here or at
another node, until they are told something.  Workers, servers and sessions are killed at each step,
or stop for a while; a country moves there and back; the provider fails in all ways that it can.
When all is quiet, each wallet must have what the transfers that are there make of it: those of
which a client was told are there, once, and those that were refused are not.

The nodes are services of libpq, as for move.py; they are new, and have no orders.
"""

import argparse
import asyncio
import collections
import contextlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg

import identifiers
import model
import move

LEASE, PATIENCE = 4, 1  # of the workers, in seconds: shorter than the example's, with the same meaning
WORKER = f"""import asyncio, sys
sys.path.insert(0, {str(model.ROOT / "examples/outbox")!r})
import worker
worker.LEASE, worker.PATIENCE = "{LEASE} seconds", {PATIENCE}
asyncio.run(worker.main())"""

MOVING = 235
COUNTRIES = {"almaty": [125, MOVING], "mexico": [157], "jakarta": [101]}
WALLET, TRANSFER, MESSAGE, TO_PROVIDER = 2, 4, 5, 6  # entities
FULL = 2**63 - 1                     # the greatest balance
STEPS = [("transfer", "transfers"), ("transfer", "wallets"), ("transfer", "messages"), ("take", "messages"),
         ("receive_all", "received"), ("receive_all", "wallets"), ("note", "messages")]

Transfer = collections.namedtuple("Transfer", "id payer payee amount sms")


def new_id(country, entity, at):
    return identifiers.text(identifiers.make(int(at * 1000), country, entity, random.getrandbits(54)))


def message_of(transfer, country, name):
    """The identifier of a message about a transfer, by the page."""
    json_name = json.dumps([name, transfer.id], ensure_ascii=False, separators=(",", ":"))
    at = identifiers.time(identifiers.read(transfer.id))
    entity = TO_PROVIDER if name == "sms" else MESSAGE
    return identifiers.text(identifiers.from_name(country, entity, json_name.encode(), at))


def country(id):
    return identifiers.country(identifiers.read(id))


def is_forbidden(key):
    """The provider never takes some messages."""
    return key[-1] == "0"


class Provider:
    """Takes a key once, if at all, and counts."""

    def __init__(self):
        self.bodies, self.effects, self.fails = {}, set(), True
        self.here, self.crowd = 0, asyncio.Event()
        self.crowd.set()

    async def serve(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if not head.startswith("POST"):  # whoever follows "moved" comes to a page
                writer.write(b"HTTP/1.1 200 .\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return await writer.drain()
            key = re.search(r"^Idempotency-Key: *(\S+)", head, re.I | re.M)[1]
            length = re.search(r"^Content-Length: *(\d+)", head, re.I | re.M)[1]
            self.bodies.setdefault(key, set()).add(await reader.readexactly(int(length)))
            ways = [200, 500, 429, 302, "garbage", "cut before", "cut after", "hangs", "late"]
            way = 400 if is_forbidden(key) else random.choices(ways, [56, 8, 4, 4, 4, 4, 8, 4, 4])[0] if self.fails else 200
            await self.wait_for_crowd()
            if way in (200, "cut after", "late"):
                self.effects.add(key)
            if way == "garbage":
                writer.write(b"\x15\x03\x01\x00\x02\x02\x50\r\n\r\n")
            if way in ("hangs", "late"):
                await asyncio.sleep((3 if way == "hangs" else 1.5) * PATIENCE)
            if way == "late" or isinstance(way, int):
                writer.write((f"HTTP/1.1 {200 if way == 'late' else way} .\r\nLocation: /page\r\n"
                              "Content-Length: 0\r\nConnection: close\r\n\r\n").encode())
                await writer.drain()

    async def wait_for_crowd(self):
        """A slow provider: it answers a message when it has most of a batch."""
        self.here += 1
        try:
            if self.here >= 40:
                self.crowd.set()
            await asyncio.wait_for(self.crowd.wait(), PATIENCE)
        finally:
            self.here -= 1


class NoAnswer(Exception):
    pass


class Client:
    """Makes transfers, and keeps what it is told of them."""

    def __init__(self, world, node):
        self.world, self.node, self.sessions = world, node, {}

    async def ask(self, node, *question):
        try:
            await asyncio.wait_for(self.answer(node, question), 2)
        except (OSError, asyncio.TimeoutError, psycopg.Error) as error:
            session = self.sessions.get(node)
            if isinstance(error, psycopg.Error) and session and not session.broken:
                raise
            if session:
                self.sessions.pop(node).pgconn.finish()
            raise NoAnswer from error

    async def answer(self, node, question):
        if node not in self.sessions:
            self.sessions[node] = await psycopg.AsyncConnection.connect(f"service={node} application_name=client", autocommit=True)
        await self.sessions[node].execute(*question)

    async def work(self):
        world = self.world
        while world.goes_on():
            transfer = self.make()
            world.made[transfer.id] = transfer
            said = await self.settle(transfer)
            if said == "done":
                world.done.add(transfer.id)
                if random.random() < 0.2:
                    world.told_again.append(("done", transfer, await self.settle(transfer, patient=True)))
                if random.random() < 0.1:
                    other = transfer._replace(amount=transfer.amount + 1)
                    world.told_again.append(("23505", other, await self.settle(other, patient=True)))
            elif said:
                world.refused[transfer.id] = said
            await asyncio.sleep(random.random() * world.pause)
        for session in self.sessions.values():
            session.pgconn.finish()

    def make(self):
        wallets, missing = self.world.wallets, self.world.missing
        payer, payee = random.sample(wallets, 2)
        payer = random.choice(missing) if random.random() < 0.02 else payer
        payee = random.choice(missing) if random.random() < 0.1 and payer not in missing else payee
        at = time.time() - random.choices([0, 2 * 86400], [50, 1])[0]
        amount = random.choice([1, random.randint(1, 300), random.randint(1, 300), 20_000])
        return Transfer(new_id(country(payer), TRANSFER, at), payer, payee, amount, random.random() < 0.3)

    async def settle(self, transfer, patient=False):
        """What the client is told: "done", an SQLSTATE that refuses, or None if it gives up."""
        question, values = "SELECT outbox.transfer(%s, %s, %s, %s)", list(transfer[:4])
        if transfer.sms:  # in the same transaction
            question += """, outbox.send_http(outbox.message_id(iuid_country(%s::iuid), iuid_timestamp(%s::iuid), 'sms', %s),
                %s)"""
            values += 3 * [transfer.id] + [json.dumps({"to": transfer.id})]
        node, unknown = self.node if random.random() < 0.7 else random.choice(self.world.names), False
        while True:
            try:
                await self.ask(node, question, values)
                return "done"
            except NoAnswer:
                self.world.errors["no answer"] += 1
                unknown = True
                if not patient and random.random() < 0.3:
                    return None
                node = random.choice(self.world.names)
                await asyncio.sleep(random.random())
            except psycopg.Error as error:
                self.world.errors[error.sqlstate] += 1
                hint = re.fullmatch(r"Ask (\w+)\.", error.diag.message_hint or "")
                if error.sqlstate == "55000" and hint:
                    node = hint[1]
                elif error.sqlstate[:2] in ("22", "23"):
                    # What an earlier try does after this one, nobody knows.
                    return None if unknown and not patient else error.sqlstate
            await asyncio.sleep(random.random() * 0.1)


class World:
    def __init__(self, given):
        self.rows, self.pause = given.rows, given.pause
        self.nodes = move.Nodes(given.sockets)
        self.names = self.nodes.names
        self.made, self.done, self.refused = {}, set(), {}
        self.told_again, self.errors, self.faults = [], collections.Counter(), collections.Counter()
        self.moved, self.quiet, self.ended = 0, False, set()
        self.provider, self.workers = Provider(), {}

    def load(self):
        for name in self.names:
            subprocess.run(["psql", "-Xq", "-o", os.devnull, "-v", "ON_ERROR_STOP=1", "-d", f"service={name}",
                            "-f", model.ROOT / "examples/outbox/outbox.sql"], check=True)
        self.balances, self.missing = {}, []
        for name in self.names:
            for of in COUNTRIES[name]:
                for balance in (1000, 1000, 1000, FULL - 1000):
                    id = new_id(of, WALLET, time.time())
                    self.balances[id] = balance
                    self.nodes.rows(name, "INSERT INTO outbox.wallets VALUES (%s, %s)", [id, balance])
                self.missing.append(new_id(of, WALLET, time.time()))
        self.wallets = list(self.balances)

    # --- workers and faults ---

    def start_worker(self, number):
        command = [sys.executable, "-B", "-c", WORKER, self.names[number % 3], self.url]
        self.workers[number] = subprocess.Popen(command, env=os.environ | {"PGAPPNAME": f"worker {number}"},
                                                stderr=subprocess.DEVNULL)

    def note_ended(self, number):
        if self.workers[number].poll() is not None:
            self.ended.add(number)

    async def kill_worker(self, number=None):
        number = random.choice(list(self.workers)) if number is None else number
        self.note_ended(number)
        self.workers[number].kill()
        self.workers[number].wait()
        await asyncio.sleep(random.random())
        self.start_worker(number)

    async def stop_worker(self):
        worker = random.choice(list(self.workers.values()))
        worker.send_signal(signal.SIGSTOP)
        await asyncio.sleep(1.5 * LEASE)
        worker.send_signal(signal.SIGCONT)

    async def kill_server(self, name=None):
        name = name or random.choice(self.names)
        postmaster = int(Path(self.nodes.data[name], "postmaster.pid").read_text().split()[0])
        stats = [stat for stat in Path("/proc").glob("[0-9]*/stat") if self.nodes.parent(stat) == postmaster]
        os.kill(postmaster, signal.SIGKILL)
        while any(stat.exists() for stat in stats):
            await asyncio.sleep(0.05)
        await asyncio.sleep(random.random())
        await asyncio.to_thread(self.nodes.start, name)

    async def hang_server(self):
        name = random.choice(self.names)
        self.nodes.stop(name, hang=True)
        await asyncio.sleep(random.uniform(0.5, 4))
        self.nodes.go_on()

    async def kill_at_step(self):
        """A session waits inside a step; it, its worker or its server is killed there."""
        (step, table), name = random.choice(STEPS), random.choice(self.names)
        victim = random.choice(["server", "session"] + 2 * ["worker"] * (step != "transfer"))
        with contextlib.suppress(psycopg.Error), psycopg.connect(self.nodes.machine[name]) as holder:
            await asyncio.to_thread(holder.execute, f"SET lock_timeout = '1s'; LOCK TABLE outbox.{table} IN EXCLUSIVE MODE")
            for _ in range(30):
                waiting = self.nodes.rows(name, """SELECT pid, application_name FROM pg_stat_activity
                    WHERE wait_event_type = 'Lock' AND query LIKE %s""", [f"%outbox.{step}(%"])
                if waiting:
                    break
                await asyncio.sleep(0.05)
            else:
                return
            session, application = random.choice(waiting)
            self.faults[f"{victim} in {step}, {table}"] += 1
            if victim == "server":
                await self.kill_server(name)
            elif victim == "session":
                os.kill(session, signal.SIGKILL)
            else:
                await self.kill_worker(int(application.split()[1]))
        await self.until_up(name)

    async def until_up(self, name):
        for _ in range(300):
            with contextlib.suppress(psycopg.OperationalError):
                return self.nodes.rows(name, "SELECT 1")
            await asyncio.sleep(0.1)
        sys.exit(f"{name} does not come up")

    async def disturb(self):
        kinds = [self.kill_worker, self.stop_worker, self.kill_server, self.hang_server, self.kill_at_step]
        for fault in itertools.chain(random.sample(kinds, 5), iter(lambda: random.choice(kinds + 5 * kinds[4:]), None)):
            await self.faulty.wait()
            if self.quiet:
                return
            await fault()
            self.faults[fault.__name__] += 1
            await asyncio.sleep(random.random())

    def goes_on(self):
        """Until there are enough transfers, each fault was there, and the country has moved."""
        return len(self.made) < self.rows or self.moved == 0 or sum(" in " not in key for key in self.faults) < 5

    async def move(self):
        """The country moves there and back.  A command that a fault has ended is done without faults."""
        old, new = "almaty", "jakarta"
        while self.goes_on():
            for command in ("copy", "switch", "finish"):
                for _ in range(100):
                    process = await asyncio.create_subprocess_exec(
                        *move.PROGRAM, command, str(MOVING), old, new, "--subscribe-as", self.nodes.machine[new],
                        "--trust-owners", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
                    out = (await process.communicate())[0].decode()
                    if process.returncode == 0:
                        self.faulty.set()
                        break
                    self.faulty.clear()
                    self.errors[f"move {command}"] += 1
                    await asyncio.sleep(0.5)
                else:
                    sys.exit(f"iuid move {command}: {out}")
            self.moved += 1
            old, new = new, old

    # --- the run ---

    async def run(self):
        self.faulty = asyncio.Event()
        self.faulty.set()
        server = await asyncio.start_server(self.provider.serve, "127.0.0.1", 0)
        self.url = "http://127.0.0.1:%d/send" % server.sockets[0].getsockname()[1]
        for number in range(6):
            self.start_worker(number)
        try:
            await asyncio.gather(self.work(), self.disturb(), self.move())
            await self.until_no_session("client")
            await self.until_delivered()
            self.provider.crowd.clear()
            self.batch = [row[0] for row in self.nodes.rows("almaty", """SELECT id::text
                FROM generate_series(1, 50) AS n, outbox.message_id(125, now(), 'sms', n::text) AS id, outbox.send_http(id, '{}')""")]
            await self.until_delivered()
        finally:
            for number, worker in self.workers.items():
                self.note_ended(number)
                worker.kill()
        await self.until_no_session("worker")

    async def work(self):
        await asyncio.gather(*(Client(self, self.names[n % 3]).work() for n in range(12)))
        self.quiet, self.provider.fails = True, False

    async def until_no_session(self, application):
        """What a session still does without its client is done, too."""
        for name in self.names:
            while self.nodes.rows(name, "SELECT 1 FROM pg_stat_activity WHERE application_name ~ %s", [application]):
                await asyncio.sleep(0.1)

    async def until_delivered(self):
        """An operator does not wait for the next try."""
        for _ in range(60):
            if not self.everywhere("UPDATE outbox.messages SET due = least(due, now()) WHERE answer IS NULL RETURNING id"):
                return
            await asyncio.sleep(1)

    # --- the comparison ---

    def everywhere(self, query):
        """The rows of a query of all nodes, with their nodes."""
        return [(name, *row) for name in self.names for row in self.nodes.rows(name, query)]

    def once(self, what, rows):
        """The rest of the rows by the identifier that each has first, once."""
        found = {id: tuple(row) for _, id, *row in rows}
        model.same(f"{what} that are there twice", [], {id for id, n in collections.Counter(row[1] for row in rows).items() if n > 1})
        return found

    def compare(self):
        there = self.once("transfers", self.everywhere("SELECT id::text, payer::text, payee::text, amount FROM outbox.transfers"))
        model.same("transfers that are there", {id: self.made[id][1:4] for id in there if id in self.made}, there)
        model.same("transfers that clients were told of", self.done, self.done & set(there))
        model.same("transfers that were refused", [], [(id, self.refused[id]) for id in set(self.refused) & set(there)])

        letters = self.once("dead letters", self.everywhere("SELECT id::text, kind, body FROM outbox.dead_letters"))
        dead = {(kind, body["transfer"]): body["amount"] for kind, body in letters.values() if kind != "http"}
        found = self.once("wallets", self.everywhere("SELECT id::text, balance FROM outbox.wallets"))
        balances, full = dict(self.balances), []
        for id, (payer, payee, amount) in there.items():
            balances[payer] -= amount
            kind, wallet = ("credit", payee) if payee in balances else ("refund", payer)
            if (kind, id) not in dead:
                balances[wallet] += amount
            elif self.balances[wallet] == FULL - 1000:
                full.append((kind, id))
        model.same("dead letters", full, list(dead))
        model.same("wallets", {id: (balance,) for id, balance in balances.items()}, found)
        model.same("the sum", [sum(self.balances.values())], [sum(balance for balance, in found.values()) + sum(dead.values())])

        messages = self.everywhere("SELECT id::text, kind, answer FROM outbox.messages")
        model.same("credits", {message_of(self.made[id], country(payee), "credit") for id, (_, payee, _) in there.items()},
                   self.once("credits", [row for row in messages if row[2] == "credit"]))
        model.same("messages without an answer", [], [row for row in messages if row[3] is None])
        model.same("messages that were received", {row[1] for row in messages if row[2] != "http"} - set(letters),
                   self.once("messages", self.everywhere("SELECT id::text FROM outbox.received")))

        sms = {message_of(self.made[id], country(id), "sms") for id in there if self.made[id].sms}
        keys = dict.fromkeys(sms | set(self.batch), 1)
        model.same("messages to the provider", keys.keys(), {row[1] for row in messages if row[2] == "http"})
        model.same("keys that the provider saw, with one body each", keys, {key: len(bodies) for key, bodies in self.provider.bodies.items()})
        model.same("what the provider did", {key for key in keys if not is_forbidden(key)}, self.provider.effects)
        model.same("what it never takes", {key for key in keys if is_forbidden(key)},
                   {id for id, (kind, _) in letters.items() if kind == "http"})
        model.same("what clients were told again", [], [told for told in self.told_again if told[0] != told[2]])

        model.same("workers that ended", [], self.ended)

        # What reconcile() says is what the tables have, and adds up.
        amounts = "(SELECT coalesce(sum((body->>'amount')::bigint), 0) FROM outbox.{} WHERE kind <> 'http')".format
        own = {name: tuple(sums) for name, *sums in self.everywhere(
            "SELECT (SELECT sum(balance) FROM outbox.wallets), " + ", ".join(map(amounts, ["messages", "received", "dead_letters"])))}
        for name in self.names:
            with psycopg.connect(f"service={name}") as session:
                said = {node: tuple(sums) for node, *sums in session.execute("SELECT * FROM outbox.reconcile()")}
            model.same(f"the sums, asked at {name}", own, said)
        wallets, sent, received, died = map(sum, zip(*own.values()))
        model.same("the sums add up", [("paid in", sum(self.balances.values())), ("dead", died)],
                   [("paid in", wallets + died), ("dead", sent - received)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000, help="transfers (%(default)s)")
    parser.add_argument("--pause", type=float, default=0.3, help="at most so many seconds after each (%(default)s)")
    given = move.with_nodes(parser)
    os.environ.pop("PGHOST", None)  # libpq takes the host of the service, but psycopg this one
    print(f"outbox --rows {given.rows} --seed {given.seed}", flush=True)
    world = World(given)
    world.load()
    with model.timed("transfers", given.rows):
        asyncio.run(world.run())
    print(f"{len(world.made)} made, {len(world.done)} done, {len(world.refused)} refused, {world.moved} moves; "
          f"{dict(world.errors)}; {dict(world.faults)}", flush=True)
    world.compare()
    model.finish()


if __name__ == "__main__":
    main()
