#!/usr/bin/env bash
#
#   ./dev models [--rows N] [name...]
#                              the examples, or those that are named, with random data from six
#                              sessions, beside models of them in Python; 100,000 rows each
#   ./dev models [--rows N] [--delay MS] [--every] [--show] move
#                              a country that moves between four nodes while it is written, with two
#                              million orders; each node behind a relay that delays each direction;
#                              then with faults at every step; --show prints the switch
#   ./dev models [--rows N] [--day NAME] [--show] bad_days
#                              twelve bad days of four nodes beside writers, without and with a move
#                              in the middle (20 min); --day restored, restored/too_early or
#                              restored/too_early/move, also several times, runs only those; --show
#                              prints what the commands say
#   ./dev models [--schemas N] moving_in
#                              tools/moving_in.sql, with 200 random schemas, beside clients and
#                              with kills (15 min)
#   ./dev models [--rows N] outbox
#                              examples/outbox on three nodes, with 20,000 transfers, beside kills, a
#                              provider that fails, and a country that moves (10 min)
#
# Each model prints its seed, and --seed repeats its data.  The tests run the models, too, with few
# rows.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/four_nodes.sh"

# model.py and identifiers.py are what the models share, schemas.py is a part of moving_in, and soak.py
# has a command of its own.
all=$(basename -s .py "$tree"/test/models/*.py | grep -vxE 'model|identifiers|schemas|soak')
rows='' schemas='' delay='' parts=(plain) show=() seed=() days=() names=()
while [ $# -gt 0 ]; do
	case $1 in
		--rows) rows=${2:?} && shift ;;
		--schemas) schemas=${2:?} && shift ;;
		--seed) seed=(--seed "${2:?}") && shift ;;
		--delay) delay=${2:?} && shift ;;
		--day) days+=("${2:?}") && shift ;;
		--every) parts=(--every checks plain rights circle reader_writes linked kill abort limit outage publisher consumers maintenance) ;;
		--show) show=(--show) ;;
		*)
			grep -qx "$1" <<<"$all" || die "there is no model $1"
			names+=("$1")
			;;
	esac
	shift
done
[ ${#names[@]} -gt 0 ] || names=($all)

install_toolchain openssl python3-psycopg
build

# A model, and how many it makes of what
run_model() {
	start_server "$work" 'wal_level = logical'   # for the publications of moving_in
	as_user /usr/bin/python3 "test/models/$1.py" "${@:2}" "${seed[@]}" || failed+=("$1")
	stop_server
}

# The program reaches the nodes by their relays, too.  The clients of a node are beside it.
run_move() {
	start_four_nodes 'shared_buffers = 512MB'
	far_services
	as_user /usr/bin/python3 test/models/move.py ${rows:+--rows "$rows"} "${seed[@]}" --program-services "$work/far" \
		"${way[@]}" "${show[@]}" "${parts[@]}" || failed+=(move)
	[ ${#relays[@]} = 0 ] || kill "${relays[@]}"
	stop_nodes
}

# Without --day each day is run.
run_bad_days() {
	delay=''
	start_four_nodes
	make_small_disk 120m
	as_user /usr/bin/python3 test/models/bad_days.py ${rows:+--rows "$rows"} "${seed[@]}" "${way[@]}" "${show[@]}" "${days[@]}" || failed+=(bad_days)
	stop_nodes
}

run_outbox() {
	nodes="almaty mexico jakarta"
	start_regions
	as_user /usr/bin/python3 test/models/outbox.py ${rows:+--rows "$rows"} "${seed[@]}" \
		--node "almaty=$work/almaty" --node "mexico=$work/mexico" --node "jakarta=$work/jakarta" || failed+=(outbox)
	stop_nodes
}

# The services again, with the ports of the relays.
far_services() {
	local node script=()
	for node in $nodes; do
		script+=(-e "s/^port=${port[$node]}$/port=${far[$node]}/")
	done
	sed "${script[@]}" "$PGSERVICEFILE" | as_user tee "$work/far" >/dev/null
}

failed=()
for name in "${names[@]}"; do
	case $name in
		move | bad_days | outbox) "run_$name" ;;
		moving_in) run_model "$name" --schemas "${schemas:-200}" ;;
		*) run_model "$name" --rows "${rows:-100000}" ;;
	esac
done
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
