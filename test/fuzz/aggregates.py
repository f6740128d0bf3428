"""Random aggregates, groups and set operations."""

import identifiers
from question import Question, from_, rows_of, where
from values import text


def _aggregates(maker, source):
    """Aggregates, each with a function of the rows to the text."""
    iuid, value = maker.iuid([source]), maker.either([source])
    condition = maker.condition([source], 0)

    def known(expression, rows_):
        return [each for each in map(expression.of, rows_) if each is not None]

    def array(rows_, order, reverse):
        return text("iuid[]", sorted(known(iuid, rows_), key=order, reverse=reverse)) if known(iuid, rows_) else None
    return [
        ("count(*)", lambda rows_: str(len(rows_))),
        (f"count({value.sql})", lambda rows_: str(len(known(value, rows_)))),
        (f"count(DISTINCT {value.sql})", lambda rows_: str(len(set(known(value, rows_))))),
        (f"min({iuid.sql})", lambda rows_: text("iuid", min(known(iuid, rows_), default=None))),
        (f"max({iuid.sql})", lambda rows_: text("iuid", max(known(iuid, rows_), default=None))),
        (f"count(*) FILTER (WHERE {condition.sql})",
         lambda rows_: str(sum(condition.of(row) is True for row in rows_))),
        (f"array_agg({iuid.sql} ORDER BY {iuid.sql}) FILTER (WHERE {iuid.sql} IS NOT NULL)",
         lambda rows_: array(rows_, identifiers.byte_order, False)),
        (f"array_agg({iuid.sql} ORDER BY {iuid.sql} USING ~>~) FILTER (WHERE {iuid.sql} IS NOT NULL)",
         lambda rows_: array(rows_, identifiers.country_order, True)),
    ]


def aggregates(maker):
    source = maker.source()
    clause, holds = where(maker, [source], 0.8)
    chosen = maker.rng.sample(_aggregates(maker, source), maker.rng.randrange(1, 4))

    def expected():
        found = [row for row in rows_of(source) if holds(row)]
        return [tuple(function(found) for _, function in chosen)]
    return Question(f"SELECT {', '.join(sql for sql, _ in chosen)} FROM {from_(source)}{clause}", expected)


def ends(maker):
    """min and max of a plain column, which an index can answer."""
    source = maker.source()
    clause, holds = where(maker, [source], 0.6)
    columns = [source.column(name) for name in ("id", "other") if source.column(name).type != "uuid"]
    column = maker.rng.choice(columns)

    def expected():
        found = [column.of(row) for row in rows_of(source) if holds(row) and column.of(row) is not None]
        return [(text("iuid", min(found, default=None)), text("iuid", max(found, default=None)))]
    return Question(f"SELECT min({column.sql}), max({column.sql}) FROM {from_(source)}{clause}", expected)


def groups(maker):
    source = maker.source()
    clause, holds = where(maker, [source], 0.6)
    key = maker.rng.choice((maker.iuid, maker.either, maker.field))([source])
    sql, function = maker.rng.choice(_aggregates(maker, source))

    def expected():
        found = {}
        for row in filter(holds, rows_of(source)):
            found.setdefault(key.of(row), []).append(row)
        return [(text(key.type, value), function(rows_)) for value, rows_ in found.items()]
    return Question(f"SELECT {key.sql}, {sql} FROM {from_(source)}{clause} GROUP BY {key.sql}", expected)


def sets(maker):
    """UNION, INTERSECT and EXCEPT; of an iuid and a uuid, the result is of type uuid."""
    sides, clauses = [], []
    for _ in range(2):
        source = maker.source()
        key = source.column(maker.rng.choice(("id", "id", "u", "other")))
        clause, holds = where(maker, [source], 0.6)
        sides.append((source, key, holds))
        clauses.append(f"SELECT {key.sql} FROM {from_(source)}{clause}")
    word = maker.rng.choice(("UNION", "INTERSECT", "EXCEPT"))
    every = maker.rng.choice(("", " ALL"))

    def expected():
        left, right = ([key.of(row) for row in rows_of(source) if holds(row)] for source, key, holds in sides)
        result = []
        for value in set(left + right):
            a, b = left.count(value), right.count(value)
            copies = {"UNION": a + b, "INTERSECT": min(a, b), "EXCEPT": max(a - b, 0)}[word]
            if not every:
                copies = {"UNION": 1, "INTERSECT": int(a > 0 and b > 0), "EXCEPT": int(a > 0 and b == 0)}[word]
            result += [(text("uuid", value),)] * copies
        return result
    return Question(f"{clauses[0]} {word}{every} {clauses[1]}", expected)


KINDS = [aggregates, aggregates, ends, groups, groups, sets, sets]
