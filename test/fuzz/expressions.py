"""Random expressions: each is SQL text, and a function that computes its value from a row.

A row is a dictionary from the alias of each table in the query to a dictionary of its columns.
A value of type boolean is True, False or None, as SQL has it.
"""

import operator
from typing import Callable, NamedTuple

import identifiers
from values import literal

# Functions that return their argument, which the planner folds, or does not, or does not repeat.
HIDING = {"immutable": "IMMUTABLE COST 1", "stable": "STABLE COST 1",
          "volatile": "VOLATILE COST 1", "costly": "STABLE COST 1000"}


class Expression(NamedTuple):
    type: str
    sql: str
    of: Callable  # the value for a row


class Source(NamedTuple):
    """A table in a query."""

    alias: str
    table: object

    def column(self, name):
        return Expression(self.table.columns[name], f"{self.alias}.{name}",
                          lambda row: row[self.alias][name])


def strict(function):
    """NULL if an argument is NULL, as most functions of the server."""
    return lambda *values: None if None in values else function(*values)


def not_(value):
    return None if value is None else not value


def any_of(values):
    unknown = False
    for value in values:
        if value is True:
            return True
        unknown = unknown or value is None
    return None if unknown else False


def all_of(values):
    return not_(any_of(map(not_, values)))


def slots(arguments):
    """A {} for each argument, for call()."""
    return ", ".join(["{}"] * len(arguments))


def _of_those_known(function):
    def of_values(*values):
        known = [value for value in values if value is not None]
        return function(known) if known else None
    return of_values


least, greatest, first = map(_of_those_known, (min, max, lambda known: known[0]))


def call(of_type, sql, function, *arguments):
    """The SQL text has a {} for each argument."""
    return Expression(of_type, sql.format(*(argument.sql for argument in arguments)),
                      lambda row: function(*(argument.of(row) for argument in arguments)))


# Type, column of iuid_fields(), function, and what it must return.
FIELDS = (("int", "country", "iuid_country", identifiers.country),
          ("int", "entity", "iuid_entity", identifiers.entity),
          ("int", "layout", "iuid_layout", identifiers.layout),
          ("bigint", "random", "iuid_random_bits", identifiers.random_bits),
          ("timestamptz", "time", "iuid_timestamp", identifiers.time))


class Parameter:
    """A parameter of a prepared statement, which can take another value for each execution."""

    def __init__(self, of_type, draw):
        self.type, self.draw, self.value = of_type, draw, draw()


