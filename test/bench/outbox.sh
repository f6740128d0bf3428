#!/usr/bin/env bash
# Transfers between wallets a second, until the credit is there
#
# One transaction that changes two wallets of one database, against examples/outbox within a node and
# between two nodes of examples/regions, with four clients, two workers at the payer's node, and a
# thousand wallets at each.
set -euo pipefail

transfers=$((BENCH_MILLION / 100))

start_all() {
	local node
	nodes="almaty mexico"
	prepare_nodes
	for node in $nodes; do start_node "$node"; done
	at_machine_with_list mexico registry.sql
	for node in $nodes; do connect_node "$node"; done
	follow_registry almaty
	for node in $nodes; do
		at "$node" -o /dev/null -f "$mesh/tables.sql" -f examples/outbox/outbox.sql \
			-c "INSERT INTO outbox.wallets SELECT iuid_from_name(${country[$node]}, 2, n::text), 1000000 FROM generate_series(1, 1000) AS n"
	done
	at almaty <<-'EOF'
		CREATE TABLE wallets AS SELECT * FROM outbox.wallets;
		ALTER TABLE wallets ADD PRIMARY KEY (id), ADD CHECK (balance >= 0);
		CREATE TABLE transfers (id iuid PRIMARY KEY, payer iuid NOT NULL, payee iuid NOT NULL, amount bigint NOT NULL);
		CREATE FUNCTION transfer(id iuid, payer iuid, payee iuid, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
		BEGIN
			INSERT INTO transfers VALUES (id, payer, payee, amount);
			PERFORM FROM wallets AS w WHERE w.id IN (payer, payee) ORDER BY w.id FOR UPDATE;
			UPDATE wallets AS w SET balance = balance + CASE w.id WHEN payee THEN amount ELSE -amount END WHERE w.id IN (payer, payee);
		END $$;
	EOF
	for _ in 1 2; do
		/usr/bin/python3 examples/outbox/worker.py almaty &
		workers+=($!)
	done
}

# A function, and the country of the payee.
measure() {
	local start=$EPOCHREALTIME
	pgbench -n -M prepared -c 4 -j 2 -t $((transfers / 4)) -f - "service=almaty" >"$work/pgbench.log" 2>&1 <<-EOF || { cat "$work/pgbench.log" >&2; die 'pgbench failed'; }
		\set payer random(1, 500)
		\set payee random(501, 1000)
		SELECT $2(gen_iuid(125, 4), iuid_from_name(125, 2, (:payer)::text), iuid_from_name($3, 2, (:payee)::text), 1);
	EOF
	while [ "$(at almaty -At -c 'SELECT EXISTS (SELECT FROM outbox.messages WHERE answer IS NULL)')" = t ]; do sleep 0.02; done
	echo "four clients|$1|$(awk "BEGIN { print $transfers / ($EPOCHREALTIME - $start) }")|per second"
}

measure_all() {
	for _ in $(seq "$BENCH_ROUNDS"); do
		measure 'one transaction' transfer 125
		measure 'outbox, within a node' outbox.transfer 125
		measure 'outbox, between two nodes' outbox.transfer 157
	done
}

workers=()
stop_all() { kill "${workers[@]}"; }

. test/bench/regions/nodes.sh
