"""Random tables: their columns, partitions, indexes and rows, and the SQL that makes them."""

import identifiers
from values import literal, quote, text, time_text

# Beside the key column "id", whose type differs; n tells the rows apart.
COLUMNS = {"n": "int", "other": "iuid", "u": "uuid", "at": "timestamptz", "during": "tstzrange",
           "country": "int", "entity": "int"}

ORDERS = {"time": identifiers.byte_order, "country": identifiers.country_order}

# Of what indexes can be, by the type of the key: a domain has what its type has.
INDEXES = {
    "any": ["btree (id)", "btree (id DESC NULLS LAST)", "btree (id, n)", "btree (id) INCLUDE (n)",
            "hash (id)", "brin (id) WITH (pages_per_range = 1)",
            "btree (u)", "btree (u DESC)", "hash (u)", "brin (u) WITH (pages_per_range = 1)",
            "btree (other)", "btree (other iuid_origin_ops)", "hash (other)",
            "btree ((iuid_timestamp(other)))", "btree ((other::uuid))",
            "btree (at)", "btree (country, id)", "btree ((iuid_timestamp(id)))",
            "btree ((iuid_country(id)), id)", "btree ((iuid_country(u)))", "btree (u uuid_origin_ops)"],
    "iuid": ["btree (id iuid_origin_ops)"] * 3 + [
             "btree (id iuid_origin_ops DESC)", "btree ((id::uuid))", "hash ((id::uuid))",
             "brin (id iuid_minmax_multi_ops) WITH (pages_per_range = 1)",
             "brin (id iuid_bloom_ops) WITH (pages_per_range = 1)"],
    "uuid": ["btree (id uuid_origin_ops)"] * 3 + [
             "btree (id uuid_origin_ops DESC)",
             "brin (id uuid_minmax_multi_ops) WITH (pages_per_range = 1)",
             "brin (id uuid_bloom_ops) WITH (pages_per_range = 1)"],
}


class Partition:
    """A table or partition, and how its key is divided further.

    BY is None for a leaf, "time" or "country" for a range in that order, "hash", or "inherit" for
    children that only a CHECK keeps apart.  PARTS are (lower, upper, Partition), where None is an
    open end.  REST is the DEFAULT partition, if there is one.
    """

    def __init__(self, name):
        self.name, self.by, self.parts, self.rest = name, None, [], None

    def leaf_of(self, key):
        """The leaf that takes a key; None if there is none, and "?" if only the server knows."""
        if self.by is None:
            return self.name
        if self.by == "hash":
            return "?"
        place = ORDERS["country" if self.by == "country" else "time"]
        for lower, upper, part in self.parts if key is not None else []:
            if ((lower is None or place(key) >= place(lower))
                    and (upper is None or place(key) < place(upper))):
                return part.leaf_of(key)
        if self.by == "inherit":
            return self.name
        return self.rest and self.rest.leaf_of(key)

    def below(self):
        return [part for _, _, part in self.parts] + ([self.rest] if self.rest else [])

    def kinds(self):
        """How this and all below are divided."""
        return {self.by}.union(*(part.kinds() for part in self.below()))


