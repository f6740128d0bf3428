import psycopg

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report

connection = psycopg.connect(autocommit=True)
# SET-UP


def value(sql, *parameters):
    return connection.execute(sql, parameters).fetchone()[0]


def rows_read():
    value(FLUSH)
    return value(READ)


def copy(options, types):
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY copies FROM STDIN {options}") as to:
            to.set_types(types)
            to.write_row((A, "A"))
        with cursor.copy(f"COPY copies TO STDOUT {options}") as back:
            back.set_types(types)
            rows = list(back.rows())
    connection.execute("TRUNCATE copies")
    return rows == [(A, "A")] or kind(rows[0][0])


def in_range(bound):
    return value(f"SELECT count(*) FROM orders WHERE id >= {bound} AND id < {bound}", BEGIN, END) == 2


report("version", psycopg.__version__)
connection.execute(CREATE)
connection.execute("CREATE TABLE copies (id iuid, note text)")
report("table", "–")
check("default", lambda: value("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)") == 125)
check("UUID", lambda: value("INSERT INTO orders VALUES (%s, 'A'), (%s, 'B') RETURNING id::text", A, B) == str(A))
check("look-up", lambda: look_up(lambda: value("SELECT note FROM orders WHERE id = %s", A) == "A", rows_read))
check("IN", lambda: value("SELECT count(*) FROM orders WHERE id IN (%s, %s)", A, B) == 2)
check("= ANY", lambda: value("SELECT count(*) FROM orders WHERE id = ANY (%s)", [A, B]) == 2)
check("reads as", lambda: kind(value("SELECT id FROM orders WHERE note = 'A'")))
check("array", lambda: kind(value("SELECT array_agg(id) FROM orders")))
check("COPY text", lambda: copy("", ["uuid", "text"]))
check("COPY binary", lambda: copy("(FORMAT binary)", ["uuid", "text"]))
check("id >= $1", lambda: in_range("%s"))
check("id >= iuid_floor($1)", lambda: in_range("iuid_floor(%s)"))
check("id >= $1::timestamptz", lambda: in_range("%s::timestamptz"))
check("gen_iuid($1, $2)", lambda: value("SELECT iuid_country(gen_iuid(%s, %s))", 125, 1) == 125)
check("gen_iuid($1::int, $2::int)", lambda: value("SELECT iuid_country(gen_iuid(%s::int, %s::int))", 125, 1) == 125)
