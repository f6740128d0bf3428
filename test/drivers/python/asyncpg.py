import asyncio
import io

import asyncpg

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report

loop = asyncio.new_event_loop()
wait = loop.run_until_complete


def value(sql, *parameters):
    return wait(connection.fetchval(sql, *parameters))


def rows_read():
    value(FLUSH)
    return value(READ)


def copy_text():
    back = io.BytesIO()
    wait(connection.copy_to_table("copies", source=io.BytesIO(f"{A}\tA\n".encode())))
    wait(connection.copy_from_table("copies", output=back))
    return back.getvalue().decode() == f"{A}\tA\n"


def copy_binary():
    wait(connection.copy_records_to_table("copies", records=[(B, "B")]))
    return value("SELECT id::text FROM copies WHERE note = 'B'") == str(B)


def in_range(bound):
    begin, end = bound.format("$1"), bound.format("$2")
    return value(f"SELECT count(*) FROM orders WHERE id >= {begin} AND id < {end}", BEGIN, END) == 2


def insert():
    # Where the driver takes no UUID, the rows of the other checks come as text.
    try:
        return value("INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING id::text", A, B) == str(A)
    except asyncpg.DataError:
        value("INSERT INTO orders VALUES ($1, 'A'), ($2, 'B')", str(A), str(B))
        raise


async def connect():
    connection = await asyncpg.connect()
    # SET-UP
    return connection


connection = wait(connect())
report("version", asyncpg.__version__)
value(CREATE)
value("CREATE TABLE copies (id iuid, note text)")
report("table", "–")
check("default", lambda: value("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)") == 125)
check("UUID", insert)
check("look-up", lambda: look_up(lambda: value("SELECT note FROM orders WHERE id = $1", A) == "A", rows_read))
check("IN", lambda: value("SELECT count(*) FROM orders WHERE id IN ($1, $2)", A, B) == 2)
check("= ANY", lambda: value("SELECT count(*) FROM orders WHERE id = ANY ($1)", [A, B]) == 2)
check("reads as", lambda: kind(value("SELECT id FROM orders WHERE note = 'A'")))
check("array", lambda: kind(value("SELECT array_agg(id) FROM orders")))
check("COPY text", copy_text)
check("COPY binary", copy_binary)
check("id >= $1", lambda: in_range("{}"))
check("id >= iuid_floor($1)", lambda: in_range("iuid_floor({})"))
check("id >= $1::timestamptz", lambda: in_range("{}::timestamptz"))
check("gen_iuid($1, $2)", lambda: value("SELECT iuid_country(gen_iuid($1, $2))", 125, 1) == 125)
check("gen_iuid($1::int, $2::int)", lambda: value("SELECT iuid_country(gen_iuid($1::int, $2::int))", 125, 1) == 125)
