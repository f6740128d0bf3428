"""clients/python for check.py."""
import datetime
import os
import pickle
import signal
import sys
import threading
import uuid
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "clients" / "python"))
import iuid  # noqa: E402

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
    return maker.make_at(int(country), int(entity), int(at))


def name(country, entity, name, at):
    return iuid.from_name_at(int(country), int(entity), name, time(at)) if at else iuid.from_name(int(country), int(entity), name)


def of_uuid(id, country, entity, at):
    given = uuid.UUID(id), int(country), int(entity)
    return iuid.from_uuid_at(*given, time(at)) if at else iuid.from_uuid(*given)


def time(microseconds):
    """A datetime where there is one."""
    try:
        return datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=int(microseconds))
    except OverflowError:
        return int(microseconds)


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
    "name_number": lambda country, entity, number, at: name(country, entity, int(number), at),
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
    for call in (lambda: iuid.from_name(1, 2, "caf\ud800"), lambda: iuid.floor(datetime.datetime(2026, 1, 1)),    # half a character; no time zone
                 lambda: iuid.from_name_at(1, 2, "a", None), lambda: iuid.from_uuid_at(id, 1, 2, None), lambda: iuid.make_at(1, 2, None)):
        try:
            made = call()
        except (ValueError, TypeError):
            continue
        raise AssertionError(made)

    # R15: no thread makes an identifier while another one does.
    made, seen = threading.Event(), []
    other = threading.Thread(target=lambda: (shared.make(7, 1), made.set()))

    def wait_for_other(count):
        if threading.current_thread() is not other:
            other.start()
            seen.append(made.wait(0.2))
        return os.urandom(count)

    shared = iuid.Maker(random=wait_for_other)
    shared.make(7, 1)
    other.join()
    assert seen == [False], "two threads are in a Maker at once"

    # R15: after a fork with the clock standing still, the child starts anew.
    stopped = iuid.Maker(lambda: 1767225600123456789)
    iuid._maker._clock = stopped._clock
    last = iuid.make(7, 1)
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, iuid.make(7, 1).bytes)
        os._exit(0)
    child = iuid.Iuid(uuid.UUID(bytes=os.read(reader, 16)))
    assert abs(child.random - last.random) > 2**33, "the child goes on from the last identifier of its parent"

    # A child that was forked while a thread of its parent was in the Maker makes one, too.
    with iuid._maker._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            iuid.make(7, 1)
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "the child waits for a lock of its parent"


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
