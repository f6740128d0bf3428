#!/usr/bin/env bash
# The examples with 10,000, 100,000 and a million rows
#
# Each measurement begins with an empty schema of its own.  The ratios show how the rate changes with
# the number of rows.
set -euo pipefail

query() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

measure() {
	local name=$1 rows=$2 way
	way=$(query -At -c "SELECT bench.shown($rows) || ' rows'")
	PGOPTIONS="$PGOPTIONS -c search_path=example,public" query -o /dev/null \
		-c 'DROP SCHEMA IF EXISTS example CASCADE' -c 'CREATE SCHEMA example' \
		-v rows="$rows" -v way="$way" \
		-f "examples/$name/schema.sql" -f "test/bench/examples/$name.sql"
}

for example in examples/*.sql; do
	name=$(basename "$example" .sql)
	[ -f "test/bench/examples/$name.sql" ] || { echo "SKIPPED: there is no test/bench/examples/$name.sql" >&2; continue; }
	for round in $(seq "$BENCH_ROUNDS"); do
		measure "$name" $((BENCH_MILLION / 100))
		measure "$name" $((BENCH_MILLION / 10))
		[ "$round" -gt 1 ] || measure "$name" "$BENCH_MILLION"
	done
done
query -c 'DROP SCHEMA IF EXISTS example CASCADE'
