# shellcheck shell=bash
#
# Four nodes of examples/regions, with a second table, for the commands that run models of them.  Read
# after library.sh.  The nodes reach each other by relays if there is a delay.

. "$tree/examples/regions/nodes.sh"
declare -A far=()
relays=() way=()

# Lines of configuration, and a step by which the orders of each country are divided.
start_four_nodes() {
	local node step=${2:-}
	way=()
	nodes="almaty mexico jakarta lagos" country[lagos]=164
	prepare_nodes
	echo "INSERT INTO nodes VALUES ('lagos', 'West Africa', NULL, NULL, '{NG}');" | as_user tee -a "$work/nodes.sql" >/dev/null
	for node in $nodes; do
		start_node "$node" $'max_worker_processes = 20\nautovacuum_naptime = 1s\n'"${1:-}"
		far[$node]=${port[$node]}
		[ -z "${delay:-}" ] || start_relay "$node"
		way+=(--node "$node=$work/$node")
	done
	for node in $nodes; do
		list_node "$node" "${far[$node]}"
	done
	at_machine_with_list mexico registry.sql
	at_machine mexico -c "INSERT INTO iuid_entities VALUES (3, 'Ayan', 'Trip')"
	for node in $nodes; do
		connect_node "$node"
		[ "$node" = mexico ] || follow_registry "$node"
	done
	for node in $nodes; do
		at "$node" ${step:+-v step="$step"} -f "$mesh/tables.sql" -f test/models/move.sql >/dev/null
		at "$node" -v country="${country[$node]}" -f "$mesh/load.sql"
	done
}

# As if it had not been.
stop_nodes() {
	local node
	for node in $nodes; do
		stop_server "$work/$node"
		rm -rf "${work:?}/$node"
	done
	rm -f "$PGSERVICEFILE"
}

start_relay() {
	far[$1]=$(free_port)
	perl test/bench/regions/relay.pl "$delay" "${far[$1]}" "${port[$1]}" >&2 &
	relays+=($!)
	disown
}
