#!/usr/bin/python3
"""What operators of several regions do with iuid.  doc/running-regions.md says when.

A node is reached by the service of libpq with its name.  What is printed is done, or with --dry-run
would be; what is left to another machine is printed, too, and the last line names that.  Each line begins
with the name of its node.
"""

import argparse
import json
import sys

import psycopg

import column
from move import commands, status
from node import add as add_node, address, credentials, remove, rename, restored, roots
from registry import comparing, publishing
from registry.nodes import Nodes
from sessions import VERSION, Stop, words

STATUS = """exit status:
  0  it is done, or there is nothing to do
  1  it is not done, for the reason that is printed
  2  the command line is wrong
  3  a node does not answer
  4  another command works on the same
  5  the registries of two nodes differ
"""

MOVE = """Moves a country from one node to another, while it is read and written:

  plan    says what will move, what does not go along, and what is wrong
  copy    makes the copy, which follows the old node from then on
  switch  gives the country to the new node, within about a second
  abort   undoes the copy, at any time before the old node gave up
  finish  after the switch: nodes that missed it, and the rows of the old node
  status  says who has the country, and how far its move is, of COUNTRY alone

A command that was ended, by whatever, is started again, and goes on.
"""

REGISTRY = """The registry, which one node publishes, and the others follow:

  compare    says how each node's registry differs from that of the publisher
  publisher  makes a node the publisher, or says who is
"""

PUBLISHER = """Makes NODE the publisher of the registry, and the others follow it: when the publisher changes, dies, or
was restored.  Run it on the machine of each node, and again until nothing is left to do.
Without NODE it only says what each node has.
"""


NODE = """What concerns a node as a whole.  Run each on the machine of each node, and again until nothing is left to do:

  add          is new: its server has mesh.sql and servers.sql of examples/regions, and a service of libpq
  address      has another address: the servers, the subscriptions and the services of the others
  rename       gets another name
  remove       goes for good
  credentials  nodes come in as another role, with another password, without a gap
  roots        certificates get another root, without a gap
  restored     after its restore from a backup, before anybody reaches it: gets the registry as it is,
               and puts aside the rows of countries that have moved away; only on its own machine
"""

CREDENTIALS = """ROLE is a role of servers.sql or of a subscription, and NEW one that takes its place.  The file that passwords.sh
made has the password of NEW.  Without NEW, the role itself gets the password that stands there, at the nodes
of this machine, and in ~/.pgpass: who has the old one is refused from then on.
"""

ROOTS = """Puts the root certificates of FILE into the files of roots that this machine uses, beside those that are there.  When
all machines have both, and each host has a certificate of the new root, --only takes the old one out.
"""

COLUMN = """A column of a global table and its local tables, at all nodes, as the owner of the tables.  A TYPE that is not in
pg_catalog has its schema.  What fails at a node is not done there: start the command again.
"""


NODE_COMMANDS = {"add": add_node, "address": address, "rename": rename, "remove": remove, "credentials": credentials, "roots": roots,
                 "restored": restored}


def arguments():
    parser = argparse.ArgumentParser(prog="iuid", description=__doc__, epilog=STATUS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"iuid {VERSION}")
    groups = commands_of(parser, "group")
    move = commands_of(add(groups, "move", help="move a country to another node", description=MOVE))
    for command in commands.STEPS:
        add_step(add(move, command))
    show = add(move, "status")
    show.add_argument("country", type=int)
    add_json(show)
    add_node_commands(commands_of(add(groups, "node", help="a node as a whole", description=NODE)))
    add_column_commands(commands_of(add(groups, "column", help="a column at all nodes", description=COLUMN)))
    registry = commands_of(add(groups, "registry", help="compare the registry, change its publisher", description=REGISTRY))
    add_json(add(registry, "compare"))
    publisher = add(registry, "publisher", description=PUBLISHER)
    publisher.add_argument("node", nargs="?", help="the node that publishes from now on")
    add_machine(publisher, default=[])
    publisher.add_argument("--without", action="append", default=[], metavar="NODE",
                           help="the publisher, and whoever could be, that is lost and does not answer")
    add_dry_run(publisher)
    return parser.parse_args()


