"""Another root of certificates, without a gap: first both roots, then the certificates of the hosts, then one root.

The files are those that the foreign servers, the subscriptions and ssl_ca_file of the nodes of this machine
name, and the services here.
"""

import os
import re

from psycopg.conninfo import conninfo_to_dict

from services import read, replace, roots_of_services
from sessions import SUBSCRIPTIONS, Session, Stop, machines, refused, say

PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)

FILES = """
SELECT DISTINCT o.option_value AS file FROM pg_foreign_server AS s, pg_options_to_table(s.srvoptions) AS o WHERE o.option_name = 'sslrootcert'
UNION SELECT CASE WHEN setting LIKE '/%%' THEN setting ELSE current_setting('data_directory') || '/' || setting END
FROM pg_settings WHERE name = 'ssl_ca_file' AND setting <> '' ORDER BY 1"""


def run(given):
    roots = certificates(given.file)
    if not roots:
        raise Stop(f"{given.file} has no certificate")
    sessions = [Session(node, way, "roots", "machine", given.dry_run, takes_over=None) for node, way in machines(given.machine).items()]
    nodes = sorted({row[0] for session in sessions
                    for row in session.read("SELECT node FROM @iuid@.iuid_nodes")})
    old = [f"{node} shows no certificate of these roots yet: {why}" for node in nodes
           if (why := refused(node, sslrootcert=os.path.abspath(given.file)))]
    if given.only and old:
        raise Stop(". ".join(old) + ". Nothing is changed: let each host have a certificate of that root first")
    for file in sorted({file for session in sessions for file in files(session)} | set(roots_of_services())):
        there = certificates(file)
        after = roots if given.only else there + [root for root in roots if root not in there]
        if after != there:
            print(f"{file}: {len(there)} certificates, and then {len(after)}")
            if not given.dry_run:
                replace(file, "\n".join([*after, ""]))
    for session in sessions:
        session.do("SELECT pg_reload_conf();")
    if not given.only:
        for why in old:
            say("", f"-- {why}.")
    print("Start this command on each other machine, too." if given.only or old else
          "Start this command on each other machine, too; then with --only, on each.")


def certificates(file):
    return PEM.findall(read(file).replace("\r", ""))


def files(session):
    ways = [conninfo_to_dict(row.way).get("sslrootcert") for row in session.read(SUBSCRIPTIONS)]
    return {file for file in [*(row.file for row in session.read(FILES)), *ways] if file and file != "system"}
