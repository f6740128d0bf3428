"""What the programs in this folder share: two identifiers, a second around them, and a check."""

import datetime
import uuid

A = uuid.UUID("019b76da-a87b-807d-8041-23456789abcd")
B = uuid.UUID("019b76da-a87b-807d-8041-23456789abce")
BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
END = BEGIN + datetime.timedelta(seconds=1)

CREATE = "CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)"
FLUSH = "SELECT pg_stat_force_next_flush()"
READ = "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'"


def report(name, result):
    print(name, result, sep="\t", flush=True)


def check(name, run):
    """Reports what a check gives, or its error: the SQLSTATE, if the error has one."""
    try:
        result = run()
    except Exception as error:
        result = sqlstate(error) or type(error).__name__
    report(name, {True: "ok", False: "wrong", None: "–"}.get(result, result))


def sqlstate(error):
    for inner in (error, getattr(error, "orig", None), error.__cause__):
        code = getattr(inner, "sqlstate", None) or getattr(inner, "pgcode", None)
        if not code and inner and inner.args and isinstance(inner.args[0], dict):
            code = inner.args[0].get("C")
        # asyncpg gives this one to errors of its own.
        if code and code != "22000":
            return code
    return None


def look_up(run, rows_read):
    """Whether a look-up finds its row, and reads one entry of the index for that."""
    before = rows_read()
    if not run():
        return False
    return "index" if rows_read() == before + 1 else "scan"


def kind(value):
    """The type of a value, and of a list the type of what is in it."""
    return f"{kind(value[0])}[]" if isinstance(value, list) else type(value).__name__
