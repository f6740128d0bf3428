"""What both nodes keep of a move: a schema moving_c<country> of the tables' owner.

move      one row: the nodes, how far this node is, and which command works on it.  Every version of the command
          has the columns country, old, new, phase, since and version, and reads the others only if it began the move
tables    the tables that move
months    at the old node, the time partitions when the copy began
changes   the keys of rows that were changed, since they were last compared
alive     UNLOGGED, so it is empty after a crash, a base backup or a failover

Each comparison of the nodes raises the number in both rows, at the new node first.  A node whose number
is too small, or that has another system identifier or timeline, is not the one that it was.
"""

import dataclasses
import uuid

from move.country import Table, in_order, moved, no_rights, read_tables, tree
from sessions import VERSION, Stop, name, quote

# The phases.  The new node has the country from "attached" on, and takes writes from "serving" on.
SERVING, GIVEN_UP = "serving", "given up"  # the old node; the new node ends at "serving"
COPYING, ATTACHED = "copying", "attached"

FIELDS = [field.name for field in dataclasses.fields(Table)]

HERE = ("(SELECT system_identifier FROM pg_control_system())", "left(pg_walfile_name(pg_current_wal_lsn()), 8)")


@dataclasses.dataclass
class Move:
    country: int
    old: str
    new: str
    entities: list  # of the routes that change; None for that of all entities
    tables: list    # in the order of their foreign keys: what is referred to first
    token: uuid.UUID

    @property
    def name(self):
        """Of the schema, the publication, the subscription, its slot and the triggers."""
        return f"moving_c{self.country}"

    def at(self, what):
        return at(self.country, what)


def at(country, what):
    """What a node keeps of the move of a country."""
    return name(f"moving_c{country}", what)


@dataclasses.dataclass
class State:
    """How far one node is."""
    phase: str
    number: int
    compared: bool    # all rows, since the copy began or the node crashed
    refused: str      # since when writes are refused, by whom, and until when
    refusing: bool    # that has not ended
    since: str        # of the phase
    same: bool        # no other system, no other timeline
    alive: bool       # no crash since


class OtherVersion(Stop):
    """Another version of this command has begun a move.  SEEN: what every version can read of it."""
    def __init__(self, seen):
        self.seen = seen
        self.why = (f"was begun by version {seen.version} of iuid, and this is version {VERSION}: go on, or abort, with version"
                    f" {seen.version}, which runs from its source, too: python3 tools/iuid")
        super().__init__(f"the move of country {seen.country} {self.why}")


def read_move(old, country, new_name):
    """What is to move, from the node that has it."""
    entities = [row[0] for row in old.read(
        "SELECT entity FROM @iuid@.iuid_routes WHERE country = %s::int4 AND node = %s::text ORDER BY entity",
        country, old.node)]
    if not entities:
        (there,), = old.read("SELECT string_agg(DISTINCT node, ', ') FROM @iuid@.iuid_routes WHERE country = %s::int4",
                             country)
        raise Stop(f"country {country} has no route of its own to {old.node}" + (f", but to {there}" if there else
                   ": insert it into iuid_routes, for example by INSERT INTO iuid_routes VALUES "
                   f"({country}, NULL, '{old.node}')"))
    tables = []
    for table in read_tables(old, country):
        if table.view_name is None:
            raise Stop(f"{table.part} at {old.node} has no view for the other nodes: call "
                       f"iuid_create_routed_partitions('{table}', ...)")
        if None in entities or table.entity in entities:
            tables.append(table)
    if not tables:
        raise Stop(f"{old.node} has no table with a partition of country {country} that belongs to this role")
    for table in tables:
        if not all(row.simple for row in tree(old, table)):
            raise Stop(f"{table.part} is divided by more than time, which this command does not move")
    return Move(country, old.node, new_name, entities, in_order(old, tables), uuid.uuid4())


