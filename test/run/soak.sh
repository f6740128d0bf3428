#!/usr/bin/env bash
#
#   ./dev soak [--minute SECONDS] [HOURS]
#                              four nodes for hours (2): clients, maintenance, moves of a country and
#                              kills; what they use is measured, drawn, and may not grow without bound;
#                              the next call goes on for more hours, in IUID_SOAK or
#                              /var/cache/iuid/soak
#
# test/models/soak.py is what happens, and what must be true.  Ctrl-C or SIGTERM ends it in order, after
# the move that is under way.  It begins anew if it was killed, if something was wrong, or if the
# extensions, tools or server are others now.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/four_nodes.sh"

hours=2 minute=60
while [ $# -gt 0 ]; do
	case $1 in
		--minute) minute=${2:?} && shift ;;
		*) hours=$1 ;;
	esac
	shift
done
[[ $hours =~ ^[0-9.]+$ ]] || die "soak takes a number of hours, not $hours"
install_toolchain gnuplot-nox openssl python3-psycopg
build

# The nodes, as their files have absolute paths, and what the program saves.
kept=${IUID_SOAK:-/var/cache/iuid/soak}
as_root install -d -o "$(as_user id -un)" "$kept"
! as_root kill -0 "$(cat "$kept/pid" 2>/dev/null)" 2>/dev/null || die "a soak runs there already: process $(cat "$kept/pid")"
export PGCTLTIMEOUT=600
built=$work work=$kept

# The folder stays, unlike that of library.sh.
end() {
	local status=$? data
	trap '' INT TERM
	for data in "$kept"/*/data; do
		stop_server "${data%/data}" || true
	done
	as_user rm -f "$kept/pid"
	work=$built
	clean_up "$status"
}
trap end EXIT

what=$({ "$bin/postgres" -V; find "$tree"/{src,regions,tools} -regex '.*\.\(c\|h\|sql\|py\)' | LC_ALL=C sort | xargs cat; } | sha256sum)
if [ -f "$kept/state" ] && [ "$what" = "$(cat "$kept/what")" ]; then
	export PGSERVICEFILE=$kept/services PGPASSFILE=$kept/pgpass
	for node in almaty mexico jakarta lagos; do
		start_server "$kept/$node"
		way+=(--node "$node=$kept/$node")
	done
else
	[ ! -f "$kept/what" ] || say "Begins anew: the last one was killed, was wrong, or was of something else."
	for data in "$kept"/*/data; do
		stop_server "${data%/data}"
	done
	as_user find "$kept" -mindepth 1 -delete
	start_four_nodes '' '1 hour'
	as_user tee "$kept/what" <<<"$what" >/dev/null
fi

# In a session of its own: a Ctrl-C is for this script alone.
as_user setsid sh -c 'echo $$ >"$1" && shift && exec "$@"' sh "$kept/pid" /usr/bin/python3 test/models/soak.py \
	--hours "$hours" --minute "$minute" "${way[@]}" &
program=$!
trap 'say "soak.sh was told to end"; as_user kill -TERM "$(cat "$kept/pid")"' INT TERM
status=0
wait "$program" || status=$?
while kill -0 "$program" 2>/dev/null; do
	status=0
	wait "$program" || status=$?
done
(cd "$kept" && as_user gnuplot "$built/tree/test/models/soak.gnuplot")
say "The measures are in $kept/measures, and $kept/soak.svg shows them."
exit "$status"
