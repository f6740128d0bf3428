"""A column of a table at all nodes: it comes, goes, gets another name or another type.

Each node does it in a transaction of its own, all at the same time, as the owner of the table.  A node
that has done it already only makes again what stands on the column.
"""

import contextlib
import time

import tables
from registry.nodes import Nodes
from sessions import Stop, at_once, name, quote, to_role, words

PATIENCE = 60  # seconds for the locks of a node

COLUMN = """
SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
WHERE attrelid = %s::regclass AND attname = %s::name AND attnum > 0 AND NOT attisdropped"""

# The views of countries, which other nodes use.
VIEWS = """
SELECT DISTINCT v.oid::regclass::text AS view
FROM pg_inherits AS i JOIN pg_class AS l ON l.oid = i.inhparent
	JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = i.inhrelid AND d.classid = 'pg_rewrite'::regclass
	JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class
WHERE l.oid = %s::regclass AND v.relkind = 'v' AND v.relowner = l.relowner AND v.relname ~ '_c[0-9]+_e[0-9]+$' ORDER BY 1"""

RIGHTS = """
SELECT c.oid::regclass::text AS relation, r.attname AS column, a.privilege_type AS privilege, a.is_grantable,
	CASE WHEN a.grantee <> 0 THEN pg_get_userbyid(a.grantee) END AS role
FROM pg_class AS c CROSS JOIN LATERAL (SELECT NULL, c.relacl UNION ALL SELECT attname, attacl FROM pg_attribute WHERE attrelid = c.oid AND attname <> %s::name)
	AS r (attname, acl), aclexplode(r.acl) WITH ORDINALITY AS a
WHERE c.oid = ANY (%s::regclass[]) AND a.grantee <> c.relowner ORDER BY 1, 2, ordinality"""

# Who has rights on what this role makes.
DEFAULTS = """
SELECT DISTINCT CASE WHEN a.grantee <> 0 THEN pg_get_userbyid(a.grantee) END AS role
FROM pg_default_acl AS d, aclexplode(d.defaclacl) AS a
WHERE d.defaclobjtype = 'r' AND pg_get_userbyid(d.defaclrole) = current_user AND a.grantee <> d.defaclrole ORDER BY 1"""


def run(given):
    nodes = Nodes(dry=given.dry_run)
    nodes.find()
    nodes.require_all("a column changes")
    nodes.lock()
    changes = {node: Change(nodes.owner(node), given) for node in nodes.names}
    failed = {node: error for node, error in at_once(Change.run, {node: [change] for node, change in changes.items()}).items() if error}
    if failed:
        raise Stop(". ".join(f"{node}: {words(error)}" for node, error in failed.items())
                   + f". It is done at {', '.join(node for node in nodes.names if node not in failed) or 'no node'}: start the command again")
    if given.command == "drop" and not any(change.there for change in changes.values()):
        print(f"No node had a column {given.column} in {given.table}: there was nothing to drop.")
    else:
        print("Nothing was changed, as this is a dry run." if nodes.dry
              else f"All nodes have it: {', '.join(nodes.names)}.")


