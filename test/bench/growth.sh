#!/usr/bin/env bash
# Inserting into a table that grows, with 128 MB of shared buffers
set -euo pipefail

psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE TABLE as_bigint (id bigserial PRIMARY KEY);
CREATE TABLE as_iuid (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY);
CREATE TABLE as_uuid (id uuid DEFAULT gen_random_uuid() PRIMARY KEY);
SELECT 'CREATE TABLE as_uuidv7 (id uuid DEFAULT uuidv7() PRIMARY KEY)' WHERE to_regprocedure('uuidv7()') IS NOT NULL
\gexec
SQL
forth="as_bigint as_iuid $(psql -XqAtc "SELECT to_regclass('as_uuidv7')") as_uuid"
back=$(tr ' ' '\n' <<<"$forth" | tac | xargs)

# A fiftieth at a time, each table in turn, so that all of them see the same machine.
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
