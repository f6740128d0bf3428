"""The global tables and views of an owner, and the calls that make them as the registry says."""

from sessions import quote

GLOBAL = """
SELECT DISTINCT g.relation::text, g.local::text, c.relname AS name, n.nspname AS schema, c.relkind = 'v' AS is_view,
	@iuid@.iuid_entity_of(g.relation, g.local) AS entity
FROM @iuid@.iuid_global_locals(NULL) AS g JOIN pg_class AS c ON c.oid = g.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE pg_get_userbyid(c.relowner) = current_user ORDER BY 5, 1"""


def read(session):
    """Those of the role of a session, the tables first."""
    return session.read(GLOBAL)


def call(relation):
    """What makes one anew."""
    if relation.is_view:
        return f"SELECT @iuid@.iuid_create_global_view({quote(relation.relation)}::text, {quote(relation.local)}::regclass)"
    return (f"SELECT @iuid@.iuid_create_global_table({quote(relation.relation)}::text, {quote(relation.local)}::regclass,"
            f" {relation.entity})")


def make(session):
    """All that the role of a session has, each in a transaction of its own."""
    for relation in read(session):
        session.do(f"{call(relation)};", seconds=600)
