#!/usr/bin/env bash
#
#   ./dev test [name...]       build with warnings as errors, and run every test, or those that are
#                              named: regression tests of sql/, TAP tests of test/t/
#
# pg_regress and prove run the tests; this says which test of how many it is.  Of a TAP test that is
# named, each check is shown as it is made.

. "$(dirname "$0")/library.sh"

# The arguments are the name of the suite, how many tests that is, how a line begins that tells of
# a test, and what make is told.
run_suite() {
	local name=$1 total=$2 line=$3
	shift 3
	say "--- $name, PostgreSQL $PG_MAJOR: $total test$([ "$total" = 1 ] || echo s)"
	rm -f regression.diffs
	if run_make installcheck "$@" | number "$total" "$line"; then
		say "--- $name: passed"
	else
		[ ! -f regression.diffs ] || cat regression.diffs
		say "--- $name: FAILED"
		failed+=("$name")
	fi
}

# Puts "3 of 25" in front of the lines that begin like that.  Leaves out the notes, which begin
# with a #; what a test says of a failure comes on standard error.
number() {
	perl -ne 'BEGIN { $| = 1; ($total, $line) = splice @ARGV, 0, 2 }
		next if /^#/;
		printf "%*d of %d  ", length $total, ++$n, $total if /^(?:$line)/;
		print' "$@"
}

run_pg_regress() { run_suite pg_regress "$1" 'test |(not )?ok ' "${@:2}"; }
run_tap() { run_suite TAP "$1" 'test/t/\S+ \.\.' TAP_TESTS=1 REGRESS= "${@:2}"; }

# The regression test "install" creates the extensions for those after it.
regress=() tap=() failed=()
for name; do
	if [[ $name = */* ]]; then
		die "a test is named without its folder and ending, not $name"
	elif [ -f "$tree/sql/$name.sql" ]; then
		[ ${#regress[@]} -gt 0 ] || regress=(install)
		[ "$name" = install ] || regress+=("$name")
	elif [ -f "$tree/test/t/$name.pl" ]; then
		tap+=("test/t/$name.pl")
	else
		die "there is no test $name: neither sql/$name.sql nor test/t/$name.pl"
	fi
done

install_toolchain libfaketime libipc-run-perl openssl perl python3-psycopg
# What not every machine or version has: libFuzzer, and what doc/other-partitioning.md speaks of.
mapfile -t others < <(apt-cache pkgnames |
	grep -xE "libclang-rt-dev|postgresql-$PG_MAJOR-(partman|timescaledb)" | sed 's/^libclang-rt-dev/clang\n&/')
install_packages "${others[@]}"
build -Werror
start_server
make_small_disk
if [ $# = 0 ]; then
	say "Running all tests (about four minutes)"
	run_pg_regress "$(ls sql/*.sql | wc -l)"
	# Most of a TAP test is waiting: for servers, for sessions, for the clock.
	run_tap "$(ls test/t/*.pl | wc -l)" PROVE_FLAGS="--jobs=$(nproc)"
else
	[ ${#regress[@]} = 0 ] || run_pg_regress ${#regress[@]} REGRESS="${regress[*]}"
	[ ${#tap[@]} = 0 ] || run_tap ${#tap[@]} PROVE_TESTS="${tap[*]}" PROVE_FLAGS=--verbose
fi
stop_server
[ ${#failed[@]} = 0 ] || die "PostgreSQL $PG_MAJOR: FAILED: ${failed[*]}"
if [ $# = 0 ]; then
	say "PostgreSQL $PG_MAJOR: all suites passed"
else
	say "PostgreSQL $PG_MAJOR: passed: $*"
fi
