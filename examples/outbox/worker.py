#!/usr/bin/python3
"""worker.py NODE [PROVIDER]: delivers the messages of a node, until SIGTERM.

NODE is the service of libpq with the node's name, and so has each node that gets messages.  PROVIDER
is the URL to which messages of the kind "http" go; without it they stay.  Run as many workers at a node
as you like.
"""

import asyncio
import collections
import concurrent.futures
import logging
import os
import signal
import sys
import urllib.error
import urllib.request

import psycopg

BATCH, LEASE, PATIENCE, PAUSE = 50, "1 minute", 10, 0.5  # messages; the others in seconds
SETTINGS = "-c search_path=pg_catalog,pg_temp -c statement_timeout=10s"


class Node:
    """A session at a node, which is given up when an answer does not come."""

    def __init__(self, name):
        self.name, self.session = name, None

    async def ask(self, question, *values):
        try:
            return await asyncio.wait_for(self.answer(question, values), PATIENCE)
        except BaseException:
            if self.session:
                self.session.pgconn.finish()  # as close() could wait
                self.session = None
            raise

    async def answer(self, question, values):
        if not self.session:
            self.session = await psycopg.AsyncConnection.connect(
                service=self.name, autocommit=True, connect_timeout=PATIENCE, options=SETTINGS)
        return await (await self.session.execute(question, values)).fetchall()


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, where a POST would become a GET."""

    def redirect_request(self, *_):
        return None


def post(provider, id, body):
    """Sends a message to the provider, which takes a key once: its answer, a failure, and whether that is final."""
    head = {"Content-Type": "application/json", "Idempotency-Key": id}
    try:
        request = urllib.request.Request(provider, body.encode(), head)
        with urllib.request.build_opener(Stay).open(request, timeout=PATIENCE) as answer:
            return str(answer.status), None, False
    except urllib.error.HTTPError as error:
        with error:
            return None, f"HTTP status {error.code}", 400 <= error.code < 500 and error.code not in (408, 425, 429)


async def deliver(target, provider, messages):
    """What became of messages: (id, answer, failure, whether that is final).  No answer is neither yes nor no."""
    try:
        if target.name == "http":
            return await asyncio.gather(*(post_one(provider, *message) for message in messages))
        ids, kinds, bodies = map(list, zip(*messages))
        results = await target.ask("SELECT id::text, answer, failure, is_final FROM outbox.receive_all"
                                   "(%s::public.iuid[], %s::text[], %s::jsonb[])", ids, kinds, bodies)
        return [result for result in results if result[0] in ids]  # a node answers for no other message
    except Exception as error:
        return [(id, None, repr(error), False) for id, _, _ in messages]


async def post_one(provider, id, _, body):
    try:
        return id, *await asyncio.wait_for(asyncio.to_thread(post, provider, id, body), PATIENCE)
    except Exception as error:
        return id, None, repr(error), False


async def main():
    os.environ.pop("PGHOST", None)  # libpq takes the host of the service, but psycopg this one
    provider, loop = sys.argv[2] if sys.argv[2:] else None, asyncio.get_running_loop()
    own, targets, busy, stopped = Node(sys.argv[1]), {}, {}, asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(BATCH))  # all posts of a batch at once
    while not stopped.is_set():
        try:
            # A target that does not answer keeps no other one waiting.
            groups = collections.defaultdict(list)
            for *message, name in await own.ask(
                    "SELECT id::text, kind, body::text, target FROM outbox.take(%s, %s, %s)",
                    BATCH, LEASE, [*busy] if provider else [*busy, "http"]):
                groups[name].append(message)
            for name, messages in groups.items():
                busy[name] = asyncio.create_task(deliver(targets.setdefault(name, Node(name)), provider, messages))
            await asyncio.wait(busy.values() or [asyncio.create_task(asyncio.sleep(PAUSE))],
                               timeout=PAUSE, return_when=asyncio.FIRST_COMPLETED)
            for name in [name for name, task in busy.items() if task.done()]:
                for result in await busy.pop(name):
                    if result[2]:
                        logging.warning("%s at %s: %s", result[0], name, result[2])
                    await own.ask("SELECT outbox.note(%s, %s, %s, %s)", *result)
        except Exception as error:
            logging.warning("%s: %r", own.name, error)  # what was taken is due again when its lease ends
            await asyncio.sleep(PAUSE)


if __name__ == "__main__":
    asyncio.run(main())
