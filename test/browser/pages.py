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

import flask
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
        answer = client.get(path, query_string=parameters)
        page = answer.get_data(as_text=True)
        assert answer.status_code == 200 or "own node does not answer" in page, page
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

    def test_strange_rows(self):
        """An identifier of a reserved layout, one of the far future, and one that is derived."""
        with pages() as show:
            before = show("/health")
        reserved = "overlay(gen_iuid(52, 1)::text placing '5' from 16 for 1)::iuid"
        future = "gen_iuid(52, 1, '2100-01-01 00:00+00')"
        derived = "iuid_from_name(52, 1, 'orders/1')"
        (here,), = at_machine(HERE, "SELECT min(country) FROM iuid_routes WHERE node = current_setting('iuid.node')")
        ids = [row[0] for row in at_machine(HERE, "INSERT INTO orders VALUES "
               + ", ".join(f"({each.replace('52', str(here))}, 7, 'strange')" for each in (reserved, future, derived)) + " RETURNING id::text")]
        try:
            with pages() as show:
                self.assertEqual(show("/health").count("highest column"), 1)
                self.assertNotIn("Rows are missing", show("/health"))
                self.assertEqual(re.search("The highest column.*", show("/health"))[0], re.search("The highest column.*", before)[0])
        finally:
            at_machine(HERE, f"DELETE FROM orders WHERE id = ANY ('{{{','.join(ids)}}}')")

    def test_column_of_that_name(self):
        """Only the history has a column that is the time of the identifier."""
        with desk.app.test_request_context():
            text = flask.render_template_string('{% import "parts.html" as parts %}{{ parts.value("time", row) }}', row={"time": "noon"})
        self.assertEqual(text.strip(), "noon")

    def test_a_part_that_waits(self):
        (partition,), = at_machine(HERE, "SELECT relid::regclass::text FROM pg_partition_tree('orders') WHERE isleaf LIMIT 1")
        host, _, port = WAYS[HERE].partition(":")
        with psycopg.connect(host=host, port=port, dbname="shop") as session, pages() as show:
            session.execute(f"LOCK TABLE {partition}")
            page = show("/health")
            self.assertIn("A part of this page is missing. canceling statement due to statement timeout", page)
            self.assertIn("The highest column", page)

    def test_part_of_another_page(self):
        with pages():
            client = desk.app.test_client()
            for mode, status in ("no-cors", 403), ("navigate", 200):
                answer = client.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode})
                self.assertEqual(answer.status_code, status)

    def test_stranger_at_another_node(self):
        at_machine(OTHER, "CREATE ROLE stranger; GRANT CREATE ON SCHEMA public TO stranger;"
                   f" CREATE SCHEMA moving_c1; COMMENT ON SCHEMA moving_c1 IS 'from {OTHER} to b'")
        decoy = "CREATE FUNCTION public.{}({}) RETURNS {} LANGUAGE plpgsql AS $$BEGIN RAISE 'a decoy'; END$$"
        operator = "CREATE OPERATOR public.{} (FUNCTION = public.{}, LEFTARG = name, RIGHTARG = {})"
        try:
            at_machine(OTHER, "SET ROLE stranger", decoy.format("spy", "name, name", "bool"), decoy.format("glue", "name, name", "text"),
                       decoy.format("glue", "name, text", "text"), decoy.format("spy", "name, text", "bool"),
                       *(operator.format(*each) for each in (("~", "spy", "name"), ("~", "spy", "text"), ("=", "spy", "text"),
                                                             ("||", "glue", "name"), ("||", "glue", "text"))),
                       decoy.format("obj_description", "oid, text", "text"), decoy.format("regexp_match", "text, name", "text[]"),
                       decoy.format("current_setting", "name", "text"), decoy.format("substring", "name, text", "text"))
            with pages() as show:
                self.assertNotIn("failed", show("/health"))
        finally:
            at_machine(OTHER, "DROP OWNED BY stranger; DROP ROLE stranger; DROP SCHEMA moving_c1")

    def test_stranger_while_it_runs(self):
        """Who gets the right when the sessions are open; and what is left of who had it."""
        at_machine(HERE, "CREATE ROLE stranger")
        try:
            with pages() as show:
                self.assertIn("a new order", show("/", id=self.id))
                at_machine(HERE, "GRANT CREATE ON SCHEMA public TO stranger", "SET ROLE stranger", DECOYS.format("public"))
                for then in "SELECT", "REVOKE CREATE ON SCHEMA public FROM stranger":
                    at_machine(HERE, then)
                    with self.assertLogs("psycopg.pool", logging.WARNING):
                        page = show("/", id=self.id)
                    self.assertNotIn("decoy", page)
                    self.assertIn("own node does not answer", page)
            with self.assertLogs("psycopg.pool", logging.WARNING) as log, pages() as show:
                show("/", id=self.id)
            self.assertIn("stranger has made function iuid_find(orders,uuid) in the schema public", " ".join(log.output))
        finally:
            at_machine(HERE, "DROP OWNED BY stranger; DROP ROLE stranger")

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

    def test_markup_in_a_row(self):
        at_machine(OTHER, f"UPDATE orders SET note = '<b>bold</b>' WHERE id = '{self.id}'")
        try:
            with pages():
                page = desk.app.test_client().get("/", query_string={"id": self.id}, headers={"Host": "localhost"}).get_data(as_text=True)
                self.assertIn("&lt;b&gt;bold&lt;/b&gt;", page)
        finally:
            at_machine(OTHER, f"UPDATE orders SET note = 'a new order' WHERE id = '{self.id}'")

    def test_move_is_told_once(self):
        for node in HERE, OTHER:
            at_machine(node, f"CREATE SCHEMA moving_c1; COMMENT ON SCHEMA moving_c1 IS 'from {OTHER} to {HERE}'")
        try:
            with pages() as show:
                self.assertEqual(show("/health").count("finish is left"), 1)
        finally:
            for node in HERE, OTHER:
                at_machine(node, "DROP SCHEMA moving_c1")

    def test_the_owner_creates(self):
        at_machine(HERE, "GRANT CREATE ON SCHEMA public TO shop, CURRENT_USER")
        with pages() as show:
            self.assertIn("a new order", show("/", id=self.id))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
