"""Identifiers that carry their time, country and entity, as the PostgreSQL extension iuid makes them.

    import iuid

    id = iuid.make(125, 1)                     # new, of this moment: country 125, entity 1
    id.timestamp, id.country, id.entity        # datetime in UTC, 125, 1
    id = iuid.Iuid("019b76da-a87b-807d-8041-23456789abcd")
    id = iuid.from_name(125, 1, "order 4711")  # the same input always gives the same identifier

An Iuid is a uuid.UUID, so drivers take it as one; ids compare by time.  id.time and id.fields are those
of a uuid.UUID of version 1, and mean nothing here.  sorted(ids, key=country_order) sorts by country.  Times are datetimes with a time zone.  A wrong value is a ValueError, and a wrong
type a TypeError.  R1 and so on are the rules of doc/format.md.

Installed or copied, this file needs Python 3.8 and nothing else.

Copyright (c) 2026, the iuid authors.  SPDX-License-Identifier: PostgreSQL
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
import numbers
import operator
import os
import re
import time
import uuid

__all__ = ["NIL", "MAX", "Iuid", "Maker", "country_floor", "country_order", "floor", "from_name", "from_name_at", "from_uuid", "from_uuid_at", "hide", "make", "make_at", "reveal"]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MILLISECOND = datetime.timedelta(milliseconds=1)
_LAST_MS = 2**48 - 1
_TEN_SECONDS = 10_000 << 12
# R3: the end of the pattern is the end of the text, where $ would take a line feed, too.
_TEXT = re.compile(r"(\{)?(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}(?(1)\})\Z")


class Iuid(uuid.UUID):
    """An identifier, of a text, a uuid.UUID or a number of 128 bits.  A field that it does not have is None (R4)."""

    __slots__ = ()

    def __init__(self, value: str | uuid.UUID | int) -> None:
        if isinstance(value, uuid.UUID):
            number = value.int
        elif isinstance(value, str):
            number = int(value.strip("{}").replace("-", ""), 16) if _TEXT.match(value) else None
        else:
            number = _integer(value, "an iuid is a str, a uuid.UUID or an int")
        if number is None or not _is_valid(number):
            raise ValueError(f'invalid input syntax for type iuid: "{value}"' if isinstance(value, str) else f'uuid "{value}" is not an iuid')
        super().__init__(int=number)

    @classmethod
    def __get_validators__(cls):
        """For pydantic, whose version 1 would take any UUID for a subclass of uuid.UUID."""
        yield lambda value, values=None: value if isinstance(value, cls) else cls(value)

    @property
    def layout(self) -> int | None:
        return None if self.int in (0, 2**128 - 1) else self.int >> 72 & 0xF

    @property
    def ms(self) -> int | None:
        """Milliseconds since 1970."""
        return self.int >> 80 if self.layout == 0 else None

    @property
    def timestamp(self) -> datetime.datetime | None:
        """A datetime in UTC; OverflowError after the year 9999, which a datetime cannot hold."""
        return None if self.ms is None else _EPOCH + datetime.timedelta(milliseconds=self.ms)

    @property
    def country(self) -> int | None:
        return self.int >> 64 & 0xFF if self.layout in (0, 1) else None

    @property
    def entity(self) -> int | None:
        return self.int >> 54 & 0xFF if self.layout in (0, 1) else None

    @property
    def random(self) -> int | None:
        return self.int & 2**54 - 1 if self.layout in (0, 1) else None


def _is_valid(number):
    """R5."""
    return number >> 76 & 0xF == 8 and number >> 62 & 3 == 2 or number in (0, 2**128 - 1)


def _compose(ms, country, entity, random=0, layout=0):
    """R1; the arguments fit."""
    return Iuid(ms << 80 | 8 << 76 | layout << 72 | country << 64 | 2 << 62 | entity << 54 | random)


NIL = Iuid("00000000-0000-0000-0000-000000000000")
MAX = Iuid("ffffffff-ffff-ffff-ffff-ffffffffffff")


# --- new identifiers ------------------------------------------------------------------------------


class _State:
    """What is known after an identifier: of LAST the lower 42 bits are the tail, the others the time."""

    __slots__ = "number", "reading", "last", "problem", "following"

    def __init__(self, number, reading=None, last=None, problem=None):
        self.number, self.reading, self.last, self.problem = number, reading, last, problem
        self.following = []


class _Session:
    """Of one process: a child has one of its own (R15), which its first call makes, for all threads."""

    def __init__(self, process):
        self.process, self.numbers, self.newest, self.children = process, itertools.count(1), _State(0), {}


def _clock():
    """Looked up at each call, as tests that freeze the time put another one there."""
    return time.time_ns()


class Maker:
    """Makes identifiers that ascend, for all threads of the process (R10 to R13).

    Most programs call make(), which is that of one Maker for the process.  CLOCK gives nanoseconds
    since 1970, and RANDOM as many random bytes as it is asked for.

    A signal handler, a finalizer or a trace function can call make() between any two steps of another
    call, and an exception or a fork can end it there.  So there is no lock.  A call draws a number, and
    walks from the newest state to the state of its number.  A state that is missing on the way is the
    first that somebody appends to the state before.  next(), append() and setdefault() are one step each.
    """

    def __init__(self, clock=_clock, random=os.urandom):
        self._clock, self._random = clock, random
        self.forget()

    def __reduce__(self):
        """A copy has no last identifier."""
        return type(self), (self._clock, self._random)

    def forget(self):
        """The next identifier takes its time from the clock."""
        self._session = _Session(os.getpid())

    def make(self, country: int, entity: int) -> Iuid:
        country, entity = _origin(country, entity)
        process = None
        while process != os.getpid():  # a fork can come in the middle, too, and uWSGI tells nobody
            process, session = os.getpid(), self._session
            if session.process != process:
                session = self._session = session.children.setdefault(process, _Session(process))
            state, number = session.newest, next(session.numbers)
            while state.number < number:
                if not state.following:
                    state.following.append(self._next(state))
                state = state.following[0]
            session.newest = state
        if state.problem:
            raise ValueError(f"system clock is out of range for type iuid: {state.problem}")
        return _compose(state.last >> 54, country, entity, state.last & 2**54 - 1)

    def _next(self, state):
        """R10 to R13."""
        now = operator.index(self._clock()) * 4096 // 1_000_000
        bits = int.from_bytes(self._random(6), "big")
        last, reading = state.last, state.reading
        if not 0 <= now >> 12 <= _LAST_MS:
            return _State(state.number + 1, reading, last, f"{now >> 12} ms since 1970")
        if last is None or reading - now > _TEN_SECONDS or now > last >> 42:
            return _State(state.number + 1, now, now << 42 | bits & 2**42 - 1)
        last += 1 + (bits & 2**32 - 1)
        if last >> 54 > _LAST_MS:
            return _State(state.number + 1, problem="no room after the last identifier")
        return _State(state.number + 1, reading, last)

    def make_at(self, country: int, entity: int, at: datetime.datetime) -> Iuid:
        """A new identifier of a given time; all its random bits are random (R14)."""
        country, entity = _origin(country, entity)
        return _compose(_ms(at), country, entity, int.from_bytes(self._random(8), "big") & 2**54 - 1)


_maker = Maker()
make, make_at = _maker.make, _maker.make_at


# --- bounds and orders ----------------------------------------------------------------------------


def floor(at: datetime.datetime) -> Iuid:
    """The smallest identifier at or after a time (R8)."""
    since_1970 = _since_1970(at)
    if since_1970 < datetime.timedelta():
        return NIL
    ms = -(-since_1970 // _MILLISECOND)
    return MAX if ms > _LAST_MS else _compose(ms, 0, 0)


def country_floor(country: int, entity: int = 0) -> Iuid:
    """The smallest identifier of a country and entity in order by origin; both can be 256 (R9)."""
    country, entity = _origin(country, entity, 256)
    if entity == 256:
        country, entity = country + 1, 0
    return MAX if country > 255 else _compose(0, country, entity)


def country_order(id: uuid.UUID) -> tuple[int, int, int]:
    """A key for sorted(), min() and max() (R7)."""
    number = _number(id)
    return number >> 64 & 0xFF, number >> 54 & 0xFF, number


# --- derived identifiers --------------------------------------------------------------------------


def from_name(country: int, entity: int, name: str | bytes) -> Iuid:
    """The identifier of a str or bytes, of layout 1 (R16 to R18)."""
    country, entity = _origin(country, entity)
    digest = _digest(b"iuid.name", _bytes(name))
    return _compose(digest >> 80, country, entity, digest & 2**54 - 1, layout=1)


def from_name_at(country: int, entity: int, name: str | bytes, at: datetime.datetime) -> Iuid:
    """The same with a time, in layout 0."""
    country, entity = _origin(country, entity)
    return _compose(_ms(at), country, entity, _digest(b"iuid.name", _bytes(name)) & 2**54 - 1)


def from_uuid(id: uuid.UUID, country: int, entity: int) -> Iuid:
    """The identifier of a UUID of version 1, 6 or 7, with its time (R17, R19)."""
    country, entity = _origin(country, entity)
    number = _number(id)
    version = number >> 76 & 0xF if number >> 62 & 3 == 2 else None
    if version == 7:
        return _compose(number >> 80, country, entity, (number >> 64 & 0xFFF) << 42 | number >> 20 & 2**42 - 1)
    if version == 1:
        ticks = (number >> 64 & 0xFFF) << 48 | (number >> 80 & 0xFFFF) << 32 | number >> 96
    elif version == 6:
        ticks = number >> 80 << 12 | number >> 64 & 0xFFF
    else:
        raise ValueError(f'uuid "{id}" has no time for an iuid: only UUIDs of versions 1, 6 and 7 have one')
    ticks -= 0x01B21DD213814000  # 1582-10-15 to 1970
    if ticks < 0:
        raise ValueError(f'uuid "{id}" has no time for an iuid: its time is before 1970')
    return _compose(ticks // 10_000, country, entity, _digest_of(number))


def from_uuid_at(id: uuid.UUID, country: int, entity: int, at: datetime.datetime) -> Iuid:
    """The identifier of any UUID and a time."""
    country, entity = _origin(country, entity)
    return _compose(_ms(at), country, entity, _digest_of(_number(id)))


def _digest_of(number):
    return _digest(b"iuid.uuid", number.to_bytes(16, "big")) & 2**54 - 1


def _bytes(name):
    """R18."""
    if isinstance(name, bytes):
        return name
    if isinstance(name, str):
        return name.encode("utf-8")
    raise TypeError("a name is a str or bytes")


def _digest(personal, message):
    return int.from_bytes(hashlib.blake2b(message, digest_size=16, person=personal).digest(), "big")


# --- hidden identifiers (R20, R21) ----------------------------------------------------------------

_ROUNDS, _HALF, _WORD = 30, 2**61 - 1, 2**64 - 1


def hide(id: uuid.UUID, key: bytes) -> uuid.UUID:
    """A UUID of version 4 that tells nothing without the key of 32 bytes."""
    number = _number(id)
    if Iuid(number).country is None:
        raise ValueError(f'iuid "{id}" cannot be hidden')
    keys, (left, right) = _round_keys(key), _halves(number)
    for n in range(_ROUNDS):
        left, right = right, left ^ _siphash(keys, n, right) & _HALF
    return uuid.UUID(int=_join(left, right, 4))


def reveal(hidden: uuid.UUID, key: bytes) -> Iuid | None:
    """The identifier that was hidden; None for a UUID that no identifier gives."""
    number = _number(hidden)
    keys, (left, right) = _round_keys(key), _halves(number)
    if number >> 76 & 0xF != 4 or number >> 62 & 3 != 2:
        return None
    for n in reversed(range(_ROUNDS)):
        left, right = right ^ _siphash(keys, n, left) & _HALF, left
    id = Iuid(_join(left, right, 8))
    return id if id.layout in (0, 1) else None


def _round_keys(key):
    if not isinstance(key, bytes):
        raise TypeError(f"a key that hides identifiers is bytes, not {type(key).__name__}")
    if len(key) != 32:
        raise ValueError("a key that hides identifiers must have 32 bytes")
    digest = hashlib.blake2b(digest_size=16, key=key, person=b"iuid.hide").digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


def _halves(number):
    """The 122 bits without version and variant."""
    return divmod(number >> 80 << 74 | (number >> 64 & 0xFFF) << 62 | number & 2**62 - 1, _HALF + 1)


def _join(left, right, version):
    bits = left << 61 | right
    return bits >> 74 << 80 | version << 76 | (bits >> 62 & 0xFFF) << 64 | 2 << 62 | bits & 2**62 - 1


def _siphash(keys, *words):
    """SipHash-2-4 of two words."""
    a, b, c, d = (word ^ keys[n % 2] for n, word in enumerate((0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)))
    for word, rounds in (words[0], 2), (words[1], 2), (16 << 56, 2), (0, 4):
        if rounds == 4:
            c ^= 0xFF
        d ^= word
        for _ in range(rounds):
            a, c = a + b & _WORD, c + d & _WORD
            b, d = (b << 13 & _WORD | b >> 51) ^ a, (d << 16 & _WORD | d >> 48) ^ c
            a = a << 32 & _WORD | a >> 32
            a, c = a + d & _WORD, c + b & _WORD
            b, d = (b << 17 & _WORD | b >> 47) ^ c, (d << 21 & _WORD | d >> 43) ^ a
            c = c << 32 & _WORD | c >> 32
        a ^= word
    return a ^ b ^ c ^ d


# --- arguments (R6) -------------------------------------------------------------------------------


def _integer(value, what="a country or an entity is an int"):
    """An int.  numpy's integers are numbers of fixed width, which shifts would overflow; a bool is none."""
    if type(value) is int:
        return value  # at once, as isinstance() asks a registry
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{what}, not {type(value).__name__}")
    return operator.index(value)


def _origin(country, entity, limit=255):
    country, entity = _integer(country), _integer(entity)
    for what, number in ("country", country), ("entity", entity):
        if not 0 <= number <= limit:
            raise ValueError(f"{what} {number} is out of range for type iuid: 0 to {limit}")
    return country, entity


def _number(id):
    if not isinstance(id, uuid.UUID):
        raise TypeError(f"a uuid.UUID is needed, not {type(id).__name__}")
    return id.int


def _since_1970(at):
    if not isinstance(at, datetime.datetime) or at.tzinfo is None:
        raise TypeError(f"a time is a datetime with a time zone, not {at!r}")
    return at - _EPOCH


def _ms(at):
    ms = _since_1970(at) // _MILLISECOND
    if not 0 <= ms <= _LAST_MS:
        raise ValueError(f'time "{at}" is out of range for type iuid')
    return ms
