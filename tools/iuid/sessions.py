"""Sessions at the nodes: each statement is printed before it runs, and nothing waits for ever.

A session finds nothing by its search_path that somebody else can make, and what it reads of a node is
data: names are quoted here, by name() and psycopg.sql.quote().

One command at a time works on a thing, such as the move of a country: each of its sessions holds an
advisory lock.  An idle session says every few seconds that its command is alive.  So the server ends the
sessions of a command that was killed within a second, those of a machine that is gone within half a
minute, and those of a process that is frozen within a minute.
"""

import concurrent.futures
import contextlib
import getpass
import os
import pathlib
import random
import re
import socket
import threading
import time

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import namedtuple_row

# Of this command, and of the extension that it knows.  The control file is beside the modules where these are
# installed, and else at the top of the tree.
CONTROL = next(path for folder in pathlib.Path(__file__).resolve().parents if (path := folder / "iuid.control").exists())
VERSION = re.search("^default_version = '(.*)'", CONTROL.read_text(), re.MULTILINE)[1]
SECONDS = 20  # for an ordinary statement
BEAT = 5  # between two signs of life of an idle session
FIRST = "lease", "machine"  # the kinds of sessions that a command opens first: they say whether it is alive
LEASE = 15  # without one, after which --take-over may end the sessions of another command
PATH = "pg_catalog, pg_temp"
# With these a row has the same text at every node, and one that row security hides is an error.
SETTINGS = {"DateStyle": "ISO, YMD", "IntervalStyle": "postgres", "TimeZone": "UTC", "extra_float_digits": "1",
            "row_security": "off", "bytea_output": "hex", "lc_monetary": "C", "quote_all_identifiers": "off",
            "standard_conforming_strings": "on", "synchronous_commit": "on"}  # what is committed is in the log, up to its place
# From PostgreSQL 17 on, so it is no option of the connection.
NO_LIMIT = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'"
FOR_VACUUM = 3000  # ms until autovacuum has given way, which it does after deadlock_timeout
FOR_LOCKS = 1500  # ms for all locks of a mode, for which writers wait, and then readers
BUSY = ("57014", "55P03", "40P01")  # the locks did not come in time

# Somebody blocks a process, and waits for it in turn, whoever is between.
IN_A_CIRCLE = """
WITH RECURSIVE blocks (pid) AS (SELECT unnest(pg_blocking_pids(%(pid)s))
	UNION SELECT b FROM blocks, unnest(pg_blocking_pids(blocks.pid)) AS b)
SELECT pg_cancel_backend(%(pid)s) WHERE %(pid)s IN (SELECT pid FROM blocks)"""

# The schema of the extensions, and what somebody else has put there that could be taken for theirs.
# Who owns the schema can rename it, and make another one of its name.
EXTENSION = """
WITH members AS (SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname IN ('iuid', 'iuid_regions')),
found (classid, objid, name, schema, owner) AS (
	SELECT 'pg_proc'::regclass::oid, oid, proname, pronamespace, proowner FROM pg_proc
	UNION ALL SELECT 'pg_class'::regclass, oid, relname, relnamespace, relowner FROM pg_class
	UNION ALL SELECT 'pg_type'::regclass, oid, typname, typnamespace, typowner FROM pg_type WHERE typrelid = 0
	UNION ALL SELECT 'pg_operator'::regclass, oid, oprname, oprnamespace, oprowner FROM pg_operator)
SELECT quote_ident(n.nspname) AS schema, e.extversion AS version, current_setting('iuid.node', true) AS node, (
	SELECT min(pg_describe_object(f.classid, f.objid, 0)) FROM found AS f LEFT JOIN members AS m USING (classid, objid)
	WHERE f.schema = n.oid AND f.name = ANY (%s::text[])
		AND (m.objid IS NULL OR NOT (SELECT rolsuper FROM pg_roles WHERE oid = f.owner))) AS stranger
FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'iuid_regions'"""

# What the command uses of them.
USED = ["iuid", "iuid_check_regions", "iuid_compare_registry", "iuid_countries", "iuid_country", "iuid_country_floor",
        "iuid_create_global_table", "iuid_create_global_view", "iuid_create_routed_partitions", "iuid_drop_global", "iuid_entities",
        "iuid_entity_of", "iuid_global_locals", "iuid_node", "iuid_nodes", "iuid_routes", "iuid_run_on_nodes",
        "iuid_timestamp", "~>=~", "~<~"]

# Whether a node has the registry from another one.
SUBSCRIBES = "SELECT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = '@iuid@.iuid_routes'::regclass)"