class Values:
    """Makes the values of one statement from the tables of a world."""

    def __init__(self, pool, tables, prepared):
        self.pool, self.rng, self.tables, self.prepared = pool, pool.rng, tables, prepared
        self.parameters = []
        self._aliases = 0

    def source(self, table=None):
        self._aliases += 1
        return Source(f"t{self._aliases}", table or self.rng.choice(self.tables))

    # --- constants ----------------------------------------------------------

    def constant(self, of_type, draw, null=0.03):
        """A value as literal or parameter, known to the planner, to the executor, or to nobody."""
        draw = self.pool.sometimes_null(draw, null)
        if self.prepared and self.rng.random() < 0.7:
            parameter = Parameter(of_type, draw)
            self.parameters.append(parameter)
            return Expression(of_type, f"${len(self.parameters)}", lambda row: parameter.value)
        value = draw()
        sql, kind = literal(of_type, value), self.rng.random()
        if kind < 0.05:
            sql = f"(SELECT {sql})"
        elif kind < 0.15:
            sql = f"{self.rng.choice(list(HIDING))}({sql})"
        return Expression(of_type, sql, lambda row: value)

    # --- values -------------------------------------------------------------

    def _columns(self, sources, *types):
        return [source.column(name) for source in sources
                for name, of_type in source.table.columns.items() if of_type in types]

    def _column_or_constant(self, sources, of_type, share=0.5):
        columns = self._columns(sources, of_type)
        if columns and self.rng.random() < share:
            return self.rng.choice(columns)
        return self.constant(of_type, self.pool.draw(of_type))

    def key(self, sources):
        """The column that indexes and partitions are about."""
        return self.rng.choice(sources).column("id")

    def iuid(self, sources, depth=1):
        """Any expression of type iuid, or of the domain over it."""
        kind = self.rng.random()
        keys = self._columns(sources, "iuid", "key")
        if kind < 0.75 or depth == 0:
            named_id = [key for key in keys if key.sql.endswith(".id")]
            return self.rng.choice(named_id if named_id and self.rng.random() < 0.7 else keys)
        if kind < 0.90:
            return self._computed_iuid(sources)
        chosen, other = self.rng.choice(keys), self.iuid(sources, depth - 1)
        name, function = self.rng.choice((("least", least), ("greatest", greatest),
                                          ("coalesce", first)))
        return call("iuid", name + "({}, {}, {})", function, chosen, other,
                    self.constant("iuid", self.pool.id))

    def _computed_iuid(self, sources):
        valid = [source.column("id") for source in sources if source.table.all_valid]
        kind = self.rng.choice(("time", "country", "name", "cast" if valid else "time"))
        if kind == "time":
            return call("iuid", "iuid_floor({})", strict(identifiers.floor), self.time(sources, 0))
        if kind == "country":
            return call("iuid", "iuid_country_floor({}, {})", strict(identifiers.country_floor),
                        self.country(sources), self.entity(sources))
        if kind == "cast":
            return call("iuid", "{}::uuid::iuid", lambda a: a, self.rng.choice(valid))
        return call("iuid", "iuid_from_name({}, {}, 'a name')",
                    lambda country, entity: identifiers.from_name(country, entity, b"a name"),
                    self.constant("int", self.pool.country, 0),
                    self.constant("int", self.pool.entity, 0))

    def uuid(self, sources):
        """Any expression of type uuid."""
        if self.rng.random() < 0.3:
            return call("uuid", "{}::uuid", lambda a: a, self.iuid(sources))
        keys = self._columns(sources, "uuid", "uuid_key")
        if self.rng.random() < 0.8:
            return self.rng.choice([key for key in keys if key.sql.endswith(".id")] or keys)
        return self._column_or_constant(sources, "uuid", 0.5)

    def either(self, sources):
        return self.iuid(sources) if self.rng.random() < 0.7 else self.uuid(sources)

    def either_constant(self):
        of_type = self.rng.choice(("iuid", "uuid"))
        return self.constant(of_type, lambda: self.some_key(of_type))

    def some_key(self, of_type):
        """A random value of type iuid or uuid, half of the time the key of a row."""
        row = self.rng.choice(self.rng.choice(self.tables).rows or [{"id": None}])
        fits = row["id"] is not None and (of_type == "uuid" or identifiers.is_valid(row["id"]))
        return row["id"] if fits and self.rng.random() < 0.5 else self.pool.draw(of_type)()

    def time(self, sources, depth=1):
        kind = self.rng.random()
        if kind < 0.2 and depth:
            name, value = self.rng.choice((("iuid_timestamp({})", self.either(sources)),
                                           ("{}::timestamptz", self.iuid(sources, 0))))
            return call("timestamptz", name, strict(identifiers.time), value)
        if kind < 0.4:
            step = self.rng.choice((1, 999, 1000, 5000))
            sign, function = self.rng.choice((("+", operator.add), ("-", operator.sub)))
            return call("timestamptz", "({} " + f"{sign} interval '{step} microseconds')",
                        strict(lambda a: function(a, step)),
                        self._column_or_constant(sources, "timestamptz"))
        return self._column_or_constant(sources, "timestamptz")

    def range(self, sources):
        kind = self.rng.random()
        if kind > 0.3:
            return self._column_or_constant(sources, "tstzrange")
        at = self._column_or_constant(sources, "timestamptz")
        if kind < 0.15:
            lower = self.rng.choice("[(")
            return call("tstzrange", f"tstzrange({{}}, NULL, '{lower})')",
                        lambda a: (a, None, lower == "[", False), at)
        upper = self.rng.choice(")]")
        return call("tstzrange", f"tstzrange(NULL, {{}}, '({upper}')",
                    lambda a: (None, a, False, upper == "]"), at)

    def country(self, sources):
        if self.rng.random() < 0.3:
            return self.rng.choice(sources).column("country")
        return self.constant("int", self.pool.country)

    def entity(self, sources):
        if self.rng.random() < 0.3:
            return self.rng.choice(sources).column("entity")
        return self.constant("int", self.pool.entity)

    def field(self, sources):
        """A field of an identifier."""
        of_type, column, name, function = self.rng.choice(FIELDS)
        value = self.either(sources)
        if self.rng.random() < 0.2:
            return call(of_type, f'(iuid_fields({{}}))."{column}"', strict(function), value)
        return call(of_type, name + "({})", strict(function), value)
