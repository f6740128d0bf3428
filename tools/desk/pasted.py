"""What somebody pasted: where an identifier is in it, and what its bits are."""

import html
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
                           | dict.fromkeys("\0\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
                                           "\u2060\u2066\u2067\u2068\u2069\ufeff", ""))
# The shapes that the type takes, where a line may end anywhere, as a mail program wraps or quotes it.
SHAPES = "x" * 32, "-".join("x" * n for n in (8, 4, 4, 4, 12)), "-".join(["x" * 8] * 4), "-".join(["x" * 4] * 8)


def shaped(between, hyphen):
    """Finds the shapes, with something between two characters, and a hyphen or what stands for one."""
    parts = {"x": "[0-9a-f]", "-": hyphen}
    shapes = "|".join(between.join(parts[character] for character in shape) for shape in SHAPES)
    return re.compile(f"(?<![0-9a-f])(?:{shapes})(?![0-9a-f])", re.IGNORECASE)


WRAPPED = shaped(r"(?:=?\r?\n[> \t]*)?", "-")
SPACED = shaped(" ?", "[- ]")


def clean(text):
    text = urllib.parse.unquote(text[:LONGEST].translate(TYPOGRAPHY))
    text = html.unescape(re.sub(r"&#[0-9]{8,}", "", text))  # no character, and too long a number for Python
    return text.translate(TYPOGRAPHY).strip()


def uuids(text):
    """The UUIDs in a clean text, in lower case with hyphens, each once; those of version 8 first."""
    quoted = re.sub("=([2-7][0-9A-F])", lambda code: chr(int(code[1], 16)), text)  # quoted-printable
    for pattern, text in (WRAPPED, text), (WRAPPED, quoted), (SPACED, " ".join(quoted.split())):
        digits = [re.sub("[^0-9a-f]", "", found.lower()) for found in pattern.findall(text)]
        if digits:
            break
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
