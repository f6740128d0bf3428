#!/usr/bin/env bash
#
#   ./dev demo [--keep]        the main job on real events, on a server of its own
#
# The steps are in the other files of this folder; this only says what they do.

. "$(dirname "$0")/../../test/run/library.sh"

example=examples/events rows=1000 clients=4
take_keep demo "$@"
install_toolchain
build
start_server

say
say "1. Events of ten years, in a table partitioned by month on its key alone"
query -c 'CREATE EXTENSION iuid'
query -f "$example/load.sql"
query -At -c "SELECT format('   %s events from %s to %s, of %s countries, in %s partitions', count(*),
	min(iuid_timestamp(id))::date, max(iuid_timestamp(id))::date, count(DISTINCT iuid_country(id)),
	(SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass)) FROM events"
say "   CREATE TABLE events (id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1), ...) PARTITION BY RANGE (id)"
say "   125 is Kazakhstan. The data has a UTC offset for each event, and no country: here each offset"
say "   stands for one country that has it."

say
say "2. New rows through the column default, from $clients clients at once"
as_user "$bin/pgbench" -n -c $clients -j 2 -t $((rows / clients)) \
	-f "$example/insert.pgbench" >"$work/pgbench.log" 2>&1 ||
	{ cat "$work/pgbench.log" >&2; die "pgbench failed"; }
query -At -c "SELECT format('   %s rows with %s identifiers, all in %s',
	count(*), count(DISTINCT id), string_agg(DISTINCT tableoid::regclass::text, ', '))
	FROM events WHERE event LIKE 'new%'"
query -c 'ANALYZE events'

query -f "$example/questions.sql"
if [ "${keep:-no}" = yes ]; then
	say "The server runs on.  Open psql on it with"
	say "   psql -h $work -U postgres"
	say "and end it with"
	say "   $(control_command "$work" stop) && rm -rf $work"
else
	say "That was a server of its own, which is gone now."
	say "./dev demo --keep leaves it, for you to open psql on."
fi
say "./dev regions shows three regions that answer as one, and ./dev desk their support desk in a browser."
