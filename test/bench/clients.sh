#!/usr/bin/env bash
# Many clients that make identifiers at once, and insert rows with the default
set -euo pipefail

query() { psql -XqAt -v ON_ERROR_STOP=1 "$@"; }

# What a pgbench script does per second, with a number of clients and a way.  The last arguments
# say how long it runs.
measure() {
	local work=$1 way=$2 clients=$3 per=$4 script=$5
	tps=$(pgbench -n -M prepared -c "$clients" -j 2 "${@:6}" -f - <<<"$script" |
		sed -n 's/^tps = \([0-9.]*\).*/\1/p')
	record "$work" "$way" "$clients" "$tps * $per" 'per second'
}

record() {
	query -c "INSERT INTO bench.measurement (work, way, value, unit)
		VALUES ('$1, $3 client$([ "$3" = 1 ] || echo s)', \$\$$2\$\$, $4, '$5')"
}

# A hundred rows at a time are where clients come between each other's keys.  So many rows in all
# that the first pages of an index, which are never full, do not count.
measure_rows() {
	local way=$1 clients=$2 rows=$3 total=$4 script=$5 start
	query -c "TRUNCATE $way" -c CHECKPOINT
	start=$(query -c 'SELECT pg_current_wal_insert_lsn()')
	measure "rows, $rows a statement" "$way" "$clients" "$rows" "$script" -t $((total / rows / clients))
	record "rows, $rows a statement" "$way" "$clients" \
		"(SELECT (pg_current_wal_insert_lsn() - '$start') / count(*) FROM $way)" 'bytes of log a row'
	record "rows, $rows a statement" "$way" "$clients" \
		"(SELECT pg_relation_size('${way}_pkey')::float8 / count(*) FROM $way)" 'bytes of index a row'
}

query -c 'CREATE SEQUENCE numbers'
forth=$(query -c "SELECT array_to_string(bench.make_tables('{as_iuid,as_bigint,as_uuidv7,as_uuid}', ', n int'), ' ')")
back=$(tr ' ' '\n' <<<"$forth" | tac | xargs)

for round in $(seq "$BENCH_ROUNDS"); do
	ways=$forth
	[ $((round % 2)) = 1 ] || ways=$back
	for clients in 1 2 8 32; do
		for way in $ways; do
			case $way in
				as_iuid) call='gen_iuid(7, 1)' ;;
				as_bigint) call="nextval('numbers')" ;;
				as_uuid) call='gen_random_uuid()' ;;
				as_uuidv7) call='uuidv7()' ;;
			esac
			measure 'identifiers' "$call" "$clients" 1000 "SELECT count($call) FROM generate_series(1, 1000);" -T "$BENCH_SECONDS"
			measure_rows "$way" "$clients" 1 $((BENCH_MILLION / 10)) "INSERT INTO $way (n) VALUES (1);"
			measure_rows "$way" "$clients" 100 "$BENCH_MILLION" "INSERT INTO $way (n) SELECT n FROM generate_series(1, 100) AS n;"
		done
	done
done
