"""What must be so before anything is published, and once more before the switch."""

import time

import psycopg

from move.country import BELOW, COLUMNS, KEYS, RIGHTS, attached, exists, inside, moved, tree
from sessions import Silent, name, words

# Tables whose UPDATE and DELETE would fail as soon as they are published.
NO_IDENTITY = """
SELECT c.oid::regclass::text FROM pg_partition_tree(%s::regclass) AS t JOIN pg_class AS c ON c.oid = t.relid
WHERE c.relreplident = 'n' OR c.relreplident IN ('d', 'i') AND NOT EXISTS (SELECT FROM pg_index AS i
	WHERE i.indrelid = c.oid AND CASE c.relreplident WHEN 'd' THEN i.indisprimary ELSE i.indisreplident END)"""

# Tables elsewhere that refer to a table that moves.
REFERRING = """
SELECT DISTINCT n.nspname AS schema, c.relname AS target FROM pg_constraint JOIN pg_class AS c ON c.oid = conrelid
	JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE contype = 'f' AND confrelid IN (%(local)s::regclass, %(part)s::regclass) AND conparentid = 0"""

SENDS = """
SELECT current_setting('wal_level') AS wal_level,
	current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots) AS slots,
	current_setting('max_wal_senders')::int
		- (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'walsender') AS senders"""

TAKES = """
SELECT current_setting('max_sync_workers_per_subscription')::int AS sync,
	coalesce(current_setting('max_active_replication_origins', true), current_setting('max_replication_slots'))::int
		- (SELECT count(*) FROM pg_replication_origin) AS origins,
	current_setting('max_logical_replication_workers')::int
		- (SELECT count(*) FROM pg_stat_subscription WHERE pid IS NOT NULL) AS workers,
	current_setting('max_worker_processes')::int - (SELECT count(*) FROM pg_stat_activity
		WHERE backend_type NOT IN ('client backend', 'autovacuum worker', 'autovacuum launcher', 'walsender', 'walreceiver',
			'walwriter', 'walsummarizer', 'checkpointer', 'background writer', 'startup', 'archiver', 'logger',
			'slotsync worker', 'io worker')) AS processes"""

SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"

# Subscriptions to the registry whose worker does not run.
IDLE = """
SELECT DISTINCT s.subname FROM pg_subscription_rel AS r JOIN pg_stat_subscription AS s ON s.subid = r.srsubid
WHERE r.srrelid = '@iuid@.iuid_routes'::regclass AND s.pid IS NULL AND s.relid IS NULL"""

# What CREATE TABLE ... (LIKE) and replication leave behind, of a partition and those below it.
LEFT = """
WITH part AS (SELECT c.* FROM pg_partition_tree(%(part)s::regclass) AS t JOIN pg_class AS c ON c.oid = t.relid)
SELECT format('trigger %%s of %%s', quote_ident(tgname), tgrelid::regclass) FROM pg_trigger JOIN part ON part.oid = tgrelid
WHERE NOT tgisinternal AND tgparentid = 0
UNION ALL SELECT format('policy %%s of %%s', quote_ident(polname), polrelid::regclass) FROM pg_policy JOIN part ON part.oid = polrelid
UNION ALL SELECT format('row security of %%s', oid::regclass) FROM part WHERE relrowsecurity
UNION ALL SELECT format('check %%s of %%s', quote_ident(conname), conrelid::regclass) FROM pg_constraint JOIN part ON part.oid = conrelid
WHERE contype = 'c' AND coninhcount = 0 AND pg_get_constraintdef(pg_constraint.oid) !~ 'iuid_country\('
UNION ALL SELECT format('publication %%s of %%s', quote_ident(p.pubname), part.oid::regclass) FROM pg_publication_rel AS r
	JOIN pg_publication AS p ON p.oid = r.prpubid JOIN part ON part.oid = r.prrelid
UNION ALL SELECT format('index %%s of %%s', i.indexrelid::regclass, part.oid::regclass) FROM pg_index AS i JOIN part ON part.oid = i.indrelid
WHERE NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = i.indexrelid)
UNION ALL SELECT format('settings of %%s (%%s)', oid::regclass, array_to_string(reloptions, ', ')) FROM part
WHERE reloptions IS NOT NULL
UNION ALL SELECT DISTINCT format('sequence %%s of %%s, which counts at each node for itself',
	s.oid::regclass, %(local)s::regclass)
FROM pg_attrdef AS a JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
	JOIN pg_class AS s ON s.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass AND s.relkind = 'S'
WHERE a.adrelid = %(local)s::regclass ORDER BY 1"""