# The subscriptions of a database, with what only a superuser may see of them.
SUBSCRIPTIONS = """
SELECT subname AS name, subconninfo AS way FROM pg_subscription
WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1"""

# Who holds an advisory lock, and for how long his command has given no sign of life, as far as a role may know.
HOLDER = """
SELECT l.pid, format('process %%s of %%s', l.pid, coalesce(a.usename, '?')) || coalesce(' (' || nullif(a.application_name, '') || ')', '')
	|| coalesce(', from ' || a.client_addr::text, '') || coalesce(', since ' || a.backend_start::text, '') AS what,
	(SELECT extract(epoch FROM clock_timestamp() - max(s.state_change))::int FROM pg_stat_activity AS s
		WHERE s.application_name = a.application_name AND s.usename = a.usename) AS silent
FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND l.classid::bigint << 32 | l.objid::bigint = hashtextextended(%s::text, 0)"""

# The sessions of other commands that work on the same, as far as a role may end them.
OTHERS = """
SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
WHERE starts_with(application_name, %s::text) AND application_name <> %s::text AND usename = current_user AND pid <> pg_backend_pid()"""

# Who has an open transaction, and for how long, as far as a role may know.  Those that write hold up a copy
# in every database.
OPEN = """
SELECT DISTINCT l.virtualtransaction, coalesce(a.xact_start, now()) AS since, CASE WHEN l.pid IS NULL
	THEN format('the prepared transaction %%L in %%s', p.gid, p.database)
	ELSE format('process %%s (%%s in %%s)', l.pid, coalesce(nullif(a.application_name, ''), a.usename, 'autovacuum'), a.datname)
		|| coalesce(', for ' || extract(epoch FROM now() - a.xact_start)::int || ' s', '') END AS what
FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a USING (pid) LEFT JOIN pg_prepared_xacts AS p ON p.transaction = l.transactionid
WHERE l.mode = 'ExclusiveLock' AND l.granted AND (l.pid IS NULL OR a.datname IS NOT NULL) AND l.pid IS DISTINCT FROM pg_backend_pid()
	AND (l.locktype = 'transactionid' OR l.locktype = 'virtualxid' AND a.datname = current_database())
	AND coalesce(a.xact_start < now() - interval '1 second', true)
ORDER BY since, what LIMIT 5"""

_printing = threading.Lock()


class Stop(Exception):
    """Why the command does not go on."""
    status = 1  # of the command


class Silent(Stop):
    """A node did not answer, so nobody knows whether the statement ran."""
    status = 3


class Busy(Stop):
    """Another command works on the same."""
    status = 4


class Differ(Stop):
    """The registries of two nodes are not equal."""
    status = 5


class TooLong(Stop):
    """The time for a step is over."""


def say(node, text):
    """One line for each of the text, with the node."""
    with _printing:
        for line in text.strip().splitlines():
            print(f"{node:10} {line}", flush=True)


def name(*parts):
    """A name, quoted, of one part or with its schema."""
    return as_data(".".join('"' + part.replace('"', '""') + '"' for part in parts))


def to_role(role):
    """A role, quoted; PUBLIC is NULL in some catalogs, and "public" in others, even in quotes."""
    return "PUBLIC" if role is None else name(role)


def quote(text):
    """A string, quoted."""
    return as_data(sql.quote(text))


def as_data(text):
    """@iuid@ is the schema of the extension in a statement, and not in a name or string.  No text of a server has a NUL."""
    return text.replace("@", "@\0") if "@iuid@" in text else text


def in_schema(statement, schema):
    return statement.replace("@iuid@", schema).replace("\0", "")


def dropping(*subscriptions):
    """The statements that drop subscriptions without a word to their publisher, which may be gone."""
    return [f"{statement} SUBSCRIPTION {name(each)}{how}" for each in subscriptions
            for statement, how in (("ALTER", " DISABLE"), ("ALTER", " SET (slot_name = NONE)"), ("DROP", ""))]


def block(body):
    """An anonymous block, quoted as nothing in it is."""
    tag = "$block$"
    while tag in body:
        tag = tag[:-1] + "_$"
    return f"DO {tag}{body} {tag}"


def in_query(text):
    """A name or a condition for a query with values."""
    return text.replace("%", "%%")


@contextlib.contextmanager
def limited(connection, seconds):
    """Ends the wait for a server that hangs, to which a cancel would not come, either; says that it did."""
    late = threading.Event()

    def cut():
        late.set()
        with contextlib.suppress(OSError, psycopg.Error):
            with socket.socket(fileno=os.dup(connection.fileno())) as end:
                end.shutdown(socket.SHUT_RDWR)

    watch = threading.Timer(seconds, cut)
    watch.start()
    try:
        yield late
    finally:
        watch.cancel()


