"""What the server is asked, and what it must answer."""

from typing import Callable, NamedTuple, Optional

import identifiers
from values import text

BAD_VALUE = "22023"


class Question(NamedTuple):
    sql: str
    expected: Callable  # returns rows of texts, or raises Refused
    sorted: Optional[slice] = None  # the columns whose order is certain


class Refused(Exception):
    """The server must refuse the statement, with one of these SQLSTATEs."""


def as_iuid(uuid):
    """What a cast to iuid or an assignment to a column of iuid makes of a uuid."""
    if uuid is not None and not identifiers.is_valid(uuid):
        raise Refused(BAD_VALUE)
    return uuid


def texts(expressions, row):
    return tuple(text(expression.type, expression.of(row)) for expression in expressions)


def selected(expressions):
    return ", ".join(expression.sql for expression in expressions)


def rows_of(source):
    return [{source.alias: row} for row in source.table.rows]


def where(maker, sources, share=0.9):
    """A WHERE clause, and whether a row fulfils it."""
    if maker.rng.random() > share:
        return "", lambda row: True
    condition = maker.condition(sources)
    return f" WHERE {condition.sql}", lambda row: condition.of(row) is True


def from_(source):
    return f"{source.table.name} AS {source.alias}"
