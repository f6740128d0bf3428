"""The tables of a country: read at its node, and kept at both nodes while the country moves.

The function moving_c<country>() refuses to write.  It stands at the old and at the new node as long
as the move goes on, and its comment has the Move below.  So the nodes say what moves, and what is
done of it.
"""

import dataclasses
import json

import psycopg

from nodes import Stop

# The name of a partition that the old node keeps.
MOVED = "quote_ident(CASE WHEN octet_length(c.relname) > 57 THEN md5(c.relname) ELSE c.relname END || '_moved') AS moved"

# The partition of a country in each table that is in order by origin, with its view for other nodes.
TABLES = f"""
SELECT p.oid::regclass::text AS local, c.oid::regclass::text AS part, quote_ident(c.relname) AS name,
	v.oid::regclass::text AS view, substring(v.relname FROM '_e(\\d+)$')::int AS entity, c.relkind = 'p' AS divided,
	{MOVED},
	g.inhparent::regclass::text AS globally
FROM pg_partitioned_table AS t
	JOIN pg_opclass AS o ON o.oid = t.partclass[0] AND o.opcname = 'iuid_origin_ops'
	JOIN pg_class AS p ON p.oid = t.partrelid
	JOIN pg_inherits AS i ON i.inhparent = p.oid
	JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p')
		AND pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (%%L) TO (%%L)',
			iuid_country_floor(%(country)s), iuid_country_floor(%(country)s + 1))
	LEFT JOIN pg_class AS v ON v.relkind = 'v' AND v.relname ~ ('_c' || %(country)s || '_e[0-9]+$') AND EXISTS (
		SELECT FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		WHERE r.ev_class = v.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid)
	LEFT JOIN pg_inherits AS g ON g.inhrelid = p.oid
ORDER BY p.oid::regclass::text COLLATE "C" """

# The foreign keys of a table, each with the table that it refers to.
KEYS = """
SELECT k.conname AS name, quote_ident(k.conname) AS quoted, pg_get_constraintdef(k.oid) AS definition,
	k.confrelid::regclass::text AS target,
	(SELECT array_agg(quote_ident(attname) ORDER BY n) FROM unnest(k.conkey) WITH ORDINALITY AS u (number, n)
		JOIN pg_attribute ON attrelid = k.conrelid AND attnum = number) AS columns,
	(SELECT array_agg(quote_ident(attname) ORDER BY n) FROM unnest(k.confkey) WITH ORDINALITY AS u (number, n)
		JOIN pg_attribute ON attrelid = k.confrelid AND attnum = number) AS others
FROM pg_constraint AS k WHERE k.contype = 'f' AND k.conrelid = %s::regclass
	AND NOT EXISTS (SELECT FROM pg_constraint AS above WHERE above.oid = k.conparentid AND above.conrelid = k.conrelid)
ORDER BY k.conname"""

# The partition and all tables below it.
TREE = f"""
SELECT t.relid::oid AS oid, t.relid::regclass::text AS part, t.parentrelid::regclass::text AS parent,
	t.level, t.isleaf, quote_ident(c.relname) AS name,
	{MOVED},
	pg_get_expr(c.relpartbound, c.oid) AS bound,
	CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) END AS key, pg_relation_filenode(c.oid) AS file,
	ARRAY(SELECT format('CONSTRAINT %%I %%s', conname, pg_get_constraintdef(k.oid)) FROM pg_constraint AS k
		WHERE conrelid = c.oid AND contype = 'c' AND coninhcount = 0 ORDER BY conname) AS checks
FROM pg_partition_tree(%s::regclass) AS t JOIN pg_class AS c ON c.oid = t.relid ORDER BY t.level, c.relname"""

# The rights of others on a relation, as they are granted: on all of it, and on columns.
GRANTS = """
SELECT a.grantee, a.is_grantable, a.privilege_type, NULL AS column
FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.oid = %(at)s::regclass AND a.grantee <> c.relowner
UNION ALL SELECT a.grantee, a.is_grantable, a.privilege_type, t.attname
FROM pg_class AS c JOIN pg_attribute AS t ON t.attrelid = c.oid AND NOT t.attisdropped, aclexplode(t.attacl) AS a
WHERE c.oid = %(at)s::regclass AND a.grantee <> c.relowner"""