def add_node_commands(node):
    back = add(node, "restored")
    back.add_argument("node")
    back.add_argument("--restart", metavar="COMMAND", help="what restarts the server at the end, for everybody")
    add_take_over(back)
    for command in "add", "address":
        where = add(node, command)
        for word in "node", "host":
            where.add_argument(word)
        where.add_argument("port", type=int)
    node.choices["add"].add_argument("--region", required=True)
    names = add(node, "rename")
    for word in "node", "new":
        names.add_argument(word)
    gone = add(node, "remove")
    gone.add_argument("node")
    gone.add_argument("--lost", action="store_true", help="it does not answer, and never will")
    gone.add_argument("--server", help="its foreign server at the others, where that has another name")
    roles = add(node, "credentials", description=CREDENTIALS)
    roles.add_argument("role")
    roles.add_argument("new", nargs="?")
    roles.add_argument("--passwords", required=True, metavar="FILE", help="that passwords.sh made, with the password")
    root = add(node, "roots", description=ROOTS)
    root.add_argument("file")
    root.add_argument("--only", action="store_true", help="take the other roots out")
    for command in node.choices.values():
        add_machine(command, required=True)
        add_dry_run(command)


def add_column_commands(column_commands):
    for command, more in ("add", ["type"]), ("drop", []), ("rename", ["new"]), ("type", ["type"]):
        of = add(column_commands, command)
        for word in "table", "column", *more:
            of.add_argument(word)
        add_dry_run(of)


def commands_of(parser, dest="command"):
    return parser.add_subparsers(dest=dest, required=True, metavar="COMMAND")


def add(commands, command, **words):
    return commands.add_parser(command, epilog=STATUS, formatter_class=argparse.RawDescriptionHelpFormatter, **words)


def add_json(command):
    command.add_argument("--json", action="store_true", help="for a machine")


def add_machine(command, **how):
    command.add_argument("--machine", action="append", metavar="CONNECTION",
                         help="to a server of this machine, as a superuser; once for each", **how)


def add_take_over(command):
    command.add_argument("--take-over", action="store_true", help="end the sessions of another command that gives no sign of life")


def add_dry_run(command):
    command.add_argument("--dry-run", action="store_true", help="only print what would be done from here on")


def add_step(step):
    step.add_argument("country", type=int)
    step.add_argument("old", help="the node that has the country")
    step.add_argument("new", help="the node that gets it")
    step.add_argument("--subscribe-as", metavar="CONNECTION", help="to the new node, as a role that may subscribe")
    step.add_argument("--copy-as", metavar="CONNECTION",
                      help="to the old node, as the role that the copy comes in as (service=OLD user=mover)")
    step.add_argument("--limit", type=float, default=10, metavar="SECONDS",
                      help="the switch goes back when it takes longer (%(default)s)")
    step.add_argument("--patience", type=int, default=60, metavar="SECONDS",
                      help="for transactions that the copy has to wait for (%(default)s)")
    step.add_argument("--trust-owners", action="store_true",
                      help="before PostgreSQL 16: let the copy run what the owners of the tables wrote as a superuser")
    step.add_argument("--without-new", action="store_true", help="abort although the new node is lost for good")
    add_take_over(step)
    add_dry_run(step)


def show_status(given):
    found = status.read(commands.watching(given), given.country)
    print(json.dumps(found, indent=2) if given.json else "\n".join(status.describe(found)))


def compare_registry(given):
    nodes = Nodes()
    nodes.find()
    publishers, differ = comparing.compare(nodes)
    if given.json:
        print(json.dumps({"publishers": publishers, "silent": nodes.silent, "differences": [
            {"node": node, "other": other, **row._asdict()} for node, other, row in differ]}, indent=2))
    else:
        print(f"Publishes: {', '.join(publishers) or 'no node that answers'}.")
        comparing.describe(differ)
    comparing.judge(nodes, differ)


def main():
    given = arguments()
    try:
        if given.group == "node":
            NODE_COMMANDS[given.command].run(given)
        elif given.group == "column":
            column.run(given)
        elif given.command == "compare":
            compare_registry(given)
        elif given.command == "publisher":
            publishing.publisher(given)
        elif given.command == "status":
            show_status(given)
        else:
            nodes = commands.Nodes(given, locks=given.command != "plan")
            nodes.begin()
            commands.STEPS[given.command](nodes, given)
    except (Stop, psycopg.Error, KeyboardInterrupt) as error:
        print(f"iuid {given.group} {given.command}: {words(error)}.", file=sys.stderr)
        sys.exit(getattr(error, "status", 1))


if __name__ == "__main__":
    main()
