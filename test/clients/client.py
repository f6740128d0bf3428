"""clients/python for check.py."""
import copy
import ctypes
import datetime
import decimal
import fractions
import gc
import json
import os
import pickle
import signal
import sys
import threading
import time as time_module
import traceback
import uuid

import iuid

given = {}
maker = iuid.Maker(lambda: given["clock"], lambda count: given["random"])


def start():
    maker.forget()


def make(country, entity, clock, random):
    seconds, _, fraction = clock.partition(".")
    given.update(clock=int(seconds) * 10**9 + int(fraction.ljust(9, "0")), random=bytes.fromhex(random))
    return maker.make(int(country), int(entity))


def make_at(country, entity, at, random):
    given.update(random=bytes.fromhex(random))
    return maker.make_at(int(country), int(entity), time(at))


def name(country, entity, name, at):
    return iuid.from_name_at(int(country), int(entity), name, time(at)) if at else iuid.from_name(int(country), int(entity), name)


def of_uuid(id, country, entity, at):
    given = uuid.UUID(id), int(country), int(entity)
    return iuid.from_uuid_at(*given, time(at)) if at else iuid.from_uuid(*given)


EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Far(datetime.datetime):
    """A time after the year 9999, which only the differences of datetimes can hold."""

    def __new__(cls, since_1970):
        far = super().__new__(cls, 9999, 12, 31, tzinfo=datetime.timezone.utc)
        far.since_1970 = since_1970
        return far

    def __sub__(self, other):
        return self.since_1970 - (other - EPOCH)


def time(microseconds):
    since_1970 = datetime.timedelta(microseconds=int(microseconds))
    try:
        return EPOCH + since_1970
    except OverflowError:
        return Far(since_1970)


def fields(text):
    id = iuid.Iuid(text)
    if id.ms is not None and id.ms < 2**47:
        assert id.timestamp == time(id.ms * 1000)
    return id.ms, id.country, id.entity, id.random, id.layout


CALLS = {
    "read": lambda text: iuid.Iuid(bytes.fromhex(text).decode()),
    "from_uuid_bits": lambda text: iuid.Iuid(uuid.UUID(text)),
    "fields": fields,
    "floor": lambda at: iuid.floor(time(at)),
    "country_floor": lambda country, entity: iuid.country_floor(int(country), int(entity)),
    "byte_order": lambda *ids: sorted(map(iuid.Iuid, ids)),
    "country_order": lambda *ids: sorted(map(iuid.Iuid, ids), key=iuid.country_order),
    "name": lambda country, entity, text, at: name(country, entity, bytes.fromhex(text).decode(), at),
    "name_bytes": lambda country, entity, data, at: name(country, entity, bytes.fromhex(data), at),
    "uuid": of_uuid,
    "hide": lambda id, key: iuid.hide(iuid.Iuid(id), bytes.fromhex(key)),
    "reveal": lambda hidden, key: iuid.reveal(uuid.UUID(hidden), bytes.fromhex(key)),
    "make_at": make_at,
    "start": start,
    "make": make,
}


def answer(line):
    call, *arguments = line.rstrip("\n").split("\t")
    try:
        value = CALLS[call](*(None if a == "~" else a for a in arguments))
    except ValueError as error:
        return "! " + str(error).replace("\n", " ")
    values = value if isinstance(value, (tuple, list)) else [value]
    return "= " + " ".join("~" if v is None else str(v) for v in values)


