"""Random joins of iuid and uuid, of all kinds."""

import itertools
import operator

from conditions import COMPARISONS
from expressions import Expression, all_of, strict
from question import Question, from_, rows_of, selected, texts, where
from values import text


def _join_condition(maker, left, right):
    """An equality of keys, or a condition that needs a nested loop."""
    sides = [maker.either([left]), maker.either([right])]
    if maker.rng.random() < 0.6:
        sides = [left.column(maker.rng.choice(("id", "id", "u", "other"))),
                 right.column(maker.rng.choice(("id", "id", "u", "other")))]
    if maker.rng.random() < 0.8:
        sign = "="
    else:
        sign = maker.rng.choice(list(COMPARISONS))
    equal = Expression("boolean", f"{sides[0].sql} {sign} {sides[1].sql}",
                       lambda row: strict(COMPARISONS[sign])(sides[0].of(row), sides[1].of(row)))
    if sign == "=" and maker.rng.random() < 0.7:
        return equal
    return maker.joined(" AND ", all_of, [equal, maker.condition([left, right], 0)])


def joins(maker):
    left, right = maker.source(), maker.source()
    kind = maker.rng.choice(("INNER", "LEFT", "RIGHT", "FULL"))
    on = _join_condition(maker, left, right)
    if kind == "FULL":  # which the server joins by hash or merge only
        sides = [left.column("id"), right.column(maker.rng.choice(("id", "u")))]
        on = Expression("boolean", f"{sides[0].sql} = {sides[1].sql}",
                        lambda row: strict(operator.eq)(sides[0].of(row), sides[1].of(row)))
    clause, holds = where(maker, [left, right], 0.5)
    outputs = [left.column("n"), right.column("n")]

    def expected():
        nothing = {left.alias: dict.fromkeys(left.table.columns), right.alias: dict.fromkeys(right.table.columns)}
        found, met = [], {left.alias: set(), right.alias: set()}
        for a, b in itertools.product(left.table.rows, right.table.rows):
            row = {left.alias: a, right.alias: b}
            if on.of(row) is True:
                found.append(row)
                met[left.alias].add(a["n"])
                met[right.alias].add(b["n"])
        for source, kinds in ((left, ("LEFT", "FULL")), (right, ("RIGHT", "FULL"))):
            if kind in kinds:
                found += [{**nothing, source.alias: row} for row in source.table.rows
                          if row["n"] not in met[source.alias]]
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

    def expected():
        return [texts([n], row) for row in rows_of(left) if holds(row) and
                any(on.of({**row, right.alias: other}) is True for other in right.table.rows) is not bool(negation)]
    return Question(f"SELECT {n.sql} FROM {from_(left)}{clause or ' WHERE true'} "
                    f"AND {negation}EXISTS (SELECT FROM {from_(right)} WHERE {on.sql})", expected)


def three_tables(maker):
    """Two joins by one key; the order of joins is the server's."""
    sources = [maker.source() for _ in range(3)]
    keys = [source.column(maker.rng.choice(("id", "id", "u", "other"))) for source in sources]
    clause, holds = where(maker, sources, 0.7)
    outputs = [source.column("n") for source in sources]

    def expected():
        by_key = [{}, {}, {}]
        for source, key, found in zip(sources, keys, by_key):
            for row in rows_of(source):
                found.setdefault(key.of(row), []).append(row)
        combined = ({**a, **b, **c} for key in by_key[0] if key is not None
                    for a in by_key[0][key] for b in by_key[1].get(key, ()) for c in by_key[2].get(key, ()))
        return [texts(outputs, row) for row in combined if holds(row)]
    return Question(f"SELECT {selected(outputs)} FROM {from_(sources[0])} "
                    f"JOIN {from_(sources[1])} ON {keys[0].sql} = {keys[1].sql} "
                    f"JOIN {from_(sources[2])} ON {keys[1].sql} = {keys[2].sql}{clause}", expected)


def nearest(maker):
    """For each row, the next key of another table, by an index or a sort."""
    left, right = maker.source(), maker.source()
    from_key, to_key = left.column("id"), right.column(maker.rng.choice(("id", "u")))
    sign, sql, best = maker.rng.choice(((">=", "", min), (">", "", min), ("<", " DESC", max)))
    clause, holds = where(maker, [left], 0.7)
    n = left.column("n")

    def expected():
        found = []
        for row in filter(holds, rows_of(left)):
            near = [to_key.of(other) for other in rows_of(right)
                    if strict(COMPARISONS[sign])(to_key.of(other), from_key.of(row))]
            if near:
                found.append(texts([n], row) + (text(to_key.type, best(near)),))
        return found
    return Question(f"SELECT {n.sql}, x.k FROM {from_(left)}, LATERAL (SELECT {to_key.sql} AS k FROM {from_(right)} "
                    f"WHERE {to_key.sql} {sign} {from_key.sql} ORDER BY 1{sql} LIMIT 1) AS x{clause}", expected)


KINDS = [joins] * 3 + [half_joins, three_tables, nearest]
