"""Model of examples/trips: samples of 200 devices, in any order, and the trips that they make.

Samples are microseconds to hours apart, and often ten minutes exactly.  They arrive late,
backwards, again, and in batches of several sessions that have the same devices in other orders.
"""

import bisect
import concurrent.futures
import datetime
import itertools
import random

import identifiers
import model

MICROSECOND = datetime.timedelta(microseconds=1)
MILLISECOND = datetime.timedelta(milliseconds=1)
PAUSE = datetime.timedelta(minutes=10)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MIDDLE = datetime.datetime(2026, 2, 1, tzinfo=datetime.timezone.utc)
DEVICES = {f"автобус {number}": number for number in range(200)}

given = model.arguments(100_000)


def country(device):
    return DEVICES[device] % 7


def next_time(time):
    """The time of the next sample: two of these steps are a pause, or just not."""
    return time + random.choices(
        [random.randint(1, 1500) * MICROSECOND, random.randint(1, 599_999_999) * MICROSECOND,
         PAUSE - MICROSECOND, PAUSE, PAUSE + MICROSECOND, random.randint(11, 600) * PAUSE / 10],
        [1, 20, 1, 1, 1, 1])[0]


def make_samples():
    """All samples, as pairs of a device and a time, from before MIDDLE to after it."""
    samples = set()
    for device in DEVICES:
        time = MIDDLE - given.rows // len(DEVICES) * PAUSE * random.uniform(0.6, 0.8)
        for _ in range(given.rows // len(DEVICES)):
            samples.add((device, time))
            time = next_time(time)
    return sorted(samples)


def arrivals(samples):
    """The samples as batches, in another order with each call.  A third comes again."""
    first, last = samples[0][1], max(time for _, time in samples)
    backwards = {device for device in DEVICES if random.random() < 0.2}
    sent = []
    for sample in samples + random.sample(samples, len(samples) // 3):
        device, time = sample
        late = random.choice([PAUSE / 60, PAUSE, PAUSE * 10]) * random.random()
        sent.append((last - (time - first) if device in backwards else time + late, sample))
    batches, sent = [], iter([sample for _, sample in sorted(sent)])
    while batch := list(itertools.islice(sent, random.choice([1, 10, 100, 1000]))):
        random.shuffle(batch)
        batches.append(batch)
        if random.random() < 0.1:
            batches.append(batch[::-1])
    return batches


def sessionise(samples):
    """The trips, each a list of its samples."""
    trips = []
    for device, time in sorted(samples):
        if trips and trips[-1][-1][0] == device and time - trips[-1][-1][1] < PAUSE:
            trips[-1].append((device, time))
        else:
            trips.append([(device, time)])
    return trips


def identifier(device, time):
    """The identifier of a trip whose first sample this was."""
    return identifiers.text(identifiers.from_name(country(device), 3, device.encode(),
                                                  (time - EPOCH) // MICROSECOND))


def place(sample):
    """A place that only this sample has."""
    return f"({DEVICES[sample[0]]},{(sample[1] - MIDDLE) // MICROSECOND})"


def add(connection, batch):
    """Gives a batch to the example: pairs of a device and an identifier, and the outcomes."""
    devices, times = zip(*batch)
    places = [place(sample) for sample in batch]
    found = connection.execute("SELECT * FROM add_samples(%s, %s, %s::point[])",
                               (list(devices), list(times), places), prepare=True).fetchall()
    if sum(count for *_, count in found) != len(batch):
        raise AssertionError(f"{len(batch)} samples were given, not {found}")
    for device, trip, _, _ in found:
        if trip:
            returned.append((device, trip))
    return found


def forget(connection, before):
    """The retention of the example, with batches small enough to be several."""
    connection.execute("CALL forget_trips(%s, 100)", (before,))


def work(connection, job):
    """What a session does: gives a batch, or forgets what is older than a time."""
    if isinstance(job, list):
        return add(connection, job)
    return forget(connection, job)


def read(connection):
    """What readers do: an identifier finds its device's trip, and a sample is of one trip."""
    for device, trip in random.sample(returned, min(10, len(returned))):
        found = connection.execute(
            "SELECT t.device FROM trip(%s::iuid) AS t JOIN trip(%s, %s) AS u USING (id)",
            (trip, device, trip)).fetchall()
        if found != [(device,)] and trip >= identifier(device, oldest):
            raise AssertionError(f"the trip {trip} of {device} is {found}")
    wrong = connection.execute(
        """SELECT device_time, count(t.id) FROM samples AS s
        LEFT JOIN trips AS t ON t.device = s.device AND during @> device_time
        WHERE s.device = %s AND device_time >= %s
        GROUP BY 1 HAVING count(t.id) <> 1""", (random.choice(list(DEVICES)), oldest)).fetchall()
    if wrong:
        raise AssertionError(f"samples of no trip, or several: {wrong}")
    connection.execute("SELECT count(route) FROM trip_details WHERE device = %s",
                       (random.choice(list(DEVICES)),))


def feed(what, jobs):
    """Gives jobs to the example through several sessions, with readers beside."""
    count = sum(len(job) for job in jobs if isinstance(job, list))
    with model.beside(read, 0.01), model.timed(what, count):
        return model.in_sessions(given.sessions, work, jobs)


def check(what, samples, trips):
    """Compares the tables with the trips, and looks up all identifiers that were ever returned.

    Gives those that are in no trip.  One whose sample is not there is in the trip of that moment.
    """
    model.same(f"{what}: samples", samples, model.rows("SELECT device, device_time FROM samples"))
    found = model.rows("SELECT device, began, ended, drivers, route::text FROM trip_details")
    model.same(f"{what}: drivers and routes", {span(trip): details(trip) for trip in trips},
               {(row[0], row[1], row[2] + PAUSE): row[3:] for row in found})

    home = {}   # the trip that an identifier is to find
    for trip in trips:
        device, first, last = *trip[0], trip[-1][1]
        for time in between(times[device], whole(first), whole(last) + MILLISECOND):
            home[device, identifier(device, time)] = span(trip)
    least = {}
    for key in returned:
        if key in home:
            least[home[key]] = min(key[1], least.get(home[key], key[1]))
    found = model.rows("SELECT device, lower(during), upper(during), id::text FROM trips")
    model.same(f"{what}: trips, by the least identifier of each", least,
               {row[:3]: row[3] for row in found})

    keys = sorted(of_all | set(returned))
    for way, call in {"device and identifier": "trip(k.device, k.id)",
                      "identifier": "trip(k.id)"}.items():
        found = model.rows(
            f"""SELECT k.device, k.id::text, t.device, lower(during), upper(during)
            FROM unnest(%s::text[], %s::iuid[]) AS k (device, id), {call} AS t""",
            ([device for device, _ in keys], [trip for _, trip in keys]))
        model.same(f"{what}: trips by {way}", {key: home[key] for key in keys if key in home},
                   {row[:2]: row[2:] for row in found})

    for begins, ends in ranges(trips):
        found = model.rows("SELECT device, lower(during), upper(during) FROM trips_between(%s, %s)", (begins, ends))
        model.same(f"{what}: trips between {begins} and {ends}",
                   {span(trip) for trip in trips if trip[0][1] < ends and trip[-1][1] >= begins}, set(found))
    return [key for key in keys if key not in home]


def ranges(trips):
    """Ranges of a minute, an hour and ten days, and ones that begin or end at a trip's own ends."""
    for length in (datetime.timedelta(minutes=1), datetime.timedelta(hours=1), datetime.timedelta(days=10)):
        moment = random.choice(random.choice(trips))[1]
        yield moment - length / 2, moment + length / 2
    first, last = random.choice(trips)[0][1], random.choice(trips)[-1][1]
    yield from ((first - PAUSE, first), (first - PAUSE, first + MICROSECOND), (last, last + PAUSE), (last + MICROSECOND, last + PAUSE))


def between(sorted_times, first, past):
    """The times from FIRST on and before PAST."""
    begin = bisect.bisect_left(sorted_times, first)
    return sorted_times[begin:bisect.bisect_left(sorted_times, past)]


def whole(time):
    """The millisecond in which a time is."""
    return time - (time - EPOCH) % MILLISECOND


def span(trip):
    """The device, the beginning and the end of a trip, as the example has them."""
    return (*trip[0], trip[-1][1] + PAUSE)


def details(trip):
    """Who drove, in the order in which they were first seen, and the places."""
    device, first, past = span(trip)
    seen = [sightings[device][time] for time in between(sorted(sightings[device]), first, past)]
    return list(dict.fromkeys(seen)), f"[{','.join(place(sample) for sample in trip)}]"


def clear():
    """Takes all samples and trips out again, but not the identifiers that were returned."""
    of_all.update(returned)
    returned.clear()
    with model.connect() as connection:
        connection.execute("TRUNCATE samples, trips")


def rules():
    """The ends of the rules, with two devices."""
    model.make_database(*FILES)
    with model.connect() as connection:
        connection.execute("INSERT INTO devices VALUES ('bus-1', 125), ('bus-2', 157)")
        connection.execute("SELECT make_months('2026-04-01', '2026-05-01')")

    def call(device, *times):
        array = "ARRAY[%s]" % ", ".join(f"'2026-04-05 {time}'" for time in times)
        return (f"SELECT to_char(iuid_timestamp(trip), 'HH24:MI'), outcome, samples FROM add_samples(array_fill(text '{device}', "
                f"ARRAY[{len(times)}]), {array}::timestamptz[], array_fill(point '(0,0)', ARRAY[{len(times)}])) ORDER BY 1")

    def id_of(name, time, country=125, entity=3):
        return f"iuid_from_name({country}, {entity}, '{name}', '2026-04-05 {time}')"

    one = call("bus-1", "12:00", "12:09", "12:18")
    three = call("bus-2", "12:36", "12:18", "12:00", "12:18")
    found = "SELECT to_char(iuid_timestamp(id), 'HH24:MI'), to_char(lower(during), 'HH24:MI'), to_char(upper(during), 'HH24:MI') FROM "
    moved = "UPDATE devices SET country = 9 WHERE device = 'bus-2'"
    model.answers(
        # A call says what it did: to new trips, to one that grows at both ends, to three that become one.
        ([("12:00", "first", 1), ("12:18", "first", 2), ("12:36", "first", 1)], three),
        ([("12:36", "both", 4)], three, call("bus-2", "12:37", "12:35", "12:38", "12:34")),
        ([("12:00", "merge", 3), ("13:00", "first", 1)], three, call("bus-2", "12:27", "12:18", "13:00", "12:09")),
        ([("12:00", "again", 1)], one, call("bus-1", "12:09")),
        ([("12:00", "beginning", 1)], one, call("bus-1", "11:55")),
        ([("12:00", "end", 2)], one, call("bus-1", "12:20", "12:21")),
        ([("12:00", "inside", 1)], one, call("bus-1", "12:10")),
        ([(None, "too old", 1)], "SELECT trip, outcome, samples FROM add_samples('{bus-1}', '{1969-12-31 23:59:59}', '{\"(0,0)\"}')"),
        ([], "SELECT * FROM add_samples('{}', '{}', '{}')"),
        # A moment of a trip finds it, if its sample came or not; what is of no trip finds none.
        ([("12:00", "12:00", "12:28")], one, found + f"trip({id_of('bus-1', '12:05')})"),
        ([("12:00", "12:00", "12:28")], one, found + "trip_at('bus-1', '2026-04-05 12:18')"),
        ([], one, found + "trip_at('bus-1', '2026-04-05 12:18:00.001')"),
        *(([], one, f"SELECT during FROM trip('bus-1', {id}) WHERE during IS NOT NULL") for id in (
            id_of("bus-2", "12:05"), id_of("bus-1", "12:05", entity=4), id_of("bus-1", "12:28"),
            "iuid_from_name(125, 3, 'bus-1')", "'00000000-0000-0000-0000-000000000000'")),
        # Trips of a device that moves to another country keep their identifiers, and are found by new ones.
        ([(157,)], call("bus-2", "12:00"), moved, call("bus-2", "12:05"), "SELECT iuid_country(id) FROM trips"),
        ([("12:00", "12:00", "12:15")], call("bus-2", "12:00"), moved, call("bus-2", "12:05"),
         found + f"trip({id_of('bus-2', '12:05', country=9)})"),
        # Months are of UTC, and those between come, too.
        ([("samples_2026_05",), ("samples_2026_06",), ("samples_2026_07",)],
         "SET timezone = 'Asia/Kolkata'", "SET datestyle = 'SQL, DMY'", "SELECT make_months('2026-07-31 20:00+00', '2026-08-01 00:00+00')"),
        ([("FOR VALUES FROM ('2026-05-01 00:00:00+00') TO ('2026-06-01 00:00:00+00')",)],
         "SET timezone = 'Asia/Kolkata'", "SELECT make_months('2026-05-31', '2026-06-01')", "SET timezone = 'UTC'",
         "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'samples_2026_05'"))
    overlapping = "INSERT INTO trips VALUES (gen_iuid(125, 3), '%s', '[2026-04-05 12:27:59.999, 2026-04-05 14:00)')"
    model.outcomes(
        ("23P01", one, overlapping % "bus-1"),
        ("00000", one, overlapping % "bus-2"),
        # The longest name, of 200 bytes, and one that is longer.
        ("00000", "INSERT INTO devices VALUES (repeat('ж', 100), 157)"),
        ("23514", "INSERT INTO devices VALUES (repeat('ж', 101), 157)"),
        ("23503", call("bus-3", "12:00")),
        ("22023", "SELECT add_samples('{bus-1,bus-2}', '{2026-04-06}', '{\"(0,0)\"}')"),
        ("22023", "SELECT add_samples(NULL, NULL, NULL)"),
        ("22004", "SELECT add_samples('{NULL}', '{2026-04-06}', '{\"(0,0)\"}')"),
        ("22008", "SELECT add_samples('{bus-1}', '{-infinity}', '{\"(0,0)\"}')"),
        ("25001", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", one),
        ("22023", "CALL forget_trips('infinity')"),
        ("22023", "CALL forget_trips(NULL)"),
        ("23514", "SELECT make_months('1969-12-31', '1970-01-01')"),
        ("23514", "SELECT make_months('2026-05-01', 'infinity')"))
    model.reads(
        ({"trips_device_during_excl"}, f"SELECT * FROM trip('bus-1', {id_of('bus-1', '12:05')})"),
        ({"trips_device_during_excl", "devices_digest_key"}, f"SELECT * FROM trip({id_of('bus-1', '12:05')})"),
        ({"trips_device_during_excl", "samples_2026_04_pkey"}, "SELECT make_months('2026-05-01', '2026-08-01')", one,
         "SELECT route FROM trip_details WHERE device = 'bus-1'"),
        ({"trips_during"}, one, "SELECT * FROM trips_between('2026-04-05 12:00', '2026-04-05 12:10')"))

    # What was forgotten does not come back.
    with model.connect() as connection:
        forget(connection, "2026-04-05 13:30")
        connection.execute("SELECT make_months('2026-04-10', '2026-05-01')")
    model.same("kept", [("2026-04-05 13:30:00+00",)], model.rows("SELECT lower(during)::text FROM kept"))


FILES = "examples/trips/schema.sql", "examples/trips/retention.sql"
model.make_database("examples/trips.sql")
model.make_database(*FILES)
with model.connect() as connection:
    connection.cursor().executemany("INSERT INTO devices VALUES (%s, %s)",
                                    [(device, country(device)) for device in DEVICES])
samples = make_samples()
sightings = {device: {} for device in DEVICES}
for device, time in sorted(random.sample(samples, len(samples) // 20)):
    sightings[device][time + random.choice([-1, 0, 1]) * MICROSECOND] = random.choice("abc")
with model.connect() as connection:
    connection.cursor().executemany(
        "INSERT INTO sightings VALUES (%s, %s, %s)",
        [(device, *seen) for device, times in sightings.items() for seen in times.items()])
begin, end = min(time for _, time in samples), max(time for _, time in samples)
times = {device: [] for device in DEVICES}
for device, time in samples:
    times[device].append(time)
model.rows("SELECT make_months(%s, %s)", (begin, end + PAUSE))
of_all, returned, oldest = set(), [], begin

# Another order makes other identifiers.  Those of both orders find the trips of either.
feed("first", arrivals(samples))
check("first", samples, sessionise(samples))
clear()
feed("replay", arrivals(samples))
model.same("identifiers of no trip", [], check("replay", samples, sessionise(samples)))
print(f"the replay made {len(set(returned) - of_all)} identifiers that the first run did not have")
clear()

# Old trips go while new samples come.  What is older is refused then, and makes no trip again.
random.shuffle(samples)
early, late = samples[len(samples) // 2:], samples[:len(samples) // 2]
feed("before retention", arrivals(early))
oldest = MIDDLE
jobs = arrivals([sample for sample in late if sample[1] >= oldest])
jobs.insert(len(jobs) // 2, oldest)
feed("with retention", jobs)
there = early + [sample for sample in late if sample[1] >= oldest]
for oldest in MIDDLE, MIDDLE + (end - MIDDLE) / 2:
    with model.connect() as connection:
        with model.beside(read):
            forget(connection, oldest)
        too_old = [sample for sample in late if sample[1] < oldest]
        outcomes = {outcome for _, _, outcome, _ in add(connection, too_old)}
    model.same(f"before {oldest}: outcomes of late samples", ["too old"], outcomes)
    trips = [trip for trip in sessionise(there) if trip[-1][1] + PAUSE > oldest]
    there = [sample for trip in trips for sample in trip]
    check(f"before {oldest}", there, trips)

# Retention waits for a session that has added samples, until it commits, and then sees its trip.
with model.connect() as one, model.connect() as other:
    one.autocommit = False
    add(one, [(device, oldest) for device in list(DEVICES)[:2]])
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(forget, other, oldest + PAUSE)
        concurrent.futures.wait([waiting], 1)
        model.same("retention waits", [True], [waiting.running()])
        one.commit()
        waiting.result()
model.same("trips that begin where retention ended", [],
           model.rows("SELECT * FROM trips WHERE upper(during) = %s", (oldest + PAUSE,)))
rules()
model.finish()
