# Only newest: Debian 12 has pg8000 1.10, which takes no UUID.
import io
import os

import pg8000.native

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report

connection = pg8000.native.Connection(
    os.environ["PGUSER"], host="127.0.0.1", port=os.environ["PGPORT"], database=os.environ["PGDATABASE"])
# SET-UP


def value(sql, **parameters):
    return connection.run(sql, **parameters)[0][0]


def rows_read():
    value(FLUSH)
    return value(READ)


def copy():
    connection.run("COPY copies FROM STDIN", stream=[f"{A}\tA\n"])
    back = io.StringIO()
    connection.run("COPY copies TO STDOUT", stream=back)
    return back.getvalue() == f"{A}\tA\n"


def in_range(bound):
    sql = f"SELECT count(*) FROM orders WHERE id >= {bound} AND id < {bound.replace(':a', ':b')}"
    return value(sql, a=BEGIN, b=END) == 2


def country(call):
    return value(f"SELECT iuid_country({call})", a=125, b=1) == 125


report("version", pg8000.__version__)
connection.run(CREATE)
connection.run("CREATE TABLE copies (id iuid, note text)")
report("table", "–")
check("default", lambda: connection.run("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)") == [[125]])
check("UUID", lambda: value("INSERT INTO orders VALUES (:a, 'A'), (:b, 'B') RETURNING id::text", a=A, b=B) == str(A))
check("look-up", lambda: look_up(lambda: value("SELECT note FROM orders WHERE id = :a", a=A) == "A", rows_read))
check("IN", lambda: value("SELECT count(*) FROM orders WHERE id IN (:a, :b)", a=A, b=B) == 2)
check("= ANY", lambda: value("SELECT count(*) FROM orders WHERE id = ANY (:a)", a=[A, B]) == 2)
check("reads as", lambda: kind(value("SELECT id FROM orders WHERE note = 'A'")))
check("array", lambda: kind(value("SELECT array_agg(id) FROM orders")))
check("COPY text", copy)
report("COPY binary", "–")
check("id >= $1", lambda: in_range(":a"))
check("id >= iuid_floor($1)", lambda: in_range("iuid_floor(:a)"))
check("id >= $1::timestamptz", lambda: in_range("CAST(:a AS timestamptz)"))
check("gen_iuid($1, $2)", lambda: country("gen_iuid(:a, :b)"))
check("gen_iuid($1::int, $2::int)", lambda: country("gen_iuid(CAST(:a AS int), CAST(:b AS int))"))