ROLE = "CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END"

RIGHTS = f"""
SELECT format('GRANT %%s ON %%s TO %%s%%s',
	string_agg(privilege_type || coalesce(' (' || quote_ident("column") || ')', ''), ', ' ORDER BY privilege_type, "column"),
	%(at)s::text, {ROLE}, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
FROM ({GRANTS}) AS g GROUP BY grantee, is_grantable ORDER BY 1"""

BY_DEFAULT = f"""
SELECT DISTINCT {ROLE} FROM pg_default_acl AS d, aclexplode(d.defaclacl) AS a
WHERE d.defaclrole = current_user::regrole AND d.defaclobjtype = 'r' AND a.grantee <> d.defaclrole ORDER BY 1"""

# The statements by which the view of a country shows the foreign table that the country gets.  Where
# the country is divided by time, ctid is no tid.  The view has the rights of its owner, who comes in
# at the new node as one role.  So others lose rights on it that would give them more than before.
LEADING = f"""
SELECT CASE WHEN %(globally)s::text IS NULL THEN format('DROP VIEW %%s', v.oid::regclass)
	ELSE format('DO %%L', format('BEGIN EXECUTE %%L || (SELECT c.oid::regclass FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid'
		' WHERE inhparent = %%L::regclass AND c.relkind = ''f'' AND pg_get_expr(c.relpartbound, c.oid) = %%L); END',
		(SELECT format('CREATE OR REPLACE VIEW %%s AS SELECT %%s FROM ', v.oid::regclass,
			string_agg(CASE WHEN attname = 'ctid' AND atttypid <> 'tid'::regtype
				THEN format('NULL::%%s AS ctid', atttypid::regtype) ELSE quote_ident(attname) END, ', ' ORDER BY attnum))
			FROM pg_attribute WHERE attrelid = v.oid AND attnum > 0),
		%(globally)s::text, format('FOR VALUES FROM (%%L) TO (%%L)',
			iuid_country_floor(%(country)s), iuid_country_floor(%(country)s + 1)))) END
FROM pg_class AS v WHERE v.oid = %(at)s::regclass
UNION ALL SELECT format('REVOKE %%s ON %%s FROM %%s CASCADE', string_agg(DISTINCT privilege_type, ', '), %(at)s::text, {ROLE})
FROM ({GRANTS}) AS g JOIN pg_class AS p ON p.oid = %(part)s::regclass
WHERE %(globally)s::text IS NOT NULL AND (NOT has_table_privilege(grantee, p.oid, privilege_type)
	OR p.relrowsecurity AND pg_get_userbyid(grantee) IS DISTINCT FROM (
		SELECT option_value FROM iuid_nodes AS n JOIN pg_user_mappings AS m ON m.srvname = n.server AND m.umuser = p.relowner,
			pg_options_to_table(m.umoptions) WHERE n.node = %(new)s AND option_name = 'user'))
GROUP BY grantee"""

COLUMNS = """
SELECT quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) AS shown FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname"""


@dataclasses.dataclass
class Table:
    local: str     # such as orders
    part: str      # its partition of the country, orders_c235
    name: str      # the same without a schema
    view: str      # orders_c235_e1, which the other nodes read
    entity: int
    divided: bool  # by time
    moved: str     # the name of the partition that the old node keeps
    globally: str  # its global table, or None
    below: dict    # the time partitions when the copy began: name, oid and file

    @property
    def kept(self):
        """The partition at the old node after the switch."""
        return self.part.removesuffix(self.name) + self.moved

    def bounds(self, country):
        return f"FOR VALUES FROM (iuid_country_floor({country})) TO (iuid_country_floor({country + 1}))"


@dataclasses.dataclass
class Move:
    country: int
    old: str
    new: str
    entities: list  # of the routes that change; None for that of all entities
    tables: list    # in the order of their foreign keys: what is referred to first

    @property
    def name(self):
        """Of the function, the publication, the subscription, its slot and the triggers."""
        return f"moving_c{self.country}"

    def kept(self):
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"))

    def table(self, local):
        return next((table for table in self.tables if table.local == local), None)


