"""The tables of a country, read from the catalogs of its node.

What a node says is data: names, numbers, bounds and rights.  The statements for the other node are
made of them here.
"""

import dataclasses
import hashlib
import re
import uuid

from sessions import Stop, name

# The partition of a country in each table of the session's role that is in order by origin, with its
# view for other nodes.
TABLES = """
SELECT pn.nspname AS schema, p.relname AS local, a.attname AS key, cn.nspname AS part_schema, c.relname AS part,
	vn.nspname AS view_schema, v.relname AS view, substring(v.relname FROM '_e(\\d+)$')::int AS entity,
	c.relkind = 'p' AS divided, gn.nspname AS global_schema, g.relname AS globally
FROM pg_partitioned_table AS t
	JOIN pg_opclass AS o ON o.oid = t.partclass[0] AND o.opcname IN ('iuid_origin_ops', 'uuid_origin_ops')
		AND o.opcnamespace = (SELECT extnamespace FROM pg_extension WHERE extname = 'iuid_regions')
	JOIN pg_class AS p ON p.oid = t.partrelid AND p.relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
	JOIN pg_attribute AS a ON a.attrelid = p.oid AND a.attnum = t.partattrs[0]
	JOIN pg_inherits AS i ON i.inhparent = p.oid
	JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p')
		AND pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (%%L) TO (%%L)',
			@iuid@.iuid_country_floor(%(country)s::int4), @iuid@.iuid_country_floor(%(country)s::int4 + 1))
	LEFT JOIN pg_class AS v ON v.relkind = 'v' AND v.relowner = p.relowner
		AND v.relname ~ ('_c' || %(country)s::text || '_e[0-9]+$') AND EXISTS (
		SELECT FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		WHERE r.ev_class = v.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid)
	LEFT JOIN pg_inherits AS gi ON gi.inhrelid = p.oid
	LEFT JOIN pg_class AS g ON g.oid = gi.inhparent
	JOIN pg_namespace AS pn ON pn.oid = p.relnamespace
	JOIN pg_namespace AS cn ON cn.oid = c.relnamespace
	LEFT JOIN pg_namespace AS vn ON vn.oid = v.relnamespace
	LEFT JOIN pg_namespace AS gn ON gn.oid = g.relnamespace
ORDER BY pn.nspname, p.relname"""

# The foreign keys of a table, each with the table that it refers to.
KEYS = """
SELECT k.conname AS name, pg_get_constraintdef(k.oid) AS definition, n.nspname AS schema, r.relname AS target,
	(SELECT array_agg(attname::text ORDER BY n) FROM unnest(k.conkey) WITH ORDINALITY AS u (number, n)
		JOIN pg_attribute ON attrelid = k.conrelid AND attnum = number) AS columns,
	(SELECT array_agg(attname::text ORDER BY n) FROM unnest(k.confkey) WITH ORDINALITY AS u (number, n)
		JOIN pg_attribute ON attrelid = k.confrelid AND attnum = number) AS others
FROM pg_constraint AS k JOIN pg_class AS r ON r.oid = k.confrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
WHERE k.contype = 'f' AND k.conrelid = %s::regclass
	AND NOT EXISTS (SELECT FROM pg_constraint AS above WHERE above.oid = k.conparentid AND above.conrelid = k.conrelid)
ORDER BY k.conname"""

# A table and all partitions below it, as pg_partition_tree() gives them, which knows no single tables.
BELOW = """(SELECT relid::oid, level, isleaf FROM pg_partition_tree({0}::regclass)
	UNION SELECT oid, 0, true FROM pg_class WHERE oid = {0}::regclass AND relkind = 'r')"""

# The partition and all tables below it.  "simple": divided as iuid divides a country by time.
TREE = f"""
SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, t.level, t.isleaf,
	pg_get_expr(c.relpartbound, c.oid) AS bound, pg_relation_filenode(c.oid)::int8 AS file,
	c.relkind = 'r' OR t.level = 0 AND pg_get_partkeydef(c.oid) = format('RANGE (%%I)', %(key)s::text) AS simple
FROM {BELOW.format("%(part)s")} AS t JOIN pg_class AS c ON c.oid = t.relid
	JOIN pg_namespace AS n ON n.oid = c.relnamespace
ORDER BY t.level, c.relname"""

BOUND = re.compile(r"FOR VALUES FROM \((MINVALUE|'[0-9a-f-]{36}')\) TO \((MAXVALUE|'[0-9a-f-]{36}')\)")

