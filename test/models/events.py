"""Events of many countries: the table that examples/events makes of test/data/events.tsv.

Each event of the file must be there, with its time and its country, in the partition of its month,
and a question about times and countries must find what the file says.  The data are those of the
file, whatever the number of rows.
"""

import csv
import random
from datetime import datetime, timedelta, timezone

import identifiers
import model

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
KAZAKHSTAN, INDIA = 125, 105


def microseconds(time):
    return (time - EPOCH) // timedelta(microseconds=1)


def month(time):
    return f"events_{time:%Y_%m}"


def in_file():
    """The events of the file by their names: when they happened, when they were written, their offset."""
    with open(model.ROOT / "test/data/events.tsv", encoding="utf-8") as lines:
        return {row["event"]: (datetime.fromisoformat(row["event_time"]).astimezone(timezone.utc),
                               datetime.fromisoformat(row["write_time"]).astimezone(timezone.utc),
                               datetime.strptime(row["utc_offset"], "%z").utcoffset()) for row in csv.DictReader(lines, delimiter="\t")}


def number(identifier):
    return int(identifier.replace("-", ""), 16)


model.arguments(0)
model.make_database("examples/events/load.sql")

with open(model.ROOT / "doc/iso-3166-1.csv", encoding="utf-8") as lines:
    names = {int(row["country"]): row["name"] for row in csv.DictReader(lines)}
countries = {country: (name, offset) for country, name, offset in
             model.rows("SELECT country, name, utc_offset FROM countries")}
model.same("countries", {country: names[country] for country in countries},
           {country: name for country, (name, _) in countries.items()})
country_of = {offset: country for country, (_, offset) in countries.items()}

events = {event: (microseconds(time), country_of[offset], 1, month(time), written)
          for event, (time, written, offset) in in_file().items()}
stored = {event: (number(id), partition, written) for event, id, partition, written in
          model.rows("SELECT event, id::text, tableoid::regclass::text, write_time FROM events")}
model.same("events", events, {
    event: (identifiers.time(id), identifiers.country(id), identifiers.entity(id), partition, written)
    for event, (id, partition, written) in stored.items()})
model.same("identifiers", [], [id for id, *_ in stored.values() if not identifiers.is_valid(id)])
model.same("identifiers, each once", [len(stored)], [len({id for id, *_ in stored.values()})])

for first in random.sample(sorted(time for time, *_ in events.values()), 10):
    last = first + random.choice([0, 1, 10**6, 86400 * 10**6, 30 * 86400 * 10**6])
    since, till = (EPOCH + timedelta(microseconds=time) for time in (first, last))
    model.same(f"from {since} to {till}", {event for event, (time, *_) in events.items() if first <= time <= last},
               {event for event, in model.rows("SELECT event FROM events WHERE id BETWEEN %s::timestamptz AND %s::timestamptz", [since, till])})
    model.same(f"after {since} in India", {event for event, (time, country, *_) in events.items() if time > first and country == INDIA},
               {event for event, in model.rows("SELECT event FROM events WHERE id > %s::timestamptz AND iuid_is_from(id, %s)", [since, INDIA])})
model.reads(({"events_2026_06_pkey", "events_2026_07_pkey"}, "SELECT * FROM events WHERE id <@ tstzrange('2026-06-29', '2026-07-06')"))

# A new row goes through the default into the month of now.
with model.connect() as connection:
    now = datetime.now(timezone.utc)
    (id, partition), = connection.execute(
        "INSERT INTO events (event) VALUES ('new') RETURNING id::text, tableoid::regclass::text").fetchall()
    then = datetime.now(timezone.utc)
model.same("a new row", [(KAZAKHSTAN, 1)], [(identifiers.country(number(id)), identifiers.entity(number(id)))])
made = EPOCH + timedelta(microseconds=identifiers.time(number(id)))
model.same("of now", [(True, month(made))], [(now - timedelta(milliseconds=1) <= made <= then, partition)])

# The questions of ./dev demo.
model.load("examples/events/questions.sql")
model.finish()
