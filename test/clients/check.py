"""Checks a client against clients/vectors.json and random vectors, and what four processes of it make.

    check.py LANGUAGE COMMAND...

The command is the client's program in this folder.  It is run in these ways, and in two of them by
four processes at once:

    COMMAND vectors   reads calls, a line each, and writes the answers
    COMMAND make N    writes N new identifiers of country 7 and entity 1, made by each of four threads
                      at once: a line has the number of the thread and the identifier
    COMMAND turns     writes such an identifier for each line that it reads, at once
    COMMAND own       fails if something is wrong that other languages do not have, such as JSON, and
                      says what it skips

In a line of calls, tabs stand between the name of the call and its arguments.  A text is given as
its bytes of UTF-8 in hexadecimal, and ~ is an argument that is not given.  An answer is "= " and
what the call gives, with spaces between several values and ~ for none, or "! " and the error's text.

SEED repeats the random vectors.  CLIENT_IDS is a folder: the identifiers that were made are then left
in its file LANGUAGE.ids.  CLIENT_SERVER is a connection string: four sessions there take their turns,
too.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "models"))
import identifiers as model  # noqa: E402
import random_vectors  # noqa: E402

# Errors are those of the server in other words: what the text of each must say.
ERRORS = {
    "22P02": "invalid input syntax for type iuid",
    "22023": "(country|entity) -?[0-9]+ is out of range|is not an iuid|has no time for an iuid: only|cannot be hidden|key .*must have 32 bytes",
    "22008": "(time .*|system clock) is out of range for type iuid|has no time for an iuid: its time is before 1970",
}
TEXTS = {"read": 0, "name": 2}
PROCESSES, THREADS, COUNT, TURNS = 4, 4, 6250, 100

language, command = sys.argv[1], sys.argv[2:]
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(*arguments, given=""):
    done = subprocess.run([*command, *arguments], input=given, stdout=subprocess.PIPE, encoding="utf-8", timeout=300)
    check(f"{arguments[0]}: exit status {done.returncode}", done.returncode == 0)
    return done.stdout.splitlines()


def line_of(vector):
    call, given = vector["call"], vector["given"]
    if call in ("byte_order", "country_order"):
        given, = given
    if call in TEXTS:
        given = [g.encode().hex() if n == TEXTS[call] else g for n, g in enumerate(given)]
    return "\t".join([call, *("~" if g is None else g for g in given)])


def value_of(gives):
    return " ".join("~" if g is None else g for g in (gives if isinstance(gives, list) else [gives]))


def check_vectors():
    vectors = json.loads((ROOT / "clients" / "vectors.json").read_text(encoding="utf-8"))["vectors"]
    seed = int(os.environ.get("SEED", random.randrange(2**32)))
    vectors += random_vectors.vectors(seed)
    answers = run("vectors", given="".join(line_of(v) + "\n" for v in vectors))
    check(f"{len(answers)} answers to {len(vectors)} vectors", len(answers) == len(vectors))
    good, wrong = collections.Counter(), collections.Counter()
    for vector, answer in zip(vectors, answers):
        if "error" in vector:
            holds = answer.startswith("! ") and re.search(ERRORS[vector["error"]], answer)
        else:
            holds = answer == "= " + value_of(vector["gives"])
        (good if holds else wrong)[vector["rule"]] += 1
        check(f"{json.dumps(vector)}\n    {answer}", holds)
    print(f"{language}, SEED={seed}: " + ", ".join(
        f"{rule} {good[rule]}" + (f" and {wrong[rule]} WRONG" if wrong[rule] else "")
        for rule in sorted(good | wrong, key=lambda rule: int(rule[1:]))))


def start(*arguments):
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def check_made():
    begin = time.time()
    processes = [start(*command, "make", str(COUNT)) for _ in range(PROCESSES)]
    lines = [(number, *line.split()) for number, process in enumerate(processes) for line in process.communicate(timeout=300)[0].splitlines()]
    end = time.time()
    check("make: exit status", not any(process.returncode for process in processes))
    ids = collections.defaultdict(list)
    for process, thread, text in lines:
        ids[process, thread].append(int(text.replace("-", ""), 16))
    every = [i for of_thread in ids.values() for i in of_thread]
    check("R15: four processes of four threads", sorted(map(len, ids.values())) == [COUNT] * THREADS * PROCESSES)
    check("R15: no identifier twice", len(set(every)) == len(every))
    for thread, made in ids.items():
        check(f"R11: those of process and thread {thread} ascend", all(a < b for a, b in zip(made, made[1:])))
    check("R1: layout, country and entity", {(model.layout(i), model.country(i), model.entity(i)) for i in every} == {(0, 7, 1)})
    check("R10: the time of the clock", all(begin * 1e6 - 1000 <= model.time(i) <= end * 1e6 for i in every))
    check("R10: random tails", len({model.random_bits(i) & 2**42 - 1 for i in every}) > len(every) - 10)
    check("R10: the fraction", len({model.random_bits(i) >> 42 for i in every}) > 1000)
    for bit in range(32):
        share = sum(i >> bit & 1 for i in every) / max(len(every), 1)
        check(f"R10: random bits: bit {bit} is set in {share:.1%}", 0.48 < share < 0.52)
    if "CLIENT_IDS" in os.environ:
        Path(os.environ["CLIENT_IDS"], language + ".ids").write_text("".join(model.text(i) + "\n" for i in every))


def check_turns():
    """Four processes, and four sessions of the server, one after the other: by identifier is by time, to the millisecond."""
    makers = [(start(*command, "turns"), "\n") for _ in range(PROCESSES)]
    if "CLIENT_SERVER" in os.environ:
        makers += [(start("psql", "-XAtq", os.environ["CLIENT_SERVER"]), "SELECT gen_iuid(7, 1);\n") for _ in range(PROCESSES)]
    last = 0
    for turn in range(TURNS):
        for number, (process, question) in enumerate(makers):
            before = time.time_ns() // 10**6
            process.stdin.write(question)
            process.stdin.flush()
            text = process.stdout.readline()
            made = model.time(int(text.replace("-", ""), 16)) // 1000
            check(f"R10: turn {turn} of process {number} of {len(makers)}: {text}", max(last, before) <= made <= time.time_ns() // 10**6)
            last = made
    for process, _ in makers:
        process.communicate(timeout=60)
        check("turns: exit status", process.returncode == 0)


check_vectors()
check_made()
check_turns()
for line in run("own"):
    print(f"{language}: {line}")
for failure in failures[:20]:
    print(f"{language}: FAILED: {failure}")
if failures:
    sys.exit(f"{language}: {len(failures)} FAILED")
print(f"{language}: {PROCESSES} processes of {THREADS} threads made {PROCESSES * THREADS * COUNT} identifiers, and its own checks hold")