# The rights of others on relations, as they are granted: on all of it, and on columns.
GRANTS = """
SELECT g.n, a.grantee, a.is_grantable, a.privilege_type, NULL AS "column"
FROM given AS g JOIN pg_class AS c USING (oid), aclexplode(c.relacl) AS a WHERE a.grantee <> c.relowner
UNION ALL SELECT g.n, a.grantee, a.is_grantable, a.privilege_type, t.attname
FROM given AS g JOIN pg_class AS c USING (oid) JOIN pg_attribute AS t ON t.attrelid = c.oid AND NOT t.attisdropped,
	aclexplode(t.attacl) AS a WHERE a.grantee <> c.relowner"""

RIGHTS = f"""
WITH given AS (SELECT n::int4, to_regclass(t)::oid AS oid FROM unnest(%s::text[]) WITH ORDINALITY AS u (t, n))
SELECT n, CASE WHEN grantee <> 0 THEN pg_get_userbyid(grantee) END AS role, is_grantable AS passed_on,
	privilege_type AS privilege, "column" FROM ({GRANTS}) AS g ORDER BY 1, 2, 3, 4, 5"""

PRIVILEGES = {"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"}

# The roles that get rights on each new table of the session's role; NULL for PUBLIC.
BY_DEFAULT = """
SELECT DISTINCT CASE WHEN a.grantee <> 0 THEN pg_get_userbyid(a.grantee) END AS role
FROM pg_default_acl AS d, aclexplode(d.defaclacl) AS a
WHERE d.defaclrole = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND d.defaclobjtype = 'r'
	AND a.grantee <> d.defaclrole ORDER BY 1"""

# The statements by which the view of a country shows the foreign table that the country gets, made and
# run by the old node.  Where the country is divided by time, ctid is no tid.  The view has the rights of
# its owner, who comes in at the new node as one role.  So others lose rights on it that would give them
# more than before.
ROLE = "CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END"

LEADING = f"""
SELECT CASE WHEN %(globally)s::text IS NULL THEN format('DROP VIEW %%s', v.oid::regclass)
	ELSE format('DO %%L', format('BEGIN EXECUTE %%L || (SELECT c.oid::regclass FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid'
		' WHERE inhparent = %%L::regclass AND c.relkind = ''f'' AND pg_get_expr(c.relpartbound, c.oid) = %%L); END',
		(SELECT format('CREATE OR REPLACE VIEW %%s AS SELECT %%s FROM ', v.oid::regclass,
			string_agg(CASE WHEN attname = 'ctid' AND atttypid <> 'tid'::regtype
				THEN format('NULL::%%s AS ctid', atttypid::regtype) ELSE quote_ident(attname) END, ', ' ORDER BY attnum))
			FROM pg_attribute WHERE attrelid = v.oid AND attnum > 0),
		%(globally)s::text, format('FOR VALUES FROM (%%L) TO (%%L)',
			@iuid@.iuid_country_floor(%(country)s::int4), @iuid@.iuid_country_floor(%(country)s::int4 + 1)))) END
FROM pg_class AS v WHERE v.oid = %(at)s::regclass
UNION ALL SELECT format('REVOKE %%s ON %%s FROM %%s CASCADE', string_agg(DISTINCT privilege_type, ', '), %(at)s::text, {ROLE})
FROM (WITH given AS (SELECT 1 AS n, %(at)s::regclass::oid AS oid) {GRANTS}) AS g
	JOIN pg_class AS p ON p.oid = %(part)s::regclass
WHERE %(globally)s::text IS NOT NULL AND (NOT has_table_privilege(grantee, p.oid, privilege_type)
	OR p.relrowsecurity AND pg_get_userbyid(grantee) IS DISTINCT FROM (
		SELECT option_value FROM @iuid@.iuid_nodes AS n JOIN pg_user_mappings AS m ON m.srvname = n.server AND m.umuser = p.relowner,
			pg_options_to_table(m.umoptions) WHERE n.node = %(new)s::text AND option_name = 'user'))
GROUP BY grantee"""

# The statement by which such a view shows the rows of a table of its own node, with the rights that it has.
STANDING = """
SELECT format('CREATE OR REPLACE VIEW %%s AS SELECT %%s FROM %%s', v.oid::regclass,
	string_agg(CASE WHEN attname = 'ctid' AND atttypid <> 'tid'::regtype
		THEN format('NULL::%%s AS ctid', atttypid::regtype) ELSE quote_ident(attname) END, ', ' ORDER BY attnum), %(part)s::regclass)
FROM pg_class AS v JOIN pg_attribute ON attrelid = v.oid AND attnum > 0 WHERE v.oid = %(at)s::regclass GROUP BY v.oid"""

