#!/usr/bin/env python3
"""Writes test/data/derived.tsv: what iuid_from_name and iuid_from_uuid must give.

Computed by test/models/identifiers.py, with none of the extension's
code:  python3 test/data/derived.py > test/data/derived.tsv

Columns: function, input in hexadecimal, how often it is repeated, country,
entity, time in Unix milliseconds (empty for none), expected identifier.
"""
import sys
import uuid
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "models"))
import identifiers  # noqa: E402


def at(ms):
    return None if ms is None else ms * 1000


def from_name(data, country, entity, ms=None):
    return identifiers.text(identifiers.from_name(country, entity, data, at(ms)))


def from_uuid(u, country, entity, ms=None):
    return identifiers.text(identifiers.from_uuid(u.int, country, entity, at(ms)))


def row(function, data, repeat, country, entity, ms, expected):
    print(function, data.hex(), repeat, country, entity, "" if ms is None else ms, expected, sep="\t")


names = ["", "hello", "it's", 'say "no"', "back\\slash\ttab", "Größe", "日本語", "naïve café", "https://example.org/a?b=c#d"]
print("function", "input", "repeat", "country", "entity", "ms", "expected", sep="\t")
for i, name in enumerate(names):
    data = name.encode("utf-8")
    for country, entity in ((0, 0), (7, 1), (255, 255), (i * 29 % 256, i * 83 % 256)):
        for ms in (None, 0, 1767225600123, (1 << 48) - 1):
            row("name", data, 1, country, entity, ms, from_name(data, country, entity, ms))
for repeat in (127, 128, 129, 8191, 1 << 20):
    row("name", b"a", repeat, 7, 1, None, from_name(b"a" * repeat, 7, 1))
    row("name", "é".encode("utf-8"), repeat, 7, 1, 1767225600123, from_name("é".encode("utf-8") * repeat, 7, 1, 1767225600123))

# RFC 9562, appendix A, and the ends of their times.
timed = ["C232AB00-9414-11EC-B3C8-9F6BDECED846", "1EC9414C-232A-6B00-B3C8-9F6BDECED846", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
         "13814000-1dd2-11b2-8000-000000000000", "1b21dd21-3814-6000-8000-000000000000", "00000000-0000-7000-8000-000000000000",
         "ffffffff-ffff-1fff-bfff-ffffffffffff", "ffffffff-ffff-6fff-bfff-ffffffffffff", "ffffffff-ffff-7fff-bfff-ffffffffffff"]
other = ["919108f7-52d1-4320-9bac-f847db4148a8", "5df41881-3aed-3515-88a7-2f4a814cf09e", "2ed6657d-e927-568b-95e1-2665a8aea6a2",
         "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "019b76da-a87b-8007-8041-23456789abcd"]
for text in timed:
    u = uuid.UUID(text)
    for country, entity in ((0, 0), (7, 1), (255, 255)):
        row("uuid", u.bytes, 1, country, entity, None, from_uuid(u, country, entity))
for text in timed + other:
    u = uuid.UUID(text)
    for ms in (0, 1767225600123, (1 << 48) - 1):
        row("uuid", u.bytes, 1, 9, 33, ms, from_uuid(u, 9, 33, ms))
