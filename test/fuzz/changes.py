"""Random INSERT, UPDATE, DELETE and MERGE, with what they return and leave.

A change is computed on a copy of the rows.  An error of the server is expected by its SQLSTATE.
"""

from typing import Callable, NamedTuple

from question import Question, Refused, as_iuid, from_, where
from values import literal, text

NO_PARTITION, NOT_NULL, NOT_UNIQUE, TWICE = "23514", "23502", "23505", "21000"


class Change(NamedTuple):
    sql: str
    table: object
    make: Callable  # returns the rows afterwards, and what RETURNING gives, or raises Refused


def check(table, row, rows):
    """Raises what the server raises if a row may not join other rows."""
    if table.top.leaf_of(row["id"]) is None:
        raise Refused(NO_PARTITION)
    if table.unique and row["id"] is None:
        raise Refused(NOT_NULL)
    if table.unique and any(other["id"] == row["id"] for other in rows):
        raise Refused(NOT_UNIQUE)


def _returned(table, rows):
    """What RETURNING n, id gives."""
    return [(text("int", row["n"]), text(table.key_type, row["id"])) for row in rows]


def _can_be_written(table):
    """A child that only a CHECK keeps apart takes no key of another child."""
    return table.top.by != "inherit"


def insert(maker):
    source = maker.source()
    table = source.table
    new = [table.new_row() for _ in range(maker.rng.choice((1, 1, 2, 5)))]
    action = maker.rng.choice(("NOTHING", "UPDATE", None)) if table.unique else None
    sql = (f"INSERT INTO {table.name} AS {source.alias} ({', '.join(table.columns)}) VALUES "
           + ", ".join(map(table.values, new)))
    if action:
        sql += f" ON CONFLICT (id) DO {action}"
    if action == "UPDATE":
        sql += f" SET country = excluded.country, other = {source.alias}.id"

    def make():
        rows, returned = list(table.rows), []
        for row in new:
            try:
                check(table, row, rows)
            except Refused as refused:
                if action is None or refused.args != (NOT_UNIQUE,):
                    raise
                if action == "UPDATE":
                    there = next(other for other in rows if other["id"] == row["id"])
                    if any(there is other for other in returned):
                        raise Refused(TWICE) from None
                    after = {**there, "country": row["country"],
                             "other": as_iuid(there["id"])}
                    rows[rows.index(there)] = after
                    returned.append(after)
                continue
            rows.append(row)
            returned.append(row)
        return rows, _returned(table, returned)
    return Change(f"{sql} RETURNING n, id", table, make)


def delete(maker):
    source = maker.source()
    table = source.table
    clause, holds = where(maker, [source], 1)

    def make():
        gone = [row for row in table.rows if holds({source.alias: row})]
        return [row for row in table.rows if row not in gone], _returned(table, gone)
    return Change(f"DELETE FROM {from_(source)}{clause} RETURNING n, id", table, make)


def delete_using(maker):
    source, other = maker.source(), maker.source()
    table = source.table
    condition = maker.condition([source, other], 1)
    key, other_key = source.column("id"), other.column(maker.rng.choice(("id", "u", "other")))

    def goes(row):
        both = ({source.alias: row, other.alias: each} for each in other.table.rows)
        return any(row["id"] is not None and row["id"] == other_key.of(pair)
                   and condition.of(pair) is True for pair in both)

    def make():
        gone = list(filter(goes, table.rows))
        return [row for row in table.rows if row not in gone], _returned(table, gone)
    return Change(f"DELETE FROM {from_(source)} USING {from_(other)} "
                  f"WHERE {key.sql} = {other_key.sql} AND {condition.sql} "
                  f"RETURNING {source.alias}.n, {key.sql}", table, make)


def update(maker):
    """Of any columns but the key."""
    source = maker.source()
    table = source.table
    clause, holds = where(maker, [source], 1)
    value = maker.iuid([source])

    def make():
        rows, returned = [], []
        for row in table.rows:
            if holds({source.alias: row}):
                row = {**row, "other": value.of({source.alias: row}), "country": None}
                returned.append(row)
            rows.append(row)
        return rows, _returned(table, returned)
    return Change(f"UPDATE {from_(source)} SET other = {value.sql}, country = NULL{clause} "
                  "RETURNING n, id", table, make)


def update_key(maker):
    """Of one row, which may move into another partition."""
    source = maker.source()
    table = source.table
    if not table.rows or not _can_be_written(table):
        return insert(maker)
    n, new = maker.rng.choice(table.rows)["n"], table.new_key()

    def make():
        others = [row for row in table.rows if row["n"] != n]
        row = {**next(row for row in table.rows if row["n"] == n), "id": new}
        check(table, row, others)
        return others + [row], _returned(table, [row])
    return Change(f"UPDATE {from_(source)} SET id = {literal(table.key_type, new)} "
                  f"WHERE n = {n} RETURNING n, id", table, make)


def merge(maker):
    """Rows that another table has by key: some go, some change; those that are missing come."""
    source, other = maker.source(), maker.source()
    table = source.table
    if not _can_be_written(table) or not table.unique or table is other.table:
        return delete(maker)
    key, other_key = source.column("id"), other.column(maker.rng.choice(("id", "u", "other")))
    goes = maker.condition([source, other], 1)
    with_insert = other_key.type not in ("uuid", "uuid_key") or not table.all_valid
    first_n, table.next_n = table.next_n, table.next_n + other.table.next_n
    sql = (f"MERGE INTO {from_(source)} USING {from_(other)} ON {key.sql} = {other_key.sql} "
           f"WHEN MATCHED AND {goes.sql} THEN DELETE "
           f"WHEN MATCHED THEN UPDATE SET country = {other.alias}.entity")
    if with_insert:
        sql += (f" WHEN NOT MATCHED THEN INSERT (n, id) "
                f"VALUES ({other.alias}.n + {first_n}, {other_key.sql})")

    # The order of the rows is the server's, and so is the row that it refuses.
    any_error = NO_PARTITION, NOT_NULL, NOT_UNIQUE, TWICE

    def make():
        rows, before, met = list(table.rows), {row["id"]: row for row in table.rows}, set()
        for each in other.table.rows:
            value = other_key.of({other.alias: each})
            there = before.get(value) if value is not None else None
            if there is not None:
                if value in met:
                    raise Refused(*any_error)
                met.add(value)
                rows.remove(there)
                if goes.of({source.alias: there, other.alias: each}) is not True:
                    rows.append({**there, "country": each["entity"]})
            elif with_insert:
                row = {**dict.fromkeys(table.columns), "n": each["n"] + first_n, "id": value}
                try:
                    check(table, row, rows)
                except Refused:
                    raise Refused(*any_error) from None
                rows.append(row)
        return rows, []
    return Change(sql, table, make)


def contents(table):
    """A query for all of a table, and what it must return now."""
    columns = {name: of_type for name, of_type in table.columns.items() if of_type != "tstzrange"}
    return Question(f"SELECT {', '.join(columns)} FROM {table.name}", lambda: [
        tuple(text(of_type, row[name]) for name, of_type in columns.items()) for row in table.rows])


KINDS = [insert, insert, update, update_key, update_key, delete, delete_using, merge]
