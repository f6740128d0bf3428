"""Random queries of the rows of one table, and of their order."""

import functools

import identifiers
from expressions import Expression
from question import Question, from_, rows_of, selected, texts, where
from values import text


def rows(maker):
    source = maker.source()
    clause, holds = where(maker, [source])
    outputs = [source.column("n")]
    for _ in range(maker.rng.randrange(3)):
        outputs.append(maker.rng.choice((
            maker.iuid, maker.uuid, maker.field, maker.time, maker.condition))([source]))
    return Question(f"SELECT {selected(outputs)} FROM {from_(source)}{clause}",
                    lambda: [texts(outputs, row) for row in filter(holds, rows_of(source))])


def places(maker):
    """That each row is in its partition."""
    source = maker.source()
    clause, holds = where(maker, [source])
    n, top = source.column("n"), source.table.top
    known = not {"hash", "inherit"} & top.kinds()
    place = Expression("regclass", f"{source.alias}.tableoid::regclass" if known else "NULL",
                       lambda row: top.leaf_of(row[source.alias]["id"]) if known else None)
    return Question(f"SELECT {n.sql}, {place.sql} FROM {from_(source)}{clause}",
                    lambda: [texts([n, place], row) for row in filter(holds, rows_of(source))])


# --- order ----------------------------------------------------------------

def _sort_key(order, reverse, nulls_first):
    """For sort(): in an order of values or its reverse, and with NULL at one end."""
    def compare(a, b):
        if a is None or b is None:
            return ((a is None) - (b is None)) * (-1 if nulls_first else 1)
        return ((order(a) > order(b)) - (order(a) < order(b))) * (-1 if reverse else 1)
    return functools.cmp_to_key(compare)


def ordering(maker, expression):
    """What stands behind an expression in ORDER BY, and the key for sort()."""
    reverse = maker.rng.random() < 0.5
    order, sql = identifiers.byte_order, " DESC" if reverse else ""
    if expression.type in ("iuid", "key") and maker.rng.random() < 0.4:
        order, sql = identifiers.country_order, " USING ~>~" if reverse else " USING ~<~"
    nulls_first = reverse
    if maker.rng.random() < 0.3:
        nulls_first = maker.rng.random() < 0.5
        sql += " NULLS FIRST" if nulls_first else " NULLS LAST"
    return sql, _sort_key(order, reverse, nulls_first)


def ordered(maker):
    """In both orders, upwards and downwards, whole or some rows of it."""
    source = maker.source()
    clause, holds = where(maker, [source], 0.6)
    key, n = maker.either([source]), source.column("n")
    sql, sort_key = ordering(maker, key)
    limit = maker.rng.choice((None, None, 1, 7))
    offset = maker.rng.choice((0, 0, 5))
    tail = (f" LIMIT {limit}" if limit else "") + (f" OFFSET {offset}" if offset else "")

    def expected():
        found = list(filter(holds, rows_of(source)))
        found.sort(key=lambda row: (sort_key(key.of(row)), n.of(row)))
        return [texts([key, n], row) for row in found[offset:][:limit]]
    return Question(f"SELECT {key.sql}, {n.sql} FROM {from_(source)}{clause} "
                    f"ORDER BY {key.sql}{sql}, {n.sql}{tail}", expected, slice(0, 2))


def least_first(maker):
    """Without a column that tells equal keys apart, so that an index alone can give the order."""
    source = maker.source()
    clause, holds = where(maker, [source], 0.7)
    key = source.column(maker.rng.choice(("id", "id", "other", "u")))
    distinct = maker.rng.random() < 0.3
    sql, sort_key = "", _sort_key(identifiers.byte_order, False, False)
    if not distinct:
        sql, sort_key = ordering(maker, key)
    limit = maker.rng.choice((None, 1, 3, 10))
    tail = f" LIMIT {limit}" if limit else ""

    def expected():
        found = [key.of(row) for row in filter(holds, rows_of(source))]
        found = set(found) if distinct else found
        return [(text(key.type, each),) for each in sorted(found, key=sort_key)[:limit]]
    return Question(f"SELECT {'DISTINCT ' * distinct}{key.sql} FROM {from_(source)}{clause} "
                    f"ORDER BY {key.sql}{sql}{tail}", expected, slice(0, 1))


def windows(maker):
    source = maker.source()
    clause, holds = where(maker, [source], 0.5)
    key, n = maker.either([source]), source.column("n")
    sql, sort_key = ordering(maker, key)

    def expected():
        found = list(filter(holds, rows_of(source)))
        sorted_keys = sorted((key.of(row) for row in found), key=sort_key)
        return [texts([n], row) + (str(sorted_keys.index(key.of(row)) + 1),) for row in found]
    return Question(f"SELECT {n.sql}, rank() OVER (ORDER BY {key.sql}{sql}) "
                    f"FROM {from_(source)}{clause}", expected)


KINDS = [rows] * 8 + [places] * 3 + [ordered] * 3 + [least_first] * 3 + [windows]
