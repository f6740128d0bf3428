#!/usr/bin/env python3
"""Writes clients/vectors.json: what a program that follows doc/format.md must answer.

Computed by test/models/identifiers.py, with none of the code of the server or of clients/:

    python3 test/clients/make_vectors.py > clients/vectors.json

The server is asked all of it by test/t/format_vectors.pl, and the clients by ./dev clients.
"""
import json
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "models"))
import identifiers as model  # noqa: E402

ABOUT = """\
Examples of the rules in doc/format.md.  A vector has the number of its rule, the name of a call, its
arguments, and what the call gives, or the SQLSTATE of its error.  All arguments are strings; null is
one that is not given.  Times are microseconds since 1970, bytes are in hexadecimal.
read(text): the canonical text.  from_uuid_bits(uuid): the same for a UUID.  fields(id):
milliseconds, country, entity, random, layout.  floor(time).  country_floor(country, entity).
byte_order(ids), country_order(ids): the ids, sorted.
name(country, entity, text, time), name_bytes(country, entity, bytes, time),
uuid(uuid, country, entity, time): derived ids.
hide(id, key), reveal(uuid, key): the key is bytes.
make_at(country, entity, time, eight random bytes): the random number is big-endian, its lower 54
bits count.  start(): a maker without a last id.  make(country, entity, clock in seconds, six random
bytes): the next id of the maker, whose state the vectors before it left."""

Y2026 = 1767225600123          # milliseconds
LAST_US = model.LAST_MS * 1000
vectors = []
chance = random.Random(31)


def vector(rule, call, *given, **result):
    vectors.append({"rule": rule, "call": call,
                    "given": [g if g is None or isinstance(g, list) else str(g) for g in given], **result})


def gives(rule, call, *given, value):
    vector(rule, call, *given, gives=value)


def fails(rule, call, *given, error):
    vector(rule, call, *given, error=error)


def number(text):
    return int(text.replace("-", ""), 16)


# --- R2, R3, R5: texts and UUIDs ------------------------------------------------------------------

ID = "019b76da-a87b-807d-8041-23456789abcd"
DIGITS = ID.replace("-", "")


def hyphens(*groups):
    """The digits with hyphens after these groups of four."""
    return "".join(DIGITS[4 * n:4 * n + 4] + "-" * (n + 1 in groups) for n in range(8))


for text in (ID, ID.upper(), "019B76da-A87b-807D-8041-23456789aBcD", DIGITS, DIGITS.upper(), "{" + ID + "}", "{" + DIGITS + "}",
             *(hyphens(n) for n in range(1, 8)), hyphens(*range(1, 8)), "{" + hyphens(*range(1, 8)) + "}", hyphens(1, 7)):
    gives("R3", "read", text, value=ID)
for text in ("", "{}", "-", "{", "}", "1", "iuid", DIGITS[:-1], DIGITS + "0", DIGITS[:-2], ID[:-1], ID + "d", ID[:-1] + "g", ID + "-", "-" + ID,
             " " + ID, ID + " ", "\t" + ID, ID + "\n", "\ufeff" + ID, "{" + ID, ID + "}", "{{" + ID + "}}", "{" + ID + "}}", "(" + ID + ")",
             "[" + ID + "]", "{ " + ID + "}", "{-" + ID + "}", "{" + ID + "-}", "{" + ID + "} ", "urn:uuid:" + ID, "0x" + DIGITS, "\\x" + DIGITS,
             "+" + DIGITS[1:], "-" + DIGITS[1:], "0x" + DIGITS[2:], "019b76da--a87b-807d-8041-23456789abcd", "0-19b76daa87b807d804123456789abcd",
             "01-9b76daa87b807d804123456789abcd", "019-b76daa87b807d804123456789abcd", "019b7-6daa87b807d804123456789abcd", hyphens(8),
             "019b76da_a87b_807d_8041_23456789abcd", "019b76da a87b 807d 8041 23456789abcd", "019b76da–a87b–807d–8041–23456789abcd",
             "019b76da\u2010a87b-807d-8041-23456789abcd", ID.replace("0", "\u0660"), ID.replace("a", "\uff41"), ID.replace("0", "\uff10"),
             ID.replace("8", "\u096e"), ID.replace("b", "\u0432"), "\U0001d7ce" + ID[1:], "0O" + ID[2:], DIGITS.replace("1", "l"),
             "2026-01-01", "2026-01-01 00:00:00+00", "infinity", "null", "AZt22qh7gH2AQSNFZ4mrzQ==", "01KDVDNA3VG1YR0G936HKRKAYD",
             "1_9b76daa87b807d804123456789abcd", DIGITS + "00000000", ID + ID):
    fails("R3", "read", text, error="22P02")