def read_move(old, country, new_name):
    """What is to move, from the node that has it."""
    entities = [row[0] for row in old.read(
        "SELECT entity FROM iuid_routes WHERE country = %s AND node = %s ORDER BY entity", country, old.node)]
    if not entities:
        (there,), = old.read("SELECT string_agg(DISTINCT node, ', ') FROM iuid_routes WHERE country = %s", country)
        raise Stop(f"country {country} has no route of its own to {old.node}" + (f", but to {there}" if there else
                   ": insert it into iuid_routes, for example by INSERT INTO iuid_routes VALUES "
                   f"({country}, NULL, '{old.node}')"))
    tables = []
    for row in old.read(TABLES, {"country": country}):
        if row.view is None:
            raise Stop(f"{row.part} at {old.node} has no view for the other nodes: call "
                       f"iuid_create_country_partitions('{row.local}', ...)")
        if None not in entities and row.entity not in entities:
            continue
        below = [part for part in old.read(TREE, row.part) if row.divided and part.level > 0 and part.isleaf]
        tables.append(Table(**row._asdict(), below={part.name: (part.oid, part.file) for part in below}))
    if not tables:
        raise Stop(f"{old.node} has no table with a partition of country {country}")
    move = Move(country, old.node, new_name, entities, tables)
    move.tables = in_order(old, tables)
    return move


def by_default(session):
    """The roles that get rights on each new table of the role of a session."""
    return [row[0] for row in session.read(BY_DEFAULT)]


def rights(old, at, given):
    """The statements by which a new relation gets the rights that it has at the old node.

    GIVEN: the roles that have rights on it by default, which they lose.
    """
    revoke = [f"REVOKE ALL ON {at} FROM {', '.join(given)}"] if given else []
    return revoke + [row[0] for row in old.read(RIGHTS, {"at": at})]


def in_order(old, tables):
    """What is referred to comes before what refers to it."""
    refers = {table.local: {key.target for key in old.read(KEYS, table.local)} for table in tables}
    left, done = list(tables), []
    while left:
        free = [table for table in left if not refers[table.local] & {other.local for other in left}]
        if not free:
            raise Stop("the foreign keys of these tables go round: " + ", ".join(table.local for table in left))
        done += free
        left = [table for table in left if table not in free]
    return done


def find_move(session, country):
    """The move that a node knows of, or None."""
    kept = session.value(f"SELECT obj_description(to_regprocedure('moving_c{country}()'), 'pg_proc')")
    if not kept:
        return None
    move = Move(**json.loads(kept))
    move.tables = [Table(**table) for table in move.tables]
    return move


def attached(session, move):
    """The tables that have a partition of the country at a node."""
    return {row.local for row in session.read(TABLES, {"country": move.country})} & {
        table.local for table in move.tables}


def has_triggers(session, table, move):
    """Whether the function of the move decides who may write a partition."""
    return session.value("SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND tgname = %s)",
                         table.part, move.name)


def exists(session, name):
    return session.value("SELECT to_regclass(%s) IS NOT NULL", name)


def keys_inside(session, move, table):
    """The foreign keys of a table to tables that move, too."""
    return [key for key in session.read(KEYS, table.local) if move.table(key.target)]


# What the program writes: the function, and the triggers that call it.

def function(move, refuse):
    body = ("RAISE EXCEPTION 'these rows are moving to another node'"
            " USING ERRCODE = 'object_in_use', HINT = 'Try again in a second.';"
            if refuse else "RETURN coalesce(NEW, OLD);")
    return (f"CREATE OR REPLACE FUNCTION {move.name}() RETURNS trigger LANGUAGE plpgsql"
            f" AS {psycopg.sql.quote(f'BEGIN {body} END')}")


def keep(move):
    return f"COMMENT ON FUNCTION {move.name}() IS {psycopg.sql.quote(move.kept())}"


def triggers(move, part):
    return [f"CREATE OR REPLACE TRIGGER {move.name} BEFORE INSERT OR UPDATE OR DELETE ON {part}"
            f" FOR EACH ROW EXECUTE FUNCTION {move.name}()",
            f"CREATE OR REPLACE TRIGGER {move.name}_all BEFORE TRUNCATE ON {part} EXECUTE FUNCTION {move.name}()"]


def no_triggers(move, part):
    return [f"DROP TRIGGER IF EXISTS {name} ON {part}" for name in (move.name, f"{move.name}_all")]