def find(session, country):
    """The move that a node knows of, and how far it is there; or None, None."""
    schema = f"moving_c{country}"
    owners = session.read("SELECT pg_get_userbyid(nspowner) AS owner, current_user AS here FROM pg_namespace"
                          " WHERE nspname = %s::name", schema)
    if not owners:
        return None, None
    if owners[0].owner != owners[0].here:
        raise Stop(f"the schema {schema} at {session.node} belongs to {owners[0].owner}: drop it, or rename it")
    rows = session.read(f"SELECT country, old, new, phase, since::text, version FROM {at(country, 'move')}")
    if [row.country for row in rows] != [country]:
        raise Stop(f"{schema} at {session.node} does not keep one move of country {country}")
    if rows[0].version != VERSION:
        raise OtherVersion(rows[0])
    row, = session.read(
        "SELECT m.*, m.since::text AS begun, 'since ' || m.refused || ' by process ' || m.refused_pid || coalesce((SELECT"
        " ' of ' || a.usename || ', which is there' FROM pg_stat_activity AS a WHERE a.pid = m.refused_pid"
        " AND a.usename = current_user), ', which has ended') || CASE WHEN m.refused_until > clock_timestamp()"
        " THEN ', until ' ELSE ', until it ended by itself at ' END || m.refused_until AS refusal,"
        " coalesce(m.refused_until > clock_timestamp(), false) AS refusing,"
        f" system = {HERE[0]} AND timeline = {HERE[1]} AS same, EXISTS (SELECT FROM {name(schema, 'alive')}) AS alive"
        f" FROM {name(schema, 'move')} AS m")
    tables = [Table(*(getattr(table, field) for field in FIELDS)) for table in
              session.read(f"SELECT * FROM {name(schema, 'tables')} ORDER BY number")]
    if not all(isinstance(number, int) for number in [row.number, *(each for each in row.entities if each is not None),
                                                      *(each for table in tables for each in (table.entity, table.number))]):
        raise Stop(f"{schema} at {session.node} has no numbers where numbers are kept")
    move = Move(country, row.old, row.new, row.entities, tables, row.token)
    return move, State(row.phase, row.number, row.compared, row.refusal, row.refusing, row.begun, row.same, row.alive)


def keep(move, given, phase, number, months=(), taking=1):
    """The statements by which a node begins to keep a move.

    GIVEN: the roles that have rights on a new table by default.  TAKING: the number of the command.
    """
    at = move.at
    types = "schema text, local text, key text, part_schema text, part_name text, view_schema text, view_name text," \
        " entity int4, divided bool, global_schema text, global_name text, number int4 PRIMARY KEY"
    yield f"CREATE SCHEMA {name(move.name)}"
    # For people, and for the desk.
    yield f"COMMENT ON SCHEMA {name(move.name)} IS {quote(f'from {move.old} to {move.new}')}"
    yield (f"CREATE TABLE {at('move')} (country int4 PRIMARY KEY, old text, new text, token uuid, entities int4[], phase text,"
           " number int8, compared bool, since timestamptz, refused timestamptz, refused_pid int4, refused_until timestamptz,"
           " system int8, timeline text, taking int8, version text)")
    entities = ", ".join("NULL" if entity is None else str(int(entity)) for entity in move.entities)
    yield (f"INSERT INTO {at('move')} VALUES ({move.country}, {quote(move.old)}, {quote(move.new)}, {quote(str(move.token))},"
           f" ARRAY[{entities}]::int4[], {quote(phase)}, {number}, false, now(), NULL, NULL, NULL, {', '.join(HERE)}, {taking},"
           f" {quote(VERSION)})")
    yield f"CREATE TABLE {at('tables')} ({types})"
    for table in move.tables:
        values = ", ".join(quote(getattr(table, field)) for field in FIELDS)
        yield f"INSERT INTO {at('tables')} VALUES ({values})"
    yield f"CREATE TABLE {at('months')} (oid int8 PRIMARY KEY, number int4, schema text, name text, file int8)"
    for table, month in months:
        yield (f"INSERT INTO {at('months')} VALUES ({month.oid}, {table.number}, {quote(month.schema)}, {quote(month.name)},"
               f" {month.file})")
    # With a key, as a publication of all tables refuses to delete from a table without one.
    yield (f"CREATE TABLE {at('changes')} (id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, number int4 NOT NULL, key uuid,"
           " xact xid8 DEFAULT pg_current_xact_id())")
    yield f"CREATE UNLOGGED TABLE {at('alive')} (since timestamptz PRIMARY KEY)"
    yield f"INSERT INTO {at('alive')} VALUES (now())"
    yield from no_rights(f"ALL TABLES IN SCHEMA {name(move.name)}", given)
    yield refusal(move, "true" if phase == COPYING else "false")
    for table in move.tables:
        yield note(move, table)
    yield f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {name(move.name)} FROM PUBLIC"


def forget(move):
    """The statements by which a node forgets it.  What somebody else has put there is not dropped."""
    yield from (f"DROP TABLE {move.at(table)}" for table in ("alive", "changes", "months", "tables", "move"))
    yield from (f"DROP FUNCTION {move.at(f'note_{table.number}')}()" for table in move.tables)
    yield f"DROP FUNCTION {move.at('refuse')}()"
    yield f"DROP SCHEMA {name(move.name)}"


def enter(move, phase):
    return f"UPDATE {move.at('move')} SET phase = {quote(phase)}, since = now()"


def refusal(move, condition):
    """The function that decides who may write a partition: nobody, as long as a condition is true."""
    body = (f"BEGIN IF {condition} THEN RAISE EXCEPTION 'these rows are moving to another node'"
            " USING ERRCODE = 'object_in_use', HINT = 'Try again in a second.'; END IF; RETURN coalesce(NEW, OLD); END")
    return (f"CREATE OR REPLACE FUNCTION {move.at('refuse')}() RETURNS trigger LANGUAGE plpgsql"
            f" SET search_path = pg_catalog, pg_temp AS {quote(body)}")


