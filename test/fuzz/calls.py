"""Random calls of functions and casts, and the errors that they must raise."""

import functools
import re

import identifiers
import values
from expressions import FIELDS, Expression, call, slots, strict
from question import BAD_VALUE, Question, Refused, as_iuid, selected, texts
from values import quote

BAD_TEXT, BAD_TIME, BAD_NULL = "22P02", "22008", "22004"
LATEST = 9_224_318_015_999_999_999


def question(function):
    """A question for the value of the expression that FUNCTION makes."""
    @functools.wraps(function)
    def make(maker):
        expression = function(maker)
        return Question(f"SELECT {expression.sql}", lambda: [texts([expression], {})])
    return make


def number(maker):
    """A country or entity, or one that cannot be."""
    draw = maker.rng.choice((maker.pool.country, maker.pool.entity,
                             lambda: maker.rng.choice((-2**31, -1, 256, 257, 2**31 - 1))))
    return maker.constant("int", draw, 0.05)


def time(maker):
    draw = maker.rng.choice((maker.pool.time, maker.pool.time,
                             lambda: maker.rng.choice((LATEST, identifiers.LAST_MS * 1000 + 999,
                                                       identifiers.LAST_MS * 1000 + 1000, -1, 0))))
    return maker.constant("timestamptz", draw, 0.05)


def refuse_bad(numbers, times=()):
    """Raises what is wrong with arguments; of several faults, any may be reported."""
    end = (identifiers.LAST_MS + 1) * 1000
    faults = [BAD_NULL for value in (*numbers, *times) if value is None]
    faults += [BAD_VALUE for value in numbers if value is not None and not 0 <= value <= 255]
    faults += [BAD_TIME for at in times if at is not None and not 0 <= at < end]
    if faults:
        raise Refused(*faults)


# --- text and casts ---------------------------------------------------------

def _some_form(maker):
    """A text that is nearly that of a UUID."""
    rng = maker.rng
    digits = f"{maker.pool.uuid():032x}"
    groups = [digits[n:n + 4] for n in range(0, 32, 4)]
    form = "".join(group + rng.choice(("", "", "-")) for group in groups[:-1]) + groups[-1]
    if rng.random() < 0.5:
        form = identifiers.text(int(digits, 16))
    form = rng.choice((form, form.upper(), "{" + form + "}"))
    if rng.random() < 0.4:
        at = rng.choice((0, rng.randrange(len(form)), len(form)))
        form = form[:at] + rng.choice("--0g{} ") + form[at + rng.randrange(2):]
    return form


@question
def text_input(maker):
    form = _some_form(maker)

    def function(row):
        inside = form[1:-1] if form.startswith("{") and form.endswith("}") else form
        if not re.fullmatch("([0-9a-f]{4}-?){7}[0-9a-f]{4}", inside, re.IGNORECASE):
            raise Refused(BAD_TEXT)
        uuid = int(inside.replace("-", ""), 16)
        if not identifiers.is_valid(uuid):
            raise Refused(BAD_TEXT)
        return uuid
    return Expression("iuid", f"{quote(form)}::iuid", function)


@question
def cast(maker):
    return call("iuid", "{}::iuid", as_iuid, maker.constant("uuid", maker.pool.uuid))


# --- reading ----------------------------------------------------------------

@question
def field(maker):
    of_type, _, name, function = maker.rng.choice(FIELDS)
    return call(of_type, name + "({})", strict(function), maker.constant("iuid", maker.pool.id))


# --- comparisons, which the planner folds before it rewrites them ---------------

@question
def compare_keys(maker):
    return maker.compare_keys(maker.either_constant(), maker.either_constant())


@question
def compare_time(maker):
    return maker.compare_time(maker.constant("iuid", maker.pool.id), time(maker))


@question
def contain(maker):
    return maker.contain(maker.constant("iuid", maker.pool.id),
                         maker.constant("tstzrange", maker.pool.range))


# --- boundaries ---------------------------------------------------------------

@question
def time_boundary(maker):
    name, function = maker.rng.choice((("floor", identifiers.floor),
                                       ("floor_after", identifiers.floor_after)))
    return call("iuid", f"iuid_{name}({{}})", strict(function), time(maker))


