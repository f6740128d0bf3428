import io

import psycopg2

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
# SET-UP


def value(sql, *parameters):
    cursor.execute(sql, parameters)
    return cursor.fetchone()[0]


def rows_read():
    value(FLUSH)
    return value(READ)


def copy():
    cursor.copy_expert("COPY copies FROM STDIN", io.StringIO(f"{A}\tA\n"))
    back = io.StringIO()
    cursor.copy_expert("COPY copies TO STDOUT", back)
    return back.getvalue() == f"{A}\tA\n"


def in_range(bound):
    return value(f"SELECT count(*) FROM orders WHERE id >= {bound} AND id < {bound}", BEGIN, END) == 2


def insert():
    # Where the driver takes no UUID, the rows of the other checks come as text.
    try:
        return value("INSERT INTO orders VALUES (%s, 'A'), (%s, 'B') RETURNING id::text", A, B) == str(A)
    except psycopg2.ProgrammingError:
        cursor.execute("INSERT INTO orders VALUES (%s, 'A'), (%s, 'B')", (str(A), str(B)))
        raise


report("version", psycopg2.__version__.split()[0])
cursor.execute(CREATE)
cursor.execute("CREATE TABLE copies (id iuid, note text)")
report("table", "–")
check("default", lambda: value("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)") == 125)
check("UUID", insert)
check("look-up", lambda: look_up(lambda: value("SELECT note FROM orders WHERE id = %s", A) == "A", rows_read))
check("IN", lambda: value("SELECT count(*) FROM orders WHERE id IN %s", (A, B)) == 2)
check("= ANY", lambda: value("SELECT count(*) FROM orders WHERE id = ANY (%s)", [A, B]) == 2)
check("reads as", lambda: kind(value("SELECT id FROM orders WHERE note = 'A'")))
check("array", lambda: kind(value("SELECT array_agg(id) FROM orders")))
check("COPY text", copy)
report("COPY binary", "–")
check("id >= $1", lambda: in_range("%s"))
check("id >= iuid_floor($1)", lambda: in_range("iuid_floor(%s)"))
check("id >= $1::timestamptz", lambda: in_range("%s::timestamptz"))
check("gen_iuid($1, $2)", lambda: value("SELECT iuid_country(gen_iuid(%s, %s))", 125, 1) == 125)
check("gen_iuid($1::int, $2::int)", lambda: value("SELECT iuid_country(gen_iuid(%s::int, %s::int))", 125, 1) == 125)
