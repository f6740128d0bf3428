"""What somebody pasted: where an identifier is in it, and what its bits are."""

import re
import urllib.parse

LONGEST = 10_000  # of the texts that are looked at

# The bits of doc/format.md: of each field the first bit, and the bit after the last one.
FIELDS = {"time": (0, 48), "version": (48, 52), "layout": (52, 56), "country": (56, 64),
          "variant": (64, 66), "entity": (66, 74), "random": (74, 128)}
# Those that an identifier has, by its layout.  Nil and Max have none, and no layout.
KNOWN = {None: set(), 0: set(FIELDS), 1: {"version", "layout", "country", "variant", "entity"}}

# Hyphens as word processors write them, and characters that nobody sees.
TYPOGRAPHY = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
                           | dict.fromkeys("\0\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", ""))
UUID = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}(?![0-9a-f])")


def clean(text):
    return urllib.parse.unquote(text[:LONGEST].translate(TYPOGRAPHY)).translate(TYPOGRAPHY).strip()


def uuids(text):
    """The UUIDs in a clean text, in lower case with hyphens, each once; those of version 8 first."""
    digits = [found.replace("-", "") for found in UUID.findall(text.lower())]
    parts = dict.fromkeys((d[:8], d[8:12], d[12:16], d[16:20], d[20:]) for d in digits)
    return sorted(map("-".join, parts), key=lambda uuid: uuid[14] != "8")


def count_digits(text):
    """The number of digits, if a clean text is nothing else; 0 if it is."""
    is_digits = re.fullmatch(r"[{(]?[0-9a-fA-F-]+[)}]?", text)
    return len(re.findall("[0-9a-fA-F]", text)) if is_digits else 0


def bits(uuid, layout):
    """Each bit of an identifier, with its field if the layout has that field."""
    digits = f"{int(uuid.replace('-', ''), 16):0128b}"
    known = KNOWN.get(layout, {"version", "layout", "variant"})
    return [(digits[bit], field if field in known else "none")
            for field, (first, end) in FIELDS.items() for bit in range(first, end)]