def refuse(move, seconds, again=False):
    """The statement by which the old node refuses writes for so long.

    The end is in the function, and in no table: a transaction sees rows by its snapshot, and functions as they
    are.  AGAIN: it goes on from a refusal that has not ended.
    """
    function = quote(refusal(move, "clock_timestamp() < to_timestamp(:ends)"))
    change = "" if again else "refused = clock_timestamp(), refused_pid = pg_backend_pid(), "
    return do(f"""DECLARE ends timestamptz := clock_timestamp() + interval '{seconds:.0f} seconds';
BEGIN
	UPDATE {move.at('move')} SET {change}refused_until = ends{' WHERE refused_until > clock_timestamp()' if again else ''};
	IF NOT FOUND THEN {raising(LAPSED)} END IF;
	EXECUTE replace({function}, ':ends', extract(epoch FROM ends)::text);
END""")


def kept(table):
    """The partition at the old node after the switch."""
    return name(table.part_schema, moved(table.part_name))


def takes_writes(move):
    """The statements by which a node takes them again, or for the first time."""
    return [refusal(move, "false"), f"UPDATE {move.at('move')} SET refused = NULL, refused_pid = NULL, refused_until = NULL"]


LAPSED = "the time is over for which writes were refused"


def nobody_wrote(move, seen):
    """The statement that proves, under the locks of a transaction, that nobody wrote since a comparison.

    SEEN: the last change that the comparison saw.
    """
    return raise_unless(f"(SELECT refused_until FROM {move.at('move')}) > clock_timestamp()"
                        f" AND NOT EXISTS (SELECT FROM {move.at('changes')} WHERE id > {seen})", LAPSED)


def raise_unless(condition, message):
    return do(f"BEGIN IF ({condition}) IS NOT TRUE THEN {raising(message)} END IF; END")


def raising(message):
    return f"RAISE EXCEPTION {quote(message)} USING ERRCODE = 'object_not_in_prerequisite_state';"


def do(body):
    return f"DO {quote(body)}"


def note(move, table):
    """The function that notes the keys of rows that are changed; NULL stands for all."""
    changes, key = move.at("changes"), name(table.key)
    insert = f"INSERT INTO {changes} (number, key) VALUES ({table.number}, "
    body = (f"BEGIN IF TG_OP = 'TRUNCATE' THEN {insert}NULL); RETURN NULL; END IF;"
            f" IF TG_OP <> 'DELETE' THEN {insert}NEW.{key}::uuid); END IF;"
            f" IF TG_OP = 'DELETE' THEN {insert}OLD.{key}::uuid);"
            f" ELSIF TG_OP = 'UPDATE' THEN IF OLD.{key}::uuid <> NEW.{key}::uuid THEN {insert}OLD.{key}::uuid); END IF;"
            " END IF; RETURN NULL; END")
    return (f"CREATE OR REPLACE FUNCTION {move.at(f'note_{table.number}')}() RETURNS trigger LANGUAGE plpgsql"
            f" SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS {quote(body)}")


def refusing_triggers(move, part):
    return [f"CREATE OR REPLACE TRIGGER {name(move.name)} BEFORE INSERT OR UPDATE OR DELETE ON {part}"
            f" FOR EACH ROW EXECUTE FUNCTION {move.at('refuse')}()",
            f"CREATE OR REPLACE TRIGGER {name(move.name + '_all')} BEFORE TRUNCATE ON {part}"
            f" EXECUTE FUNCTION {move.at('refuse')}()"]


def noting_triggers(move, table):
    function = move.at(f"note_{table.number}")
    return [f"CREATE TRIGGER {name(move.name + '_note')} AFTER INSERT OR UPDATE OR DELETE ON {table.part}"
            f" FOR EACH ROW EXECUTE FUNCTION {function}()",
            f"CREATE TRIGGER {name(move.name + '_note_all')} AFTER TRUNCATE ON {table.part} EXECUTE FUNCTION {function}()"]


REFUSING, NOTING = ("", "_all"), ("_note", "_note_all")  # the kinds of triggers


def always(move, part, *kinds):
    """They fire whatever session_replication_role says: a row that a subscription brings is one that moves, too."""
    return [f"ALTER TABLE {part} ENABLE ALWAYS TRIGGER {name(move.name + kind)}" for kind in kinds]


def not_for_replication(move, part, *kinds):
    """They let pass what the copy brings."""
    return [f"ALTER TABLE {part} ENABLE TRIGGER {name(move.name + kind)}" for kind in kinds]


def no_triggers(move, part, *kinds):
    return [f"DROP TRIGGER IF EXISTS {name(move.name + kind)} ON {part}" for kind in kinds]


def has_triggers(session, part, move):
    """Whether the function of the move decides who may write a partition."""
    return session.value("SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND tgname = %s::name)",
                         part, move.name)
