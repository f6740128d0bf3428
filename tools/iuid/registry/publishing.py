"""Makes a node the publisher of the registry: in use, after the death of the old one, or after its restore.

Each run reads what is so, and does what is left.  Nobody can change the registry from the moment at which
the old publisher stops until all nodes that answer follow the new one, and nobody follows it whose
registry is another one:

  the new publisher   makes its publication, and notes there who may change the registry
  the others          take that right away, and wait for those who have used it
  the new publisher   has what they have, and gives up its subscription
  the others          each: has what the publisher has since its slot was made, and subscribes without a copy
  the others          drop publication and slots, but for slots of nodes that do not answer
  the new publisher   gives the rights
"""

import json
import time

from psycopg.conninfo import make_conninfo

from registry import comparing
from registry.nodes import NAME, TABLES, WRITES, Nodes, follows, of_registry, publishes, slot_of, subscription_of
from sessions import Differ, Silent, Stop, TooLong, block, dropping, name, quote, say, to_role

PATIENCE = 60  # seconds for transactions that have changed the registry, and for a subscriber to begin
BACK = 10  # seconds for a subscriber whose publisher has just started
CATCH_UP = 20  # seconds until a node has what the publisher has, when nobody changes it
SECRET = ["user", "password", "sslcert", "sslkey", "sslpassword"]  # of a user mapping
WAY = ["host", "hostaddr", "port", "dbname", "sslmode", "sslrootcert", "channel_binding", "target_session_attrs"]  # of a server

MAPPING = """
SELECT o.option_name, o.option_value FROM pg_foreign_server AS s JOIN pg_user_mapping AS m ON m.umserver = s.oid
	JOIN pg_roles AS r ON r.oid = m.umuser, pg_options_to_table(m.umoptions) AS o
WHERE s.srvname = %s::text AND r.rolname = %s::text"""

# The password stays in the server: it is in no statement of a client, and in no context of an error.
SUBSCRIBE = """
DECLARE
	way text;
BEGIN
	PERFORM set_config('log_min_messages', 'panic', true), set_config('pg_stat_statements.track', 'none', true);
	SELECT string_agg(format('%s=''%s''', o.option_name, regexp_replace(o.option_value, '([\\\\''])', '\\\\\\1', 'g')), ' ')
	INTO way FROM pg_foreign_server AS s JOIN pg_user_mapping AS m ON m.umserver = s.oid JOIN pg_roles AS r ON r.oid = m.umuser,
		pg_options_to_table(s.srvoptions || m.umoptions) AS o
	WHERE s.srvname = {server} AND r.rolname = {role} AND o.option_name = ANY ('{{{options}}}');
	EXECUTE format('CREATE SUBSCRIPTION %I CONNECTION %L PUBLICATION %I'
		' WITH (create_slot = false, slot_name = %L, copy_data = {copy})', {subscription}, way, {publication}, {slot});
EXCEPTION WHEN OTHERS THEN
	RAISE EXCEPTION USING ERRCODE = SQLSTATE, MESSAGE = SQLERRM;
END"""


def publisher(given):
    nodes = Nodes(given.machine, given.dry_run or given.node is None)
    nodes.find(given.node)
    if given.node not in (None, *nodes.names):
        raise Stop(f"the registry of {given.node} does not know {given.node}")
    strangers = set(nodes.machines) - set(nodes.names)
    if strangers:
        raise Stop(f"{min(strangers)} is no node of the registry")
    if given.node is None:
        tell(nodes)
        return
    for node, why in nodes.silent.items():
        say(node, f"-- Is left out: {why}")
    nodes.lock()
    Change(nodes, given.node, given.without).run()


def tell(nodes):
    """Who publishes, who may change the registry, and what differs."""
    publishers, differ = comparing.compare(nodes)
    for node in nodes.answering():
        said = nodes.facts(node)
        part = ("publishes" if node in publishers else "has a subscription" if of_registry(said)
                else "neither publishes nor subscribes")
        roles = sorted({role or "PUBLIC" for _, _, role in said["writers"]})
        place = node in nodes.machines and nodes.machine(node).read(
            "SELECT o.remote_lsn::text FROM pg_subscription AS s JOIN pg_replication_origin_status AS o"
            " ON o.external_id = 'pg_' || s.oid WHERE s.subname = ANY (%s::text[])"
            " AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())",
            [each["name"] for each in of_registry(said)])
        say(node, f"-- {said['rows']} rows; {part}" + (f"; {', '.join(roles)} can change them" if roles else "")
            + "".join(f"; has applied the log of its publisher up to {row[0]}" for row in place or []))
    comparing.describe(differ)
    comparing.judge(nodes, differ)


