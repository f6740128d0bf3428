#!/usr/bin/env bash
# Rows inserted per second by many clients, for right and wrong ways to make their key
#
# Every other round takes the ways backwards.  A commit_delay stands in for a
# disk, or a replica, that takes as long to confirm a commit.
#
# A client of pgbench ends with any error but a deadlock, and then this script ends, too.  The wrong
# ways have no primary key that would refuse their duplicates.

set -euo pipefail

folder=$(dirname "$0")/contention
forth=(sequence counter 'blocks of 1' 'blocks of 10' 'blocks of 100' 'blocks of 1000' cache gen_iuid naive max shared)
mapfile -t back < <(printf '%s\n' "${forth[@]}" | tac)

query() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

# After a deadlock the server looks for the next one sooner than after the second of the default, so
# that there is more than one in a run.
measure() {
	local way=$1 clients=$2 delay=$3 script=${1%% *} settings out
	settings="-c commit_delay=$((delay * 1000)) -c commit_siblings=0"
	[ "$way" != shared ] || settings+=' -c deadlock_timeout=10ms'
	query -c "TRUNCATE by_$script"
	out=$(PGOPTIONS="$PGOPTIONS $settings" pgbench -n -M prepared -c "$clients" -j 2 -T "$BENCH_SECONDS" \
		--failures-detailed -D left=0 -D size="${way##* }" -f "$folder/$script.pgbench")
	local work="flush + $delay ms, $clients client$([ "$clients" = 1 ] || echo s)"
	record "$work" "$way" "$(printed 'tps = ')" 'per second'
	case $way in
		counter | naive | max | shared)
			record "$work" "$way" "1000.0 * ($(printed 'number of deadlock failures: ')
				+ (SELECT count(*) - count(DISTINCT id) FROM by_$script))
				/ ($(printed 'number of transactions actually processed: ')
				+ $(printed 'number of deadlock failures: '))" 'failures per 1,000 transactions'
			;;
	esac
}

# The number after a text, in what pgbench printed.
printed() { sed -n "s/^$1\([0-9.]*\).*/\1/p" <<<"$out"; }

record() {
	query -c "INSERT INTO bench.measurement (work, way, value, unit) VALUES ('$1', '$2', $3, '$4')"
}

query -f "$folder/tables.sql"
# Locks are held over the flush of a commit, so commits must be flushed.  What was written before is
# flushed now, and not in the middle of a round.
query -o /dev/null -c 'ALTER SYSTEM SET fsync = on' -c 'SELECT pg_reload_conf()' -c CHECKPOINT
for round in $(seq "$BENCH_ROUNDS"); do
	ways=("${forth[@]}")
	[ $((round % 2)) = 1 ] || ways=("${back[@]}")
	for delay in 0 1; do
		for clients in 1 4 16; do
			for way in "${ways[@]}"; do
				measure "$way" "$clients" "$delay"
			done
		done
	done
done
query -o /dev/null -c 'ALTER SYSTEM RESET fsync' -c 'SELECT pg_reload_conf()'
