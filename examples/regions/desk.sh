#!/usr/bin/env bash
#
#   ./dev desk                 three regions, and at each the page of its support desk, until Ctrl-C
#
# The regions are those of ./dev regions.

. "$(dirname "$0")/../../test/run/library.sh"

# A desk in the background, and the line that says where it is.
start_desk() {
	local node=$1 address
	address=127.0.0.1:$(free_port)
	"${user[@]}" env -C tools/desk IUID_DESK_NODE="service=$node user=desk" \
		IUID_DESK_TABLES="AyanOrder=public.orders AyanOrderEvent=public.order_events" IUID_DESK_HISTORY="public.orders customer" \
		waitress-serve --listen="$address" --threads=16 --max-request-body-size=1 --ident= \
		desk:app >"$work/$node/desk.log" 2>&1 &
	desks+=($!)
	until (: >"/dev/tcp/${address/://}") 2>/dev/null; do
		kill -0 $! 2>/dev/null || { cat "$work/$node/desk.log" >&2; die "the desk did not start"; }
		sleep 0.1
	done
	printf '   %-8s http://%s/\n' "$node" "$address"
}

[ $# -eq 0 ] || die "desk takes no argument"
install_toolchain openssl python3 python3-flask python3-psycopg python3-psycopg-pool python3-waitress
build
. examples/regions/nodes.sh
start_regions '3 months'
at_machine mexico -c "INSERT INTO iuid_entities VALUES (6, 'Ayan', 'OrderEvent')"
for node in $nodes; do
	at "$node" -f tools/desk/desk.sql -f examples/regions/desk.sql >/dev/null
done

user=() desks=()
[ "$(id -u)" != 0 ] || user=(runuser -u postgres --)
trap 'status=$?; kill "${desks[@]}" 2>/dev/null || true; clean_up $status' EXIT
trap 'exit 0' INT TERM
say
say "The desk of each region, which asks the node of its region and no other:"
say
for node in $nodes; do
	start_desk "$node"
done
say
say "Paste one of these identifiers at any of them, or ask for the history of customer 42:"
say
for node in $nodes; do
	at "$node" -At -c "SELECT format('   %s  %s', id, code) FROM orders, iuid_inspect(id) WHERE note = 'a new order'"
done
say
say "To see what happens while a region is down, stop its server, and start it again:"
say
say "   $(control_command "$work/jakarta" stop)"
say "   $(control_command "$work/jakarta" "-l $work/jakarta/server.log start")"
say
say "Ctrl-C ends the desks and the servers."
wait -n
cat "$work"/*/desk.log >&2
die "a desk ended"
