"""Telemetry: events that are sent one to four times, on both sides of their deadline.

Random events of several tenants and devices come in random batches.  Meanwhile one session lets go
of old months by either clock, and others read both trees.  An event of which all copies belong to
months that are kept must be there once, as one of its copies, and one of which none does must not.

Then one walk through random steps: months go into files and come back, events are sent again
meanwhile, devices and tenants go, and columns are added.  Each event must be in a table or in a file.
"""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple, Optional

import identifiers
import model

FILES = [f"examples/telemetry/{file}.sql" for file in ("schema", "ingest", "questions", "retention")]
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MS, SECOND, MINUTE, HOUR, DAY = 10**3, 10**6, 60 * 10**6, 3600 * 10**6, 24 * 3600 * 10**6
GRACE, TOLERANCE = 720 * HOUR, 5 * MINUTE
ENDLESS = 10**18
LAST_MINUTES = "294276-12-31 23:58"   # five minutes later there is no time any more
COUNTRIES = {"north": 0, "Солтүстік": 7, 'nor"th': 7, "nor\\t\th": 255}
NEW_TENANT, NEW_COUNTRY = "entered later", 8
TEXTS = ["on", "off", 'o"n', "жол", '", "', "\u007f\u0001\n", "a\n\\.\nb", ""]
# Measurements as they are sent, each in several ways, and as jsonb shows them: short keys first.
MEASUREMENTS = [("null", ["null", None]), ("{}", ["{}", " { }"]), ('{"t": 21.50}', ['{"t":21.50}']),
                ('{"t": "ж", "speed": [1, null, -0.0025]}',
                 ['{"speed": [1, null, -2.5e-3], "t": "ж"}', '{"t": 1, "t": "\\u0436", "speed": [1,null,-0.0025]}'])]
OFFSETS = ["00:00:00", "-12:15:00", "14:00:00", "05:30:00", None]


def moment(year, month, day=1):
    """Microseconds since 1970."""
    return int((datetime(year, month, day, tzinfo=timezone.utc) - EPOCH).total_seconds()) * SECOND


def text(time):
    """A time as the server reads it."""
    if time is None or abs(time) == ENDLESS:
        return time and ("infinity" if time > 0 else "-infinity")
    return (EPOCH + timedelta(microseconds=time)).isoformat()


FIRST, END, RETRY = moment(2025, 1), moment(2026, 6), moment(2026, 6, 15)
# What forget() is told, one call after the other.
LINES = [("happened", moment(2025, 2)), ("written", moment(2025, 3, 20)), ("written", moment(2025, 4)),
         ("happened", moment(2025, 5)), ("written", moment(2025, 7))]
HAPPENED = max(line for clock, line in LINES if clock == "happened")
WRITTEN = max(line for clock, line in LINES if clock == "written")


class Arrival(NamedTuple):
    tenant: Optional[str]
    device: Optional[str]
    event: Optional[str]
    measurements: Optional[int]
    event_time: Optional[int]
    utc_offset: Optional[str]
    write_time: int


def floor(time):
    return time // MS * MS


def identifier(countries, arrival):
    """The identifier that the event must have."""
    texts = ", ".join(json.dumps(text, ensure_ascii=False) for text in (arrival.tenant, arrival.device, arrival.event))
    name = f"[{texts}, {MEASUREMENTS[arrival.measurements][0]}, {arrival.event_time % MS}]"
    return identifiers.text(identifiers.from_name(countries[arrival.tenant], 1, name.encode(),
                                                  arrival.event_time))


def reason(countries, arrival, write_time):
    """Why an arrival cannot be taken at this time, if every month had its partitions."""
    if arrival.tenant not in countries:
        return "unknown tenant"
    if None in (arrival.device, arrival.event, arrival.event_time):
        return "incomplete"
    if len(arrival.device.encode()) > 200:
        return "name too long"
    if min(arrival.event_time, write_time) < 0:
        return "before 1970"
    if floor(arrival.event_time) > floor(write_time) + TOLERANCE:
        return "not yet"
    return None


def is_late(arrival, write_time):
    return floor(write_time) >= floor(arrival.event_time) + GRACE


