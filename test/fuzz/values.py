"""Random values that meet one another, and their text as the server reads and writes it.

In Python a value is None for NULL, a number for an iuid, uuid, int or timestamptz (microseconds
since 1970, or an infinity), a tuple or "empty" for a tstzrange, and a list for an array.
"""

import datetime

import identifiers

DAY = 86_400_000_000
# Not the very first and last times of the server, to which a little can be added.
FIRST_TIME, LAST_TIME = -210_866_716_800_000_000, 9_224_318_015_000_000_000


# --- text -------------------------------------------------------------------

def time_text(at):
    """A time of the proleptic Gregorian calendar, which repeats itself after 146,097 days."""
    if at in (identifiers.INFINITY, -identifiers.INFINITY):
        return "infinity" if at > 0 else "-infinity"
    days, rest = divmod(at, DAY)
    cycles, day = divmod(days, 146_097)
    date = datetime.date(1970, 1, 1) + datetime.timedelta(day)
    year = date.year + 400 * cycles
    seconds, fraction = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if fraction:
        clock += f".{fraction:06d}".rstrip("0")
    shown, era = (year, "") if year > 0 else (1 - year, " BC")
    return f"{shown:04d}-{date.month:02d}-{date.day:02d} {clock}+00{era}"


def range_text(span):
    if span == "empty":
        return span
    lower, upper, lower_inclusive, upper_inclusive = span
    return "".join((
        "[" if lower_inclusive else "(", "" if lower is None else f'"{time_text(lower)}"', ",",
        "" if upper is None else f'"{time_text(upper)}"', "]" if upper_inclusive else ")"))


def text(of_type, value):
    """What the server writes for a value; None for NULL."""
    if value is None:
        return None
    if of_type.endswith("[]"):
        element = of_type[:-2]
        return "{" + ",".join(text(element, item) or "NULL" for item in value) + "}"
    if of_type in ("iuid", "uuid", "key", "uuid_key"):
        return identifiers.text(value)
    if of_type == "timestamptz":
        return time_text(value)
    if of_type == "tstzrange":
        return range_text(value)
    if of_type == "boolean":
        return "t" if value else "f"
    return str(value)


def quote(string):
    return "'" + string.replace("'", "''") + "'"


def literal(of_type, value):
    """A value in SQL, of exactly that type."""
    if value is None:
        return f"NULL::{of_type}"
    return f"{quote(text(of_type, value))}::{of_type}"


# --- random values ----------------------------------------------------------

class Pool:
    """Values for the tables and questions of a world, few enough that many are equal.

    The times of the identifiers are some milliseconds of a few days, and the ends of the 48 bits.
    """

    def __init__(self, rng):
        self.rng = rng
        today = rng.randrange(0, 100_000) * 86_400_000
        self.ms = [today + rng.randrange(4) * 86_400_000 + rng.randrange(6) for _ in range(8)]
        self.edges_ms = [0, 1, 2**43 - 1, 2**43, identifiers.LAST_MS - 1, identifiers.LAST_MS]
        self.countries = [0, 255, *(rng.randrange(256) for _ in range(3))]
        self.entities = [0, 255, *rng.sample((1, 3, 4, 63, 64, 127, 128, 191, 192, 254), 2)]
        self.ids = [self._new_id() for _ in range(60)]

    def _new_id(self):
        rng = self.rng
        ms = rng.choice(self.ms if rng.random() < 0.85 else self.edges_ms)
        random = rng.choice((0, 1, identifiers.RANDOM_MAX, *(rng.getrandbits(54) for _ in "ab")))
        layout = rng.choice((0,) * 10 + (1, 1, 2, 15, rng.randrange(16)))
        return identifiers.make(ms, rng.choice(self.countries), rng.choice(self.entities),
                                random, layout)

    def id(self):
        kind = self.rng.random()
        if kind < 0.75:
            return self.rng.choice(self.ids)
        if kind < 0.80:
            return self.rng.choice((identifiers.NIL, identifiers.MAX))
        if kind < 0.90:
            return self.boundary()
        return self._new_id()

    def boundary(self):
        """Like the bounds of partitions."""
        if self.rng.random() < 0.6:
            return identifiers.floor(self.time())
        return identifiers.country_floor(self.country(), self.entity())

    def uuid(self):
        """An identifier, one whose version or variant was changed, or any 16 bytes."""
        kind = self.rng.random()
        if kind < 0.6:
            return self.id()
        if kind < 0.8:
            version = self.rng.choice((1, 4, 6, 7, 9, 0))
            return self.id() & ~(0xf << 76) | version << 76
        if kind < 0.9:
            return self.id() ^ self.rng.choice((1, 2, 3)) << 62
        return self.rng.getrandbits(128)

    def time(self):
        rng, kind = self.rng, self.rng.random()
        if kind < 0.8:
            return rng.choice(self.ms) * 1000 + rng.choice((-1000, -1, 0, 0, 0, 1, 500, 999, 1000))
        if kind < 0.9:
            return rng.choice(self.edges_ms) * 1000 + rng.choice((-1, 0, 1))
        return rng.choice((identifiers.INFINITY, -identifiers.INFINITY, FIRST_TIME, LAST_TIME,
                           rng.choice(self.ms) * 1000 + DAY, rng.choice(self.ms) * 1000 - DAY))

    def range(self):
        rng = self.rng
        if rng.random() < 0.05:
            return "empty"
        ends = sorted((self.time(), self.time()))
        lower, upper = (None if rng.random() < 0.1 else end for end in ends)
        span = (lower, upper, lower is not None and rng.random() < 0.6,
                upper is not None and rng.random() < 0.4)
        if lower == upper and lower is not None and not (span[2] and span[3]):
            return "empty"
        return span

    def country(self):
        return self.rng.choice(self.countries)

    def entity(self):
        return self.rng.choice(self.entities)

    def sometimes_null(self, draw, share=0.1):
        return lambda: None if self.rng.random() < share else draw()

    def draw(self, of_type):
        """The function that makes random values of a type."""
        return {"iuid": self.id, "key": self.id, "uuid": self.uuid, "uuid_key": self.id, "timestamptz": self.time,
                "tstzrange": self.range, "int": self.country}[of_type]
