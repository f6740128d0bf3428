"""Another password for a role, without a gap: a second role comes in beside the first one, which then goes.

A role has one password.  So the nodes come in at one another as another role, which has the rights of the
first one, in these steps, each at all nodes before the next one:

  the role is made      in the first one, or in that in which the first one was made, with its settings
  the role is used      by the user mappings, and by the subscriptions; a comment says so
  the first one goes    it has no LOGIN any more, when no session of it is left

Who comes from outside has a password in his own files: for such a role there is no second one, and who has
the old password is refused from then on.
"""

import re

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from registry.nodes import NAME, Nodes
from services import change_password
from sessions import SUBSCRIPTIONS, Session, Stop, machines, name, quote, refused, to_role

ROLE = """
SELECT r.rolcanlogin AS may_log_in, r.rolreplication AS may_replicate, r.rolbypassrls AS may_see_all, r.rolsuper AS superuser,
	shobj_description(r.oid, 'pg_authid') AS note,
	ARRAY(SELECT pg_get_userbyid(m.roleid) FROM pg_auth_members AS m WHERE m.member = r.oid ORDER BY 1) AS groups,
	(SELECT count(*) FROM pg_stat_activity AS a WHERE a.usesysid = r.oid) AS sessions
FROM pg_roles AS r WHERE r.rolname = %s::name"""

SETTINGS = """
SELECT (SELECT datname FROM pg_database WHERE oid = s.setdatabase) AS database, split_part(c, '=', 1) AS setting, substring(c FROM '=(.*)$') AS value
FROM pg_db_role_setting AS s JOIN pg_roles AS r ON r.oid = s.setrole, unnest(s.setconfig) AS c WHERE r.rolname = %s::name ORDER BY 1, 2"""

LISTS = ["local_preload_libraries", "search_path", "session_preload_libraries", "temp_tablespaces"]  # settings that are lists of names

# By these a node comes in elsewhere as a role.
MAPPINGS = """
SELECT m.srvname AS server, m.usename::text AS role, n.node,
	(SELECT option_value FROM pg_options_to_table(m.umoptions) WHERE option_name = 'password') AS password
FROM @iuid@.iuid_nodes AS n JOIN pg_user_mappings AS m ON m.srvname = n.server, pg_options_to_table(m.umoptions) AS o
WHERE o.option_name = 'user' AND o.option_value = %s::text ORDER BY 1, 2"""

NOTE = "used in the place of "


def run(given):
    password = read_password(given.passwords, given.new or given.role)
    if given.new is None:
        of_one_role(given, password)
        return
    if given.new == given.role:
        raise Stop(f"{given.role} cannot take its own place")
    nodes = Nodes(given.machine, given.dry_run)
    nodes.find()
    nodes.require_all("credentials change")
    nodes.lock()
    Roles(nodes, given, password).run()


def read_password(path, role):
    """Of the file that passwords.sh makes, and psql reads."""
    try:
        with open(path, encoding="utf8") as lines:
            found = re.findall(rf"^\s*\\set {re.escape(role)} '([^'\\]+)'\s*$", lines.read(), re.MULTILINE)
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}") from error
    if len(found) != 1:
        raise Stop(f"{path} has {len(found) or 'no'} lines \\set {role} '...', in which ' and \\ do not stand")
    return found[0]


def role_at(session, role):
    return next(iter(session.read(ROLE, role)), None)


def used_by(session, role):
    """The user mappings and the subscriptions of a node that use a role."""
    mappings = session.read(MAPPINGS, role)
    return mappings, [(each.name, way) for each in session.read(SUBSCRIPTIONS)
                      if (way := conninfo_to_dict(each.way)).get("user") == role]


def of_one_role(given, password):
    """The role itself gets the password, at the nodes of this machine, and the file of passwords here."""
    ways = machines(given.machine)
    sessions = [Session(node, way, "credentials", "machine", given.dry_run, takes_over=None) for node, way in ways.items()]
    for session in sessions:
        found = role_at(session, given.role)
        if found is None:
            raise Stop(f"{session.node} has no role {given.role}")
        mappings, subscriptions = used_by(session, given.role)
        if mappings or subscriptions:
            raise Stop(f"{session.node} comes in at other nodes as {given.role}: give a second role, such as {given.role}_2")
    for session in sessions:
        session.secret_transaction(lambda secret: [f"ALTER ROLE {name(given.role)} PASSWORD {secret}"], quote(password))
    others = sorted({row[0] for session in sessions for row in session.read("SELECT node FROM @iuid@.iuid_nodes")} - ways.keys())
    change_password(given.role, password, [*ways, *others], given.dry_run)
    if others:
        print(f"Start this command on the machine of {', '.join(others)}, too: until then who logs in there as {given.role} needs the"
              " other password.")


