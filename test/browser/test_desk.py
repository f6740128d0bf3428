"""The desk, as a reader and as an attacker see it: in Chromium, and by requests.

It starts ./dev desk, and asks the servers themselves, as a superuser, what the pages must show.
"""

import concurrent.futures
import contextlib
import datetime
import http.client
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import urllib.parse
import uuid
import zoneinfo

import psycopg
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path += ["tools/desk", "tools/iuid"]

import questions  # noqa: E402
from move import country, state as moving  # noqa: E402

PICTURES = os.environ.get("PICTURES", ".")
AXE = os.environ["AXE"]
ZONE = "Asia/Almaty"
REGIONS = {"almaty": "Central Asia", "mexico": "Latin America", "jakarta": "South-East Asia"}
# The bits of doc/format.md.
FIELDS = {"time": (0, 48), "version": (48, 52), "layout": (52, 56), "country": (56, 64),
          "variant": (64, 66), "entity": (66, 74), "random": (74, 128)}
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
    --disable-background-networking --disable-component-update --disable-sync""".split()


def setUpModule():
    global command, desks, folder, stop, start, ids, browser
    # What runs in the background may ignore Ctrl-C.
    command = subprocess.Popen(["./dev", "desk"], stdout=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    unittest.addModuleCleanup(end_desk)
    said = ""
    for line in command.stdout:
        said += line
        if line.startswith("Ctrl-C"):
            break
    desks = dict(re.findall(r"^   (\w+) +http://(.*)/$", said, re.M))
    folder = re.search(r"-D (.*)/jakarta/data stop", said)[1]
    stop, start = re.findall(r"^   (.*pg_ctl -D .* (?:stop|start))$", said, re.M)
    assert desks.keys() == REGIONS.keys(), said
    ids = {node: query(node, "SELECT id FROM orders WHERE note = 'a new order'") for node in REGIONS}
    assert set(ids.values()) == set(re.findall(r"^   ([0-9a-f-]{36})  \w\w$", said, re.M)), said
    # Eight sessions of the desk here, each with a connection to each other node.
    wait_for(lambda: all(query(node, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'desk'") == "24"
                         for node in REGIONS), "the sessions are open")
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    unittest.addModuleCleanup(browser.quit)
    browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ZONE})


def end_desk():
    """Ctrl-C ends the desks and the servers, and leaves nothing."""
    os.killpg(command.pid, signal.SIGINT)
    command.communicate(timeout=60)
    assert command.returncode == 0, command.returncode
    assert not os.path.exists(folder), folder
    left = subprocess.run(["pgrep", "-f", folder], capture_output=True, text=True).stdout
    assert not left, left


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"waited a minute: {what}"
        time.sleep(0.05)


# --- the servers -----------------------------------------------------------------------------------


def postmaster(node):
    with open(f"{folder}/{node}/data/postmaster.pid") as file:
        return file.read().split("\n")


def query(node, statement):
    """What a superuser sees at a node."""
    return subprocess.run(
        ["psql", "-XAtq", "-h", f"{folder}/{node}", "-p", postmaster(node)[3], "-U", "postgres", "shop", "-c",
         statement], check=True, capture_output=True, text=True).stdout.strip()


def asked():
    """How many commands came to each node so far, by its log."""
    count = {}
    for node in REGIONS:
        with open(f"{folder}/{node}/server.log") as log:
            count[node] = len(re.findall(r"LOG:  (?:statement|execute .*?): (?!SELECT 1$)", log.read(), re.M))
    return count


@contextlib.contextmanager
def stopped(node):
    """A server that does not run, by the commands that ./dev desk prints; what connects is refused."""
    run = lambda command: subprocess.run(command.replace("jakarta", node), shell=True, check=True, stdout=subprocess.DEVNULL)
    run(stop)
    try:
        yield
    finally:
        run(start)


@contextlib.contextmanager
def hanging(node):
    """A server that takes connections, and never answers."""
    server = postmaster(node)[0]
    children = subprocess.run(["pgrep", "-P", server], capture_output=True, text=True).stdout.split()
    processes = [int(process) for process in (server, *children)]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


# --- the pages -------------------------------------------------------------------------------------


def get(node, path, headers={}, method="GET"):
    with contextlib.closing(http.client.HTTPConnection(desks[node], timeout=30)) as connection:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer, answer.read().decode()


def address(node, page="", **parameters):
    return f"http://{desks[node]}/{page}?{urllib.parse.urlencode(parameters)}"


def follow(act, *arguments):
    """Does what leads to another page, and waits for that."""
    browser.execute_script("window.isOld = true")
    act(*arguments)
    wait_for(lambda: browser.execute_script("return !window.isOld && document.readyState == 'complete'"), "another page")


def texts(selector):
    return browser.execute_script("return [...document.querySelectorAll(arguments[0])]"
                                  ".map(e => (e.innerText ?? e.textContent).trim())", selector)


def terms():
    """The terms of a page with their descriptions."""
    return {re.sub(r" \d+–\d+$", "", term): text for term, text in zip(texts("dt"), texts("dd"))}


def faults():
    return " ".join(texts(".fault"))


def table():
    """The rows of the first table, as far as it has no charts."""
    columns = texts(".wide:first-of-type thead th")
    cells = texts(".wide:first-of-type tbody td")
    return [dict(zip(columns, cells[n:n + len(columns)])) for n in range(0, len(cells), len(columns))]


class Desk(unittest.TestCase):
    def setUp(self):
        browser.set_window_size(1000, 900)
        browser.get_log("browser")

    def tearDown(self):
        # Neither errors of scripts, nor what the Content-Security-Policy stopped.
        self.assertEqual(browser.get_log("browser"), [])

    def show(self, node, page="", **parameters):
        """Opens a page, and returns how many seconds that took."""
        begin = time.monotonic()
        browser.get(address(node, page, **parameters))
        return time.monotonic() - begin

    def paste(self, text):
        """Pastes a text into the field, and presses Enter."""
        field = browser.find_element(By.NAME, "id")
        browser.execute_script("arguments[0].value = arguments[1]", field, text)
        follow(field.send_keys, Keys.ENTER)

    # --- any id ---

    def test_each_id_at_each_node(self):
        for node in REGIONS:
            for owner, id in ids.items():
                with self.subTest(node=node, owner=owner):
                    before = asked()
                    self.show(node, id=id)
                    trips = {n: count - before[n] for n, count in asked().items() if n != node}
                    self.assertTrue(all(count == 0 for n, count in trips.items() if n != owner), trips)
                    self.assertEqual(trips.get(owner, 2), 2, "round trips: the row, and its events")
                    found = terms()
                    self.assertRegex(found["Node"], f"^{owner}, {REGIONS[owner]}: " + ("the node of" if node == owner else "another node than that of")
                                     + r" this desk, which answered in [\d.]+ ms$")
                    self.assertEqual([found["id"], found["customer"], found["note"]], [id, "42", "a new order"])
                    self.assertEqual([event["what"] for event in table()], ["paid", "driver arrives", "accepted"])
                    self.assertEqual(faults(), "")

    def test_fields(self):
        id = ids["jakarta"]
        number = uuid.UUID(id).int
        self.show("almaty", id=id)
        self.assertEqual("".join(texts(".bits text")), f"{number:0128b}")
        cells = browser.find_elements(By.CSS_SELECTOR, ".bits rect")
        for field, (first, end) in FIELDS.items():
            self.assertEqual({cell.get_attribute("class") for cell in cells[first:end]}, {field})
        colours = [cells[first].value_of_css_property("fill") for first, _ in FIELDS.values()]
        self.assertEqual(len(set(colours)), 6, "version and variant have one colour")
        value = {field: number >> 128 - end & (1 << end - first) - 1 for field, (first, end) in FIELDS.items()}
        at = datetime.datetime.fromtimestamp(value["time"] // 1000, datetime.timezone.utc)
        here = at.astimezone(zoneinfo.ZoneInfo(ZONE))
        found = terms()
        self.assertTrue(browser.find_element(By.TAG_NAME, "time").get_attribute("title").startswith(f"{at:%Y-%m-%d %H:%M:%S}"))
        self.assertEqual(found["Time"].replace("\u202f", " "),
                         f"{here:%b} {here.day}, {here.year}, {here:%I:%M:%S}.{value['time'] % 1000:03} {here:%p} GMT+5".replace(" 0", " "))
        self.assertEqual(found["Country"], f"{value['country']}, ID, Indonesia")
        self.assertEqual(found["Entity"], f"{value['entity']}, Ayan, AyanOrder")
        self.assertEqual(found["Random"], str(value["random"]))

    def test_ways_to_paste(self):
        id = ids["mexico"]
        self.show("almaty")
        for text in (id, id.upper(), f"{{{id}}}", id.replace("-", ""), f"  {id}\t", f"\u00a0{id}\u200b", f"{id[:23]}\u00ad{id[23:]}",
                     id.replace("-", "\u2013"), f"https://desk.example/orders/{id}?tab=1#x",
                     f"https://desk.example/?order={urllib.parse.quote('{' + id + '}')}", f"Where is {id}?"):
            with self.subTest(text=text):
                self.paste(text)
                self.assertEqual(terms()["note"], "a new order")
                self.assertEqual(texts(".id"), [id])

    def test_two_in_one_text(self):
        key = str(uuid.uuid4())
        self.show("almaty", id=f"https://desk.example/customers/{key}/orders/{ids['almaty']}")
        self.assertEqual(texts(".id"), [ids["almaty"]])
        follow(browser.find_element(By.LINK_TEXT, key).click)
        self.assertIn("It is a UUID of version 4", faults())

    def test_what_is_no_iuid(self):
        self.show("almaty")
        for text, words in (
                (str(uuid.uuid4()), "This is no iuid. It is a UUID of version 4; an iuid is of version 8. Keep it"),
                ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "version 7; an iuid is of version 8. Keep it in a column of type uuid, or make an iuid of it"),
                (str(uuid.uuid1()), "version 1;"), (str(uuid.uuid5(uuid.NAMESPACE_DNS, "a")), "version 5;"),
                (ids["almaty"][:35], "This has 31 hexadecimal digits."), (ids["almaty"] + "0", "This has 33 hexadecimal digits."),
                ("019b76da", "This has 8 hexadecimal digits."), ("4711", "4 hexadecimal digits"),
                ("2026-01-01 00:00:00.123+00", "Read as a time, this is 2026-01-01 00:00:00.123+00. The identifiers from then on begin at 019b76da-a87b-8000-8000-000000000000."),
                ("2026-01-01 05:00+05", "Read as a time, this is 2026-01-01 00:00:00+00."), ("hello", "There is no iuid in this text. An iuid is written as 32 hexadecimal digits"),
                ("7" * 20, "This has 20 hexadecimal digits.")):
            with self.subTest(text=text):
                self.paste(text)
                self.assertIn(words, faults())
                self.assertEqual(texts("h2"), [])

    def test_kinds(self):
        known = ids["almaty"]
        def changed(first, end, value):
            number = uuid.UUID(known).int & ~((1 << end - first) - 1 << 128 - end) | value << 128 - end
            return str(uuid.UUID(int=number))
        named = query("almaty", "SELECT iuid_from_name(125, 1, 'orders/4711')")
        self.show("almaty")
        for id, expected, fault in (
                (named, {"Layout": "1, derived from a name", "Time": "None: the identifier is derived from a name",
                         "Node": "almaty"}, "almaty answered, and has no row with this identifier"),
                (changed(52, 56, 7), {"Layout": "7, which is reserved for a later version"}, ""),
                (str(uuid.UUID(int=0)), {"Meaning": "Nil, the smallest value"}, ""),
                ("f" * 32, {"Meaning": "Max, the greatest value"}, ""),
                (changed(56, 64, 200), {"Country": "200, which is not registered", "Node": "None: no route fits"}, ""),
                (changed(66, 74, 77), {"Entity": "77, which is not registered", "Node": "almaty"}, "no table of this entity"),
                (changed(66, 74, 2), {"Entity": "2, Wallet, WalletAccount"}, "no table of this entity"),
                (changed(74, 128, 5), {"Random": "5"}, "almaty answered, and has no row with this identifier"),
                (changed(0, 48, (1 << 48) - 1), {"Time": "Aug 2, 10889, 10:31:50.655"}, "almaty answered, and has no row")):
            with self.subTest(id=id):
                self.paste(id)
                found = terms()
                for term, text in expected.items():
                    self.assertIn(text, found.get(term, ""))
                self.assertEqual("Country" in found, "Country" in expected or "Node" in expected or "Entity" in expected
                                 or "Random" in expected or "Time" in expected)
                self.assertIn(fault, faults())
                self.assertEqual(faults() == "", fault == "")

    def test_hostile(self):
        self.show("almaty")
        for text in ("<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "'; DROP TABLE orders; --",
                     "%' OR 1=1 --", "{{ 7 * 7 }}", "%s %(id)s %%", "\\'; SELECT 1", "\ud7ff\U0001f600"):
            with self.subTest(text=text):
                self.paste(text)
                self.assertEqual(browser.find_element(By.NAME, "id").get_attribute("value"), text)
                self.assertIn("There is no iuid in this text", faults())
                self.assertEqual(browser.find_elements(By.CSS_SELECTOR, "main script, main img"), [])
                self.show("almaty", "history", value=text)
                self.assertIn("invalid input syntax for type integer", faults())
                self.show("almaty", "history", value="42", before=text)
                self.assertIn("invalid input syntax for type iuid", faults())
                self.show("almaty")
        self.paste("x" * 100_000)
        self.assertIn("This text has 100,000 characters", faults())
        answer, text = get("almaty", "/history?value=" + "x" * 1_000_000)
        self.assertEqual(answer.status, 431)
        self.assertLess(len(text), 50_000)
        self.assertEqual(query("almaty", "SELECT count(*) > 0 FROM orders"), "t")

    def test_hostile_row(self):
        note = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
        id = query("jakarta", f"INSERT INTO orders VALUES (gen_iuid(101, 1), 666, $$ {note}$$) RETURNING id")
        for page in ({"id": id}, {"page": "history", "value": "666"}):
            self.show("almaty", **page)
            self.assertIn(note, " ".join(texts("dd, td")))
            self.assertEqual(browser.find_elements(By.CSS_SELECTOR, "main script, main img"), [])

    # --- history ---

    def history_of(self, customer, nodes=REGIONS):
        """The identifiers of a customer at some nodes, newest first, which is the order of their texts."""
        return sorted((id for node in nodes for id in query(
            node, f"SELECT id FROM orders WHERE customer = {customer}").split()), reverse=True)

    def test_history(self):
        self.show("mexico", "history", value="42")
        expected, seen = self.history_of(42), []
        self.assertGreater(len(expected), 60)
        while True:
            rows = table()
            seen += [row["id"] for row in rows]
            for row in rows:
                self.assertEqual(row["region"], REGIONS[row["node"]])
            older = browser.find_elements(By.LINK_TEXT, "Older")
            if not older:
                break
            before = asked()
            follow(older[0].click)
            self.assertEqual([asked()[node] - before[node] for node in ("almaty", "jakarta")], [1, 1], "round trips")
        self.assertEqual(seen, expected)
        follow(browser.find_element(By.LINK_TEXT, "Newest").click)
        link = browser.find_element(By.CSS_SELECTOR, "tbody code")
        self.assertEqual(link.text, expected[0])
        follow(link.click)
        self.assertEqual(texts(".id"), [expected[0]])
        follow(browser.find_element(By.LINK_TEXT, "42").click)
        self.assertEqual([row["id"] for row in table()], expected[:20])

    def test_history_of_nobody(self):
        self.show("mexico", "history", value="100000")
        self.assertIn("No row.", texts("p"))
        self.show("mexico", "history", value="99999999999")
        self.assertIn("out of range", faults())

    # --- health ---

    def test_health(self):
        self.show("jakarta", "health")
        nodes = texts("h2 + ul li")
        for node, region in REGIONS.items():
            self.assertRegex("\n".join(nodes), rf"{node}, {region}: up, " + ("the node of this desk" if node == "jakarta" else r"[\d.]+ ms"))
        self.assertEqual([text for text in texts("p") if "found no fault" in text],
                         ["iuid_check_regions found no fault."]
                         + ["iuid_check_partitions of the countries that are divided by time found no fault."] * 2)
        made = sum(int(query(node, "SELECT count(*) FROM orders WHERE id > now() - interval '1 hour'")) for node in REGIONS)
        shown = sum(map(int, browser.execute_script("return [...document.querySelector('table.series').querySelectorAll('td:nth-of-type(1)')].map(e => e.innerText)")))
        self.assertTrue(made <= shown <= made + 50, (made, shown))
        partitions = query("jakarta", "SELECT p.relid::regclass FROM pg_partition_tree('orders') AS p WHERE p.isleaf").split() + ["order_events"]
        self.assertEqual(set(texts(".bars th[scope=row]")), set(partitions))
        size = query("jakarta", "SELECT pg_size_pretty(pg_total_relation_size('orders_c101_2025_04'))")
        row, = [text for text in texts(".bars tbody tr") if "orders_c101_2025_04" in text]
        self.assertEqual(row, f"orders_c101_2025_04\t364\t{size}")

    def test_faults(self):
        query("mexico", "DROP VIEW orders_c157_e1")
        query("almaty", "ALTER TABLE orders_c125 DETACH PARTITION orders_c125_2025_10")
        try:
            self.show("almaty", "health")
            found, = table()
            self.assertEqual((found["problem"], found["country"], found["node"]), ("no view there", "157", "mexico"))
            self.assertIn("iuid_create_routed_partitions", found["remedy"])
            gap, = [text for text in texts("tbody tr") if "orders_c125\tgap" in text]
            self.assertIn("nothing from", gap)
        finally:
            query("almaty", "DROP TABLE orders_c125_2025_10; SET ROLE shop;"
                  "SELECT iuid_create_partitions('orders_c125', '3 months', '2025-10-01 00:00+00', '2025-12-01 00:00+00')")
            query("mexico", "SET ROLE shop; SELECT iuid_create_routed_partitions('orders', 1, '3 months')")

    def test_check_that_fails(self):
        query("almaty", "REVOKE SELECT ON orders_global FROM desk")
        query("mexico", "REVOKE SELECT ON orders FROM desk")
        try:
            self.show("almaty", "health")
            self.assertIn("cannot read public.orders: it needs SELECT", table()[0]["detail"])
            self.assertEqual(len(texts("h2 + ul li")), 3)
            self.show("almaty", id=ids["mexico"])
            self.assertIn("permission denied for table orders", faults())
        finally:
            query("almaty", "GRANT SELECT ON orders_global TO desk")
            query("mexico", "GRANT SELECT ON orders TO desk")

    def test_moves(self):
        """What the command that moves a country leaves at the node that gives a country up."""
        orders = country.Table("public", "orders", "id", "public", "orders_c157", "public", "orders_c157_e1", 1, True, "public", "orders_global")
        move = moving.Move(157, "mexico", "jakarta", [None], [orders], uuid.uuid4())

        def shown():
            self.show("almaty", "health")
            row, = [text for text in texts("tbody tr") if text.startswith("MX\tmexico\tjakarta\t")]
            return row.split("\t")[3]
        try:
            query("mexico", "; ".join([*moving.keep(move, [], moving.SERVING, 1), *moving.noting_triggers(move, orders)]))
            self.assertEqual(shown(), "the copy begins")
            query("mexico", "SELECT pg_create_logical_replication_slot('moving_c157', 'pgoutput')")
            self.assertRegex(shown(), r"^it is copied, \d+ \w+ behind$")
            query("mexico", "; ".join([*moving.refusing_triggers(move, orders.part), moving.refuse(move, 60)]))
            self.assertEqual(shown(), "nobody can write it")
            query("mexico", moving.refuse(move, 0))
            self.assertRegex(shown(), r"^it is copied, \d+ \w+ behind$")
            query("mexico", "; ".join(moving.no_triggers(move, orders.part, *moving.REFUSING, *moving.NOTING)))
            self.assertEqual(shown(), "the new node has it; finish is left")
        finally:
            query("mexico", "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = 'moving_c157';"
                  "DROP SCHEMA moving_c157 CASCADE")
        self.show("almaty", "health")
        self.assertNotIn("Countries that move", texts("h2"))

    # --- regions that are away ---

    def check_without(self, away):
        there = [node for node in REGIONS if node != away]
        for round in range(3):
            with self.subTest(round=round):
                self.assertLess(self.show("almaty", "history", value="42"), 4)
                self.assertRegex(faults(), f'Rows are missing here, as a node failed. .*"{away}"')
                self.assertEqual([row["id"] for row in table()], self.history_of(42, there)[:20])
                self.assertLess(self.show("almaty", id=ids[away]), 4)
                self.assertIn(f"Nobody knows whether {away} has the row: the look-up failed.", faults())
                self.assertEqual(terms()["Node"], f"{away}, {REGIONS[away]}: another node than that of this desk")
                self.assertLess(self.show("almaty", id=ids["mexico"]), 4)
                self.assertEqual(terms()["note"], "a new order")
        self.show("almaty", "health")
        self.assertRegex(faults(), f"{away}, {REGIONS[away]}: failed.")
        self.assertIn(("no answer", away), [(row["problem"], row["node"]) for row in table()])

    def check_again(self, node):
        self.show("almaty", id=ids[node])
        wait_for(lambda: self.show("almaty", id=ids[node]) and terms().get("note") == "a new order", f"{node} is back")
        wait_for(lambda: self.show("almaty", "history", value="42") and not faults(), f"{node} is in the history")
        # Each session of the pool connects again.
        for _ in range(16):
            get("almaty", f"/?id={ids[node]}")
            get("almaty", "/history?value=42")
        self.assertEqual([row["id"] for row in table()], self.history_of(42)[:20])

    def test_region_that_hangs(self):
        with concurrent.futures.ThreadPoolExecutor(8) as executor, hanging("jakarta"):
            # Each session of the pool meets it, and the identifiers of other regions are found beside that.
            begin = time.monotonic()
            waiting = [executor.submit(get, "almaty", f"/?id={ids['jakarta']}") for _ in range(8)]
            for answer in waiting:
                self.assertIn("Nobody knows whether jakarta has the row", answer.result()[1])
            self.assertLess(time.monotonic() - begin, 10)
            # While all sessions are held, a healthy region is not blamed.
            waiting = [executor.submit(get, "almaty", f"/?id={ids['jakarta']}") for _ in range(8)]
            time.sleep(0.5)
            answer, text = get("almaty", f"/?id={ids['mexico']}")
            self.assertTrue("a new order" in text or answer.status == 503 and "mexico" not in text, text)
            concurrent.futures.wait(waiting)
            self.check_without("jakarta")
        self.check_again("jakarta")

    def test_region_that_is_down(self):
        with stopped("jakarta"):
            self.check_without("jakarta")
        self.check_again("jakarta")

    def test_two_regions_away(self):
        with stopped("jakarta"), hanging("mexico"):
            for _ in range(3):
                self.assertLess(self.show("almaty", "history", value="42"), 4)
                self.assertRegex(faults(), 'as a node failed. .*"jakarta"')
                self.assertRegex(faults(), 'as a node failed. .*"mexico"')
                self.assertEqual([row["id"] for row in table()], self.history_of(42, ["almaty"])[:20])
                self.show("almaty", "health")
                self.assertEqual(len(texts("h2 + ul li.fault")), 2)
                self.assertEqual({row["node"] for row in table()}, {"jakarta", "mexico"})
        self.check_again("jakarta")
        self.check_again("mexico")

    def test_own_node_down(self):
        with stopped("mexico"):
            for _ in range(5):
                answer, text = get("mexico", f"/?id={ids['mexico']}")
                self.assertEqual(answer.status, 503)
                self.assertIn("own node does not answer", text)
        wait_for(lambda: "a new order" in get("mexico", f"/?id={ids['mexico']}")[1], "the desk finds its node again")

    def test_many_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(200) as executor:
            owners = list(REGIONS) * 67
            answers = list(executor.map(lambda owner: get("almaty", f"/?id={ids[owner]}"), owners[:200]))
        self.assertEqual({(answer.status, "a new order" in text) for answer, text in answers}, {(200, True)})
        for owner, (_, text) in zip(owners, answers):
            self.assertIn(f"<dd>{owner}, {REGIONS[owner]}", text)
        # More than the pool has sessions.
        with concurrent.futures.ThreadPoolExecutor(16) as executor:
            answers = list(executor.map(lambda _: get("almaty", "/health")[0].status, range(16)))
        self.assertIn(200, answers)
        self.assertLessEqual(set(answers), {200, 503})

    # --- who may do what ---

    def test_protection(self):
        def status(path, **options):
            answer, _ = get("almaty", path, **options)
            policy = dict(part.split() for part in answer.headers["Content-Security-Policy"].split(";"))
            self.assertEqual(policy, {directive: "'self'" for directive in ("style-src", "script-src", "img-src", "form-action")}
                             | {directive: "'none'" for directive in ("default-src", "base-uri", "frame-ancestors")})
            self.assertEqual([answer.headers[name] for name in ("X-Content-Type-Options", "Referrer-Policy", "Cache-Control")],
                             ["nosniff", "no-referrer", "no-store"])
            return answer.status
        for path in ("/", "/history", "/health", "/static/desk.css"):
            self.assertEqual(status(path), 200)
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                self.assertEqual(status(path, method=method), 405)
            self.assertEqual(status(path, headers={"Host": "evil.example"}), 400)
        self.assertEqual(status("/static/../desk.py"), 404)

    def test_sessions_only_read(self):
        os.environ.update(PGSERVICEFILE=f"{folder}/services", PGPASSFILE=f"{folder}/pgpass")
        node = questions.Node("service=almaty user=desk", ["public.orders"])
        try:
            with node.asking() as ask:
                (settings,), _ = ask("SELECT current_setting('statement_timeout') AS timeout, current_setting('TimeZone') AS zone")
                self.assertEqual(settings, {"timeout": "3500ms", "zone": "UTC"})
                with self.assertRaises(psycopg.errors.ReadOnlySqlTransaction):
                    ask("CREATE TEMP TABLE t ()")
                ask("SELECT set_config('default_transaction_read_only', 'off', false)")
                for statement in ("DELETE FROM orders", "DELETE FROM orders_global", "UPDATE iuid_routes SET node = 'almaty'"):
                    with self.assertRaises(psycopg.errors.ReadOnlySqlTransaction):
                        ask(statement)
                rows, _ = ask("SELECT node, result FROM iuid_run_on_nodes('DELETE FROM orders')")
                self.assertEqual({row["result"].split(":")[0] for row in rows}, {"25006"})
        finally:
            node.pool.close()

    def test_role(self):
        rights = query("almaty", """SELECT DISTINCT string_agg(DISTINCT privilege_type, ' ')
            FROM information_schema.role_table_grants WHERE grantee = 'desk'""")
        self.assertEqual(rights, "SELECT")
        settings = query("almaty", """SELECT bool_or(rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
            FROM pg_roles WHERE rolname = 'desk'""")
        self.assertEqual(settings, "f")

    def test_listens_on_loopback_only(self):
        ports = {int(place.split(":")[1]) for place in desks.values()}
        sockets = subprocess.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"], capture_output=True, text=True).stdout
        listening = re.findall(r"\d+: (\w+):(\w{4}) \w+:\w{4} 0A ", sockets)
        self.assertEqual({host for host, port in listening if int(port, 16) in ports}, {"0100007F"})

    # --- who reads it, and how ---

    def pages(self):
        return (("", {"id": ids["jakarta"]}), ("history", {"value": "42"}), ("health", {}))

    def test_narrow(self):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": 375, "height": 740, "deviceScaleFactor": 1, "mobile": True})
        try:
            for page, parameters in self.pages():
                self.show("almaty", page, **parameters)
                self.assertEqual(browser.execute_script("return document.documentElement.scrollWidth"), 375, page)
        finally:
            browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_dark_and_light(self):
        def luminance(colour):
            parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
            r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
            return 0.2126 * r + 0.7152 * g + 0.0722 * b
        for scheme in "dark", "light":
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.show("almaty", id=str(uuid.UUID(int=uuid.UUID(ids["jakarta"]).int ^ 1)))
            page = luminance(browser.find_element(By.TAG_NAME, "body").value_of_css_property("background-color"))
            self.assertEqual(page < 0.2, scheme == "dark")
            # WCAG 2.1, success criterion 1.4.3: 4.5 to 1.
            for selector in "body", "a", "dt", ".fault", "input":
                text = luminance(browser.find_element(By.CSS_SELECTOR, selector).value_of_css_property("color"))
                self.assertGreater((max(text, page) + 0.05) / (min(text, page) + 0.05), 4.5, (scheme, selector))
            ink = luminance(browser.find_element(By.CSS_SELECTOR, ".bits text").value_of_css_property("fill"))
            for cell in browser.find_elements(By.CSS_SELECTOR, ".bits rect"):
                fill = luminance(cell.value_of_css_property("fill"))
                self.assertGreater((max(ink, fill) + 0.05) / (min(ink, fill) + 0.05), 4.5, (scheme, cell.get_attribute("class")))
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_keyboard_and_names(self):
        self.show("almaty")
        focused = []
        for _ in range(5):
            browser.switch_to.active_element.send_keys(Keys.TAB)
            focused.append(browser.switch_to.active_element.get_attribute("textContent")
                           or browser.switch_to.active_element.get_attribute("name"))
        self.assertEqual(focused, ["Any id", "History", "Health", "id", "Find"])
        for page, parameters in self.pages():
            self.show("almaty", page, **parameters)
            tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
            nameless = [node["role"]["value"] for node in tree if not node.get("ignored")
                        and node["role"]["value"] in ("link", "button", "textbox", "searchbox", "image", "img", "table", "region", "navigation")
                        and not node.get("name", {}).get("value")]
            self.assertEqual(nameless, [], page)
            self.assertEqual(len(texts("h1")), 1)
            self.assertEqual(browser.find_element(By.TAG_NAME, "html").get_attribute("lang"), "en")

    def test_axe(self):
        with open(AXE) as file:
            axe = file.read()
        for width in 375, 1000:
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": False})
            for scheme in "dark", "light":
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                for page, parameters in (*self.pages(), ("", {"id": "hello"})):
                    with self.subTest(width=width, scheme=scheme, page=page):
                        self.show("almaty", page, **parameters)
                        browser.execute_script(axe)
                        found = browser.execute_async_script("axe.run().then(r => arguments[0](r.violations.map(v => "
                                                             "v.id + ': ' + v.nodes.map(n => n.html).join(' '))))")
                        self.assertEqual(found, [])
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_pictures(self):
        for (page, parameters), name in zip(self.pages(), ("any_id", "history", "health")):
            browser.set_window_size(900, 600)
            self.show("almaty", page, **parameters)
            height = browser.execute_script("return document.documentElement.scrollHeight + window.outerHeight - window.innerHeight")
            browser.set_window_size(900, height)
            file = f"{PICTURES}/{name}.png"
            self.assertTrue(browser.save_screenshot(file))
            self.assertGreater(os.path.getsize(file), 10_000)


if __name__ == "__main__":
    unittest.main()