COLUMNS = """
SELECT attname AS name, quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) AS shown FROM pg_attribute
WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname COLLATE "C" """


@dataclasses.dataclass(frozen=True)
class Table:
    schema: str         # of the table, such as orders
    local: str
    key: str            # the column of the identifier
    part_schema: str    # of its partition of the country, orders_c235
    part_name: str
    view_schema: str    # of the view that the other nodes read, orders_c235_e1
    view_name: str
    entity: int
    divided: bool       # by time
    global_schema: str  # of its global table; None without one
    global_name: str
    number: int = 0     # among the tables of the move: what is referred to comes first

    def __str__(self):
        return name(self.schema, self.local)

    @property
    def part(self):
        return name(self.part_schema, self.part_name)

    @property
    def view(self):
        return name(self.view_schema, self.view_name)

    @property
    def globally(self):
        return name(self.global_schema, self.global_name) if self.global_name else None

    def bounds(self, country):
        return f"FOR VALUES FROM (@iuid@.iuid_country_floor({country})) TO (@iuid@.iuid_country_floor({country + 1}))"


def read_tables(session, country):
    """The tables with a partition of the country at a node."""
    return [Table(row.schema, row.local, row.key, row.part_schema, row.part, row.view_schema, row.view, row.entity,
                  row.divided, row.global_schema, row.globally)
            for row in session.read(TABLES, {"country": country})]


def attached(session, move):
    """The tables of a move that have a partition of the country at a node."""
    there = {(row.schema, row.local) for row in session.read(TABLES, {"country": move.country})}
    return [table for table in move.tables if (table.schema, table.local) in there]


def tree(session, table, part=None):
    return session.read(TREE, {"part": part or table.part, "key": table.key})


def bound(row):
    """The bounds of a time partition, made anew of what a node says of them."""
    if row.bound == "DEFAULT":
        return "DEFAULT"
    found = BOUND.fullmatch(row.bound)
    if not found:
        raise Stop(f"the bounds of {row.name} are not identifiers: {row.bound}")
    return "FOR VALUES FROM ({}) TO ({})".format(*(
        end if end.endswith("VALUE") else f"'{uuid.UUID(end[1:-1])}'" for end in found.groups()))


def moved(text, suffix="_moved"):
    """The name of a partition that the old node keeps."""
    return (text if len(text.encode()) <= 63 - len(suffix) else hashlib.md5(text.encode()).hexdigest()) + suffix


def columns(session, relation):
    return [row.name for row in session.read(COLUMNS, relation)]


def by_default(session):
    """The roles that get rights on each new table of the role of a session, quoted."""
    return [role(row.role) for row in session.read(BY_DEFAULT)]


def role(text):
    return "PUBLIC" if text is None else name(text)


def no_rights(at, given):
    """GIVEN: the roles that have rights on a new relation by default."""
    return [f"REVOKE ALL ON {at} FROM {', '.join(given)}"] if given else []


def rights(old, relations):
    """The statements by which relations get the rights that they have at the old node.

    RELATIONS: each with its name there.
    """
    at = list(relations)
    for row in old.read(RIGHTS, [relations[each] for each in at]):
        if row.privilege not in PRIVILEGES:
            raise Stop(f"{old.node} says that a table has the right {row.privilege}, which is none of a table")
        of_column = f" ({name(row.column)})" if row.column else ""
        yield (f"GRANT {row.privilege}{of_column} ON {at[row.n - 1]} TO {role(row.role)}"
               + (" WITH GRANT OPTION" if row.passed_on else ""))


def nobody_else(session, relation):
    """The statements by which others lose all rights on a relation."""
    roles = {role(row.role) for row in session.read(RIGHTS, [relation])}
    return [f"REVOKE ALL ON {relation} FROM {each} CASCADE" for each in sorted(roles)]


def exists(session, relation):
    return session.value("SELECT to_regclass(%s) IS NOT NULL", relation)


def inside(move, key):
    """The table that a foreign key refers to, if that moves, too."""
    return next((table for table in move.tables if (table.schema, table.local) == (key.schema, key.target)), None)


def in_order(old, tables):
    """What is referred to comes before what refers to it."""
    refers = {table: {(key.schema, key.target) for key in old.read(KEYS, str(table))} for table in tables}
    left, done = list(tables), []
    while left:
        there = {(table.schema, table.local) for table in left}
        free = [table for table in left if not refers[table] & there]
        if not free:
            raise Stop("the foreign keys of these tables go round: " + ", ".join(map(str, left)))
        done += free
        left = [table for table in left if table not in free]
    return [dataclasses.replace(table, number=n) for n, table in enumerate(done)]