def make_in_threads(count):
    made = [[] for _ in range(4)]
    together = threading.Barrier(4)

    def work(ids):
        together.wait()
        ids.extend(iuid.make(7, 1) for _ in range(count))

    threads = [threading.Thread(target=work, args=[ids]) for ids in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, ids in enumerate(made):
        for id in ids:
            print(number, id)


def take_turns():
    for _ in sys.stdin:
        print(iuid.make(7, 1), flush=True)


def own():
    id = iuid.make(125, 1)
    assert isinstance(id, uuid.UUID) and uuid.UUID(str(id)) == id and hash(uuid.UUID(str(id))) == hash(id)
    assert pickle.loads(pickle.dumps(id)) == id and type(pickle.loads(pickle.dumps(id))) is iuid.Iuid
    assert iuid.make_at(1, 2, id.timestamp).ms == id.ms
    assert id.version == 8 and iuid.NIL < iuid.floor(id.timestamp) < id < iuid.MAX
    check_arguments()
    check_numpy()
    check_interrupted()
    check_forked()
    check_clock()
    check_pydantic()


# --- arguments: what each function takes, and what it refuses ---------------------------------------

NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
V4, V7 = uuid.UUID("919108f7-52d1-4320-9bac-f847db4148a8"), uuid.UUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
IUID, KEY = iuid.Iuid("019b76da-a87b-807d-8041-23456789abcd"), bytes(range(32))


class Text(str):
    pass


class Bits:
    """An integer of 64 bits, as those of other libraries are, which Python does not know as one."""

    def __index__(self):
        return 125


# A value of each kind that an argument can have.
SOME = {"country": 125, "entity": 1, "name": "a", "at": NOW, "any_time": NOW, "id": V7, "iuid": IUID, "hidden": V4, "key": KEY, "value": str(IUID)}
FUNCTIONS = [
    (iuid.make, "country entity"), (iuid.make_at, "country entity at"), (iuid.floor, "any_time"), (iuid.country_floor, "country entity"),
    (iuid.country_order, "id"), (iuid.from_name, "country entity name"), (iuid.from_name_at, "country entity name at"),
    (iuid.from_uuid, "id country entity"), (iuid.from_uuid_at, "id country entity at"), (iuid.hide, "iuid key"), (iuid.reveal, "hidden key"),
    (iuid.Iuid, "value"), (iuid.Maker().make, "country entity"), (iuid.Maker().make_at, "country entity at"),
]
ANYTHING = [None, 1.0, 125.5, float("nan"), 1j, decimal.Decimal(1), fractions.Fraction(1), True, False, [1], (1,), {}, {1}, object(), range(32), int, Bits()]
NUMBERS = [0, 1, -1, 2**31, 1767225600, 1767225600000, 2**63, 2**128]
TEXTS = ["", "1", "125", "a" * 32, "2026-01-01", str(V4), Text("a" * 32), str(iuid.NIL)]
BYTES = [b"", bytes(16), bytes(32), bytearray(32), memoryview(bytes(32)), memoryview(bytes(128)).cast("I"), memoryview(bytes(128)).cast("I", (32, 1)), list(range(32))]
TIMES = [datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1), datetime.time(1, tzinfo=datetime.timezone.utc), datetime.timedelta(1)]
IDS = [V4, iuid.NIL]
# What is not of the kind of an argument is a TypeError.
NO_NUMBER, NO_TIME, NO_ID = ANYTHING + TEXTS + BYTES + TIMES + IDS, ANYTHING + NUMBERS + TEXTS + BYTES + TIMES + IDS, ANYTHING + NUMBERS + TEXTS + BYTES + TIMES
OTHERS = {
    "country": NO_NUMBER, "entity": NO_NUMBER, "name": ANYTHING + NUMBERS + BYTES[3:] + TIMES + IDS, "at": NO_TIME, "any_time": NO_TIME,
    "id": NO_ID, "iuid": NO_ID, "hidden": NO_ID, "key": ANYTHING + NUMBERS + TEXTS + BYTES[3:] + TIMES + IDS, "value": ANYTHING + BYTES + TIMES,
}
# What is of the kind but cannot be is a ValueError.
OUTSIDE = {
    "country": [-1, 257, 2**64 + 125], "entity": [-1, 257, 2**64 + 1], "name": ["caf\ud800"],
    "at": [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, datetime.timezone.utc), Far(datetime.timedelta(milliseconds=2**48))],
    "iuid": [V4, iuid.NIL, iuid.MAX], "key": [b"", bytes(31), bytes(33), bytes(64)], "value": [V4, "", "a" * 32, 1, 2**128, -1],
}


def error_of(function, arguments):
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        return TypeError if isinstance(error, TypeError) else ValueError


