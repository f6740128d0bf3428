#!/usr/bin/env bash
# Rows inserted per second by many clients, for five ways to make their key
#
# Every other round takes the ways backwards.  A commit_delay stands in for a
# disk, or a replica, that takes as long to confirm a commit.

set -euo pipefail

folder=$(dirname "$0")/contention

psql -Xq -v ON_ERROR_STOP=1 -f "$folder/setup.sql"

for round in $(seq "$BENCH_ROUNDS"); do
	ways="sequence counter blocks cache gen_iuid"
	[ $((round % 2)) = 1 ] || ways="gen_iuid cache blocks counter sequence"
	for delay in 0 1; do
		for clients in 1 4 16; do
			for way in $ways; do
				tps=$(PGOPTIONS="$PGOPTIONS -c commit_delay=$((delay * 1000)) -c commit_siblings=0" \
					pgbench -n -M prepared -c $clients -j 2 -T "$BENCH_SECONDS" -D left=0 -f "$folder/$way.pgbench" |
					sed -n 's/^tps = \([0-9.]*\).*/\1/p')
				psql -Xq -c "INSERT INTO bench.measurement (work, way, value, unit)
					VALUES ('flush + $delay ms, $clients client$([ $clients = 1 ] || echo s)', '$way', $tps, 'per second')"
			done
		done
	done
done

psql -Xq -c 'ALTER SYSTEM RESET fsync' -c 'SELECT pg_reload_conf()' >/dev/null
