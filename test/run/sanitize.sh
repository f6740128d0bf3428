#!/usr/bin/env bash
#
#   ./dev sanitize [--quick] [name...]
#                              the tests, or those that are named, with sanitizers and valgrind, on
#                              servers with assertions that are built from source, 2 min each (30 min);
#                              with --quick the regression tests, with sanitizers alone (3 min)
#
# The parts:
#  - addresses: AddressSanitizer in the server and in iuid, UndefinedBehaviorSanitizer in iuid;
#  - caches: the same, and the server drops all its caches whenever it may (debug_discard_caches);
#  - written: valgrind, as nothing may depend on a byte that nobody wrote.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/instrumented.sh"
. "$tree/test/run/suites.sh"

ran=() quick=no
[ "${1:-}" != --quick ] || { quick=yes && shift; }

# --- reports -------------------------------------------------------------

# AddressSanitizer and valgrind write into a file for each process.
#  - What a server has not freed goes with its memory contexts, or with the process: no leaks.
#  - check_stack_depth() compares addresses, so no variable may be elsewhere than on the stack.
#  - libfaketime comes before libasan.
# UndefinedBehaviorSanitizer comes with iuid into a running server, whose environment is gone, as its
# title is there.  So there are no options for that sanitizer, and it writes into the server's log.
want_reports() {
	rm -rf "$work/reports"
	mkdir -m 1777 "$work/reports"
	export ASAN_OPTIONS="log_path=$work/reports/address:abort_on_error=1:detect_leaks=0"
	ASAN_OPTIONS+=:detect_stack_use_after_return=0:verify_asan_link_order=0
}

# Ends the server, and prints the reports.  In the logs are also failed assertions, and what the server
# finds wrong with its memory contexts.
finish() {
	local found
	# A server that recovers from a crash may wait for itself when it is told to stop in order.
	as_user "$bin/pg_ctl" -D "$work/data" -m immediate -w stop >/dev/null ||
		failed+=("$part: the server ended by itself")
	found=$(find "$work/reports" -type f -size +0)
	if [ -n "$found" ]; then
		xargs head -v -n 60 <<<"$found"
		failed+=("$part: reports")
	fi
	if grep -E 'runtime error: |TRAP: |detected write past chunk end|problem in (alloc set|generation|slab)' \
		$(find "$work/server.log" "$work/tree/tmp_check" -name '*.log' 2>/dev/null); then
		failed+=("$part: logs")
	fi
}

# --- servers -------------------------------------------------------------

# Starts a copy of the server with that instrument, and iuid in it; false if there is none.  A part is
# a function that calls this first.
instrument() {
	local instrument=$1 options=
	part=${FUNCNAME[1]}
	have_server "$instrument" || return 1
	say "=== $part: $(basename "$server")"
	ran+=("$part")
	cd "$work"
	rm -rf usr tree data server.log
	cp -a "$server" "$work/usr"
	bin=$work/usr/bin
	want_reports
	# PostgreSQL is compiled with -fwrapv.  iuid does without: an overflow is a fault.
	[ "$instrument" = valgrind ] ||
		options='-fsanitize=undefined -fno-sanitize-recover=all -fno-wrapv'
	build_in_copy "$options"
	[ "$instrument" != valgrind ] || wrap_postgres
	start_server
}

# valgrind runs the servers, and not initdb's or those that only tell their version.
wrap_postgres() {
	mv "$bin/postgres" "$bin/postgres.bin"
	cat >"$bin/postgres" <<-EOT
		#!/bin/sh
		[ "\$1" = -D ] || exec "$bin/postgres.bin" "\$@"
		exec valgrind --quiet --leak-check=no --track-origins=yes --trace-children=yes \\
			--suppressions="$work/usr/share/valgrind.supp" --log-file="$work/reports/valgrind.%p" \\
			"$bin/postgres.bin" "\$@"
	EOT
	chmod 755 "$bin/postgres"
}

# --- the parts -----------------------------------------------------------

# Sorts the names of tests into regress and tap, without what this server has no hope to pass.
take_names() {
	local name names=()
	for name; do
		case $name in
			move_beside_writers | bad_days_beside_writers)
				# A session that ends with its postmaster ends while it aborts in postgres_fdw.
				say "=== SKIPPED: $name: the server asserts there that no transaction is left ==="
				;;
			*) names+=("$name") ;;
		esac
	done
	sort_names "${names[@]}"
}

# The arguments of a part are the names of tests.
addresses() {
	instrument address || return 0
	take_names "$@"
	run_names PROVE_FLAGS="--jobs=$(nproc)"
	finish
}

# The extensions are created with caches, as that alone would take minutes.  The arguments are what make
# is told, and the tests.
discard_caches() {
	[ $# -gt 2 ] || return 0
	local target=$1 create=$2
	shift 2
	run_pg_regress 1 $target REGRESS="$create"
	PGOPTIONS='-c debug_discard_caches=1' run_pg_regress $# $target REGRESS="$*" EXTRA_REGRESS_OPTS=--use-existing
}

# The servers of TAP tests would not have the setting.
caches() {
	sort_names "$@"
	[ ${#regress[@]} -gt 1 ] || [ ${#regions[@]} -gt 1 ] || return 0
	instrument address || return 0
	take_names "$@"
	discard_caches installcheck "${regress[@]}"
	discard_caches '-C regions installcheck' "${regions[@]}"
	finish
}

written() {
	instrument valgrind || return 0
	take_names "$@"
	run_names
	finish
}

# --- which tests ---------------------------------------------------------

all_regress=$(basename -s .sql "$tree"/{.,regions}/sql/*.sql)
all_tap=$(basename -s .pl "$tree"/test/t/*.pl)

# What keeps something from the server's caches: the registry, columns, regions.  A test that creates
# iuid again, plans hundreds of queries, or checks a foreign key for each of many rows takes too long.
look_ups='registry uuid_columns global_view'

# Without those that make many rows; a TAP test would take half an hour or more.
few_rows='bounds brin check_owner country_partitions default_partition default_rows global_view io
	joins mistakes module moved_country old_partitions open_ends operator_classes partitions
	plans registry registry_rights renamed schema_names skip_scan soft_errors
	time_partitions uuid_columns'

if [ $# -gt 0 ]; then
	sort_names "$@"
	all_regress=$* all_tap='' look_ups=$* few_rows=$*
fi
install_toolchain libfaketime libipc-run-perl openssl perl python3-psycopg valgrind
# What takes a minute elsewhere takes longer here.
export PGCTLTIMEOUT=600 PG_TEST_TIMEOUT_DEFAULT=600 LOCK_ROUNDS=40
if [ "$quick" = yes ]; then
	addresses $all_regress
else
	addresses $all_regress $all_tap
	caches $look_ups
	written $few_rows
fi
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
[ ${#ran[@]} = 0 ] || say "No report: ${ran[*]}"
