"""Random aggregates, groups and set operations."""

import identifiers
from question import Question, from_, rows_of, where
from values import text


def _known(expression, rows):
    """The values of an expression in some rows, without NULL."""
    return [value for value in map(expression.of, rows) if value is not None]


def _array_agg(iuid, sql, order, reverse):
    """An aggregate whose argument is sorted in one of the two orders."""
    def function(rows):
        known = sorted(_known(iuid, rows), key=order, reverse=reverse)
        return text("iuid[]", known) if known else None
    return (f"array_agg({iuid.sql} ORDER BY {iuid.sql}{sql}) "
            f"FILTER (WHERE {iuid.sql} IS NOT NULL)", function)


def _aggregates(maker, source):
    """Aggregates, each with a function of the rows to the text."""
    iuid, value = maker.iuid([source]), maker.either([source])
    condition = maker.condition([source], 0)
    return [
        ("count(*)", lambda rows: str(len(rows))),
        (f"count({value.sql})", lambda rows: str(len(_known(value, rows)))),
        (f"count(DISTINCT {value.sql})", lambda rows: str(len(set(_known(value, rows))))),
        (f"min({iuid.sql})", lambda rows: text("iuid", min(_known(iuid, rows), default=None))),
        (f"max({iuid.sql})", lambda rows: text("iuid", max(_known(iuid, rows), default=None))),
        (f"count(*) FILTER (WHERE {condition.sql})",
         lambda rows: str(sum(condition.of(row) is True for row in rows))),
        _array_agg(iuid, "", identifiers.byte_order, False),
        _array_agg(iuid, " USING ~>~", identifiers.country_order, True),
    ]


def aggregates(maker):
    source = maker.source()
    clause, holds = where(maker, [source], 0.8)
    chosen = maker.rng.sample(_aggregates(maker, source), maker.rng.randrange(1, 4))

    def expected():
        found = list(filter(holds, rows_of(source)))
        return [tuple(function(found) for _, function in chosen)]
    selected = ", ".join(sql for sql, _ in chosen)
    return Question(f"SELECT {selected} FROM {from_(source)}{clause}", expected)


def ends(maker):
    """min and max of a plain column, which an index can answer."""
    source = maker.source()
    clause, holds = where(maker, [source], 0.6)
    columns = [source.column(name) for name in ("id", "id", "other")]
    column = maker.rng.choice([column for column in columns if column.type not in ("uuid", "uuid_key")])

    def expected():
        known = _known(column, filter(holds, rows_of(source)))
        return [tuple(text("iuid", end(known, default=None)) for end in (min, max))]
    return Question(f"SELECT min({column.sql}), max({column.sql}) FROM {from_(source)}{clause}",
                    expected)


def groups(maker):
    source = maker.source()
    clause, holds = where(maker, [source], 0.6)
    key = maker.rng.choice((maker.iuid, maker.either, maker.field))([source])
    sql, function = maker.rng.choice(_aggregates(maker, source))

    def expected():
        found = {}
        for row in filter(holds, rows_of(source)):
            found.setdefault(key.of(row), []).append(row)
        return [(text(key.type, value), function(rows)) for value, rows in found.items()]
    return Question(f"SELECT {key.sql}, {sql} FROM {from_(source)}{clause} GROUP BY {key.sql}",
                    expected)


# How often a value is in the result, that is a times on the left and b times on the right.
COPIES = {
    "UNION ALL": lambda a, b: a + b, "UNION": lambda a, b: 1,
    "INTERSECT ALL": min, "INTERSECT": lambda a, b: int(a > 0 and b > 0),
    "EXCEPT ALL": lambda a, b: max(a - b, 0), "EXCEPT": lambda a, b: int(a > 0 and b == 0),
}


def sets(maker):
    """UNION, INTERSECT and EXCEPT; of an iuid and a uuid, the result is of type uuid."""
    sides, clauses = [], []
    for _ in range(2):
        source = maker.source()
        key = source.column(maker.rng.choice(("id", "id", "u", "other")))
        clause, holds = where(maker, [source], 0.6)
        sides.append((source, key, holds))
        clauses.append(f"SELECT {key.sql} FROM {from_(source)}{clause}")
    word, copies = maker.rng.choice(list(COPIES.items()))

    def expected():
        left, right = ([key.of(row) for row in filter(holds, rows_of(source))]
                       for source, key, holds in sides)
        return [(text("uuid", value),) for value in set(left + right)
                for _ in range(copies(left.count(value), right.count(value)))]
    return Question(f"{clauses[0]} {word} {clauses[1]}", expected)


KINDS = [aggregates, aggregates, ends, groups, groups, sets, sets]