def is_kept(arrival):
    """Whether the partition it belongs to outlives all calls of forget()."""
    late = is_late(arrival, arrival.write_time)
    line = WRITTEN if late else max(HAPPENED, WRITTEN - GRACE)
    at = EPOCH + timedelta(microseconds=arrival.write_time if late else arrival.event_time)
    return moment(at.year + at.month // 12, at.month % 12 + 1) > line


def random_copies(devices):
    """An event, as it is sent one to four times."""
    tenant = random.choice([*COUNTRIES, NEW_TENANT] if random.random() < 0.05 else [*COUNTRIES])
    device = random.choice(devices)
    event, measurements = random.choice(TEXTS), random.randrange(len(MEASUREMENTS))
    happened = random.randrange(FIRST // MS, END // MS) * MS
    if random.random() < 0.1:
        happened = happened // HOUR * HOUR   # the same as others
    kind = random.random()
    copies = []
    for _ in range(random.choice([1, 1, 2, 3, 4])):
        at = happened + random.choice([0, 0, 1, 999])
        if kind < 0.5:
            written = at + random.randrange(3 * HOUR)
        elif kind < 0.8:
            around = random.choice([1, MS, SECOND, MINUTE, DAY])
            written = happened + GRACE + random.choice([-around, 0, around])
        elif kind < 0.9:
            written = at + GRACE + random.randrange(200 * DAY)
        else:
            ahead = random.choice([0, 1, MS, MINUTE, TOLERANCE - 1, TOLERANCE, TOLERANCE + MS, DAY, 100 * DAY])
            written = max(at - ahead, FIRST)
        copies.append(Arrival(tenant, device, event, measurements, at, random.choice(OFFSETS), min(written, RETRY)))
    if random.random() < 0.02:   # and something that can never be taken
        copies.append(copies[0]._replace(**random.choice([
            {"device": None}, {"event": None}, {"event_time": None}, {"device": "ж" * 101}, {"event_time": -1}, {"event_time": 1, "write_time": -1},
            {"event_time": -ENDLESS}, {"event_time": ENDLESS}, {"event_time": moment(9999, 12)}])))
    return copies


def take(connection, batch):
    columns = [list(column) for column in zip(*batch)]
    columns[3] = [random.choice(MEASUREMENTS[n][1]) for n in columns[3]]
    columns[4] = [text(time) for time in columns[4]]
    columns[6] = [text(time) for time in columns[6]]
    return connection.execute("""SELECT * FROM ingest(%s::text[], %s::text[], %s::text[], %s::text[]::jsonb[], %s::timestamptz[],
        %s::interval[], %s::timestamptz[])""", columns).fetchone()


def read(connection):
    """Both trees, in one query and in two, and no event twice."""
    month = text(random.randrange(FIRST, END))
    events, ids = connection.execute("""SELECT count(*), count(DISTINCT id)
        FROM happened(%s::timestamptz, %s::timestamptz + interval '1 month')""", [month, month]).fetchone()
    if events != ids:
        raise AssertionError(f"{events} events with {ids} identifiers in the month after {month}")
    with connection.transaction():
        for tree in random.sample(["events", "late_events"], 2):
            connection.execute(f"SELECT count(*) FROM {tree} WHERE id < %s::timestamptz", [month])


lines_to_go = list(LINES)


def forget(connection):
    if lines_to_go:
        clock, line = lines_to_go.pop(0)
        connection.execute(f"CALL forget({clock}_before => %s::timestamptz)", [text(line)])


def stored():
    """The events by their identifier: what they are, and how they came in."""
    what, how = {}, {}
    for identity, *event, event_time, written, offset, late in model.rows("""SELECT id::text, tenant, device, event, coalesce(measurements::text, 'null'),
            extract(epoch FROM event_time) * 1000000, extract(epoch FROM write_time) * 1000000, utc_offset::text, late
            FROM all_events"""):
        if identity in what:
            raise AssertionError(f"{identity} is there twice")
        what[identity] = (*event, int(event_time))
        how[identity] = (int(written), offset, late)
    return what, how


def quarantined():
    """The arrivals in quarantine and their reasons, with the number of each."""
    found = Counter()
    for *fields, event_time, offset, write_time, why in model.rows("""SELECT tenant, device, event, coalesce(measurements::text, 'null'),
            extract(epoch FROM event_time) * 1000000, utc_offset::text, extract(epoch FROM write_time) * 1000000, reason
            FROM quarantine"""):
        if event_time is not None:
            event_time = int(max(-ENDLESS, min(event_time, ENDLESS)))
        fields[3] = next(n for n, (shown, _) in enumerate(MEASUREMENTS) if shown == fields[3])
        found[Arrival(*fields, event_time, offset, int(write_time)), why] += 1
    return found


def in_quarantine(arrival, write_time):
    """An arrival as it is in quarantine."""
    return arrival._replace(write_time=floor(write_time))


def batches(arrivals):
    arrivals = random.sample(arrivals, len(arrivals))
    largest = max(10, len(arrivals) // 100)
    while arrivals:
        size = random.choice([1, 10, largest, largest])
        yield arrivals[:size]
        del arrivals[:size]


def questions(what, how):
    """What a question by either clock finds, of what is stored."""
    for clock, time_of in ("happened", lambda key: what[key][4]), ("written", lambda key: how[key][0]):
        # From any time, and from that of an event.
        starts = random.sample(range(FIRST, RETRY), 6) + [time_of(key) + n for key, n in zip(what, (0, 0, 1, -1))]
        windows = [(start, start + random.choice([1, 3 * HOUR, DAY, 40 * DAY, 10 * ENDLESS])) for start in starts]
        for since, till in windows:
            arguments = [text(since)] + ([text(till)] if till < ENDLESS else [])
            call = f"{clock}({', '.join(['%s::timestamptz'] * len(arguments))})"
            model.same(f"{clock} from {text(since)}", {key for key in what if since <= time_of(key) < till},
                       {key for key, in model.rows(f"SELECT id::text FROM {call}", arguments)})


def rules():
    """The ends of the rules, with few devices, and what questions read."""
    model.make_database(*FILES)
    with model.connect() as connection:
        for tree in "events", "late_events":
            connection.execute("SELECT iuid_create_partitions(%s, '1 month', '2026-01-01', '2026-09-01')", [tree])
        connection.execute("INSERT INTO tenants VALUES ('north', 125), ('south', 157)")

    def batch(*arrivals, measured=None):
        """A call with arrivals of "device" of the tenant "north", unless they say otherwise."""
        columns = [list(column) for column in zip(*[("north", "device", *arrival)[-6:] for arrival in arrivals])]
        columns.insert(3, [measured] * len(arrivals))
        types = "text", "text", "text", "jsonb", "timestamptz", "interval", "timestamptz"
        return "SELECT * FROM ingest(%s)" % ", ".join(
            "ARRAY[%s]::%s[]" % (", ".join("NULL" if value is None else f"$${value}$$" for value in column), type)
            for column, type in zip(columns, types))

    def deadline(later):
        return str(EPOCH + timedelta(microseconds=moment(2026, 3, 10) + GRACE + later))

    late = "SELECT event, late FROM all_events ORDER BY event"
    in_time = batch(("in time", "2026-03-10 00:00:00.0009", "0", deadline(-MS)))
    too_late = batch(("late", "2026-03-10 00:00:00.0009", "0", deadline(100)))
    of_both = batch(("in time", "2026-03-10", "0", deadline(-MS)), ("late", "2026-03-10", "0", deadline(0)))
    far = [("north", None, "x", "2026-03-10", "0", "2026-03-10"), ("north", "x", "infinite", "2026-03-10", "0", "infinity"),
           ("x" * 100_000, "2026-03-10", "0", "2026-03-10"), ("x", "4713-01-01 BC", "0", "2026-03-10"),
           ("x", "294276-12-31", "0", "2026-03-10"), ("x", "2026-03-10", "1000 years", "2026-03-10"),
           ("x", "2025-12-31", "0", "2025-12-31"), ("x", "2025-12-31", "0", "1969-12-31"),
           ("x", "1970-01-01", "0", "1969-12-31 23:59"), ("x", "10889-08-02", "0", "10889-08-03"),
           ("x", "2025-12-31", "0", "-infinity"), ("x", "2026-03-10", "0", LAST_MINUTES), ("x", LAST_MINUTES, "0", LAST_MINUTES)]
    model.answers(
        # The millisecond decides, also in a batch of one, and of two arrivals in a batch the first in time.
        ([("in time", False), ("late", True)], in_time, too_late, late),
        ([(0, 0, 1, 0)], in_time, batch(("in time", "2026-03-10 00:00:00.0009", "0", deadline(0)))),
        # The microsecond and the measurements make another event, in the same batch, too.
        ([(1, 0, 0, 0)], in_time, batch(("in time", "2026-03-10 00:00:00.0008", "0", "2026-03-10"))),
        ([(1, 0, 0, 0)], in_time, batch(("in time", "2026-03-10 00:00:00.0009", "0", "2026-03-10"), measured='{"a": 1, "b": 2}')),
        ([(0, 0, 1, 0)], batch(("x", "2026-03-10", "0", "2026-03-10"), measured='{"a": 1, "b": 2}'),
         batch(("x", "2026-03-10", "0", "2026-03-10"), measured='{"b":2, "a":1}')),
        # What was here before is that, though there is no partition for its arrival, or for others of the batch.
        ([(0, 0, 1, 0)], in_time, batch(("in time", "2026-03-10 00:00:00.0009", "0", "2027-01-01"))),
        ([(0, 0, 1, 1)], in_time, batch(("in time", "2026-03-10 00:00:00.0009", "0", "2027-01-01"), ("x", "2026-03-10", "0", "2027-01-01"))),
        ([(0, 0, 0, 2)], batch(("x", "2026-03-10", "0", "2027-01-01"), ("x", "2026-03-10", "0", "2027-01-02"))),
        ([("x", False)], batch(("x", "2026-03-10", "0", deadline(0)), ("x", "2026-03-10", "0", "2026-03-10")), late),
        ([(1, 0, 0, 1)], batch(("x", "2026-03-10 00:05", "0", "2026-03-10"), ("y", "2026-03-10 00:05:00.001", "0", "2026-03-10"))),
        ([(0, 0, 0, 0)], "SELECT * FROM ingest(NULL, NULL, NULL, NULL, NULL, NULL)"),
        # What cannot be taken waits, and stops nothing.
        ([(2, 0, 0, 11)], batch(*far)),
        ([("before 1970", 4), ("incomplete", 1), ("no partition", 5), ("not yet", 1)], batch(*far),
         "SELECT reason, count(*) FROM quarantine GROUP BY 1 ORDER BY 1"),
        *(([(0, 0, 0, 1)], batch(arrival)) for arrival in (("x", LAST_MINUTES, "0", "2026-03-10"), *far[-2:])),
        ([(0, 0, 1, 0)], "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", in_time, in_time))
    events = "INSERT INTO events SELECT id, written, tenant, device, event, measurements, 0 FROM all_events WHERE event = "
    late_events = events.replace("events", "late_events", 1)
    model.outcomes(
        # What the identifiers of events come from does not change under them.
        ("23503", of_both, "UPDATE tenants SET country = 9 WHERE tenant = 'north'"),
        ("23503", of_both, "UPDATE tenants SET tenant = 'arctic' WHERE tenant = 'north'"),
        ("23503", of_both, "UPDATE devices SET device = 'elsewhere'"),
        ("23503", of_both, "DELETE FROM devices"),
        # Each table takes only what belongs to it.
        ("23505", of_both, events + "'in time'"),
        ("23514", of_both, events + "'late'"),
        ("23514", of_both, late_events + "'in time'"),
        ("23514", "INSERT INTO events VALUES (iuid_floor('2026-03-10'), iuid_floor('2026-03-09 23:54:59.999'), 'north', 'x', 'x', NULL, 0)"),
        ("23503", "INSERT INTO late_events VALUES (iuid_floor('2026-03-10'), iuid_floor('2026-08-31'), 'north', 'nobody', 'x', NULL, 0)"),
        ("23514", of_both, "UPDATE events SET microseconds = 1000"),
        ("the arrays of a batch differ in length", "SELECT ingest('{north}', '{x,y}', '{x}', '{1}', '{now}', '{0}')"),
        ("a batch cannot be taken in at the isolation level REPEATABLE READ",
         "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT ingest('{north}', '{x}', '{x}', '{1}', '{now}', '{0}')"),
        ("22023", "CALL forget('infinity')"),
        ("22023", "CALL forget(written_before => NULL)"))

    # Of eight months in each tree, with constants and with parameters.
    generic = "SET plan_cache_mode = force_generic_plan"
    happened = {"events_2026_03_pkey"} | {f"late_events_2026_0{month}_pkey" for month in (4, 5, 6, 7, 8)}
    written = {f"events_2026_0{month}_pkey" for month in (4, 5)} | {"late_events_2026_05_pkey"}
    model.reads(
        (happened, "SELECT * FROM happened('2026-03-06', '2026-03-13')"),
        (happened, generic, "PREPARE q (timestamptz) AS SELECT * FROM happened($1, '2026-03-13')", "EXECUTE q ('2026-03-06')"),
        (written, "SELECT * FROM written('2026-05-10', '2026-05-17')"),
        (written, generic, "PREPARE q (timestamptz) AS SELECT * FROM written($1, '2026-05-17')", "EXECUTE q ('2026-05-10')"),
        (happened, generic, "PREPARE q (iuid) AS SELECT * FROM event($1)", "EXECUTE q (iuid_floor('2026-03-06'))"),
        ({"late_events_2026_08_tenant_device_id_idx"},
         "SELECT * FROM late_events_2026_08 WHERE tenant = 'north' AND device = 'device'"))

    # What can never be taken does not keep a retry from the rest.
    with model.connect() as connection:
        connection.execute(batch(*far[-2:], ("y", "2025-12-31", "0", "1969-12-31")))
        connection.execute("CALL retry_quarantine('2026-03-11')")
    model.same("after a retry", [("x", "no partition")], model.rows("SELECT event, reason FROM quarantine"))
    model.same("after a retry, taken", {"x": False, "y": True}, dict(model.rows("SELECT event, late FROM all_events")))


class Month(NamedTuple):
    """A partition of a tree, by its first moment."""
    tree: str
    start: int

    def end(self):
        at = EPOCH + timedelta(microseconds=self.start)
        return moment(at.year + at.month // 12, at.month % 12 + 1)

    def name(self):
        return "_".join([self.tree] + [f"{EPOCH + timedelta(microseconds=at):%Y%m%dt%H%Mz}" for at in (self.start, self.end())])


def month_of(arrival):
    late = is_late(arrival, arrival.write_time)
    at = EPOCH + timedelta(microseconds=arrival.write_time if late else arrival.event_time)
    return Month("late_events" if late else "events", moment(at.year, at.month))


class Walk:
    """What is in the tables and in the files, by what was done, one step after the other.

    A row is the identifier of its event and its write time, with its arrival.  What is in a file is
    the number of its columns, and the rows.
    """
    COUNTRIES = {"north": 0, "south": 255}
    SCRIPT = "examples/telemetry/offline.sh"
    COLUMNS = [("extra text DEFAULT 'x'", 1), ('"Size, ""m""" int DEFAULT 5', 1),
               ("twice int GENERATED ALWAYS AS (microseconds * 2) STORED", 0), ('"order" jsonb', 1)]

    def __init__(self, folder):
        self.folders = [Path(folder)]
        self.now = moment(2026, 3, 10)
        self.tenants, self.devices = dict(self.COUNTRIES), set()
        self.months, self.files, self.sent, self.returned, self.waiting = {}, {}, [], [], []
        self.columns, self.to_add = 8, list(self.COLUMNS)
        self.wrong = []
        model.make_database(*FILES)
        with model.connect() as connection:
            connection.cursor().executemany("INSERT INTO tenants VALUES (%s, %s)", self.tenants.items())
        for tree in "events", "late_events":
            for month in (1, 2, 3) if tree == "events" else (3,):
                self.make(Month(tree, moment(2026, month)))

    def say(self, step, expected, said):
        if expected != said:
            self.wrong.append(f"{step}: expected {expected}, got {said}")

    def make(self, month):
        with model.connect() as connection:
            connection.execute("SELECT iuid_create_partitions(%s, '1 month', %s::timestamptz, %s::timestamptz)",
                               [month.tree, text(month.start), text(month.end())])
        self.months.setdefault(month, {})

    def this_month(self, tree, before=0):
        at = EPOCH + timedelta(microseconds=self.now - before)
        return Month(tree, moment(at.year, at.month))

    def copies(self, identity):
        return [(identity, written) for rows in self.months.values() for (id, written) in rows if id == identity]

    def take_in(self, arrivals):
        """What ingest() counts."""
        counts = [0, 0, 0, 0]
        self.devices |= {arrival[:2] for arrival in arrivals if arrival.tenant in self.tenants}
        known = {id for rows in self.months.values() for id, written in rows}
        for arrival in arrivals:
            identity, month = identifier(self.COUNTRIES, arrival), month_of(arrival)
            if arrival.tenant not in self.tenants:
                self.waiting.append((arrival, "unknown tenant"))
                counts[3] += 1
            elif identity in known:
                counts[2] += 1
            elif month not in self.months:
                self.waiting.append((arrival, "no partition"))
                counts[3] += 1
            else:
                self.months[month][identity, arrival.write_time] = arrival
                known.add(identity)
                counts[month.tree == "late_events"] += 1
        return tuple(counts)

    def new(self, wait):
        """An event that arrives now."""
        return Arrival(random.choice([*self.COUNTRIES]), random.choice("abcdef"), random.choice(TEXTS), random.randrange(len(MEASUREMENTS)),
                       self.now - random.randrange(wait // MINUTE) * MINUTE, random.choice(OFFSETS), self.now)

    def send(self):
        self.now += random.choice([MINUTE, DAY, 8 * DAY])
        for tree in "events", "late_events":
            if random.random() < 0.8:
                self.make(self.this_month(tree))
        batch = [self.new(random.choice([DAY, 90 * DAY, 90 * DAY])) for _ in range(random.randrange(1, 20))]
        away = [arrival for path, (_, rows) in self.files.items() for arrival in rows.values() if path.stem.startswith("late")]
        batch += [arrival._replace(write_time=self.now) for those in (self.sent, away, self.returned) for arrival in random.sample(those, min(12, len(those)))]
        self.sent += batch
        with model.connect() as connection:
            said = take(connection, batch)
        self.say("send", self.take_in(batch), said)

    def retry(self):
        self.now += MINUTE
        with model.connect() as connection:
            connection.execute("CALL retry_quarantine(%s::timestamptz)", [text(self.now)])
        taken, stay = [], []
        for arrival, why in self.waiting:
            now = arrival._replace(write_time=self.now)
            ready = arrival.tenant in self.tenants if why == "unknown tenant" else month_of(now) in self.months
            (taken if ready else stay).append(now if ready else (arrival, why))
        self.waiting = stay
        self.take_in(taken)

    def offline(self, *arguments):
        return subprocess.run(["sh", self.SCRIPT, *map(str, arguments)], cwd=model.ROOT, text=True, capture_output=True)

    def kill(self):
        """The same call, killed at any time, and then its statement has come to its end."""
        with subprocess.Popen(["sh", self.SCRIPT, "out", self.folders[-1]], cwd=model.ROOT, start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as call:
            time.sleep(random.random() ** 2)
            os.killpg(call.pid, signal.SIGKILL)
        while model.rows("SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'psql'"):
            time.sleep(0.01)

    def out(self):
        tree = random.choice(["events", "late_events", "late_events"])
        if random.random() < 0.5:
            self.now = self.this_month(tree).end()
        before = random.choice([self.this_month(tree).start, self.this_month(tree).start, moment(2026, 3)])
        with model.connect() as connection:
            connection.execute("CALL set_aside(%s, %s::timestamptz)", [tree, text(before)])
        gone = {month.name(): (self.columns, self.months.pop(month))
                for month in [*self.months] if month.tree == tree and month.end() <= before}
        if random.random() < 0.3:
            self.kill()
        folder = self.folders[-1]
        refused = [name for name in sorted(gone) if self.files.get(folder / f"{name}.tsv", gone[name]) != gone[name]]
        done = self.offline("out", folder)
        self.say(f"out: {done.stderr}", bool(refused), done.returncode != 0)
        if refused:
            self.say("out", True, f"{refused[0]}.tsv has other rows" in done.stderr)
            self.folders.append(Path(tempfile.mkdtemp(dir=self.folders[0].parent)))
            done = self.offline("out", self.folders[-1])
            self.say(f"out: {done.stderr}", 0, done.returncode)
        for name, content in gone.items():
            into = self.folders[-1] if refused and name >= refused[0] else folder
            self.files[into / f"{name}.tsv"] = content
        if random.random() < 0.4:
            self.delete_devices()

    def back(self):
        if not self.files:
            return
        wanted = random.choice(["late_events", "late_events", "events"])
        path = random.choice([path for path, (_, rows) in self.files.items() if rows and path.stem.startswith(wanted)] or [*self.files])
        tree, start, _ = path.stem.rsplit("_", 2)
        month = Month(tree, moment(int(start[:4]), int(start[4:6])))
        if month in self.months and random.random() < 0.8:
            return
        rows = self.files[path][1]
        tenants = {arrival.tenant for arrival in rows.values()}
        comes = month not in self.months and (tree == "events" or tenants <= self.tenants.keys())
        beside = []

        def batches_beside(connection):
            """In time, so what becomes of them does not depend on the file."""
            if len(beside) < 5:
                beside.append([self.new(DAY)._replace(event="beside") for _ in range(3)])
                take(connection, beside[-1])

        beside_it = tree == "late_events" and random.random() < 0.4
        with model.beside(batches_beside, 0.05) if beside_it else contextlib.nullcontext():
            done = self.offline("back", path, tree)
        self.say(f"back {path}: {done.stderr}", comes, done.returncode == 0)
        if comes:
            doubles = sum(bool(self.copies(identity)) for identity, written in rows)
            self.say("back", f"events that are there twice: {doubles}\n" if doubles else "", done.stdout)
            self.months[month] = dict(rows)
            self.returned = [*rows.values()]
            if tree == "late_events":
                self.devices |= {arrival[:2] for arrival in rows.values()}
        for batch in beside:
            self.take_in(batch)

    def delete_doubles(self):
        statement = re.search(r"^#\s+(SELECT \* FROM late_events .*)", (model.ROOT / self.SCRIPT).read_text(), re.M)[1]
        with model.connect() as connection:
            connection.execute(statement.replace("SELECT *", "DELETE", 1))
        first = {}
        for rows in self.months.values():
            for identity, written in rows:
                first[identity] = min(written, first.get(identity, written))
        for month, rows in self.months.items():
            self.months[month] = {key: arrival for key, arrival in rows.items() if first[key[0]] == key[1]}

    def delete_devices(self):
        """All that have no late events, of one tenant, and perhaps that."""
        tenant = random.choice([*self.COUNTRIES])
        needed = {arrival[:2] for month, rows in self.months.items() if month.tree == "late_events" for arrival in rows.values()}
        with model.connect() as connection:
            for device in [device for device in self.devices if device[0] == tenant]:
                try:
                    connection.execute("DELETE FROM devices WHERE (tenant, device) = (%s, %s)", device)
                    said = True
                except model.psycopg.errors.ForeignKeyViolation:
                    said = False
                self.say(f"delete {device}", device not in needed, said)
                if device not in needed:
                    self.devices.discard(device)
            if tenant in self.tenants and not any(device[0] == tenant for device in self.devices) and random.random() < 0.5:
                connection.execute("DELETE FROM tenants WHERE tenant = %s", [tenant])
                del self.tenants[tenant]

    def enter_tenants(self):
        with model.connect() as connection:
            for tenant in self.COUNTRIES.keys() - self.tenants.keys():
                connection.execute("INSERT INTO tenants VALUES (%s, %s)", [tenant, self.COUNTRIES[tenant]])
        self.tenants = dict(self.COUNTRIES)

    def add_column(self):
        if self.to_add:
            column, in_file = self.to_add.pop(random.randrange(len(self.to_add)))
            with model.connect() as connection:
                for tree in "events", "late_events":
                    connection.execute(f"ALTER TABLE {tree} ADD {column}")
            self.columns += in_file

    def make_again(self):
        self.make(self.this_month(random.choice(["events", "late_events"]), random.randrange(60) * DAY))

    # With how often each is taken.
    STEPS = {send: 8, out: 4, back: 8, retry: 2, delete_devices: 4, enter_tenants: 1, make_again: 1, delete_doubles: 1, add_column: 3}

    def step(self):
        step, = random.choices([*self.STEPS], self.STEPS.values())
        step(self)
        found = Counter()
        expected = Counter({(identity, written, *arrival[:3], arrival.utc_offset, month.tree == "late_events"): 1
                            for month, rows in self.months.items() for (identity, written), arrival in rows.items()})
        for identity, written, *row in model.rows("""SELECT id::text, extract(epoch FROM write_time) * 1000000, tenant, device, event,
                utc_offset::text, late FROM all_events"""):
            found[identity, int(written), *row] += 1
        self.say(f"tables after {step.__name__}", Counter(), expected - found + (found - expected))
        self.say(f"quarantine after {step.__name__}", Counter((in_quarantine(arrival, arrival.write_time), why) for arrival, why in self.waiting), quarantined())
        self.say(f"devices after {step.__name__}", self.devices, set(model.rows("SELECT tenant, device FROM devices")))

    def compare_files(self):
        model.same("files", self.files.keys(), [path for folder in self.folders for path in folder.iterdir()])
        found = {}
        for path in self.files:
            names, *lines = [line.split("\t") for line in path.read_text("utf-8").split("\n")[:-1]]
            found[path] = len(names), {line[0] for line in lines}, len(lines)
        model.same("what is in them", {path: (columns, {identity for identity, written in rows}, len(rows))
                                       for path, (columns, rows) in self.files.items()}, found)


def files(steps):
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(tempfile.mkdtemp(dir=folder))
        for taken in range(steps):
            if walk.wrong:
                break
            walk.step()
        print(f"files: {taken + 1} steps, {len(walk.files)} files in {len(walk.folders)} folders")
        model.same("steps with files that went another way", [], walk.wrong)
        walk.compare_files()


def main():
    given = model.arguments(100000)
    devices = [f"device {n}" for n in range(max(3, given.rows // 2000))] + ["a", "a\", \"b"]
    arrivals = []
    while len(arrivals) < given.rows:
        arrivals += random_copies(devices)

    model.make_database("examples/telemetry.sql")
    model.make_database(*FILES)
    with model.connect() as connection:
        for tree in "events", "late_events":
            connection.execute("SELECT iuid_create_partitions(%s, '1 month', %s::timestamptz, %s::timestamptz)",
                               [tree, text(FIRST), text(RETRY + TOLERANCE)])
        connection.cursor().executemany("INSERT INTO tenants VALUES (%s, %s)", COUNTRIES.items())

    # What must be there: always, or perhaps, by identifier; and in which ways it may have come in.
    what, ways, always, perhaps, waits = {}, defaultdict(set), set(), set(), Counter()
    kept = defaultdict(list)

    def add(countries, arrival, write_time):
        identity = identifier(countries, arrival)
        what[identity] = (*arrival[:3], MEASUREMENTS[arrival.measurements][0], arrival.event_time)
        ways[identity].add((floor(write_time), arrival.utc_offset, is_late(arrival, write_time)))
        return identity

    for arrival in arrivals:
        why = reason(COUNTRIES, arrival, arrival.write_time)
        if why:
            if arrival.write_time >= WRITTEN:
                waits[in_quarantine(arrival, arrival.write_time), why] += 1
        else:
            kept[add(COUNTRIES, arrival, arrival.write_time)].append(is_kept(arrival))
    for identity, each in kept.items():
        if all(each):
            always.add(identity)
        elif any(each):
            perhaps.add(identity)

    def compare(when):
        found, how = stored()
        expected = {identity: what[identity] for identity in always | (perhaps & found.keys())}
        model.same(f"events {when}", expected, found)
        model.same(f"events {when} that came in another way", [],
                   [(identity, way) for identity, way in how.items() if way not in ways[identity]])

    with model.beside(read, 0.05), model.beside(forget, 0.3), model.timed("ingest()", len(arrivals)):
        counts = model.in_sessions(given.sessions, take, batches(arrivals))
    with model.connect() as connection:
        while lines_to_go:
            forget(connection)
        connection.execute("CALL forget(written_before => %s::timestamptz)", [text(WRITTEN)])
    model.same("arrivals", [len(arrivals)], [sum(map(sum, counts))])
    compare("after ingest() and forget()")
    found = quarantined()
    without_month = [key for key in found if key[1] == "no partition"]
    model.same("quarantine", waits, {key: found[key] for key in found if key[1] != "no partition"})
    model.same("in quarantine without need", [], [key for key in without_month if is_kept(key[0])])

    # The tenant is entered, and most of what was ahead has happened.
    countries = {**COUNTRIES, NEW_TENANT: NEW_COUNTRY}
    waits = Counter()
    for (arrival, why), number in found.items():
        if why in ("unknown tenant", "no partition") or (why == "not yet" and arrival.event_time <= RETRY + TOLERANCE):
            why = reason(countries, arrival, RETRY)
            if not why:
                always.add(add(countries, arrival, RETRY))
                continue
            arrival = in_quarantine(arrival, RETRY)
        waits[arrival, why] += number
    again = [arrival for arrival in random.sample(arrivals, len(arrivals) // 4)
             if not reason(COUNTRIES, arrival, arrival.write_time) and is_kept(arrival)]
    always |= {identifier(COUNTRIES, arrival) for arrival in again}

    def retry(connection, batch):
        if batch is None:
            connection.execute("CALL retry_quarantine(%s::timestamptz)", [text(RETRY)])
        else:
            take(connection, batch)

    with model.connect() as connection:
        connection.execute("INSERT INTO tenants VALUES (%s, %s)", [NEW_TENANT, NEW_COUNTRY])
    with model.beside(read, 0.05):
        model.in_sessions(given.sessions, retry, [None, None, *batches(again), None])
    compare("after retry_quarantine()")
    model.same("quarantine", waits, quarantined())
    questions(*stored())

    with model.connect() as connection:
        connection.execute("CALL forget(written_before => '2030-01-01')")
    model.same("left after all", [(0, 0, 0)], model.rows("""SELECT (SELECT count(*) FROM all_events),
        (SELECT count(*) FROM pg_inherits WHERE inhparent IN ('events'::regclass, 'late_events'::regclass)),
        (SELECT count(*) FROM quarantine)"""))
    rules()
    files(max(40, given.rows // 250))
    model.finish()


main()
