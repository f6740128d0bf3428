"""Random joins of iuid and uuid, of all kinds."""

import itertools
import operator

from conditions import COMPARISONS
from expressions import all_of, call, strict
from question import Question, from_, rows_of, selected, texts, where
from values import text

KEYS = "id", "id", "u", "other"


def _join_condition(maker, left, right):
    """An equality of keys, or a condition that needs a nested loop."""
    sides = [maker.either([left]), maker.either([right])]
    if maker.rng.random() < 0.6:
        sides = [side.column(maker.rng.choice(KEYS)) for side in (left, right)]
    sign = "=" if maker.rng.random() < 0.8 else maker.rng.choice(list(COMPARISONS))
    comparison = call("boolean", "{} " + sign + " {}", strict(COMPARISONS[sign]), *sides)
    if sign == "=" and maker.rng.random() < 0.7:
        return comparison
    return maker.joined(" AND ", all_of, [comparison, maker.condition([left, right], 0)])


def _full_join_condition(maker, left, right):
    """An equality alone: the server makes a full join by hash or merge only."""
    return call("boolean", "{} = {}", strict(operator.eq),
                left.column("id"), right.column(maker.rng.choice(("id", "u"))))


def joins(maker):
    left, right = maker.source(), maker.source()
    kind = maker.rng.choice(("INNER", "LEFT", "RIGHT", "FULL"))
    on = (_full_join_condition if kind == "FULL" else _join_condition)(maker, left, right)
    clause, holds = where(maker, [left, right], 0.5)
    outputs = [left.column("n"), right.column("n")]

    def expected():
        nothing = {side.alias: dict.fromkeys(side.table.columns) for side in (left, right)}
        pairs = ({left.alias: a, right.alias: b}
                 for a, b in itertools.product(left.table.rows, right.table.rows))
        found = [pair for pair in pairs if on.of(pair) is True]
        for side, kinds in ((left, ("LEFT", "FULL")), (right, ("RIGHT", "FULL"))):
            met = {id(pair[side.alias]) for pair in found}
            if kind in kinds:
                found += [{**nothing, side.alias: row} for row in side.table.rows
                          if id(row) not in met]
        return [texts(outputs, row) for row in found if holds(row)]
    return Question(f"SELECT {selected(outputs)} FROM {from_(left)} {kind} JOIN {from_(right)} "
                    f"ON {on.sql}{clause}", expected)


def half_joins(maker):
    """EXISTS and NOT EXISTS, which the server makes into a semi join or anti join."""
    left, right = maker.source(), maker.source()
    negation = maker.rng.choice(("", "NOT "))
    on = _join_condition(maker, left, right)
    clause, holds = where(maker, [left], 0.5)
    n = left.column("n")

    def exists(row):
        return any(on.of({**row, right.alias: other}) is True for other in right.table.rows)

    def expected():
        return [texts([n], row) for row in filter(holds, rows_of(left))
                if exists(row) is not bool(negation)]
    return Question(f"SELECT {n.sql} FROM {from_(left)}{clause or ' WHERE true'} "
                    f"AND {negation}EXISTS (SELECT FROM {from_(right)} WHERE {on.sql})", expected)


def three_tables(maker):
    """Two joins by one key; the order of joins is the server's."""
    sources = [maker.source() for _ in range(3)]
    keys = [source.column(maker.rng.choice(KEYS)) for source in sources]
    clause, holds = where(maker, sources, 0.7)
    outputs = [source.column("n") for source in sources]

    def expected():
        first, second, third = ({}, {}, {})
        for source, key, found in zip(sources, keys, (first, second, third)):
            for row in rows_of(source):
                found.setdefault(key.of(row), []).append(row)
        combined = ({**a, **b, **c} for key in first if key is not None
                    for a in first[key] for b in second.get(key, ()) for c in third.get(key, ()))
        return [texts(outputs, row) for row in combined if holds(row)]
    return Question(f"SELECT {selected(outputs)} FROM {from_(sources[0])} "
                    f"JOIN {from_(sources[1])} ON {keys[0].sql} = {keys[1].sql} "
                    f"JOIN {from_(sources[2])} ON {keys[1].sql} = {keys[2].sql}{clause}", expected)


def nearest(maker):
    """For each row, the next key of another table, by an index or a sort."""
    left, right = maker.source(), maker.source()
    start, key = left.column("id"), right.column(maker.rng.choice(("id", "u")))
    sign, direction, best = maker.rng.choice(((">=", "", min), (">", "", min), ("<", " DESC", max)))
    clause, holds = where(maker, [left], 0.7)
    n = left.column("n")

    def expected():
        found = []
        for row in filter(holds, rows_of(left)):
            near = [key.of(other) for other in rows_of(right)
                    if strict(COMPARISONS[sign])(key.of(other), start.of(row))]
            if near:
                found.append(texts([n], row) + (text(key.type, best(near)),))
        return found
    return Question(f"SELECT {n.sql}, x.key FROM {from_(left)}, "
                    f"LATERAL (SELECT {key.sql} AS key FROM {from_(right)} "
                    f"WHERE {key.sql} {sign} {start.sql} ORDER BY 1{direction} LIMIT 1) AS x"
                    f"{clause}", expected)


KINDS = [joins] * 3 + [half_joins, three_tables, nearest]
