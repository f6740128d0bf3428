"""Random conditions from the operators and predicates of doc/predicates.md."""

import operator

import identifiers
from expressions import (Expression, Values, all_of, any_of, call, greatest, least, not_, slots,
                         strict)

COMPARISONS = {"<": operator.lt, "<=": operator.le, "=": operator.eq,
               ">=": operator.ge, ">": operator.gt, "<>": operator.ne}
COUNTRY_COMPARISONS = {"~<~": operator.lt, "~<=~": operator.le,
                       "~>=~": operator.ge, "~>~": operator.gt}
TIME_COMPARISONS = {sign: COMPARISONS[sign] for sign in ("<", "<=", ">=", ">")}


class Maker(Values):
    """Makes the values and conditions of one statement from the tables of a world."""

    _within = False  # a sub-query

    def condition(self, sources, depth=2):
        kind = self.rng.random()
        if depth == 0 or kind < 0.55:
            if self.rng.random() < 0.02 and not self._within:
                return self._sub_query(sources)
            return self.rng.choice(self._simple_conditions)(self, sources)
        parts = [self.condition(sources, depth - 1) for _ in range(self.rng.randrange(2, 4))]
        if kind < 0.72:
            return self.joined(" AND ", all_of, parts)
        if kind < 0.87:
            return self.joined(" OR ", any_of, parts)
        if kind < 0.94:
            return call("boolean", "(NOT {})", not_, parts[0])
        if kind < 0.97:
            return call("boolean", "({} IS NOT TRUE)", lambda a: a is not True, parts[0])
        return call("boolean", "CASE WHEN {} THEN {} ELSE {} END",
                    lambda a, b, c: b if a else c, parts[0], parts[1], parts[-1])

    @staticmethod
    def joined(word, function, parts):
        return Expression("boolean", "(" + word.join(part.sql for part in parts) + ")",
                          lambda row: function(part.of(row) for part in parts))

    def _comparison(self, sources):
        left, right = self.key(sources), self.either_constant()
        if self.rng.random() < 0.5:
            left = self.either(sources)
        if self.rng.random() < 0.2:
            right = self.either(sources)
        return self.compare_keys(*self.rng.sample((left, right), 2))

    def compare_keys(self, left, right):
        signs, order = self.rng.choice((
            (COMPARISONS, identifiers.byte_order),
            (COUNTRY_COMPARISONS, identifiers.country_order)))
        sign, function = self.rng.choice(list(signs.items()))
        return call("boolean", "({} " + sign + " {})",
                    strict(lambda a, b: function(order(a), order(b))), left, right)

    def _look_up(self, sources):
        sides = [self.key(sources), self.either_constant()]
        self.rng.shuffle(sides)
        return call("boolean", "({} = {})", strict(operator.eq), *sides)

    def _time_comparison(self, sources):
        return self.compare_time(self.iuid(sources), self.time(sources))

    def compare_time(self, iuid, at):
        sign, function = self.rng.choice(list(TIME_COMPARISONS.items()))
        if self.rng.random() < 0.5:
            return call("boolean", "({} " + sign + " {})", strict(
                lambda a, b: function(identifiers.position(a), (b, 0))), iuid, at)
        return call("boolean", "({} " + sign + " {})", strict(
            lambda a, b: function((a, 0), identifiers.position(b))), at, iuid)

    def _between(self, sources):
        negation = self.rng.choice(("", "", "NOT "))
        finish = not_ if negation else lambda value: value
        if self.rng.random() < 0.5:
            value = self.either(sources)
            lower, upper = self.either_constant(), self.either_constant()
            place, edge = identifiers.byte_order, identifiers.byte_order
        else:
            value, lower, upper = self.iuid(sources), self.time(sources), self.time(sources)
            place, edge = identifiers.position, lambda at: (at, 0)
        at_least = strict(lambda a, b: place(a) >= edge(b))
        at_most = strict(lambda a, b: place(a) <= edge(b))
        return call("boolean", "({} " + negation + "BETWEEN {} AND {})",
                    lambda a, b, c: finish(all_of((at_least(a, b), at_most(a, c)))),
                    value, lower, upper)

    def _in_range(self, sources):
        return self.contain(self.iuid(sources), self.range(sources))

    def contain(self, iuid, span):
        if self.rng.random() < 0.5:
            return call("boolean", "({} <@ {})", strict(identifiers.is_in_range), iuid, span)
        return call("boolean", "({} @> {})",
                    strict(lambda a, b: identifiers.is_in_range(b, a)), span, iuid)

    def _is_from(self, sources):
        arguments = [self.either(sources), self.country(sources)]
        if self.rng.random() < 0.5:
            arguments.append(self.entity(sources))
        return call("boolean", f"iuid_is_from({slots(arguments)})",
                    strict(identifiers.is_from), *arguments)

    def _in_list(self, sources):
        value = self.either(sources)
        members = [self.either_constant() for _ in range(self.rng.randrange(1, 6))]
        word, finish = self.rng.choice((("IN", lambda found: found), ("IN", lambda found: found),
                                        ("NOT IN", not_)))
        return call("boolean", f"({{}} {word} ({slots(members)}))", lambda a, *list_: finish(
            any_of(strict(operator.eq)(a, item) for item in list_)), value, *members)

    def _with_array(self, sources):
        of_type = self.rng.choice(("iuid", "uuid"))
        draw = self.pool.sometimes_null(lambda: self.some_key(of_type), 0.08)
        array = self.constant(of_type + "[]",
                              lambda: [draw() for _ in range(self.rng.randrange(6))])
        sign, compare = self.rng.choice([("=", operator.eq)] * 5 + list(COMPARISONS.items()))
        word, combine = self.rng.choice((("ANY", any_of), ("ANY", any_of), ("ALL", all_of)))

        def function(value, items):
            if items is None:
                return None
            return combine(strict(compare)(value, item) for item in items)
        return call("boolean", f"({{}} {sign} {word} (({{}})::{of_type}[]))", function,
                    self.either(sources), array)

    def _row_comparison(self, sources):
        """(a, b) op (c, d): the first pair that differs decides, and a NULL there makes NULL."""
        sign, compare = self.rng.choice(list(COMPARISONS.items()))
        left = [self.either(sources), self.rng.choice(sources).column("n")]
        right = [self.either_constant(), self.constant("int", lambda: self.rng.randrange(120))]

        def function(a, b, c, d):
            if sign in ("=", "<>"):
                equal = all_of((strict(operator.eq)(a, c), strict(operator.eq)(b, d)))
                return equal if sign == "=" else not_(equal)
            if None in (a, c) or a == c and None in (b, d):
                return None
            return compare((a, b), (c, d))
        return call("boolean", "(({}, {}) " + sign + " ({}, {}))", function, *left, *right)

    def _null_test(self, sources):
        if self.rng.random() < 0.5:
            return call("boolean", "({} IS NULL)", lambda a: a is None, self.either(sources))
        word, compare = self.rng.choice((("", operator.ne), ("NOT ", operator.eq)))
        return call("boolean", "({} IS " + word + "DISTINCT FROM {})", compare,
                    self.either(sources), self.either_constant())

    def _field_comparison(self, sources):
        field = self.field(sources)
        draw = {"timestamptz": self.pool.time, "bigint": lambda: self.rng.choice((0, 1, 2**54 - 1)),
                "int": self.rng.choice((self.pool.country, self.pool.entity))}[field.type]
        sign, compare = self.rng.choice(list(COMPARISONS.items()))
        return call("boolean", "({} " + sign + " {})", strict(compare),
                    field, self.constant(field.type, draw))

    def _sub_query(self, sources):
        """EXISTS, IN, a comparison with the least or greatest of another table."""
        other = self.source()
        self._within = True
        inner = self.condition([other, *sources[:self.rng.randrange(2)]], 0)
        self._within = False
        key = other.column("id")

        def values(row):
            rows = ({**row, other.alias: each} for each in other.table.rows)
            return [key.of(each) for each in rows if inner.of(each) is True]
        where = f"FROM {other.table.name} AS {other.alias} WHERE {inner.sql}"
        value = self.either(sources)
        kind = self.rng.choice(("exists", "in", "not in", "all", "extreme"))
        if kind == "exists":
            sql = f"EXISTS (SELECT {where} AND {key.sql} = {value.sql})"
            return Expression("boolean", sql, lambda row: value.of(row) is not None
                              and value.of(row) in values(row))
        if kind in ("in", "not in"):
            finish = not_ if kind == "not in" else lambda found: found
            sql = f"({value.sql} {kind.upper()} (SELECT {key.sql} {where}))"
            return Expression("boolean", sql, lambda row: finish(
                any_of(strict(operator.eq)(value.of(row), each) for each in values(row))))
        sign, compare = self.rng.choice(list(COMPARISONS.items()))
        if kind == "all" or key.type in ("uuid", "uuid_key"):
            sql = f"({value.sql} {sign} ALL (SELECT {key.sql} {where}))"
            return Expression("boolean", sql, lambda row: all_of(
                strict(compare)(value.of(row), each) for each in values(row)))
        name, extreme = self.rng.choice((("min", least), ("max", greatest)))
        return Expression("boolean", f"({value.sql} {sign} (SELECT {name}({key.sql}) {where}))",
                          lambda row: strict(compare)(value.of(row), extreme(*values(row))))

    _simple_conditions = (
        [_look_up] * 4 + [_comparison] * 6 + [_time_comparison] * 5 + [_between] * 3
        + [_in_range] * 4 + [_is_from] * 4 + [_in_list] * 3 + [_with_array] * 3
        + [_row_comparison] * 2 + [_null_test, _field_comparison])
