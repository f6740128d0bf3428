"""The pages of the desk without a browser: a node that fails, and a stranger who makes functions.

NODE=HOST:PORT, for each node of examples/regions, is where a superuser comes in.  The services are
those of the environment, and desk.sql has run at the first node.
"""

import contextlib
import html
import logging
import re
import sys
import unittest
import uuid

import psycopg

sys.path.append("examples/desk")
import desk  # noqa: E402
import questions  # noqa: E402

WAYS = dict(argument.split("=") for argument in sys.argv[1:])
HERE, OTHER, *_ = WAYS
# Each would be called in the place of a function of iuid or of the server.
DECOYS = """
CREATE FUNCTION {0}.iuid_find(orders, uuid) RETURNS SETOF orders LANGUAGE plpgsql AS $$BEGIN RAISE 'a decoy'; END$$;
CREATE FUNCTION {0}.format(text, int, iuid, int) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE 'a decoy'; END$$"""


def at_machine(node, *statements):
    host, _, port = WAYS[node].partition(":")
    with psycopg.connect(host=host, port=port, dbname="shop", autocommit=True) as session:
        for statement in statements:
            answer = session.execute(statement)
        return answer.fetchall() if answer.description else None


@contextlib.contextmanager
def pages():
    """What the pages of the desk of the first node say."""
    desk.app.config.update(NAMES={"localhost"}, NODE=questions.Node(f"service={HERE} user=desk"))
    client = desk.app.test_client()

    def show(path, **parameters):
        page = client.get(path, query_string=parameters).get_data(as_text=True)
        return html.unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", page, flags=re.DOTALL))
    try:
        yield show
    finally:
        desk.app.config["NODE"].pool.close()


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (cls.id,), = at_machine(OTHER, "SELECT id::text FROM orders WHERE note = 'a new order'")
        cls.absent = str(uuid.UUID(int=uuid.UUID(cls.id).int ^ 1))

    def test_no_row(self):
        with pages() as show:
            self.assertIn("a new order", show("/", id=self.id))
            self.assertIn(f"{OTHER} has no row with this identifier", show("/", id=self.absent))
            for path in ("/history", "/health"):
                self.assertNotIn("failed", show(path, customer="42"))

    def test_node_that_fails(self):
        at_machine(OTHER, "REVOKE SELECT ON orders FROM desk")
        try:
            with pages() as show:
                for id in (self.id, self.absent):
                    page = show("/", id=id)
                    self.assertIn(f"The look-up at {OTHER} failed, so nobody knows whether it has the row.", page)
                    self.assertNotIn("has no row", page)
                for path in ("/history", "/health"):
                    self.assertRegex(show(path, customer="42"), f"Rows are missing here, as a node failed: .*{OTHER}")
        finally:
            at_machine(OTHER, "GRANT SELECT ON orders TO desk")

    def test_schema_of_the_role(self):
        at_machine(HERE, "CREATE SCHEMA desk; GRANT USAGE ON SCHEMA desk TO desk", DECOYS.format("desk"),
                   "CREATE FUNCTION desk.iuid_inspect(iuid) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE 'a decoy'; END$$")
        try:
            with pages() as show:
                for path, parameters in (("/", {"id": self.id}), ("/history", {"customer": "42"})):
                    page = show(path, **parameters)
                    self.assertNotIn("decoy", page)
                    self.assertIn("a new order", page)
        finally:
            at_machine(HERE, "DROP SCHEMA desk CASCADE")

    def test_stranger_in_the_schema(self):
        at_machine(HERE, "CREATE ROLE stranger")
        try:
            for role in ("stranger", "PUBLIC"):
                try:
                    at_machine(HERE, f"GRANT CREATE ON SCHEMA public TO {role}", "SET ROLE stranger",
                               DECOYS.format("public"))
                    with self.assertLogs("psycopg.pool", logging.WARNING) as log, pages() as show:
                        for path, parameters in (("/", {"id": self.id}), ("/history", {"customer": "42"})):
                            page = show(path, **parameters)
                            self.assertNotIn("decoy", page)
                            self.assertIn("own node does not answer", page)
                    self.assertIn(f"{role} can create functions in the schema public", " ".join(log.output))
                finally:
                    at_machine(HERE, "DROP OWNED BY stranger", f"REVOKE CREATE ON SCHEMA public FROM {role}")
        finally:
            at_machine(HERE, "DROP ROLE stranger")

    def test_the_owner_creates(self):
        at_machine(HERE, "GRANT CREATE ON SCHEMA public TO shop, CURRENT_USER")
        with pages() as show:
            self.assertIn("a new order", show("/", id=self.id))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