NEARLY = ["00000000-0000-0000-0000-000000000001", "80000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-fffffffffffe",
          "7fffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-8000-000000000000", "ffffffff-ffff-8fff-ffff-ffffffffffff"]
RFC = ["C232AB00-9414-11EC-B3C8-9F6BDECED846", "5df41881-3aed-3515-88a7-2f4a814cf09e", "919108f7-52d1-4320-9bac-f847db4148a8",
       "2ed6657d-e927-568b-95e1-2665a8aea6a2", "1EC9414C-232A-6B00-B3C8-9F6BDECED846", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"]
values = [model.text(model.NIL), model.text(model.MAX), *NEARLY, *RFC, "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0",
          *(f"019b76da-a87b-{version:x}07d-{variant * 4:x}041-23456789abcd" for version in range(16) for variant in range(4)),
          *(f"019b76da-a87b-8{layout:x}7d-8041-23456789abcd" for layout in range(16))]
for text in values:
    for call, error in (("read", "22P02"), ("from_uuid_bits", "22023")):
        if model.is_valid(number(text)):
            gives("R5", call, text, value=text.lower())
        else:
            fails("R5", call, text, error=error)
for text in ("ABCDEF01-2345-8789-ABCD-EF0123456789", "00000000000080008000000000000000"):
    gives("R2", "read", text, value=model.text(number(text)))


# --- R1, R4: fields -------------------------------------------------------------------------------

def fields(rule, value):
    time = model.time(value)
    answers = (time if time is None else time // 1000, model.country(value), model.entity(value),
               model.random_bits(value), model.layout(value))
    gives(rule, "fields", model.text(value), value=[a if a is None else str(a) for a in answers])


def some_id(layout=0, ms=None):
    return model.make(chance.randrange(2**48) if ms is None else ms, chance.randrange(256), chance.randrange(256),
                      chance.randrange(2**54), layout)


fields("R1", number(ID))
for n in range(128):
    if not 48 <= n <= 55 and n not in (64, 65):
        fields("R1", model.make(0, 0, 0) | 1 << 127 - n)
for _ in range(16):
    fields("R1", some_id())
fields("R1", model.make(model.LAST_MS, 255, 255, model.RANDOM_MAX))
fields("R1", model.make(0, 0, 0))
for layout in range(16):
    fields("R4", model.make(Y2026, 125, 1, 4711, layout))
    fields("R4", some_id(layout))
fields("R5", model.NIL)
fields("R5", model.MAX)

# --- R7: the two orders ---------------------------------------------------------------------------

for what in range(6):
    ids = [some_id(chance.choice((0, 0, 1, 15))) for _ in range(24)]
    if what == 0:     # many of one millisecond, layout, country or entity
        ids = [model.make(Y2026 + chance.randrange(2), 127 + chance.randrange(2), 127 + chance.randrange(2), chance.randrange(2) << 53, chance.randrange(2))
               for _ in range(40)]
    if what == 1:     # numbers that a signed comparison has in another place
        ids = [model.make(ms, country, entity, tail) for ms in (2**47 - 1, 2**47) for country in (127, 128) for entity in (127, 128) for tail in (2**53 - 1, 2**53)]
        chance.shuffle(ids)
    ids = [*dict.fromkeys([*ids, model.NIL, model.MAX])]
    chance.shuffle(ids)
    for call, key in (("byte_order", model.byte_order), ("country_order", model.country_order)):
        gives("R7", call, [model.text(i) for i in ids], value=[model.text(i) for i in sorted(ids, key=key)])

# --- R8, R9: bounds -------------------------------------------------------------------------------

for us in (0, 1, 999, 1000, 1001, 999999, 1000000, -1, -999, -1000, -1001, -86400000000, -62135596800000000, Y2026 * 1000, Y2026 * 1000 + 1, Y2026 * 1000 - 1, Y2026 * 1000 + 999,
           253402300799999999, LAST_US, LAST_US - 1, LAST_US - 999, LAST_US - 1000, LAST_US + 1, LAST_US + 999, LAST_US + 1000, 2 * LAST_US):
    gives("R8", "floor", us, value=model.text(model.floor(us)))
for country, entity in ((0, 0), (0, 1), (1, 0), (125, 1), (127, 128), (255, 255), (7, 256), (0, 256), (255, 256), (256, 0), (256, 5), (256, 256)):
    gives("R9", "country_floor", country, entity, value=model.text(model.country_floor(country, entity)))
for country, entity in ((-1, 0), (0, -1), (257, 0), (0, 257), (65536, 0), (2147483647, 0), (0, -2147483648)):
    fails("R6", "country_floor", country, entity, error="22023")

# --- R16 to R19: derived --------------------------------------------------------------------------

NAMES = ["", "hello", "order 4711", "https://example.org/a?b=c#d", "it's", "back\\slash\ttab\r\n", "Größe", "日本語", "🦄 and 👩‍👩‍👧", " leading", "trailing "]


def name(rule, country, entity, text, us=None):
    gives(rule, "name", country, entity, text, us, value=model.text(model.from_name(country, entity, text.encode(), us)))


for text in NAMES:
    name("R17", 125, 1, text)
    name("R17", 125, 1, text, Y2026 * 1000)
for country, entity in ((0, 0), (255, 255), (128, 127)):
    name("R17", country, entity, "hello")
    name("R17", country, entity, "hello", LAST_US)
for us in (0, 1, 999, 1000, Y2026 * 1000 + 999, LAST_US + 999):
    name("R14", 7, 1, "rounded down", us)
for text in ("caf\u00e9", "cafe\u0301", "\u212b", "\u00c5", "A\u030a", "\ufb01", "fi", "\ufeffhello", "Hello", "\u1100\u1161", "\uac00"):
    name("R18", 125, 1, text)
for length in (1, 63, 64, 127, 128, 129, 255, 256, 257, 1000):
    data = bytes(n * 7 % 256 for n in range(length))
    for us in (None, Y2026 * 1000):
        gives("R16", "name_bytes", 7, 1, data.hex(), us, value=model.text(model.from_name(7, 1, data, us)))
gives("R18", "name_bytes", 125, 1, "68656c6c6f", None, value=model.text(model.from_name(125, 1, b"hello")))
gives("R18", "name_bytes", 125, 1, "00ff80", None, value=model.text(model.from_name(125, 1, b"\0\xff\x80")))

TIMED = [*(text for text in RFC if text[14] in "167"), "13814000-1dd2-11b2-8000-000000000000", "1b21dd21-3814-6000-8000-000000000000",
         "1381670f-1dd2-11b2-8000-000000000000", "13816710-1dd2-11b2-8000-000000000000", "1b21dd21-3816-670f-8000-000000000000",
         "00000000-0000-7000-8000-000000000000", "ffffffff-ffff-1fff-bfff-ffffffffffff", "ffffffff-ffff-6fff-bfff-ffffffffffff",
         "ffffffff-ffff-7fff-bfff-ffffffffffff", "019a0000-0000-7abc-8def-0123456789a0", "019a0000-0000-7abc-8def-0123456789a1"]
BEFORE = ["13813fff-1dd2-11b2-8000-000000000000", "1b21dd21-3813-6fff-8000-000000000000", "00000000-0000-1000-8000-000000000000", "00000000-0000-6000-8000-000000000000"]
UNTIMED = [text for text in RFC if text not in TIMED] + [
    model.text(model.NIL), model.text(model.MAX), ID, "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0",
    *(f"017f22e2-79b0-{version}cc3-{variant}8c4-dc0c0c07398f" for version in (1, 6, 7) for variant in ("0", "7", "c", "e")),
    *(f"017f22e2-79b0-{version:x}cc3-98c4-dc0c0c07398f" for version in (0, 2, 9, 15))]
for text in TIMED:
    gives("R17", "uuid", text, 125, 1, None, value=model.text(model.from_uuid(number(text), 125, 1)))
for text in BEFORE:
    fails("R19", "uuid", text, 125, 1, None, error="22008")
for text in UNTIMED:
    fails("R19", "uuid", text, 125, 1, None, error="22023")
for text in TIMED + BEFORE + UNTIMED:
    gives("R17", "uuid", text, 9, 33, Y2026 * 1000 + 1, value=model.text(model.from_uuid(number(text), 9, 33, Y2026 * 1000 + 1)))

# --- R20, R21: hidden -----------------------------------------------------------------------------

KEYS = [bytes(range(32)), bytes(32), b"\xff" * 32, *(chance.getrandbits(256).to_bytes(32, "big") for _ in range(3))]
for key in KEYS:
    for value in (number(ID), some_id(), some_id(1), model.make(0, 0, 0), model.make(model.LAST_MS, 255, 255, model.RANDOM_MAX, 1)):
        hidden = model.hide(value, key)
        gives("R20", "hide", model.text(value), key.hex(), value=model.text(hidden))
        gives("R21", "reveal", model.text(hidden), key.hex(), value=model.text(value))
    for _ in range(8):
        foreign = chance.getrandbits(128) & ~(0xF << 76 | 3 << 62) | 4 << 76 | 2 << 62
        revealed = model.reveal(foreign, key)
        gives("R21", "reveal", model.text(foreign), key.hex(), value=revealed and model.text(revealed))
for text in (model.text(model.NIL), model.text(model.MAX), *RFC, *(f"646b8bbf-f574-{version:x}e2e-{variant * 4 + 1:x}aac-ba252c5f7fb2" for version in range(16) for variant in range(4))):
    revealed = model.reveal(number(text), KEYS[0])
    gives("R21", "reveal", text, KEYS[0].hex(), value=revealed and model.text(revealed))
for value in (model.NIL, model.MAX, *(model.make(Y2026, 125, 1, 4711, layout) for layout in range(2, 16))):
    fails("R20", "hide", model.text(value), KEYS[0].hex(), error="22023")
for length in (0, 16, 31, 33, 64):
    fails("R20", "hide", ID, bytes(length).hex(), error="22023")
    fails("R21", "reveal", RFC[2], bytes(length).hex(), error="22023")

# --- R14: a given time, and what is refused everywhere (R6) ------------------------------------------

for country, entity, us in ((0, 0, 0), (125, 1, Y2026 * 1000), (255, 255, LAST_US + 999), (1, 2, 999), (1, 2, 1000)):
    for bits in (0, 2**64 - 1, chance.randrange(2**64)):
        gives("R14", "make_at", country, entity, us, f"{bits:016x}", value=model.text(model.make(us // 1000, country, entity, bits & model.RANDOM_MAX)))
for us in (-1, -1000, LAST_US + 1000, 2 * LAST_US):
    fails("R6", "make_at", 7, 1, us, "0" * 16, error="22008")
    fails("R6", "name", 7, 1, "hello", us, error="22008")
    fails("R6", "uuid", RFC[2], 7, 1, us, error="22008")
for country, entity in ((-1, 1), (256, 1), (1, -1), (1, 256), (65536 + 7, 1), (1, 2147483647)):
    fails("R6", "make_at", country, entity, Y2026 * 1000, "0" * 16, error="22023")
    fails("R6", "name", country, entity, "hello", None, error="22023")
    fails("R6", "name", country, entity, "hello", Y2026 * 1000, error="22023")
    fails("R6", "uuid", RFC[5], country, entity, None, error="22023")
    fails("R6", "uuid", RFC[2], country, entity, Y2026 * 1000, error="22023")
    fails("R6", "make", country, entity, "1767225600.123", "0" * 12, error="22023")

# --- R10 to R13: the maker ------------------------------------------------------------------------

maker = None


def start():
    global maker
    maker = model.Maker()
    gives("R10", "start", value=None)


def make(rule, clock, bits=None, country=7, entity=1):
    """CLOCK in seconds, as a text with nine decimal places at most."""
    seconds, _, fraction = clock.partition(".")
    nanoseconds = int(seconds) * 10**9 + int(fraction.ljust(9, "0"))
    bits = chance.randrange(2**48) if bits is None else bits
    try:
        value = maker.make(country, entity, nanoseconds, bits)
        gives(rule, "make", country, entity, clock, f"{bits:012x}", value=model.text(value))
    except OverflowError:
        fails(rule, "make", country, entity, clock, f"{bits:012x}", error="22008")


# The fraction of the clock, with the ends of its 4096ths: 244140.625 ns are a thousandth of them.
start()
for nanoseconds in (0, 1, 244, 245, 488, 489, 732, 733, 123456, 500000, 999755, 999756, 999999, 1000000, 123456789, 999999999):
    make("R10", f"1767225600.{nanoseconds:09d}")
make("R10", "1767225601.5", 2**48 - 1)
make("R10", "1767225602.5", 0)
make("R10", "1767225603.5", 2**47 + 2**42)

# The clock stands still: all countries and entities share the last identifier.
start()
for country, entity, bits in ((7, 1, 0), (7, 1, 0), (7, 1, 2**32 - 1), (7, 1, 2**48 - 2**32), (200, 100, 5), (0, 0, None), (7, 1, None), (255, 255, None)):
    make("R10", "1767225600.1239", bits, country, entity)
make("R10", "1767225600.1240", None)

# A tail that carries into the fraction, and into the millisecond.
start()
make("R11", "1767225600.1235", 2**42 - 1)
make("R11", "1767225600.1235", 0)
make("R11", "1767225600.1235", 2**32 - 1)
start()
make("R11", "1767225600.123999999", 2**42 - 2)
make("R11", "1767225600.123999999", 0)
make("R11", "1767225600.123999999", 0)
make("R11", "1767225600.123999999", 7)
make("R11", "1767225600.124", None)          # the last time is this one: one step more
make("R11", "1767225600.124000245", None)    # past it

# Steps back, of at most ten seconds and of more.
start()
for clock in ("1767225620.0005", "1767225618.0005", "1767225611", "1767225610.0005", "1767225620.0004", "1767225620.000499999", "1767225620.0005", "1767225610.000499", "1767225610.000499", "1767225611"):
    make("R12", clock)
# Each of nine seconds, against the reading and not against the clock before; 18 seconds are too many.
start()
for clock in ("1767225620", "1767225611", "1767225602", "1767225593"):
    make("R12", clock)
# The last time is ahead of the reading: ten seconds before the reading is not too early.
start()
make("R12", "1767225620.000999999", 2**42 - 1)
make("R12", "1767225620.000999999", 0)
make("R12", "1767225610.000999999", 0)
make("R12", "1767225610.000755859", 0)
make("R12", "1767225610.000755858", 0)
# An hour back, forward by a century, and back.
start()
for clock in ("1767225620.25", "1767222020.25", "1767222020.25", "4102444800.25", "1767225700.000001", "1767225700.000001"):
    make("R12", clock)

# Clocks that no identifier can hold, after which all is as before.
start()
make("R13", "1767225620.25")
make("R13", "-1")
make("R13", "281474976711")
make("R13", "1767225615")
start()
make("R13", "0", 0)
make("R13", "0", 0)
make("R13", "-1", 0)
make("R13", "0.000000244", 0)
start()
make("R13", "281474976710.655", None)
make("R13", "281474976710.655999999", 2**42 - 2)
make("R13", "281474976710.655999999", 0)
make("R13", "281474976710.655999999", 0)     # carries past the last millisecond
make("R13", "281474976710.655", 0)           # without a last identifier

# A vector is a line.
print('{"about": [\n' + ",\n".join(map(json.dumps, ABOUT.split("\n"))) + '\n],\n"vectors": [')
print(",\n".join(map(json.dumps, vectors)) + "\n]}")
