#!/usr/bin/env bash
# Inserting into a table that grows, with 128 MB of shared buffers
set -euo pipefail

forth=$(psql -XqAt -v ON_ERROR_STOP=1 -c "SELECT array_to_string(bench.make_tables('{as_bigint,as_iuid,as_uuidv7,as_uuid}'), ' ')")
back=$(tr ' ' '\n' <<<"$forth" | tac | xargs)

# A part at a time, each table in turn, so that all of them see the same machine.
for part in $(seq "$BENCH_PARTS"); do
	ways=$forth
	[ $((part % 2)) = 1 ] || ways=$back
	for way in $ways; do
		psql -Xq -v ON_ERROR_STOP=1 <<-SQL
			INSERT INTO bench.measurement (work, way, value, unit, shown)
			SELECT 'rows, at ' || trim_scale($part * $BENCH_MILLION / 1e6) || ' million', '$way', $BENCH_MILLION * 1000 / bench.milliseconds(
				'INSERT INTO $way SELECT FROM generate_series(1, $BENCH_MILLION)'), 'per second', $part IN (1, 5, 10, 20, 30);
		SQL
	done
done
