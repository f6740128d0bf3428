#!/usr/bin/env bash
# Rows inserted per second by many clients, for five ways to make their key
#
# Every other round takes the ways backwards.  A commit_delay stands in for a
# disk, or a replica, that takes as long to confirm a commit.

set -euo pipefail

folder=$(dirname "$0")/contention

sql() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

sql -c 'CREATE DATABASE contention'
export PGDATABASE=contention
sql -f "$folder/setup.sql"

for round in $(seq "$BENCH_ROUNDS"); do
	ways="counter blocks sequence cache gen_iuid"
	[ $((round % 2)) = 1 ] || ways="gen_iuid cache sequence blocks counter"
	for delay in 0 1000; do
		for clients in 1 4 16; do
			for way in $ways; do
				tps=$(PGOPTIONS="-c commit_delay=$delay -c commit_siblings=0" \
					pgbench -n -M prepared -c $clients -j 2 -T "$BENCH_SECONDS" -D left=0 -f "$folder/$way.pgbench" |
					sed -n 's/^tps = \([0-9.]*\).*/\1/p')
				sql -c "INSERT INTO result VALUES ($delay, $clients, '$way', $tps)"
			done
		done
	done
done

sql -f "$folder/report.sql"
