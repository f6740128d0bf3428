"""The pages of the desk without a browser: a node that fails, and a stranger who makes functions.

NODE=HOST:PORT, for each node of examples/regions, is where a superuser comes in.  The services are
those of the environment, and desk.sql has run at the first node.
"""

import contextlib
import html
import logging
import os
import re
import sys
import unittest
import unittest.mock
import uuid

import psycopg

WAYS = dict(argument.split("=") for argument in sys.argv[1:])
HERE, OTHER, *_ = WAYS
os.environ |= {"IUID_DESK_NODE": f"service={HERE} user=desk", "IUID_DESK_TABLES": "AyanOrder=public.orders",
               "IUID_DESK_HISTORY": "public.orders customer"}
sys.path.append("tools/desk")
import desk  # noqa: E402
import pasted  # noqa: E402
import questions  # noqa: E402

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
    desk.node.pool.close()
    desk.node = questions.Node(os.environ["IUID_DESK_NODE"], ["public.orders"])
    client = desk.app.test_client()

    def show(path, **parameters):
        answer = client.get(path, query_string=parameters)
        page = answer.get_data(as_text=True)
        assert answer.status_code == 200 or "own node does not answer" in page, page
        return html.unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", page, flags=re.DOTALL))
    try:
        yield show
    finally:
        desk.node.pool.close()


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (cls.id,), = at_machine(OTHER, "SELECT id::text FROM orders WHERE note = 'a new order'")
        cls.absent = str(uuid.UUID(int=uuid.UUID(cls.id).int ^ 1))

    def test_no_row(self):
        with pages() as show:
            self.assertIn("a new order", show("/", id=self.id))
            self.assertIn(f"{OTHER} answered, and has no row with this identifier", show("/", id=self.absent))
            for path in ("/history", "/health"):
                self.assertNotIn("failed", show(path, value="42"))

    def test_node_that_fails(self):
        at_machine(OTHER, "REVOKE SELECT ON orders FROM desk")
        try:
            with pages() as show:
                for id in (self.id, self.absent):
                    page = show("/", id=id)
                    self.assertIn(f"Nobody knows whether {OTHER} has the row: the look-up failed.", page)
                    self.assertNotIn("has no row", page)
                self.assertRegex(show("/history", value="42"), f"Rows are missing here, as a node failed. .*{OTHER}")
                self.assertRegex(show("/health"), f"A node did not say all. .*{OTHER}")
        finally:
            at_machine(OTHER, "GRANT SELECT ON orders TO desk")

    def test_schema_of_the_role(self):
        for node in HERE, OTHER:
            at_machine(node, "CREATE SCHEMA desk; GRANT USAGE ON SCHEMA desk TO desk", DECOYS.format("desk"),
                       "CREATE FUNCTION desk.iuid_inspect(iuid) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE 'a decoy'; END$$",
                       "CREATE FUNCTION desk.less(iuid, iuid) RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE 'a decoy'; END$$",
                       "CREATE OPERATOR desk.< (FUNCTION = desk.less, LEFTARG = iuid, RIGHTARG = iuid)",
                       "CREATE VIEW desk.iuid_nodes AS SELECT 'a decoy' AS node", "GRANT SELECT ON desk.iuid_nodes TO desk",
                       "CREATE TABLE desk.orders (LIKE orders)", "GRANT SELECT ON desk.orders TO desk")
        try:
            with pages() as show:
                for path, parameters, known in (("/", {"id": self.id}, "a new order"), ("/history", {"value": "42"}, "a new order"),
                                                ("/health", {}, "The highest column")):
                    page = show(path, **parameters)
                    self.assertNotIn("decoy", page)
                    self.assertNotIn("failed", page)
                    self.assertIn(known, page)
        finally:
            for node in HERE, OTHER:
                at_machine(node, "DROP SCHEMA desk CASCADE")

    def test_strange_rows(self):
        """An identifier of a reserved layout, one of the far future, and one that is derived."""
        (now,), = at_machine(HERE, "SELECT now()::text")
        the_same_hour = unittest.mock.patch.object(questions, "MINUTES", questions.MINUTES.replace("now()", f"timestamptz '{now}'"))
        with the_same_hour, pages() as show:
            before = show("/health")
        reserved = "overlay(gen_iuid(52, 1)::text placing '5' from 16 for 1)::iuid"
        future = "gen_iuid(52, 1, '2100-01-01 00:00+00')"
        derived = "iuid_from_name(52, 1, 'orders/1')"
        (here,), = at_machine(HERE, "SELECT min(country) FROM iuid_routes WHERE node = current_setting('iuid.node')")
        ids = [row[0] for row in at_machine(HERE, "INSERT INTO orders VALUES "
               + ", ".join(f"({each.replace('52', str(here))}, 7, 'strange')" for each in (reserved, future, derived)) + " RETURNING id::text")]
        try:
            with the_same_hour, pages() as show:
                self.assertEqual(show("/health").count("highest column"), 1)
                self.assertNotIn("did not say all", show("/health"))
                self.assertEqual(re.search("The highest column.*", show("/health"))[0], re.search("The highest column.*", before)[0])
        finally:
            at_machine(HERE, f"DELETE FROM orders WHERE id = ANY ('{{{','.join(ids)}}}')")

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
                        for path, parameters in (("/", {"id": self.id}), ("/history", {"value": "42"})):
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

    # --- what the owner of a table can make the desk run ---

    @contextlib.contextmanager
    def policy(self, node, body):
        """A policy that runs a body in PL/pgSQL as the role that reads."""
        at_machine(node, "SET ROLE shop; CREATE TABLE taken (what text); GRANT ALL ON taken TO PUBLIC;"
                   f"CREATE FUNCTION spies(iuid) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN {body} RETURN true; END$$;"
                   "CREATE POLICY spies ON orders USING (spies(id)); ALTER TABLE orders ENABLE ROW LEVEL SECURITY")
        try:
            yield
        finally:
            at_machine(node, "ALTER TABLE orders DISABLE ROW LEVEL SECURITY; DROP POLICY spies ON orders; DROP FUNCTION spies; DROP TABLE taken")

    def test_policy_that_sets(self):
        settings = ("search_path", "statement_timeout", "default_transaction_read_only", "transaction_read_only", "role", "TimeZone")
        asked = "SELECT " + " || ',' || ".join(f"current_setting('{name}')" for name in settings) + " AS settings"
        for place in HERE, OTHER:
            (here,), = at_machine(place, "SELECT id::text FROM orders WHERE note = 'a new order'")
            with pages() as show:
                def settings_now():
                    with desk.node.asking() as ask:
                        return {tuple(row.items()) for row in (*ask(asked)[0], *ask(
                            f"SELECT node FROM iuid_select_on_nodes(NULL::iuid_desk.state, $$ SELECT settings AS node, ''::text AS as_of, ''::text AS size,"
                            f" ''::text AS slots, ''::text AS subscriptions FROM ({asked}) AS a $$)")[0])}
                before = settings_now()
                with self.policy(place, "PERFORM set_config('search_path', 'evil', false), set_config('statement_timeout', '0', false),"
                                 "set_config('default_transaction_read_only', 'off', false), set_config('timezone', 'Asia/Tokyo', false);"
                                 + "BEGIN PERFORM public.iuid_run_on_nodes('SELECT set_config(''search_path'', ''evil'', false)');"
                                 " EXCEPTION WHEN object_in_use THEN END;" * (place == HERE)):
                    for path, parameters in (("/", {"id": here}), ("/history", {"value": "42"}), ("/health", {})) * 9:
                        page = show(path, **parameters)
                        self.assertNotIn("failed", page)
                        self.assertNotIn("is missing", page)
                    for _ in range(8):
                        self.assertEqual(settings_now(), before)

    def test_policy_that_writes(self):
        for place in HERE, OTHER:
            (here,), = at_machine(place, "SELECT id::text FROM orders WHERE note = 'a new order'")
            for write in ("INSERT INTO public.taken VALUES ($1::text);", "PERFORM lo_create(0);", "CREATE TEMP TABLE x ();",
                          "PERFORM set_config('transaction_read_only', 'off', false); INSERT INTO public.taken VALUES ($1::text);"):
                with self.subTest(place=place, write=write), self.policy(place, write), pages() as show:
                    for page in show("/", id=here), show("/history", value="42"):
                        if "lo_create" not in write:  # which PostgreSQL 15 takes, and the rollback undoes
                            self.assertRegex(page, "read-only transaction|read-write mode")
                    self.assertEqual(at_machine(place, "SELECT (SELECT count(*) FROM taken) + (SELECT count(*) FROM pg_largeobject_metadata)"), [(0,)])

    def test_policy_that_says(self):
        """A notice is no failure, and a warning is told as it is."""
        with self.policy(HERE, "RAISE NOTICE 'all is well'; RAISE NOTICE USING MESSAGE = '';"), pages() as show:
            page = show("/history", value="42")
            self.assertNotIn("None", page)
            self.assertNotIn("missing", page)

    def test_slow_node(self):
        with self.policy(OTHER, "PERFORM pg_sleep(3);"), pages() as show:
            self.assertRegex(show("/history", value="42"), f"Rows are missing here, as a node failed. .*{OTHER}")
            self.assertRegex(show("/health"), f"A node did not say all. .*{OTHER}")

    def test_rights_that_go(self):
        """Each node is named, whatever the desk may not ask."""
        at_machine(HERE, f"REVOKE USAGE ON FOREIGN SERVER {OTHER} FROM desk")
        try:
            with pages() as show:
                page = show("/health")
                for node in WAYS:
                    self.assertIn(f"{node}, ", page)
                self.assertRegex(page, rf"{OTHER}, [\w -]+:\s+failed. .*permission denied for foreign server")
        finally:
            at_machine(HERE, f"GRANT USAGE ON FOREIGN SERVER {OTHER} TO desk")

    def test_role_that_writes(self):
        at_machine(HERE, "GRANT DELETE ON orders TO desk")
        try:
            with self.assertLogs("psycopg.pool", logging.WARNING) as log, pages() as show:
                self.assertIn("own node does not answer", show("/", id=self.id))
            self.assertIn("the role desk can write the table orders", " ".join(log.output))
        finally:
            at_machine(HERE, "REVOKE DELETE ON orders FROM desk")

    def test_options(self):
        with unittest.mock.patch.dict(os.environ, IUID_DESK_NODE=os.environ["IUID_DESK_NODE"] + " options='-c work_mem=1234kB'"), pages():
            with desk.node.asking() as ask:
                self.assertEqual(ask("SELECT current_setting('work_mem') AS work_mem")[0], [{"work_mem": "1234kB"}])

    # --- values ---

    def test_values(self):
        values = {"doc": r'{"a": "\ud800", "n": 1.10000000000000000001}', "deep": "[" * 3000 + "]" * 3000, "digits": "9" * 5000,
                  "exact": "1.10000000000000000001", "time": "noon", "node": "his own", "note": "NULL", "lines": "a\nb", "turned": "a\u202eb", "nothing": "", "far": "infinity"}
        kinds = {"doc": "json", "deep": "json", "digits": "numeric", "exact": "numeric", "far": "timestamptz"}
        at_machine(HERE, "INSERT INTO iuid_entities VALUES (9, 'Odd', 'Row')",
                   "CREATE TABLE odd (id iuid PRIMARY KEY, absent text, " + ", ".join(f"{name} {kinds.get(name, 'text')}" for name in values) + ")",
                   "GRANT SELECT ON odd TO desk")
        try:
            (here,), = at_machine(HERE, "SELECT min(country) FROM iuid_routes WHERE node = current_setting('iuid.node')")
            (id,), = at_machine(HERE, "INSERT INTO odd (id, " + ", ".join(values) + f") VALUES (gen_iuid({here}, 9), "
                                + ", ".join("E'" + value.replace("\\", "\\\\") + "'" for value in values.values()) + ") RETURNING id::text")
            with unittest.mock.patch.dict(desk.TABLES, OddRow="public.odd"), pages() as show:
                page = show("/", id=id)
                for name in "doc", "deep", "digits", "exact", "time", "node", "far":
                    self.assertIn(values[name], page)
                client = desk.app.test_client()
                answer = client.get("/", query_string={"id": id}).get_data(as_text=True)
                for name, markup in (("absent", '<bdi><span class="code">NULL</span></bdi>'), ("note", "<bdi>NULL</bdi>"), ("nothing", '<bdi><span class="code">empty</span></bdi>'),
                                     ("lines", '<bdi>a<span class="code">line end</span>\nb</bdi>'), ("turned", '<bdi>a<span class="code">U+202E</span>b</bdi>')):
                    self.assertIn(f"<dt>{name}</dt><dd>{markup}</dd>", answer)
        finally:
            at_machine(HERE, "DROP TABLE odd; DELETE FROM iuid_entities WHERE entity = 9")

    def test_pages_of_a_history(self):
        """Each row is on one page, the newest first."""
        try:
            at_machine(HERE, "INSERT INTO orders SELECT gen_iuid(country, 1), 70000, 'row ' || n FROM generate_series(1, 5) AS n,"
                             " (SELECT min(country) FROM iuid_routes WHERE node = current_setting('iuid.node')) AS r (country)")
            found, way = [], "/history?value=70000"
            with unittest.mock.patch.object(desk, "PAGE", 2), pages():
                while way:
                    page = desk.app.test_client().get(way).get_data(as_text=True)
                    found += re.findall("row [0-9]", page)
                    older = re.search('rel="next" href="(.*?)"', page)
                    way = older and html.unescape(older[1])
            self.assertEqual(found, [f"row {n}" for n in (5, 4, 3, 2, 1)])
        finally:
            at_machine(HERE, "DELETE FROM orders WHERE customer = 70000")

    def test_history_of_a_text(self):
        """The name of a customer is no text that contains an identifier."""
        try:
            for name in "a \u2013 b", "R&amp;D", "50%25":
                (id,), = at_machine(HERE, f"INSERT INTO orders SELECT gen_iuid(min(country), 1), 70000, '{name}'"
                                    " FROM iuid_routes WHERE node = current_setting('iuid.node') RETURNING id::text")
                with unittest.mock.patch.object(desk, "HISTORY", ["public.orders", "note"]), pages() as show:
                    self.assertIn(id, show("/history", value=name))
        finally:
            at_machine(HERE, "DELETE FROM orders WHERE customer = 70000")

    def test_long_value(self):
        at_machine(OTHER, f"UPDATE orders SET note = repeat('<', 9999) || repeat(chr(7), 200002) WHERE id = '{self.id}'")
        try:
            with pages():
                page = desk.app.test_client().get("/", query_string={"id": self.id}).get_data(as_text=True)
                self.assertIn('&lt;<span class="code">U+0007</span><span class="code">200,001 more characters</span></bdi>', page)
        finally:
            at_machine(OTHER, f"UPDATE orders SET note = 'a new order' WHERE id = '{self.id}'")

    def test_counts_of_a_node_that_errs(self):
        for told in "NULL, 1, 1", "5, 1, NULL", "5, NULL, 1), (5, 1, 1":
            rows = f"SELECT ago::int, country::int, ids::bigint FROM (VALUES ({told})) AS v (ago, country, ids)"
            minutes = re.sub(r"SELECT least.*(?= \$\$)", rows, questions.MINUTES, flags=re.DOTALL)
            with self.subTest(told), unittest.mock.patch.object(questions, "MINUTES", minutes), pages() as show:
                page = show("/health")
                self.assertIn("made at all nodes, in the last hour", page)
                self.assertNotIn("A part of this page is missing", page)

    def test_tables_of_one_name(self):
        at_machine(HERE, "CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO desk",
                   "CREATE TABLE other.orders (id iuid PRIMARY KEY, about iuid REFERENCES orders)", "GRANT SELECT ON other.orders TO desk")
        try:
            (id,), = at_machine(HERE, "SELECT id::text FROM orders WHERE note = 'a new order'")
            with unittest.mock.patch.dict(desk.TABLES, Other="other.orders", Same="other.orders"), pages() as show:
                self.assertIn("other.orders that refer to it", show("/", id=id))
                self.assertEqual(show("/health").count("orders at this node"), 4)
        finally:
            at_machine(HERE, "DROP SCHEMA other CASCADE")

    def test_names(self):
        with pages(), unittest.mock.patch.dict(os.environ, IUID_DESK_NAMES="Desk.Example b\u00fccher.example"), \
                unittest.mock.patch.object(desk.Request, "trusted_hosts", desk.names()):
            client = desk.app.test_client()
            for name, status in (("desk.example", 200), ("desk.example:8080", 200), ("xn--bcher-kva.example", 200), ("localhost", 400), ("desk.example.evil", 400)):
                self.assertEqual(client.get("/history", headers={"Host": name}).status_code, status, name)

    def test_pasted(self):
        one, two = "01a2032a-2443-8065-806c-fdf37f6fdf05", "019b76da-a87b-807d-8041-23456789abcd"
        bare = one.replace("-", "")
        for text in (one[:20] + "\n" + one[20:], one[:20] + "=\r\n" + one[20:], f"> {one[:9]}\n> {one[9:]}", f"id=3D{one}", one.replace("-", "=2D"),
                     one.replace("-", "&#45;"), one.replace("-", "&ndash;"), one.replace("-", "%2D"), one.replace("-", " "),
                     " ".join(bare[n:n + 4] for n in range(0, 32, 4)), "".join(f"&#x{ord(c):x};" for c in one), f"\u202e{one}\u202c"):
            self.assertEqual(pasted.uuids(pasted.clean(text)), [one], text)
        self.assertEqual(pasted.uuids(pasted.clean("&#" + "9" * 5000 + f"; {one}")), [one])
        for text in one + two, bare + two, bare + bare, one + bare, bare[:16] + "0" + bare[16:], one[:-1], (one[:4] + " " * 99) * 7:
            self.assertEqual(pasted.uuids(pasted.clean(text)), [], text)
        for text in f"{one}\n{two}", f"{one}, {two}", f"{bare}\n{two}":
            self.assertEqual(pasted.uuids(pasted.clean(text)), [one, two], text)

    def test_the_owner_creates(self):
        at_machine(HERE, "GRANT CREATE ON SCHEMA public TO shop, CURRENT_USER")
        with pages() as show:
            self.assertIn("a new order", show("/", id=self.id))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
