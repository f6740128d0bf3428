#!/usr/bin/env bash
# Round trips of a statement over nodes that are 100 ms apart
#
# The nodes are those of examples/regions.  A relay before each delays what comes and what goes.
# The first node asks.
set -euo pipefail

folder=test/bench/regions
distance=50   # ms, in each direction
most=12       # nodes

start_all() {
	local n
	prepare_nodes
	for n in $(seq $most); do
		start_node "n$n" $'shared_buffers = 16MB\nmax_connections = 40'
		way[$n]=$(free_port)
		perl "$folder/relay.pl" $distance "${way[$n]}" "${port[n$n]}" >&2 &
		relay[$n]=$!
		disown
	done
	for n in $(seq $most); do
		list_node "n$n" "${way[$n]}"
	done
	for n in $(seq $most); do
		connect_node "n$n"
	done
}

# Orders of so many countries on so many nodes.
spread() {
	local n
	nodes=$2 here="$1 countries, $2 nodes"
	for n in $(seq "$nodes"); do
		at_machine "n$n" -v countries="$1" -v nodes="$nodes" -f "$folder/registry.sql"
		at "n$n" -f "$mesh/tables.sql"
		at "n$n" -v country=$((n - 1)) -f "$mesh/load.sql"
	done >"$work/spread.log"
	for n in 1 2 3; do
		ids[$n]=$(at "n$n" -At -c 'SELECT id FROM orders WHERE customer = 7 LIMIT 1')
	done
}

# A session at the first node each round, in which psql does what the other arguments say.  It prints
# two lines for each statement: the name of its work, and how long it took.  Of a work that is done
# twice the second time counts, when the servers have read what they need of their catalogs.
measure() {
	local what=$1
	for _ in $(seq "$BENCH_ROUNDS"); do
		at n1 -At -v id="${ids[2]}" -v ids="'${ids[1]}', '${ids[2]}', '${ids[3]}'" "${@:2}" | awk -v OFS='|' -v what="$what" -v trip=$((2 * distance)) '
			/^Time: / { took[work] = $2; next }
			!($0 in took) { names[++count] = $0 }
			{ work = $0 }
			END { for (n = 1; n <= count; n++) print names[n], what, took[names[n]] / trip, "round trips" }'
	done
}

measure_statements() {
	measure "$here" -f $folder/first.sql -f $folder/connect.sql \
		-f $folder/statements.sql -f $folder/statements.sql
}

measure_all() {
	spread 10 3
	measure_statements
	measure "$here" -f $folder/global_table.sql
	spread 48 3
	measure_statements
	measure "$here" -f $folder/global_table.sql

	stop_server "$work/n2"
	measure "$here, one is down" -f $folder/connect.sql \
		-f $folder/without_one.sql -f $folder/without_one.sql
	start_server "$work/n2"
	# The minus names the group of processes.
	measure "$here, one begins to hang" -f $folder/connect.sql \
		-c "\\! kill -s STOP -- -${relay[2]}" -f $folder/without_one.sql \
		-c "\\! kill -s CONT -- -${relay[2]}"
	kill -s STOP -- "-${relay[2]}"
	measure "$here, one hangs" -f $folder/connect.sql \
		-f $folder/without_one.sql -f $folder/without_one.sql
	kill -s CONT -- "-${relay[2]}"

	spread 200 3
	measure_statements
	spread 48 6
	measure_statements
	spread 48 12
	measure_statements
}

declare -A relay way ids
stop_all() { kill -KILL -- "${relay[@]/#/-}"; }

. test/bench/regions/nodes.sh
