#!/usr/bin/env bash
# Inserting into a table that grows, with 128 MB of shared buffers
set -euo pipefail

psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE TABLE as_bigint (id bigserial PRIMARY KEY);
CREATE TABLE as_iuid (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY);
CREATE TABLE as_uuid (id uuid DEFAULT gen_random_uuid() PRIMARY KEY);
SQL

# A fiftieth at a time, each table in turn, so that all of them see the same machine.
for part in $(seq "$BENCH_PARTS"); do
	ways="as_bigint as_iuid as_uuid"
	[ $((part % 2)) = 1 ] || ways="as_uuid as_iuid as_bigint"
	for way in $ways; do
		psql -Xq -v ON_ERROR_STOP=1 <<-SQL
			INSERT INTO bench.measurement (work, way, value, unit, shown)
			SELECT 'rows, at ' || trim_scale($part * $BENCH_MILLION / 1e6) || ' million', '$way', $BENCH_MILLION * 1000 / bench.milliseconds(
				'INSERT INTO $way SELECT FROM generate_series(1, $BENCH_MILLION)'), 'per second', $part IN (1, 5, 10, 20, 30, 40, 50);
		SQL
	done
done