def check_arguments(others=OTHERS, outside=OUTSIDE):
    for function, names in FUNCTIONS:
        given = [SOME[name] for name in names.split()]
        function(*given)
        for n, name in enumerate(names.split()):
            for expected, values in (TypeError, others.get(name, [])), (ValueError, outside.get(name, [])):
                for value in values:
                    error = error_of(function, [*given[:n], value, *given[n + 1:]])
                    assert error is expected, f"{function.__name__}: {value!r} as {name} is {error}"
    # A subclass is of the kind, and stands for its value.
    assert iuid.Iuid(Text(IUID)) == IUID and iuid.from_name(1, 2, Text("a")) == iuid.from_name(1, 2, "a")
    assert iuid.hide(uuid.UUID(str(IUID)), KEY) == iuid.hide(IUID, KEY)


def check_numpy():
    """Integers of fixed width, and times, of the libraries that hold tables."""
    try:
        import numpy
        import pandas
    except ImportError:
        print("SKIPPED: pandas is not installed")
        return
    for kind in numpy.int16, numpy.int32, numpy.int64, numpy.uint8, numpy.uint16, numpy.uint64:
        for country, entity in (125, 1), (1, 125), (0, 0), (100, 127):
            for make in iuid.make, lambda *of: iuid.make_at(*of, NOW), lambda *of: iuid.from_name(*of, "a"), lambda *of: iuid.from_name_at(*of, "a", NOW), \
                    lambda *of: iuid.from_uuid(V7, *of), lambda *of: iuid.from_uuid_at(V4, *of, NOW), iuid.country_floor:
                id = make(kind(country), kind(entity))
                assert (id.country, id.entity, type(id.int), type(id.country)) == (country, entity, int, int), (kind, country, entity, id)
                assert id < iuid.MAX and iuid.Iuid(str(id)) == id
    assert iuid.country_floor(numpy.int16(256)) == iuid.MAX and iuid.country_floor(numpy.uint16(7), numpy.uint16(256)) == iuid.country_floor(8)
    row = pandas.DataFrame({"country": [125], "entity": [1]}).iloc[0]
    assert iuid.make(row.country, row.entity).country == 125
    at = pandas.Timestamp("2026-01-01T00:00:00.123Z")
    assert iuid.make_at(1, 2, at).timestamp == iuid.floor(at).timestamp == at
    assert iuid.floor(at + pandas.Timedelta(1, "ns")).ms == iuid.floor(at).ms + 1, "R8: rounded up"
    assert iuid.make_at(1, 2, at + pandas.Timedelta(999999, "ns")).ms == iuid.floor(at).ms, "R14: rounded down"
    numbers = [numpy.True_, numpy.float64(1), numpy.array([1]), numpy.array([1, 2]), pandas.NA, pandas.Series([1])]
    times = [pandas.NaT, pandas.Timestamp("2026-01-01"), numpy.datetime64("2026-01-01"), numpy.array(["2026-01-01"], "datetime64[us]"), numpy.int64(1767225600)]
    bytes = [numpy.zeros(32, "u1"), numpy.zeros(32, "u4")]
    check_arguments({"country": numbers, "entity": numbers, "name": numbers + bytes, "at": times, "any_time": times, "id": numbers, "hidden": numbers,
                     "key": bytes, "value": numbers + bytes},
                    {"country": [numpy.int64(-1), numpy.int64(257)], "entity": [numpy.int64(-1), numpy.uint64(2**63)]})


# --- what can come between two steps of a Maker -----------------------------------------------------


def in_child(what, check):
    """In a process that an alarm ends, should it wait for ever."""
    child = os.fork()
    if child == 0:
        signal.alarm(300)
        status = 1
        try:
            check()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"{what}: status {status}"