# Row security and the policies of a partition and those below it.
POLICIES = f"""
SELECT n.nspname AS schema, c.relname AS part, c.relrowsecurity::text || c.relforcerowsecurity::text || coalesce((SELECT string_agg(
		concat_ws(' ', polname, polpermissive, polcmd, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid),
			ARRAY(SELECT CASE role WHEN 0 THEN '' ELSE pg_get_userbyid(role) END FROM unnest(polroles) AS role ORDER BY 1)),
		';' ORDER BY polname) FROM pg_policy WHERE polrelid = c.oid), '') AS policies
FROM {BELOW.format("%(part)s")} AS t JOIN pg_class AS c ON c.oid = t.relid JOIN pg_namespace AS n ON n.oid = c.relnamespace"""
NO_POLICIES = "falsefalse"

# Whether a role may read a table, and whether row security would hide rows from it.
MAY_READ = """
SELECT has_table_privilege(c.oid, 'SELECT') AS may, row_security_active(c.oid) AS hidden
FROM pg_class AS c WHERE c.oid = %s::regclass"""


def before_copy(nodes, move):
    """What keeps the copy from beginning."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    found = list(of_all(nodes, move))
    if nodes.silent:
        return found
    for table in move.tables:
        found += hidden_from_owner(old, table)
        found += [f"{row[0]} at {move.old} has no replica identity: once published, its UPDATE and DELETE would fail"
                  for row in old.read(NO_IDENTITY, table.part)]
        found += [f"{row.schema}.{row.target} at {move.old} refers to {table}, and is not divided by country: "
                  "its rows cannot move along"
                  for row in old.read(REFERRING, {"local": str(table), "part": table.part})
                  if not inside(move, row)]
        found += same_tables(old, new, table)
        found += names_taken(new, [name(part.schema, part.name) for part in tree(old, table)])
        found += [f"the role {each}, which has rights on {table.part}, is not at {move.new}"
                  for each in {row.role for row in old.read(RIGHTS, [table.part, table.view])} - roles(new)]
    return found + list(of_publisher(nodes, move)) + list(of_subscriber(nodes, move))


def roles(session):
    return {None, *(row[0] for row in session.read("SELECT rolname FROM pg_roles"))}


def before_switch(nodes, move):
    """What keeps the switch from beginning."""
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    found = list(of_all(nodes, move))
    if nodes.silent:
        return found
    for table in move.tables:
        here, there = ({(row.schema, row.part): row.policies for row in session.read(POLICIES, {"part": table.part})}
                       for session in (old, new))
        found += [f"row security of {name(*part)} at {move.new} is not that of {move.old}: make it the same there"
                  for part in here.keys() | there.keys()
                  if here.get(part, NO_POLICIES) != there.get(part, NO_POLICIES)]
        found += [why for session in (old, new) for why in hidden_from_owner(session, table)]
    return found + long_transactions(nodes, move)


def long_transactions(nodes, move):
    """Those that keep the tables locked, and those at the new node with a snapshot in which the rows are not.

    How long another role's is open nobody says, so this looks again and again.
    """
    names = [each for table in move.tables for each in (table.part, str(table), table.globally) if each]

    def look():
        for session in nodes.owner(move.old), nodes.owner(move.new):
            for row in session.read(USERS, names):
                yield row.id, f"a transaction at {session.node} has used the tables for {LONG} s or longer: {row.who}"
        for id, who in snapshots(nodes, move):
            yield id, f"a transaction at {move.new} would not see the rows, and is open for {LONG} s or longer: {who}"

    found, begin = set(look()), time.monotonic()
    while found and time.monotonic() < begin + LONG:
        time.sleep(0.1)
        found &= set(look())
    return [what for _, what in sorted(found)]


def snapshots(nodes, move):
    """The transactions at the new node that have one."""
    return {(row.id, row.who) for row in nodes.subscriber(move.new).read(SNAPSHOTS)}


LONG = 5  # seconds

# But autovacuum, which gives way.
USERS = """
SELECT DISTINCT l.virtualtransaction AS id, CASE WHEN l.pid IS NULL
	THEN (SELECT format('the prepared transaction %%L', p.gid) FROM pg_locks AS x JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid
		WHERE x.virtualtransaction = l.virtualtransaction AND x.pid IS NULL)
	ELSE format('process %%s (%%s)', l.pid, coalesce(nullif(a.application_name, ''), a.usename)) END AS who
FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a USING (pid)
WHERE l.granted AND l.relation IN (SELECT to_regclass(name) FROM unnest(%s::text[]) AS name) AND l.pid IS DISTINCT FROM pg_backend_pid()
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND (l.pid IS NULL OR a.usename IS NOT NULL)"""

# Of other nodes, too: postgres_fdw keeps its snapshot as long as the transaction of that node.
SNAPSHOTS = """
SELECT format('%%s %%s', pid, xact_start) AS id, format('process %%s (%%s)', pid, coalesce(nullif(application_name, ''), usename)) AS who
FROM pg_stat_activity
WHERE backend_type = 'client backend' AND backend_xmin IS NOT NULL AND datname = current_database() AND pid <> pg_backend_pid()"""


def of_all(nodes, move):
    """Every node answers, and is as the registry says; the clocks agree."""
    try:
        publishers = nodes.publishers()
    except Silent as error:
        yield str(error)
        return
    seen = set()  # each node says what is wrong at another one, too
    for node in nodes.names:
        session = nodes.owner(node)
        try:
            for row in session.read(IDLE):
                yield (f"the subscription {row.subname} at {node} does not run: "
                       "the node would not hear of the new route")
            for table in move.tables:
                if not session.value("SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(%s)"
                                     " AND pg_get_userbyid(relowner) = current_user)", str(table)):
                    yield f"{table} at {node} is not there, or belongs to another role"
            # Without a global table, what is wrong with the nodes.
            for globally in [table.globally for table in move.tables if table.globally] or [None]:
                for row in session.read("SELECT concat_ws(', ', problem, country, node) AS what, coalesce(remedy, detail) AS remedy"
                                        " FROM @iuid@.iuid_check_regions(%(globally)s::regclass)"
                                        " WHERE relation IS NULL OR %(globally)s::text IS NOT NULL",
                                        {"globally": globally}):
                    key = (row.what, row.remedy.removesuffix(" -- at that node"))
                    if key not in seen:
                        argument = f"'{globally}'" if globally else ""
                        yield f"iuid_check_regions({argument}) at {node}: {row.what}: {row.remedy}"
                    seen.add(key)
            if node in publishers and not session.value("SELECT has_table_privilege('@iuid@.iuid_routes', 'UPDATE')"):
                yield f"this role may not change iuid_routes at {node}"
        except Silent as error:
            nodes.silent.add(node)
            yield str(error)
        except psycopg.Error as error:
            yield f"{node}: {words(error)}"
    if move.new not in nodes.names:
        yield f"{move.new} is not in iuid_nodes"
    yield from names_free(nodes, move)


def names_free(nodes, move):
    """The names that the switch gives."""
    if {move.old, move.new} & nodes.silent:
        return
    old, new = nodes.owner(move.old), nodes.owner(move.new)
    for table in move.tables:
        if attached(old, move):
            yield from names_taken(old, [name(part.schema, moved(part.name)) for part in tree(old, table)])
        if not attached(new, move):
            yield from names_taken(new, [table.view])


def names_taken(session, names):
    for each in names:
        if exists(session, each):
            yield f"{each} is there already at {session.node}: drop or rename it, if it is of an earlier move"


def same_tables(old, new, table):
    there = {row.shown for row in new.read(COLUMNS, str(table))} if exists(new, str(table)) else set()
    differ = {row.shown for row in old.read(COLUMNS, str(table))} ^ there
    if differ:
        yield f"the columns of {table} at {old.node} and {new.node} differ: {', '.join(sorted(differ))}"
        return
    keys = [{(key.schema, key.target, key.definition) for key in session.read(KEYS, str(table))} for session in (old, new)]
    for _, _, definition in keys[0] ^ keys[1]:
        yield f"{table} has not the same foreign keys at {old.node} and {new.node}: {definition}"


def hidden_from_owner(session, table):
    if session.read(MAY_READ, table.part)[0].hidden:
        yield (f"row security of {table.part} at {session.node} holds for its owner, too, who has to compare all rows: "
               f"ALTER TABLE {table.part} NO FORCE ROW LEVEL SECURITY until the move is finished")


def of_publisher(nodes, move):
    """The old node can publish, to a role that sees every row."""
    old = nodes.owner(move.old)
    for session in old, nodes.owner(move.new):
        if not session.value("SELECT has_database_privilege(current_database(), 'CREATE')"):
            yield f"this role may not keep the move at {session.node}: it needs CREATE on the database"
    try:
        mover = nodes.mover(move.old)
        if not mover.value("SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user"):
            yield f"the role of the copy at {move.old} has not REPLICATION"
        for table in move.tables:
            row, = mover.read(MAY_READ, table.part)
            if not row.may:
                yield f"the role of the copy at {move.old} may not read {table.part}"
            if row.hidden:
                yield f"row security hides rows of {table.part} from the role of the copy at {move.old}"
    except (psycopg.Error, Silent) as error:
        yield f"the role of the copy at {move.old}: {words(error)}"
    state, = old.read(SENDS)
    if state.wal_level != "logical":
        yield f"wal_level at {move.old} is {state.wal_level}, not logical"
    wanted = 1 + nodes.owner(move.new).read(TAKES)[0].sync
    for what, free in ("max_replication_slots", state.slots), ("max_wal_senders", state.senders):
        if free < wanted:
            yield f"{what} at {move.old} leaves {free}, and the copy takes {wanted}"


def may_subscribe(nodes, move):
    subscriber = nodes.subscriber(move.new)
    if not subscriber.value(SUPERUSER):
        yield f"this role may not subscribe at {move.new}: name a superuser by --subscribe-as"
    elif subscriber.version() < 160000 and not nodes.given.trust_owners:
        yield (f"{move.new} has PostgreSQL {subscriber.version() // 10000}, where a subscription runs what the owner "
               "of a table wrote, such as a CHECK, as a superuser: upgrade it to 16, or trust them by --trust-owners")


def of_subscriber(nodes, move):
    """The new node can subscribe, and has the room."""
    state, = nodes.owner(move.new).read(TAKES)
    for what, free in (("max_logical_replication_workers", state.workers), ("max_worker_processes", state.processes),
                       ("max_active_replication_origins (before PostgreSQL 18 max_replication_slots)", state.origins)):
        if free < 1 + state.sync:
            yield f"{what} at {move.new} leaves {free}, and the copy takes {1 + state.sync}"
    try:
        problems = list(may_subscribe(nodes, move))
        if problems:
            yield from problems
            return
        size, free = sizes(nodes, move)
        if free is not None and free < 1.5 * size:
            yield f"{move.new} has {free >> 20} MB free, and the copy needs about {int(1.5 * size) >> 20} MB"
    except (psycopg.Error, Silent) as error:
        yield f"the role that subscribes at {move.new}: {words(error)}"


def sizes(nodes, move):
    """The bytes of the tables, and those that are free at the new node."""
    (size,), = nodes.owner(move.old).read(
        "SELECT coalesce(sum(pg_total_relation_size(t.relid)), 0)::bigint"
        " FROM unnest(%s::text[]) AS name, pg_partition_tree(name::regclass) AS t",
        [table.part for table in move.tables])
    subscriber = nodes.subscriber(move.new)
    if subscriber.dry:
        return size, None
    return size, disk(subscriber)


def disk(superuser):
    """Asks df where the data of the server are."""
    superuser.read("SELECT 1")
    with superuser.connection.transaction(force_rollback=True):
        superuser.connection.execute("CREATE TEMPORARY TABLE free (line pg_catalog.text)")
        superuser.connection.execute("COPY pg_temp.free FROM PROGRAM 'df -Pk .'")  # the server runs in its data directory
        lines = superuser.connection.execute("SELECT line FROM pg_temp.free").fetchall()
    return int(lines[-1][0].split()[3]) * 1024


def left_behind(nodes, move):
    """What does not go along, by name."""
    old = nodes.owner(move.old)
    return [row[0] for table in move.tables for row in old.read(LEFT, {"part": table.part, "local": str(table)})]
