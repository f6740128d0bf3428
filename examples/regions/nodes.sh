# shellcheck shell=bash
#
# Nodes on this machine, by the files beside this one: each is a server of its own, and speaks TCP
# on the loopback address, over TLS.  Read after library.sh, with a server's programs in $bin.

mesh=examples/regions
nodes="almaty mexico jakarta"
declare -A port country=([almaty]=125 [mexico]=157 [jakarta]=101)

# start_regions [STEP] starts all nodes, with orders to play with.  Their logs have each statement.
# STEP, such as '3 months', divides each country by time.
start_regions() {
	local node other step=${1:-}
	say "Starting three servers (ten seconds)"
	prepare_nodes
	for node in $nodes; do
		start_node "$node" 'log_statement = all'
	done
	at_machine_with_list mexico registry.sql
	for node in $nodes; do
		connect_node "$node"
		[ "$node" = mexico ] || follow_registry "$node"
	done
	for node in $nodes; do
		at "$node" ${step:+-v step="$step"} -f "$mesh/tables.sql" >/dev/null
		at "$node" -v country="${country[$node]}" -f "$mesh/load.sql"
	done
}

# What all nodes have, and the file of services with which psql finds them.
prepare_nodes() {
	as_user mkdir -p "$work/certificates"
	as_user sh "$mesh/certificates.sh" "$work/certificates" 127.0.0.1 2>"$work/openssl.log" ||
		{ cat "$work/openssl.log" >&2; die "openssl failed"; }
	{ echo 'local all all trust'; cat "$mesh/pg_hba.conf"; } | as_user tee "$work/pg_hba.conf" >/dev/null
	as_user sh "$mesh/passwords.sh" "$work"
	as_user cp "$mesh/nodes.sql" "$work/nodes.sql"
	export PGSERVICEFILE=$work/services PGPASSFILE=$work/pgpass
}

# A node, and lines of configuration of its own.  The list of nodes has its port then.
start_node() {
	local node=$1
	port[$node]=$(free_port)
	list_node "$node" "${port[$node]}"
	start_server "$work/$node" "
		listen_addresses = '127.0.0.1'
		port = ${port[$node]}
		hba_file = '$work/pg_hba.conf'
		ssl = on
		ssl_cert_file = '$work/certificates/127.0.0.1.crt'
		ssl_key_file = '$work/certificates/127.0.0.1.key'
		wal_level = logical
		${2:-}"
	as_user tee -a "$PGSERVICEFILE" >/dev/null <<-EOF
		[$node]
		host=127.0.0.1
		port=${port[$node]}
		dbname=shop
		user=shop
		sslmode=verify-full
		channel_binding=require
		sslrootcert=$work/certificates/root.crt
	EOF
	at_machine "$node" -d postgres -v node="$node" -f "$work/passwords.sql" -f "$mesh/mesh.sql"
}

# The list of nodes has a node at a port of this machine: its own, or that of a relay.
list_node() {
	as_user tee -a "$work/nodes.sql" >/dev/null <<-EOF
		INSERT INTO nodes SELECT '$1' WHERE NOT EXISTS (SELECT FROM nodes WHERE node = '$1');
		UPDATE nodes SET host = '127.0.0.1', port = $2 WHERE node = '$1';
	EOF
}

# A file that needs the list, the passwords or the certificates.
at_machine_with_list() {
	at_machine "$1" -v root="$work/certificates/root.crt" -f "$work/passwords.sql" -f "$work/nodes.sql" \
		-c "DELETE FROM pg_temp.nodes WHERE host <> '127.0.0.1'" -f "$mesh/$2"
}

# The ways from a node to all others; its registry follows that of mexico.
connect_node() { at_machine_with_list "$1" servers.sql; }
follow_registry() { at_machine_with_list "$1" subscribe.sql; }

# psql as the superuser of the machine of a node; and as the role shop, over TCP.
at_machine() {
	PGOPTIONS='-c client_min_messages=warning' \
		query -h "$work/$1" -p "${port[$1]}" -U postgres -d shop "${@:2}"
}
at() { query -P footer=off -d "service=$1" "${@:2}"; }