def traced(call, do):
    """What CALL gives, while DO is called with the number of each step of the interpreter in iuid.py, and their count."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if frame.f_code.co_filename != iuid.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            count += 1
            do(count)
        return trace

    sys.settrace(trace)
    try:
        return call(), count
    finally:
        sys.settrace(None)


def stopped_clock():
    return 1767225600123456789


def check_interrupted():
    """R15: whatever comes in, at whatever step, no identifier is made twice, and each is greater than those made before it."""
    def handler():
        for clock in time_module.time_ns, stopped_clock:
            maker, step, count = iuid.Maker(clock), 0, 1
            while step < count:
                step += 1
                inner = []
                before = maker.make(7, 1)
                outer, count = traced(lambda: maker.make(7, 1), lambda number: inner.append(maker.make(7, 1)) if number == step else None)
                after = maker.make(7, 1)
                assert before < inner[0] < after and before < outer < after and inner[0] != outer, f"step {step}"
            assert count > 50

    def each_step():
        for count in 1, 5:
            maker, inner = iuid.Maker(stopped_clock), []
            before = maker.make(7, 1)
            outer, _ = traced(lambda: maker.make(7, 1), lambda number: inner.extend(maker.make(7, 1) for _ in range(count)))
            made = [before, *inner, maker.make(7, 1)]
            assert made == sorted(made) and before < outer < made[-1] and len({*made, outer}) == len(made) + 1

    def profiler():
        maker, inner = iuid.Maker(), []
        before = maker.make(7, 1)
        sys.setprofile(lambda *event: inner.append(maker.make(7, 1)))
        outer = maker.make(7, 1)
        sys.setprofile(None)
        made = [before, *inner, maker.make(7, 1)]
        assert made == sorted(made) and before < outer < made[-1] and len({*made, outer}) == len(made) + 1

    def interrupt():
        maker, step, count = iuid.Maker(stopped_clock), 0, 1
        while step < count:
            step += 1
            before = maker.make(7, 1)

            def raise_it(number):
                nonlocal count
                count = max(count, number + 1)
                if number == step:
                    raise KeyboardInterrupt

            try:
                count = traced(lambda: maker.make(7, 1), raise_it)[1]
            except KeyboardInterrupt:
                pass
            assert before < maker.make(7, 1), f"step {step}"

    def signals():
        """As fast as they come, beside threads."""
        made, greatest, wrong = [], [iuid.NIL], []

        def make(*_):
            before = greatest[0]
            id = iuid.make(7, 1)
            if not id > before:
                wrong.append((before, id))
            greatest[0] = id
            made.append(id)

        def make_many():
            last = iuid.NIL
            while not ended:
                id = iuid.make(7, 1)
                if not id > last:
                    wrong.append((last, id))
                made.append(last := id)

        ended = False
        threads = [threading.Thread(target=make_many) for _ in range(2)]
        signal.signal(signal.SIGPROF, make)
        signal.setitimer(signal.ITIMER_PROF, 0.0003, 0.0003)
        for thread in threads:
            thread.start()
        end = time_module.monotonic() + 1.5
        while time_module.monotonic() < end:
            iuid.make(7, 1)
        signal.setitimer(signal.ITIMER_PROF, 0)
        ended = True
        for thread in threads:
            thread.join()
        assert not wrong and len(set(made)) == len(made) > 1000, (wrong[:3], len(made))

    def finalizer():
        made = []

        class Garbage:
            def __init__(self):
                self.self = self

            def __del__(self):
                made.append(iuid.make(7, 1))

        gc.set_threshold(3)
        for _ in range(1000):
            Garbage()
            made.append(iuid.make(7, 1))
        gc.disable()
        assert len(set(made)) == len(made) > 1500 and iuid.make(7, 1) > max(made)

    def threads():
        """Another thread makes identifiers while one waits for its random bits, and its clock goes on or back."""
        for step in 0, 1, 10**6, -10**6, 9 * 10**9, -9 * 10**9:
            clock, made, waits = [time_module.time_ns()], [], []
            other = threading.Thread(target=lambda: made.extend(shared.make(7, 1) for _ in range(3)))

            def wait_for_other(count):
                if waits:
                    clock[0] += waits.pop()
                    other.start()
                    other.join()
                return os.urandom(count)

            shared = iuid.Maker(lambda: clock[0], wait_for_other)
            before = shared.make(7, 1)
            waits.append(step)
            outer, after = shared.make(7, 1), shared.make(7, 1)
            assert before < made[0] < made[1] < made[2] < after and before < outer < after and outer not in made, (step, before, made, outer, after)

    for check in handler, each_step, profiler, interrupt, signals, finalizer, threads:
        in_child(check.__name__, check)


def check_forked():
    """R15: a child, and a copy, have no last identifier."""
    def far_apart(what, two):
        """What goes on is always near; what does not, once in a hundred times."""
        assert any(abs(one.random - other.random) > 2**33 for one, other in (two() for _ in range(5))), f"{what} goes on from the last identifier"

    reader, writer = os.pipe()

    def in_fork(maker, fork):
        if fork() == 0:
            os.write(writer, maker.make(7, 1).bytes)
            os._exit(0)
        return iuid.Iuid(uuid.UUID(bytes=os.read(reader, 16)))

    clock, iuid._maker._clock = iuid._maker._clock, stopped_clock
    iuid._maker.make(7, 1)
    for maker in iuid._maker, iuid.Maker(stopped_clock):
        for fork in os.fork, ctypes.PyDLL(None).fork:  # as uWSGI forks, which runs no hooks
            far_apart("the child", lambda: (maker.make(7, 1), in_fork(maker, fork)))
            far_apart("its brother", lambda: (in_fork(maker, fork), in_fork(maker, fork)))
    iuid._maker._clock = clock
    for copied in copy.copy, copy.deepcopy, lambda maker: pickle.loads(pickle.dumps(maker)):
        last = maker.make(7, 1)
        far_apart("the copy", lambda: (maker.make(7, 1), copied(maker).make(7, 1)))
        assert maker.make(7, 1) > last

    # A fork in the middle of make(): both processes end it.
    parent = os.getpid()

    def fork_once(count):
        bits = os.urandom(count)
        if forks and os.getpid() == parent:
            forks.pop()
            os.fork()
        return bits

    forks = []

    def both_after_a_fork():
        maker = iuid.Maker(stopped_clock, fork_once)
        maker.make(7, 1)
        forks.append(1)
        id = maker.make(7, 1)
        if os.getpid() != parent:
            os.write(writer, id.bytes)
            os._exit(0)
        return iuid.Iuid(uuid.UUID(bytes=os.read(reader, 16))), id

    far_apart("a child of the middle", both_after_a_fork)

    # A child that was forked while a thread of its parent was in the Maker makes one, too.
    def wait_for_fork(count):
        if threading.current_thread() is thread:
            entered.set()
            forked.wait()
        return os.urandom(count)

    entered, forked = threading.Event(), threading.Event()
    maker = iuid.Maker(random=wait_for_fork)
    thread = threading.Thread(target=maker.make, args=(7, 1))
    thread.start()
    entered.wait()
    in_child("a child of another thread", lambda: maker.make(7, 1))
    forked.set()
    thread.join()


def check_pydantic():
    """A field of a model holds an Iuid, or the model is refused."""
    try:
        import pydantic
    except ImportError:
        print("SKIPPED: pydantic is not installed")
        return

    class Order(pydantic.BaseModel):
        id: iuid.Iuid

    text = "019b76da-a87b-807d-8041-23456789abcd"
    for value in text, uuid.UUID(text), iuid.Iuid(text):
        order = Order(id=value)
        assert isinstance(order.id, iuid.Iuid) and order.json() == json.dumps({"id": text}), order
    for value in "919108f7-52d1-4320-9bac-f847db4148a8", uuid.uuid4(), "urn:uuid:" + text, iuid.Iuid(text).bytes, None, 1.5:
        try:
            Order(id=value)
        except pydantic.ValidationError:
            continue
        raise AssertionError(f"a model takes {value!r}")


def check_clock():
    """Tests freeze the time by putting another function there."""
    real, time_module.time_ns = time_module.time_ns, stopped_clock
    try:
        iuid._maker.forget()
        assert iuid.make(7, 1).ms == iuid.Maker().make(7, 1).ms == stopped_clock() // 10**6
    finally:
        time_module.time_ns = real
    assert iuid.make(7, 1).ms > stopped_clock() // 10**6


mode = sys.argv[1]
if mode == "vectors":
    for line in sys.stdin:
        print(answer(line))
elif mode == "make":
    make_in_threads(int(sys.argv[2]))
elif mode == "turns":
    take_turns()
else:
    own()