class Change:
    """Of one node; it is refused here if it cannot be done, before any node has changed."""

    def __init__(self, session, given):
        self.session, self.given = session, given
        relations = tables.read(session)
        found = [each for each in relations if not each.is_view and given.table in (each.name, f"{each.schema}.{each.name}")]
        if len(found) != 1:
            raise Stop(f"{session.node} has {len(found) or 'no'} global table {given.table} of this role; it has "
                       + (", ".join(each.relation for each in relations if not each.is_view) or "none"))
        self.globally, = found
        self.views = [each for each in relations if each.is_view and each.local == self.globally.local]
        self.there = self.column(given.column)
        self.refuse()

    def column(self, column):
        return next(iter(self.session.read(COLUMN, self.globally.local, column)), None)

    def refuse(self):
        given, node = self.given, self.session.node
        if given.command in ("add", "type"):
            self.session.value("SELECT %s::regtype::text", given.type)  # a type, and no more
            if given.command == "add" and self.there and self.there.type != self.type_given():
                raise Stop(f"{given.table} at {node} has a column {given.column} of type {self.there.type}")
        if given.command == "rename" and self.there and self.column(given.new):
            raise Stop(f"{given.table} at {node} has both {given.column} and {given.new}")
        if given.command == "type" and self.there and self.rewrites():
            raise Stop(f"the server would write all rows of {given.table} anew, and a statement of another node that waits for that"
                       f" would see no row: add a column of type {given.type}, fill it, drop {given.column}, and rename the other one")
        if not self.there and (given.command == "type" or given.command == "rename" and not self.column(given.new)):
            raise Stop(f"{given.table} at {node} has no column {given.column}")

    def type_given(self):
        """As the server has it, with its modifier."""
        with self.trial(f"given {self.given.type}"):
            return self.session.read(COLUMN, "pg_temp.trial", "given")[0].type

    def rewrites(self):
        """Whether another type changes the rows, as it does with a table of no row."""
        trial = "SELECT pg_relation_filenode('pg_temp.trial')::int8"
        with self.trial(f"LIKE {self.globally.local}"):
            before = self.session.value(trial)
            self.session.run(f"ALTER TABLE pg_temp.trial ALTER COLUMN {name(self.given.column)} TYPE {self.given.type}")
            return self.session.value(trial) != before

    @contextlib.contextmanager
    def trial(self, columns):
        """A table that is never committed."""
        self.session.run(f"BEGIN; CREATE TEMPORARY TABLE trial ({columns})")
        try:
            yield
        finally:
            self.session.roll_back()

    def run(self):
        given, column = self.given, name(self.given.column)
        if given.command == "add" and not self.there:
            self.alter(f"ADD COLUMN {column} {given.type}")
        elif given.command == "rename" and self.there:
            self.alter(f"RENAME COLUMN {column} TO {name(given.new)}")
        elif given.command == "drop" and self.there:
            return self.alter_without_views(f"DROP COLUMN {column}")
        elif given.command == "type" and self.there.type != self.type_given():
            return self.alter_without_views(f"ALTER COLUMN {column} TYPE {given.type}")
        for call in self.calls():
            self.session.do(f"{call};")
        return None

    def calls(self):
        """They make anew what stands on the table."""
        return [f"SELECT @iuid@.iuid_create_routed_partitions({quote(self.globally.local)}::regclass, {self.globally.entity})",
                *map(tables.call, self.views)]

    def alter(self, action):
        statement = f"ALTER TABLE {self.globally.relation} {action}"
        self.session.do_locked([self.globally.relation], [statement], time.monotonic() + PATIENCE)

    def alter_without_views(self, action):
        """The server lets no column go that a view shows.  Others wait for the rows until the views are there again."""
        of_countries = [row.view for row in self.session.read(VIEWS, self.globally.local)]
        column = self.given.column if self.given.command == "drop" else ""
        shown = [*of_countries, *(each.relation for each in self.views)]
        statements = [*(f"SELECT @iuid@.iuid_drop_global({quote(each.relation)}::regclass)" for each in self.views),
                      *([f"DROP VIEW {', '.join(of_countries)}"] if of_countries else []),
                      f"ALTER TABLE {self.globally.relation} {action}", *self.calls(),
                      *(f"REVOKE ALL ON {', '.join(shown)} FROM {to_role(row.role)}" for row in self.session.read(DEFAULTS) if shown),
                      *(f"GRANT {row.privilege}{f' ({name(row.column)})' if row.column else ''} ON {row.relation} TO {to_role(row.role)}"
                        + " WITH GRANT OPTION" * row.is_grantable for row in self.session.read(RIGHTS, column, shown))]
        # In the order in which readers take them.
        locks = [f"ONLY {self.globally.relation}", f"ONLY {self.globally.local}", *of_countries]
        self.session.do_locked(locks, statements, time.monotonic() + PATIENCE)