class Table:
    """A table of the server, beside its rows in Python."""

    def __init__(self, name, pool, old_server):
        rng = pool.rng
        self.name, self.pool = name, pool
        self.key_type = rng.choice(("iuid", "iuid", "iuid", "key", "uuid", "uuid", "uuid_key"))
        self.is_uuid = self.key_type in ("uuid", "uuid_key")
        self.all_valid = self.key_type != "uuid" or rng.random() < 0.5
        self.unique = rng.random() < 0.6
        self.old_server = old_server
        self.top = Partition(name)
        self._divide(self.top, rng.choice((None, None, "time", "time", "country", "country", "hash",
                                           "inherit")))
        self.unique = self.unique and self.top.by != "inherit"
        self.nullable = not self.unique and rng.random() < 0.3
        names = list(COLUMNS) + ["id"]
        rng.shuffle(names)
        self.columns = {column: COLUMNS.get(column, self.key_type) for column in names}
        self.next_n = 1
        self.rows = []
        self.add_rows(rng.choice((0, 15, 30, 60)))

    # --- the partitions -----------------------------------------------------

    def _divide(self, whole, by, level=1):
        """Cuts a table at random keys, with gaps and open ends, and with or without DEFAULT."""
        rng = self.pool.rng
        whole.by = by
        if by == "hash":
            whole.parts = [(n, 3, Partition(f"{whole.name}_h{n}")) for n in range(3)]
        if by not in ("time", "country", "inherit"):
            return
        order = ORDERS["country" if by == "country" else "time"]
        cuts = sorted({self._cut(by) for _ in range(rng.randrange(2, 6))}, key=order)
        if by != "inherit":
            cuts = [None] * (rng.random() < 0.4) + cuts + [None] * (rng.random() < 0.4)
        for n, (lower, upper) in enumerate(zip(cuts, cuts[1:])):
            if rng.random() < 0.85:
                whole.parts.append((lower, upper, Partition(f"{whole.name}_{n}")))
        # See doc/packages.md for what servers lose that have a DEFAULT partition below the first level.
        if by != "inherit" and rng.random() < 0.6 and not (level > 1 and self.old_server):
            whole.rest = Partition(f"{whole.name}_rest")
        for part in whole.below() if by != "inherit" and level < 3 else []:
            if rng.random() < 0.25:
                self._divide(part, rng.choice(("time", "country", "hash")), level + 1)

    def _cut(self, by):
        pool = self.pool
        if pool.rng.random() < 0.2:
            return pool.id()
        if by == "country":
            return identifiers.country_floor(pool.country(), pool.rng.choice((0, pool.entity())))
        return identifiers.floor(pool.time())

    def _bound(self, key, open_end):
        """The text of a bound; of some times and countries by the functions for bounds."""
        if key is None:
            return open_end
        if self.pool.rng.random() < 0.5:
            at = identifiers.bits(key, 0, 47) * 1000
            country, entity = identifiers.bits(key, 56, 63), identifiers.bits(key, 66, 73)
            cast = "::uuid" if self.is_uuid else ""
            if key == identifiers.floor(at):
                return f"(iuid_floor({quote(time_text(at))}){cast})"
            if key == identifiers.country_floor(country, entity):
                return f"(iuid_country_floor({country}, {entity}){cast})"
        return f"({literal(self.key_type, key)})"

    def _partition_by(self, part):
        return {"time": " PARTITION BY RANGE (id)", "hash": " PARTITION BY HASH (id)",
                "country": f" PARTITION BY RANGE (id {'uuid' if self.is_uuid else 'iuid'}_origin_ops)"}.get(part.by, "")

    def _create_parts(self, whole):
        for lower, upper, part in whole.parts:
            if whole.by == "inherit":
                yield (f"CREATE TABLE {part.name} (CHECK (id >= {self._bound(lower, '')} "
                       f"AND id < {self._bound(upper, '')})) INHERITS ({whole.name})")
            elif whole.by == "hash":
                yield (f"CREATE TABLE {part.name} PARTITION OF {whole.name} "
                       f"FOR VALUES WITH (MODULUS {upper}, REMAINDER {lower})")
            else:
                yield (f"CREATE TABLE {part.name} PARTITION OF {whole.name} "
                       f"FOR VALUES FROM ({self._bound(lower, 'MINVALUE')}) "
                       f"TO ({self._bound(upper, 'MAXVALUE')}){self._partition_by(part)}")
            yield from self._create_parts(part)
        if whole.rest:
            yield (f"CREATE TABLE {whole.rest.name} PARTITION OF {whole.name} "
                   f"DEFAULT{self._partition_by(whole.rest)}")
            yield from self._create_parts(whole.rest)

    # --- SQL ----------------------------------------------------------------

    def create(self):
        """The statements that make the table, with its rows."""
        columns = ", ".join(f"{column} {of_type}" for column, of_type in self.columns.items())
        key = ", PRIMARY KEY (id)" if self.unique else ""
        yield f"CREATE TABLE {self.name} ({columns}{key}){self._partition_by(self.top)}"
        yield from self._create_parts(self.top)
        early = self.pool.rng.random() < 0.5
        if early:
            yield from self.new_indexes()
        if self.rows:
            yield from self._insert(self.rows)
        if not early:
            yield from self.new_indexes()
        if self.pool.rng.random() < 0.8:
            yield f"ANALYZE {self.name}"

    def _insert(self, rows):
        into = {}
        for row in rows:
            target = self.top.leaf_of(row["id"]) if self.top.by == "inherit" else self.name
            into.setdefault(target, []).append(self.values(row))
        for target, values in into.items():
            yield (f"INSERT INTO {target} ({', '.join(self.columns)}) VALUES\n  "
                   + ",\n  ".join(values))

    def values(self, row):
        values = [text(of_type, row[column]) for column, of_type in self.columns.items()]
        return "(" + ", ".join("NULL" if value is None else quote(value) for value in values) + ")"

    def new_indexes(self):
        """Some indexes; partitions inherit those of their table, and children do not."""
        rng = self.pool.rng
        usable = INDEXES["any"] + INDEXES["uuid" if self.is_uuid else "iuid"]
        tables = [self.name] + [part.name for part in self.top.below() if self.top.by == "inherit"]
        for index in rng.sample(usable, rng.randrange(6)):
            where = ""
            if index.startswith("btree") and rng.random() < 0.15:
                where = " WHERE " + rng.choice((
                    f"iuid_is_from(id, {self.pool.country()})",
                    f"id >= iuid_floor({literal('timestamptz', self.pool.time())})") + (() if self.is_uuid else (
                        f"id >= {literal('timestamptz', self.pool.time())}",
                        f"id <@ {literal('tstzrange', self.pool.range())}")))
            for table in tables:
                yield f"CREATE INDEX ON {table} USING {index}{where}"

    # --- rows ---------------------------------------------------------------

    def new_key(self):
        if self.key_type == "uuid" and not self.all_valid:
            return self.pool.uuid()
        return self.pool.id()

    def new_row(self):
        """A row that need not fit into the table."""
        pool = self.pool
        row = {column: pool.sometimes_null(pool.draw(of_type))()
               for column, of_type in COLUMNS.items()}
        row["entity"] = pool.sometimes_null(pool.entity)()
        row["id"] = pool.sometimes_null(self.new_key, 0.1 if self.nullable else 0)()
        row["n"], self.next_n = self.next_n, self.next_n + 1
        return row

    def add_rows(self, count):
        for _ in range(count):
            row = self.new_row()
            repeated = self.unique and any(other["id"] == row["id"] for other in self.rows)
            if self.top.leaf_of(row["id"]) is not None and not repeated:
                self.rows.append(row)