def machines(ways):
    """The nodes to whose servers these connections lead, as superusers: each with its connection.

    No superuser comes in over the network.  So what needs one is done at the nodes of which this command runs on
    the machine, and said of the others.
    """
    found = {}
    for way in ways:
        with psycopg.connect(way, connect_timeout=5, client_encoding="utf8") as connection, limited(connection, SECONDS):
            node, superuser = connection.execute(
                "SELECT pg_catalog.current_setting('iuid.node', true), rolsuper FROM pg_catalog.pg_roles"
                " WHERE rolname OPERATOR(pg_catalog.=) CURRENT_USER").fetchone()
        if not node:
            raise Stop(f"{way} leads to a database without iuid.node")
        if not superuser:
            raise Stop(f"{way} does not lead to {node} as a superuser")
        found[node] = way
    return found


def keep_alive(connection, using):
    """As long as the session is open, and this process runs, its server hears of it."""
    while not connection.closed:
        time.sleep(BEAT)
        if using.acquire(blocking=False):
            try:
                # Another thread can close it meanwhile.
                with contextlib.suppress(psycopg.Error, OSError, ValueError), limited(connection, SECONDS):
                    connection.execute("SELECT 1")
            finally:
                using.release()


def at_once(work, calls):
    """Calls WORK with each of some arguments, and gives the errors by the keys of the arguments."""
    with concurrent.futures.ThreadPoolExecutor(max(len(calls), 1)) as pool:
        futures = {key: pool.submit(work, *arguments) for key, arguments in calls.items()}
        return {key: future.exception() for key, future in futures.items()}


def words(error):
    """What a server says of an error, or this command."""
    if not isinstance(error, psycopg.Error):
        return str(error) or "it was interrupted"
    said = [error.diag.message_primary, error.diag.message_detail, error.diag.message_hint]
    return ". ".join(part.rstrip(".") for part in said if part) or str(error).strip()


def refused(node, **options):
    """Why a node lets nobody in with these options beside those of its service; None if it does."""
    try:
        with psycopg.connect(make_conninfo(service=node, **options), connect_timeout=5):
            return None
    except psycopg.OperationalError as error:
        return words(error)


def who():
    """Who runs this command, for who sees its sessions."""
    text = f"{os.getpid()} {getpass.getuser()}@{socket.gethostname()}"
    return text.encode("ascii", "replace").decode()


