"""The format of an identifier, from doc/format.md and doc/predicates.md, with whole numbers.

A UUID, and so an identifier, is a number of 128 bits, whose most significant bit is bit 0.  A time
is a number of microseconds since 1970, or an infinity.  Nothing here asks the server: this is what
the models, the fuzzer and test/data/derived.py compare the server with, and what the vectors of
clients/ come from.
"""

import hashlib
import math

NIL, MAX = 0, 2**128 - 1
LAST_MS = 2**48 - 1
RANDOM_MAX = 2**54 - 1
INFINITY = math.inf


def bits(uuid, first, last):
    return uuid >> (127 - last) & (1 << (last - first + 1)) - 1


def make(ms, country, entity, random=0, layout=0):
    return (ms << 80 | 8 << 76 | layout << 72 | country << 64
            | 2 << 62 | entity << 54 | random)


def text(uuid):
    digits = f"{uuid:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def read(digits):
    """The number of a text that core's uuid reads, or None: groups of four digits, some with a hyphen between."""
    if digits.startswith("{") or digits.endswith("}"):
        if not (digits.startswith("{") and digits.endswith("}")):
            return None
        digits = digits[1:-1]
    parts = digits.split("-")
    if sum(map(len, parts)) != 32 or any(not part or len(part) % 4 or set(part) - set("0123456789abcdefABCDEF") for part in parts):
        return None
    return int("".join(parts), 16)


def is_valid(uuid):
    return uuid in (NIL, MAX) or bits(uuid, 48, 51) == 8 and bits(uuid, 64, 65) == 2


# --- fields -----------------------------------------------------------------

def layout(uuid):
    return None if uuid in (NIL, MAX) or not is_valid(uuid) else bits(uuid, 52, 55)


def _known(iuid):
    return layout(iuid) in (0, 1)


def time(iuid):
    return bits(iuid, 0, 47) * 1000 if layout(iuid) == 0 else None


def country(iuid):
    return bits(iuid, 56, 63) if _known(iuid) else None


def entity(iuid):
    return bits(iuid, 66, 73) if _known(iuid) else None


def random_bits(iuid):
    return bits(iuid, 74, 127) if _known(iuid) else None


# --- orders and positions ---------------------------------------------------

def byte_order(uuid):
    return uuid


def country_order(uuid):
    return bits(uuid, 56, 63), bits(uuid, 66, 73), uuid


def position(iuid):
    """Where an identifier stands among the times, to compare with (time, 0).

    Nil stands at the last microsecond before 1970, and Max after infinity.
    """
    if iuid == NIL:
        return -1, 0
    if iuid == MAX:
        return INFINITY, 1
    return bits(iuid, 0, 47) * 1000, 0


def is_in_range(iuid, span):
    """RANGE is None for an empty one, or (lower, upper, lower inclusive, upper inclusive)."""
    if span == "empty" or iuid == MAX:
        return False
    lower, upper, lower_inclusive, upper_inclusive = span
    at = position(iuid)[0]
    above = lower is None or at > lower or at == lower and lower_inclusive
    below = upper is None or at < upper or at == upper and upper_inclusive
    return above and below


def is_from(uuid, of_country, of_entity=None):
    if layout(uuid) is None:
        return False
    return (bits(uuid, 56, 63) == of_country
            and (of_entity is None or bits(uuid, 66, 73) == of_entity))


# --- boundaries -------------------------------------------------------------

