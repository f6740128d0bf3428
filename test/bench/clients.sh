#!/usr/bin/env bash
# Many clients that make identifiers at once, and insert rows with the default
set -euo pipefail

# What a pgbench script does per second, with a number of clients and a way.
measure() {
	local work=$1 way=$2 clients=$3 per=$4 script=$5
	tps=$(pgbench -n -M prepared -c "$clients" -j 2 -T "$BENCH_SECONDS" -f - <<<"$script" |
		sed -n 's/^tps = \([0-9.]*\).*/\1/p')
	psql -Xq -c "INSERT INTO bench.measurement (work, way, value, unit)
		VALUES ('$work, $clients client$([ "$clients" = 1 ] || echo s)', \$\$$way\$\$, $tps * $per, 'per second')"
}

psql -Xq <<'SQL'
CREATE SEQUENCE numbers;
CREATE TABLE as_iuid (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY, n int);
CREATE TABLE as_bigint (id bigserial PRIMARY KEY, n int);
CREATE TABLE as_uuid (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, n int);
SQL

for round in $(seq "$BENCH_ROUNDS"); do
	ways="iuid bigint uuid"
	[ $((round % 2)) = 1 ] || ways="uuid bigint iuid"
	for clients in 1 2 8 32; do
		for way in $ways; do
			case $way in
				iuid) call='gen_iuid(7, 1)' ;;
				bigint) call="nextval('numbers')" ;;
				uuid) call='gen_random_uuid()' ;;
			esac
			measure 'identifiers' "$call" "$clients" 1000 "SELECT count($call) FROM generate_series(1, 1000);"
			[ "$clients" = 32 ] || measure 'rows' "as_$way" "$clients" 1 "INSERT INTO as_$way (n) VALUES (1);"
		done
	done
done