def carried(facts):
    """Who was to get rights at the publisher, by the note at a publication; None if that is no such note."""
    note = (facts["publication"] or {}).get("note")
    try:
        found = json.loads(note or "[]")
        if all(table in TABLES and right in WRITES and isinstance(role, (str, type(None))) for table, right, role in found):
            return {(table, right, role) for table, right, role in found}
    except (ValueError, TypeError):
        pass
    return None


def writers(facts):
    return {tuple(each) for each in facts["writers"]}


def rights(word, to, found):
    """The statements that give or take rights."""
    for table, right, role in sorted(found, key=str):
        yield f"{word} {right} ON @iuid@.{table} {to} {to_role(role)}"


class Change:
    """NEW is to publish, WITHOUT nodes that are lost."""

    def __init__(self, nodes, new, without):
        self.nodes, self.new, self.without = nodes, new, without
        self.others = [node for node in nodes.answering() if node != new]

    def run(self):
        deadline = time.monotonic() + BACK
        self.following = {node for node in self.others if follows(self.nodes, node, self.new, deadline)}
        self.refuse()
        if self.publish() and self.stop() and self.stand_alone():
            self.subscribe()
            self.clean()
            if self.nodes.dry or not self.nodes.left:
                self.give_rights()
        if self.nodes.dry:
            print("Nothing was changed, as this is a dry run.")
            return
        self.nodes.stop_if_left(", and then here again")
        self.compare()
        if self.nodes.silent:
            raise Silent(f"{self.new} publishes the registry, and the nodes that answer follow it. Not done, as there is no"
                         " answer: " + ", ".join(sorted(self.nodes.silent)))
        print(f"{self.new} publishes the registry, and all nodes follow it.")

    def facts(self):
        return {node: self.nodes.facts(node) for node in [self.new, *self.others]}

    # --- Before the first change ---

    def refuse(self):
        facts = self.facts()
        new = facts[self.new]
        if new["standby"]:
            raise Stop(f"{self.new} is a standby")
        if not new["logical"]:
            raise Stop(f"{self.new} has not wal_level = logical")
        if not new["can come"]:
            raise Stop(f"{self.new} has no role {NAME} with REPLICATION, as which the others come in:"
                       " examples/regions/mesh.sql has it")
        more = [node for node in self.others if node not in self.following and slot_of(node) not in new["slots"]]
        if len(more) > new["free slots"]:
            raise Stop(f"{self.new} has max_replication_slots for {new['free slots']} more slots, and {len(more)} are to come")
        if new["publication"] and not new["publication"]["whole"]:
            raise Stop(f"the publication {NAME} at {self.new} is not of all rows of the four tables: drop it, or rename it")
        if not set(facts) - {self.new} and not self.nodes.silent:
            raise Stop(f"{self.new} is the only node")
        unsaid = set(self.nodes.silent) - set(self.without)
        if unsaid and not any(publishes(said) for said in facts.values()):
            raise Silent("no node that answers publishes the registry. If they are lost, say so: "
                         + " ".join(f"--without {node}" for node in sorted(unsaid)))
        for node, said in facts.items():
            self.refuse_at(node, said, facts)
        for role in {role for _, _, role in self.to_give(facts)} - {None}:
            if not self.nodes.owner(self.new).read("SELECT FROM pg_roles WHERE rolname = %s::text", role):
                raise Stop(f"{self.new} has no role {role}, which may change the registry elsewhere")
        for node in self.others:
            if node not in self.following and node in self.nodes.machines:
                self.coming(node).read("SELECT 1")
        self.compare()

    def refuse_at(self, node, said, facts):
        if said["publication"] and said["publication"]["whole"] and carried(said) is None:
            raise Stop(f"the publication {NAME} at {node} has a comment that is not of this command: let it have none")
        for each in said["subscriptions"]:
            if not each["tables"]:
                raise Stop(f"the subscription {each['name']} at {node} brings no table of the registry: drop it, or rename it")
            if each["others"]:
                raise Stop(f"the subscription {each['name']} at {node} brings other tables beside the registry")
        if node == self.new:
            return
        if said["of columns"]:
            raise Stop(f"somebody has a right on single columns of the registry at {node}: let it be one on the table")
        slot = facts[self.new]["slots"].get(slot_of(node))
        if node in self.following or slot is None:
            return
        if not slot["here"]:
            raise Stop(f"the slot {slot_of(node)} at {self.new} is not of the registry of this database: drop it there")
        elsewhere = any(each["slots"].get(slot_of(node), {}).get("active") for other, each in facts.items() if other != self.new)
        if slot["active"] and (elsewhere or not self.readers(said, node)):
            raise Stop(f"somebody else than {node} reads the slot {slot_of(node)} at {self.new}")

    @staticmethod
    def readers(said, node):
        """The subscriptions of a node that can read the slot of its name."""
        return [each["name"] for each in of_registry(said) if each["enabled"] and each["slot"] == slot_of(node)]

    def compare(self):
        """Stops with what would have to be decided: at the new publisher, or at the others."""
        there, here = {}, []
        for (node, _), found in comparing.persisting(self.nodes, [(node, self.new) for node in self.others]).items():
            here += [(node, self.new, row) for row in found]
            if found:
                remedies = tuple(row.remedy for row in self.nodes.differences(self.new, node))
                there.setdefault(remedies, []).append(node)
        for remedies, found in there.items():
            say(self.new, f"-- Differs from {', '.join(found)}.  If they are right, as a superuser:")
            say(self.new, "\n".join(remedies))
        if here:
            print(f"If {self.new} is right:")
            comparing.describe(here)
            names = ", ".join(dict.fromkeys(node for node, _, _ in here))
            raise Differ(f"the registry of {self.new} is not that of {names}. Let a superuser make them equal, by the statements"
                         " for one of them; then start this command again")

    # --- The steps ---

    def to_give(self, facts):
        """Who may change the registry at a publisher, or could, and cannot at the new one."""
        found = set().union(*(carried(said) or () for said in facts.values()),
                            *(writers(facts[node]) for node in self.others if facts[node]["publication"]))
        alone = self.nodes.silent and not any(said["publication"] for said in facts.values())
        if alone and not found and not facts[self.new]["superuser"]:
            found = {("iuid_routes", "UPDATE", facts[self.new]["role"])}  # the publisher is gone, and only it knows
        return found - writers(facts[self.new])

    def publish(self):
        facts = self.facts()
        said = facts[self.new]["publication"]
        found = self.to_give(facts)
        statements = [] if said else [f"CREATE PUBLICATION {NAME} FOR TABLE {', '.join(f'@iuid@.{table}' for table in TABLES)}"]
        if found - (carried(facts[self.new]) or set()):
            statements.append(f"COMMENT ON PUBLICATION {NAME} IS {quote(json.dumps(sorted(found, key=str)))}")
        return not statements or self.nodes.change(self.new, *statements)

    def stop(self):
        """Nobody changes the registry at another node from here on."""
        for node, said in self.facts().items():
            if node != self.new and writers(said):
                self.nodes.change(node, *rights("REVOKE", "FROM", writers(said)))
        if self.nodes.left or self.nodes.dry:
            return not self.nodes.left
        deadline = time.monotonic() + PATIENCE
        for node in self.others:
            # A right is looked at when the lock is there, so who has none then has seen that it was taken away.
            while busy := self.nodes.facts(node)["writing"]:
                if time.monotonic() > deadline:
                    raise TooLong(f"{', '.join(busy)} at {node} has changed the registry, and does not end its transaction")
                time.sleep(0.1)
        return True

    def stand_alone(self):
        """The new publisher has everything, and follows nobody."""
        found = of_registry(self.nodes.facts(self.new))
        if not found:
            return True
        for node in [] if self.nodes.dry else self.others:
            self.wait_until_equal(node)
        return self.nodes.change(self.new, *dropping(*names(found)))

    def wait_until_equal(self, node):
        """At one moment."""
        deadline = time.monotonic() + CATCH_UP
        while self.nodes.differences(node, self.new):
            if time.monotonic() > deadline:
                self.compare()
                raise Differ(f"the registry changes at {self.new} or {node} all the time")
            time.sleep(0.1)

    def subscribe(self):
        for node in self.others:
            if node not in self.following:
                self.subscribe_at(node)

    def subscribe_at(self, node, copy=False):
        """COPY: the registry of the node is empty."""
        slot, said = slot_of(node), self.nodes.facts(node)
        statements = [*dropping(*names(of_registry(said))), subscribing(node, self.server(), copy)]
        make = f"SELECT pg_create_logical_replication_slot({quote(slot)}, 'pgoutput');"
        if node not in self.nodes.machines or self.nodes.dry:
            say(self.new, make)
            self.nodes.change(node, *statements)
            return
        coming = self.coming(node)

        def drop():
            self.nodes.require_locks()
            coming.do(f"SELECT pg_drop_replication_slot({quote(slot)});")

        if slot in self.nodes.facts(self.new)["slots"]:
            # It is not what this node needs: from before a restore, or of a run that was ended.
            for reader in self.readers(said, node):
                self.nodes.change(node, f"ALTER SUBSCRIPTION {name(reader)} DISABLE")
            self.drop_slots(self.new, [slot], drop)
        self.nodes.require_locks()
        coming.do(make, seconds=PATIENCE)
        try:
            if not copy:
                self.wait_until_equal(node)
        except Differ:
            drop()
            raise
        self.nodes.change(node, *statements)
        deadline = time.monotonic() + PATIENCE
        self.nodes.machine(node).wait(lambda: of_registry(self.nodes.facts(node))[0]["ready"], deadline, "the registry arrives")
        if not follows(self.nodes, node, self.new, time.monotonic() + PATIENCE):
            raise Stop(f"{node} has subscribed, and does not follow {self.new}: the logs of their servers say why")

    def drop_slots(self, node, slots, drop):
        """When nobody reads them."""
        deadline = time.monotonic() + CATCH_UP
        while not self.nodes.dry and (busy := self.read_slots(node) & set(slots)):
            if time.monotonic() > deadline:
                raise TooLong(f"somebody reads the slot {min(busy)} at {node}")
            time.sleep(0.1)
        return drop()

    def read_slots(self, node):
        return {slot for slot, said in self.nodes.facts(node)["slots"].items() if said["active"]}

    def server(self):
        """The foreign server of the new publisher at the other nodes."""
        server = self.nodes.facts(self.new)["servers"].get(self.new)
        if server is None:
            raise Stop(f"the registry has no server of {self.new}")
        return server

    def coming(self, node):
        """A session at the new publisher as the role as which a node subscribes."""
        return self.nodes.session(f"{NAME} of {node}", self.new, way_of_subscriber(self.nodes.machine(node), self.server(), self.new))

    def clean(self):
        """What the publisher that was has."""
        facts = self.facts()
        gone = [node for node in [self.new, *self.others] if node == self.new or self.nodes.dry or node not in self.nodes.left]
        for node in self.others:
            said = facts[node]
            mine = {slot_of(each): each for each in self.nodes.names if said["slots"].get(slot_of(each), {}).get("here")}
            slots = [slot for slot, each in mine.items() if each in gone and each != node]
            kept = [each for each in mine.values() if each not in gone]
            statements = [f"SELECT pg_drop_replication_slot({quote(slot)})" for slot in slots]
            if said["publication"] and said["publication"]["whole"] and not kept:
                statements.append(f"DROP PUBLICATION {NAME}")
            if statements:
                self.drop_slots(node, slots, lambda: self.nodes.change(node, *statements))
            for each in kept:
                say(node, f"-- Keeps its log for {each}, which does not follow {self.new} yet.  If it is gone for good:"
                          f" SELECT pg_drop_replication_slot({quote(slot_of(each))})")

    def give_rights(self):
        found = carried(self.nodes.facts(self.new)) or (self.to_give(self.facts()) if self.nodes.dry else set())
        if found:
            self.nodes.change(self.new, *rights("GRANT", "TO", found - writers(self.nodes.facts(self.new))),
                        f"COMMENT ON PUBLICATION {NAME} IS NULL")


def names(subscriptions):
    return [each["name"] for each in subscriptions]


def way_of_subscriber(machine, server, publisher):
    """To the publisher, as the role as which a node subscribes, by its user mapping, which a superuser's session reads."""
    options = {row.option_name: row.option_value for row in machine.read(MAPPING, server, NAME)}
    if "user" not in options:
        raise Stop(f"{machine.node} has no user mapping of the role {NAME} for the server {server}:"
                   " examples/regions/servers.sql has it")
    return make_conninfo(service=publisher, **{key: value for key, value in options.items() if key in SECRET})


def subscribing(node, server, copy=False):
    return block(SUBSCRIBE.format(
        server=quote(server), role=quote(NAME), options=",".join(WAY + SECRET), publication=quote(NAME),
        subscription=quote(subscription_of(node)), slot=quote(slot_of(node)), copy=str(copy).lower()))