def floor(at):
    """The smallest identifier at or after a time."""
    if at < 0:
        return NIL
    if at > LAST_MS * 1000:
        return MAX
    return make(-(-at // 1000), 0, 0)


def floor_after(at):
    """The smallest identifier after a time: at or after the next microsecond."""
    return floor(at + 1)


def country_floor(of_country, of_entity=0):
    """The smallest identifier of a country and entity in order by origin; both can be 256."""
    if of_entity == 256:
        of_country, of_entity = of_country + 1, 0
    return MAX if of_country > 255 else make(0, of_country, of_entity)


# --- the generator ----------------------------------------------------------

class Maker:
    """A session with iuid.monotonic on.  Times are 4096ths of a millisecond since 1970."""

    TEN_SECONDS = 10_000 * 4096

    def __init__(self):
        self.last = self.reading = None

    def make(self, of_country, of_entity, nanoseconds, bits48):
        now = nanoseconds * 4096 // 10**6
        if not 0 <= now // 4096 <= LAST_MS:
            raise OverflowError("clock")
        # The last identifier is a number, too: its time, and 42 bits of tail.
        if self.last is None or self.reading - now > self.TEN_SECONDS or now > self.last >> 42:
            self.reading, self.last = now, now << 42 | bits48 % 2**42
        else:
            self.last += 1 + bits48 % 2**32
        ms, random = divmod(self.last, 2**54)
        if ms > LAST_MS:
            self.last = None
            raise OverflowError("carry")
        return make(ms, of_country, of_entity, random)


# --- derived identifiers ----------------------------------------------------

def _digest(personal, message):
    return hashlib.blake2b(message, digest_size=16, person=personal).digest()


def _digest_bits(digest):
    return int.from_bytes(digest[8:16], "big") & RANDOM_MAX


def from_name(of_country, of_entity, name, at=None):
    digest = _digest(b"iuid.name", name)
    if at is None:
        ms = int.from_bytes(digest[:6], "big")
        return make(ms, of_country, of_entity, _digest_bits(digest), layout=1)
    return make(at // 1000, of_country, of_entity, _digest_bits(digest))


def uuid_version(uuid):
    return bits(uuid, 48, 51) if bits(uuid, 64, 65) == 2 else None


def uuid_ms(uuid):
    """The Unix time of a UUID of version 1, 6 or 7 in milliseconds, rounded down, or None."""
    version = uuid_version(uuid)
    if version == 7:
        return bits(uuid, 0, 47)
    if version == 1:
        ticks = bits(uuid, 52, 63) << 48 | bits(uuid, 32, 47) << 32 | bits(uuid, 0, 31)
    elif version == 6:
        ticks = bits(uuid, 0, 47) << 12 | bits(uuid, 52, 63)
    else:
        return None
    # 100 nanoseconds each, since 1582-10-15 (RFC 9562, section 5.1).
    return (ticks - 0x01B21DD213814000) // 10000


def from_uuid(uuid, of_country, of_entity, at=None):
    random = _digest_bits(_digest(b"iuid.uuid", uuid.to_bytes(16, "big")))
    if at is not None:
        return make(at // 1000, of_country, of_entity, random)
    if uuid_version(uuid) == 7:
        random = bits(uuid, 52, 63) << 42 | bits(uuid, 66, 107)
    return make(uuid_ms(uuid), of_country, of_entity, random)


# --- hidden identifiers -----------------------------------------------------

ROUNDS, HALF = 30, 2**61


def siphash(key, words):
    """SipHash-2-4 of words of 64 bits (Aumasson and Bernstein, 2012)."""
    def rotate(word, by):
        return (word << by | word >> (64 - by)) % 2**64

    def mix(times):
        nonlocal v
        for _ in range(times):
            a, b, c, d = v
            a, c = (a + b) % 2**64, (c + d) % 2**64
            b, d = rotate(b, 13) ^ a, rotate(d, 16) ^ c
            a, c = (rotate(a, 32) + d) % 2**64, (c + b) % 2**64
            v = [a, rotate(b, 17) ^ c, rotate(c, 32), rotate(d, 21) ^ a]

    k = [int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")]
    v = [k[0] ^ 0x736F6D6570736575, k[1] ^ 0x646F72616E646F6D, k[0] ^ 0x6C7967656E657261, k[1] ^ 0x7465646279746573]
    for word in [*words, 8 * len(words) % 256 << 56]:
        v[3] ^= word
        mix(2)
        v[0] ^= word
    v[2] ^= 0xFF
    mix(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _around(uuid):
    """The 122 bits without version and variant, as two halves."""
    return divmod(bits(uuid, 0, 47) << 74 | bits(uuid, 52, 63) << 62 | bits(uuid, 66, 127), HALF)


def _uuid(left, right, version):
    value = left * HALF + right
    return (value >> 74 << 80 | version << 76 | (value >> 62) % 2**12 << 64 | 2 << 62 | value % 2**62)


def _round_key(key):
    return hashlib.blake2b(digest_size=16, key=key, person=b"iuid.hide").digest()


def hide(iuid, key):
    round_key, (left, right) = _round_key(key), _around(iuid)
    for n in range(ROUNDS):
        left, right = right, left ^ siphash(round_key, [n, right]) % HALF
    return _uuid(left, right, 4)


def reveal(hidden, key):
    if uuid_version(hidden) != 4:
        return None
    round_key, (left, right) = _round_key(key), _around(hidden)
    for n in reversed(range(ROUNDS)):
        left, right = right ^ siphash(round_key, [n, left]) % HALF, left
    iuid = _uuid(left, right, 8)
    return iuid if _known(iuid) else None
