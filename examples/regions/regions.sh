#!/usr/bin/env bash
#
#   ./dev regions [--keep]     three servers that answer as one; one down; a country moves (2 min)
#
# The steps are in the other files of this folder; this runs them, says what they do, and counts in
# the servers' logs who was asked.

. "$(dirname "$0")/../../test/run/library.sh"

count_orders() {
	local node
	for node in $nodes; do
		at "$node" -At -c "SELECT format('   %-8s %s orders, %s in orders_global, %s in orders_all',
			current_setting('iuid.node'), (SELECT count(*) FROM orders), (SELECT count(*) FROM orders_global),
			(SELECT count(*) FROM orders_all))"
	done
}

# At some nodes, some ids.
look_up() {
	local asking=$1 node id found before after line
	shift
	line='   %-10s %-10s %-32s %8s %8s %8s\n'
	printf "$line" 'asked at' 'an id of' 'the order' $nodes
	for node in $asking; do
		for id; do
			before=($(queries_of_others))
			found=$(at "$node" -U desk -At -v id="$id" -f "$mesh/look_up.sql" | uniq)
			after=($(queries_of_others))
			printf "$line" "$node" "${found%%|*}" "${found#*|}" \
				$((after[0] - before[0])) $((after[1] - before[1])) $((after[2] - before[2]))
		done
	done
}

# How many each node was sent so far, by its log.
queries_of_others() {
	local node
	for node in $nodes; do
		grep -c 'DECLARE c[0-9]* CURSOR' "$work/$node/server.log" || true
	done
}

fail_at() {
	if at "$1" -U desk -c "$2" >"$work/failed.log" 2>&1; then
		die "this should have failed: $2"
	fi
	say "   $2"
	sed -n 's/^ERROR/   ERROR/p' "$work/failed.log"
}

# The command that moves a country.  In PostgreSQL 15 only a superuser subscribes.
move() {
	as_user /usr/bin/python3 tools/iuid move "$1" 235 almaty jakarta \
		--subscribe-as "host=$work/jakarta port=${port[jakarta]} user=postgres dbname=shop" --trust-owners
}

take_keep regions "$@"
install_toolchain openssl python3 python3-psycopg
build
. examples/regions/nodes.sh

start_regions
ids=($(for node in $nodes; do at "$node" -At -c "SELECT id FROM orders WHERE note = 'a new order'"; done))
moved=$(at almaty -At -c "SELECT id FROM orders WHERE note = 'Uzbekistan, order 42'")

say
say "1. Three nodes, each a server of its own with the orders of its countries"
say
at mexico -c "SELECT node, region, string_agg(format('%s %s', country, name), ', ' ORDER BY country) AS countries
	FROM iuid_countries JOIN iuid_nodes ON node = iuid_node(country, 1) GROUP BY node, region ORDER BY node"
say "   This is in the registry, which is filled in at mexico and replicated to the others."
say "   Each node has a table orders, a table orders_global over all nodes, and a view orders_all:"
say
count_orders

say
say "2. An id from anywhere"
say
say "   A customer sends an id to the support desk in Almaty. What is it?"
say "   SELECT \"time\", name, key, node, region FROM iuid_inspect('${ids[2]}')"
say
at almaty -U desk -c "SELECT \"time\", name, key, node, region FROM iuid_inspect('${ids[2]}')"
say "   Which order is it? Each node looks up an id of each node, in two ways: as a literal, and as a"
say "   uuid parameter of a generic plan. On the right is how many queries came to each server from the"
say "   others, by its own log: the owner of the id is asked, once for each way, and nobody else."
say "   SELECT ... FROM orders_global WHERE id = \$1"
say
look_up "$nodes" "${ids[@]}"

say
say "3. The orders of a customer over all nodes, newest first"
say "   SELECT ... FROM orders_all WHERE customer = 42 ORDER BY id DESC LIMIT 8"
say
at mexico -U desk -v customer=42 -f "$mesh/history.sql" |
	sed 's/^ *Remote SQL:/   This was asked in Mexico. Each other node gets one query, and sorts, however many\n   countries it has:\n  /'

say
say "   The same by iuid_select_on_nodes, which asks all nodes at the same time, in one round trip:"
say
at mexico -U desk -v customer=42 -f "$mesh/history_at_once.sql"

say
say "4. Jakarta is down"
say
stop_server "$work/jakarta"
say "   The ids of the other nodes are looked up as before:"
say
look_up "almaty mexico" "${ids[@]:0:2}"
say
say "   What needs Jakarta says so:"
say
fail_at almaty "SELECT * FROM orders_global WHERE id = '${ids[2]}'"
fail_at almaty "SELECT count(*) FROM orders_all"
say
say "   The others can be asked without it:"
say "   SELECT node, count(*) FROM orders_all WHERE node <> 'jakarta' GROUP BY node ORDER BY node"
say
at almaty -U desk -c "SELECT node, count(*) FROM orders_all WHERE node <> 'jakarta' GROUP BY node ORDER BY node"
say "   And iuid_select_on_nodes says which node did not answer:"
say
at almaty -U desk -v customer=42 -f "$mesh/history_at_once.sql"
start_server "$work/jakarta"

say
say "5. Uzbekistan moves from Almaty to Jakarta, which is up again"
say
say "   An order of Uzbekistan before:"
say
look_up "$nodes" "$moved"
say
say "   move plan 235 almaty jakarta"
say
move plan | sed 's/^/   /'
say
say "   move copy, move switch, move finish: almaty refuses writes only during the switch."
say
move copy >"$work/copy.log"
move switch | sed -n 's/.*-- Takes writes, which this command refused/   Writes were refused/p'
move finish >"$work/finish.log"
say
say "   The same id after it, and all orders:"
say
look_up "$nodes" "$moved"
say
count_orders

say
say "All steps are in examples/regions, to be copied: nodes, mesh, servers, registry, subscribe, tables,"
say "load, look_up, history, history_at_once.  The command iuid is in tools."
if [ "${keep:-no}" = yes ]; then
	say "The servers run on.  Open psql on them with"
	for node in $nodes; do
		say "   psql -h $work/$node -p ${port[$node]} -U postgres shop"
	done
	say "and end them with"
	for node in $nodes; do
		say "   $(control_command "$work/$node" stop)"
	done
	say "   rm -rf $work"
else
	say "These servers are gone now."
	say "./dev regions --keep leaves them, for you to open psql on."
fi