class Session:
    """A session of one kind at one node, which connects when it is needed.

    NAME: of what the command works on.  LOCKS: it changes something, so it is the only command on that.
    TAKES_OVER: it ends the sessions of another one; None if no option of the command says so.  CHECK is
    called when the session has connected, before it does anything.  GUARD gives a statement that fails when
    this command may not go on; it is in each transaction.
    """

    def __init__(self, node, way, name, kind, dry=False, locks=True, takes_over=False, check=None, guard=lambda: None):
        self.node, self.way, self.name, self.kind, self.dry = node, way, name, kind, dry
        self.locks, self.takes_over, self.check = locks and not dry, takes_over, check
        self.application = f"{name} {who()}"[:63]
        self.connection = self.watch = None
        self.using = threading.RLock()
        self.schema = None  # of the extensions, quoted
        self.guard = guard

    def connect(self):
        connection = self._open()
        with limited(connection, SECONDS):
            row = connection.execute(EXTENSION, [USED]).fetchone()
        if row is None:
            raise Stop(f"{self.node} has not the extension iuid_regions")
        if row.node != self.node:
            raise Stop(f"the connection to {self.node} ({self.kind}) leads to {row.node or 'a database without iuid.node'}")
        if row.stranger:
            raise Stop(f"{row.stranger} at {self.node} is not what the extension made: drop it, or rename it")
        if re.search(r"['\\%$]", row.schema):
            raise Stop(f"the schema of the extension at {self.node} is called {row.schema}: give it a name without ', \\, % and $")
        if row.version != VERSION and self.locks:
            say(self.node, f"-- Has version {row.version} of iuid_regions, and this command is of version {VERSION}.")
        if self.locks:
            with limited(connection, SECONDS):
                self.lock_out_others(connection)
        if self.check:
            self.check()
        threading.Thread(target=keep_alive, args=[connection, self.using], daemon=True).start()
        self.connection, self.schema = connection, row.schema

    def prepare(self):
        """Opens the connections for locks before anybody waits: each takes several round trips."""
        if not self.dry:
            self.read("SELECT 1")
            if self.watch is None:
                self.watch = self._open()
                threading.Thread(target=keep_alive, args=[self.watch, threading.RLock()], daemon=True).start()

    def _open(self):
        # The server ends the statement of a client that is gone; so a command that was killed is over
        # when the next one has its lock.
        connection = psycopg.connect(
            self.way, autocommit=True, row_factory=namedtuple_row, connect_timeout=5,
            application_name=self.application, tcp_user_timeout=SECONDS * 1000,
            keepalives_idle=10, keepalives_interval=5, keepalives_count=2,
            client_encoding="utf8",  # psycopg gives the text of an SQL_ASCII database as bytes
            options=f"-c search_path={PATH.replace(' ', '')} -c client_connection_check_interval=1s"
                    " -c client_min_messages=error -c idle_in_transaction_session_timeout=10s"
                    " -c statement_timeout=0 -c lock_timeout=0 -c idle_session_timeout=60s"
                    " -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2"
                    f" -c tcp_user_timeout={SECONDS}s"
                    " -c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off"
                    " -c default_transaction_deferrable=off")
        settings = [f"SET search_path = {PATH}", *(f"SET {key} = '{value}'" for key, value in SETTINGS.items()), NO_LIMIT]
        with limited(connection, SECONDS):
            connection.execute("; ".join(settings))
            pids = [connection.execute("SELECT pg_backend_pid()").fetchone()[0] for _ in range(2)]
        for pid in pids:
            if pid != connection.info.backend_pid:
                connection.close()
                raise Stop(f"a pooler stands before {self.node}, and gives its statements to several sessions: "
                           "let the service name the server itself")
        return connection

    def lock_out_others(self, connection):
        """One command at a time.  One that was killed is gone within seconds."""
        key = f"{self.name} {self.kind}"
        if self.takes_over:
            self.end_others(connection, key)
        for _ in range(50):
            if connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s::text, 0))", [key]).fetchone()[0]:
                return
            time.sleep(0.2)
        rows = connection.execute(HOLDER, [key]).fetchall()
        old = rows and all(row.silent is not None and row.silent >= LEASE for row in rows)
        raise Busy(f"{self.node}: another command works on this, or another session holds its lock: "
                   + (", ".join(row.what for row in rows) or "it has just ended")
                   + (f". It has given no sign of life for {rows[0].silent} s: --take-over ends its sessions"
                      if old and self.takes_over is not None else ""))

    def end_others(self, connection, key):
        for row in connection.execute(HOLDER, [key]):
            if self.kind in FIRST and row.silent is not None and row.silent < LEASE:
                raise Busy(f"{self.node}: {row.what} works on this, and gave a sign of life {row.silent} s ago. "
                           f"--take-over ends only who has given none for {LEASE} s")
            say(self.node, f"-- Takes over from {row.what}, without a sign of life for {row.silent} s.")
        connection.execute(OTHERS, [f"{self.name} ", self.application])

    def close(self):
        for connection in self.connection, self.watch:
            if connection:
                connection.close()
        self.connection = self.watch = None

    def read(self, query, *values, seconds=SECONDS):
        """The rows of a query, which changes nothing, with values.  A % that stands for itself is doubled.

        Values have names if they are in a dictionary.
        """
        if values and isinstance(values[0], dict):
            values, = values
        return self._execute(query, values, seconds).fetchall()

    def value(self, query, *values, seconds=SECONDS):
        return self.read(query, *values, seconds=seconds)[0][0]

    def version(self):
        return self.value("SELECT current_setting('server_version_num')::int4")

    def run(self, statement):
        """Begins or ends what only reads, unseen."""
        self._execute(statement, None, SECONDS)

    def roll_back(self):
        if self.connection and not self.connection.closed:
            self._execute("ROLLBACK", None, SECONDS)

    def do(self, statement, *values, seconds=SECONDS):
        """Runs statements that change something.  They are one message, so they take one round trip."""
        return self._do([], [statement], seconds, values or None)

    def _do(self, begin, statements, seconds=SECONDS, values=None):
        if self.connection is None:
            self._execute("SELECT 1", None, seconds)
        say(self.node, in_schema(";\n".join([*begin, *statements]), self.schema))
        if not self.dry:
            return self._execute(";\n".join([*begin, *filter(None, [self.guard()]), *statements]), values, seconds)

    def _execute(self, statement, values, seconds):
        late = threading.Event()
        try:
            with self.using:
                if self.connection and self.connection.closed:  # keep_alive() saw it: what was begun in it is lost
                    self.close()
                    raise Silent(f"{self.node} does not answer: the session has ended")
                if self.connection is None:
                    self.connect()
                with limited(self.connection, seconds) as late:
                    # Known only when the session is open.
                    return self.connection.execute(in_schema(statement, self.schema), values)
        except KeyboardInterrupt:
            self.close()  # nobody knows how far its statement is, and its server rolls back
            raise
        except psycopg.OperationalError as error:
            # What else can be wrong with a session that is open is an error of the statement.
            if self.connection is None or self.connection.broken or error.sqlstate is None:
                self.close()
                why = f"not within {seconds:.0f} s" if late.is_set() else words(error)
                raise Silent(f"{self.node} does not answer: {why}") from error
            raise

    def transaction(self, *statements, seconds=SECONDS):
        """Runs statements in one transaction, and one message."""
        try:
            self._do(["BEGIN"], [*statements, "COMMIT;"], seconds)
        except psycopg.Error:
            self._execute("ROLLBACK", None, SECONDS)
            raise

    def secret_transaction(self, statements, secret):
        """The same by a superuser, with a password: neither printed, nor in the log of the server.

        STATEMENTS gives them with what stands in its place.
        """
        self.run("SET log_min_messages = panic; SET log_min_error_statement = panic; SET pg_stat_statements.track = none;"
                 " SET password_encryption = 'scram-sha-256'")
        say(self.node, in_schema(";\n".join(["BEGIN", *statements("'...'"), "COMMIT;"]), self.schema))
        if not self.dry:
            try:
                self._execute(";\n".join(["BEGIN", *statements(secret), "COMMIT"]), None, SECONDS)
            except psycopg.Error:
                self._execute("ROLLBACK", None, SECONDS)
                raise
        self.run("RESET log_min_messages; RESET log_min_error_statement; RESET pg_stat_statements.track; RESET password_encryption")

    def do_locked(self, tables, statements, deadline, mode="ACCESS EXCLUSIVE"):
        """Runs statements in a transaction that locks all its tables first, all or none.

        Others wait behind these locks, so an attempt is short, and a pause comes after it.  First
        autovacuum gives way, for which nobody else waits.  Then new writers are held up: one that has
        written a table still gets ROW SHARE of the table at the other end of its foreign key, in
        whichever order.  Then come the readers.  A single table needs no such step, and is better off
        without: who has read a table and then writes it, while this session holds up writers and waits
        for readers, is ended by the server at once.
        """
        names = ", ".join(tables)
        modes = ["SHARE ROW EXCLUSIVE", mode] if len(tables) > 1 else [mode]
        # Each statement of a message has the whole of statement_timeout.
        begin = ["BEGIN", f"SET LOCAL statement_timeout = {FOR_VACUUM}",
                 f"LOCK TABLE {names} IN SHARE UPDATE EXCLUSIVE MODE",
                 f"SET LOCAL statement_timeout = {FOR_LOCKS}",
                 *(f"LOCK TABLE {names} IN {each} MODE" for each in modes),
                 f"SET LOCAL statement_timeout = {SECONDS * 1000}"]
        self.prepare()
        while True:
            try:
                with self.giving_way():
                    return self._do(begin, [*statements, "COMMIT;"])
            except psycopg.Error as error:
                self._execute("ROLLBACK", None, SECONDS)
                if error.sqlstate not in BUSY:
                    raise
                if time.monotonic() > deadline:
                    raise TooLong(f"{self.node}: the tables are in use{self.in_the_way()}") from error
                say(self.node, "-- The tables are in use: once more.")
            time.sleep(random.uniform(0.05, 0.15))

    @contextlib.contextmanager
    def giving_way(self):
        """In a deadlock this session fails: it is cancelled before the server notices, who would end another."""
        done = threading.Event()

        def look(watch, pid):
            with contextlib.suppress(psycopg.Error):
                while not done.wait(0.2):
                    watch.execute(IN_A_CIRCLE, {"pid": pid})

        if self.connection and self.watch:
            threading.Thread(target=look, args=[self.watch, self.connection.info.backend_pid], daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def in_the_way(self):
        """The transactions that are open, the longest first."""
        return ": " * bool(rows := self.read(OPEN)) + ", ".join(row.what for row in rows)

    def wait_until(self, query, deadline, what, *values):
        """Until a query gives true."""
        self.wait(lambda: self.value(query, *values, seconds=max(deadline - time.monotonic(), 1)), deadline, what)

    def wait(self, done, deadline, what):
        if self.dry:
            say(self.node, f"-- Waits: {what}.")
            return
        while not done():
            if time.monotonic() > deadline:
                raise TooLong(f"{self.node}: this took too long: {what}")
            time.sleep(0.02)