@question
def range_boundary(maker):
    def lower(span):
        if span == "empty":
            return identifiers.MAX
        if span[0] is None:
            return identifiers.NIL
        return identifiers.floor(span[0]) if span[2] else identifiers.floor_after(span[0])

    def upper(span):
        if span == "empty":
            return identifiers.NIL
        if span[1] is None:
            return identifiers.MAX
        return identifiers.floor_after(span[1]) if span[3] else identifiers.floor(span[1])
    name, function = maker.rng.choice((("iuid_range_lower", lower), ("iuid_range_upper", upper)))
    return call("iuid", name + "({})", strict(function),
                maker.constant("tstzrange", maker.pool.range))


@question
def country_floor(maker):
    numbers = [number(maker) for _ in range(maker.rng.choice((1, 2)))]

    def function(country, entity=0):
        if not (0 <= country <= 256 and 0 <= entity <= 256):
            raise Refused(BAD_VALUE)
        return identifiers.country_floor(country, entity)
    return call("iuid", f"iuid_country_floor({slots(numbers)})", strict(function), *numbers)


@question
def country_boundary(maker):
    numbers = [number(maker) for _ in range(maker.rng.choice((1, 2)))]

    def lower(country, entity=0):
        refuse_bad((country, entity))
        return identifiers.country_floor(country, entity)

    def upper(country, entity=255):
        refuse_bad((country, entity))
        return identifiers.country_floor(country, entity + 1)
    name, function = maker.rng.choice((("lower", lower), ("upper", upper)))
    return call("iuid", f"iuid_country_{name}({slots(numbers)})", strict(function), *numbers)


@question
def is_from(maker):
    numbers = [number(maker) for _ in range(maker.rng.choice((1, 2)))]

    def function(iuid, *numbers_):
        if None in numbers_:
            return None
        refuse_bad(numbers_)
        return None if iuid is None else identifiers.is_from(iuid, *numbers_)
    iuid = maker.constant(*maker.rng.choice((("iuid", maker.pool.id), ("uuid", maker.pool.uuid))), 0.1)
    return call("boolean", f"iuid_is_from({{}}, {slots(numbers)})", function, iuid, *numbers)


# --- making and deriving ------------------------------------------------------

def generate(maker):
    """The random bits can be any, so the fields say whether the identifier is right."""
    arguments = [number(maker), number(maker), time(maker)]

    def expected():
        country, entity, at = (argument.of({}) for argument in arguments)
        refuse_bad((country, entity), (at,))
        return [(values.time_text(at // 1000 * 1000), str(country), str(entity), "0")]
    return Question('SELECT f."time", f.country, f.entity, f.layout '
                    f"FROM iuid_fields(gen_iuid({selected(arguments)})) AS f", expected)


@question
def from_name(maker):
    name = maker.rng.choice(("", "a", "order 4711", "Алматы", "x" * 200))
    arguments = [number(maker), number(maker)] + [time(maker)] * maker.rng.randrange(2)
    sql = maker.rng.choice((f"{quote(name)}::text", f"'\\x{name.encode().hex()}'::bytea"))

    def function(country, entity, *at):
        refuse_bad((country, entity), at)
        return identifiers.from_name(country, entity, name.encode(), *at)
    at = ", {}" * (len(arguments) - 2)
    return call("iuid", f"iuid_from_name({{}}, {{}}, {sql}{at})", function, *arguments)


def _uuid_with_time(maker):
    """A UUID of version 1, 6 or 7, some with a time before 1970."""
    uuid = maker.rng.choice((maker.pool.id(), maker.rng.getrandbits(128)))
    version = maker.rng.choice((1, 6, 7))
    return uuid & ~(0xf << 76 | 3 << 62) | version << 76 | 2 << 62


@question
def from_uuid(maker):
    arguments = [number(maker), number(maker)] + [time(maker)] * maker.rng.randrange(2)

    def function(uuid, country, entity, *at):
        if uuid is None:
            return None
        refuse_bad((country, entity), at)
        if not at and identifiers.uuid_version(uuid) not in (1, 6, 7):
            raise Refused(BAD_VALUE)
        if not at and identifiers.uuid_ms(uuid) < 0:
            raise Refused(BAD_TIME)
        return identifiers.from_uuid(uuid, country, entity, *at)
    draw = maker.rng.choice((maker.pool.uuid, lambda: _uuid_with_time(maker)))
    uuid = maker.constant("uuid", draw)
    return call("iuid", f"iuid_from_uuid({{}}, {slots(arguments)})", function, uuid, *arguments)


KINDS = [text_input, text_input, cast, field, compare_keys, compare_time, compare_time, contain,
         time_boundary, time_boundary, range_boundary, country_floor, country_boundary, is_from,
         generate, from_name, from_uuid, from_uuid]