class Roles:
    def __init__(self, nodes, given, password):
        self.nodes, self.role, self.new, self.password = nodes, given.role, given.new, password

    def run(self):
        for step in self.make, self.use, self.retire:
            for node in self.nodes.names:
                step(node)
            self.nodes.stop_if_left()
            if self.nodes.dry:
                print("Nothing was changed, as this is a dry run.")
                return
        print(f"All nodes come in as {self.new}.")

    def at(self, node, role):
        return role_at(self.nodes.owner(node), role)

    def change(self, node, statements):
        """Statements with the password, by a superuser."""
        if node not in self.nodes.machines:
            self.nodes.left.append(node)
            return
        self.nodes.require_locks()
        self.nodes.machine(node).secret_transaction(statements, quote(self.password))

    def make(self, node):
        old = self.at(node, self.role)
        if old is None:
            raise Stop(f"{node} has no role {self.role}")
        if old.superuser:
            raise Stop(f"{self.role} is a superuser at {node}")
        groups = old.groups if (old.note or "").startswith(NOTE) else [self.role]
        new = self.at(node, self.new)
        if new:
            if (new.superuser, new.groups, new.may_replicate, new.may_see_all) != (False, groups, old.may_replicate, old.may_see_all):
                raise Stop(f"{node} has a role {self.new} already, which has other rights than {self.role}")
            return
        settings = self.nodes.owner(node).read(SETTINGS, self.role)
        self.change(node, lambda secret: [
            f"CREATE ROLE {name(self.new)} LOGIN{' REPLICATION' * old.may_replicate}{' BYPASSRLS' * old.may_see_all} PASSWORD {secret}"
            f" IN ROLE {', '.join(map(name, groups))}",
            *(statement for each in settings for statement in self.setting(each))])

    def setting(self, each):
        """A list of names is one value, which SET TO would quote as one name.  Any other value is not for this session."""
        listed = each.setting.lower() in LISTS
        if listed:
            yield f"SELECT pg_catalog.set_config({quote(each.setting)}, {quote(each.value)}, true)"
        yield (f"ALTER ROLE {name(self.new)}" + (f" IN DATABASE {name(each.database)}" if each.database else "")
               + f" SET {name(each.setting)} " + ("FROM CURRENT" if listed else f"TO {quote(each.value)}"))

    def use(self, node):
        used = (self.at(node, self.new).note or "") == NOTE + self.role
        if node not in self.nodes.machines:
            if not used:
                self.nodes.left.append(node)
            return
        mappings, subscriptions = used_by(self.nodes.machine(node), self.role)
        if used and not mappings and not subscriptions:
            return
        for other in self.nodes.names:
            self.is_let_in(other)
        for each in mappings:
            self.knows_password(node, each)
        self.change(node, lambda secret: [
            *(f"ALTER USER MAPPING FOR {to_role(each.role)} SERVER {name(each.server)}"
              f" OPTIONS (SET user {quote(self.new)}, SET password {secret})" for each in mappings),
            *(f"ALTER SUBSCRIPTION {name(title)} CONNECTION " + (
                secret if secret == "'...'" else quote(make_conninfo(**(way | {"user": self.new, "password": self.password}))))
              for title, way in subscriptions),
            f"COMMENT ON ROLE {name(self.new)} IS {quote(NOTE + self.role)}"])

    def knows_password(self, node, mapping):
        """Who has USAGE on a server can write any user into his own mapping, to be given the new password."""
        of = f"the user mapping of {mapping.role} for the server {mapping.server} at {node}"
        if mapping.password is None:
            raise Stop(f"{of} has no password")
        why = refused(mapping.node, user=self.role, password=mapping.password)
        if why:
            raise Stop(f"{of} does not let {self.role} in: put it right, or drop it: {why}")

    def is_let_in(self, node):
        why = refused(node, user=self.new, password=self.password)
        if why:
            raise Stop(f"{node} does not let {self.new} in: {why}")

    def retire(self, node):
        old = self.at(node, self.role)
        if not old.may_log_in:
            return
        if self.role != NAME and any(row.role == self.role for row in self.nodes.owner(node).read("SELECT usename::text AS role FROM pg_user_mappings")):
            print(f"{self.role} goes on to log in itself at {node}: give it another password, too, by iuid node credentials {self.role}.")
        elif old.sessions:
            raise Stop(f"{node} has {old.sessions} sessions of {self.role} yet, which use the new role with their next transaction:"
                       " start this command again when they are gone")
        else:
            self.change(node, lambda secret: [f"ALTER ROLE {name(self.role)} NOLOGIN"])
