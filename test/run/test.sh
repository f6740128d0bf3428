#!/usr/bin/env bash
#
#   ./dev test [name...]       build with warnings as errors, and run every test, or those that are
#                              named: regression tests of sql/ and regions/sql/, TAP tests (15 min)
#   ./dev test --each-version  the tests that each version of PostgreSQL needs: without the TAP tests
#                              whose headings say "One version is enough", and why
#
# pg_regress and prove run the tests; this says which test of how many it is.  Of a TAP test that is
# named, each check is shown as it is made.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/suites.sh"

each_version=no
[ "${1:-}" != --each-version ] || { each_version=yes && shift; }
sort_names "$@"
install_toolchain libfaketime libipc-run-perl openssl perl pgbouncer python3-flask python3-psycopg \
	python3-psycopg-pool python3-waitress
# What not every machine or version has: libFuzzer, and the extensions that pages of doc/ speak of.
mapfile -t others < <(apt-cache pkgnames |
	grep -xE "libclang-rt-dev|postgresql-$PG_MAJOR-(cron|hypopg|partman|repack|timescaledb|wal2json)" | sed 's/^libclang-rt-dev/clang\n&/')
install_packages "${others[@]}"
# The tools for tests can set up Kerberos from 17 on.
[ "$PG_MAJOR" -lt 17 ] || install_packages krb5-admin-server krb5-kdc krb5-user libkrb5-dev
build -Werror
start_server
make_small_disk
if [ $# = 0 ]; then
	# What takes longest first, so that it is not left for the end: with models, or that waits, and the largest.
	long='test/(models|fuzz)/|sleep 1[0-9]'
	mapfile -t tests < <(grep -lE "$long" test/t/*.pl | xargs ls -S; grep -LE "$long" test/t/*.pl | xargs ls -S)
	[ "$each_version" = no ] || leave_out_one_version
	say "Running all tests (a quarter of an hour)"
	run_pg_regress "$(ls {.,regions}/sql/*.sql | wc -l)" installcheck
	# Two for each core, as half of a TAP test is waiting: for servers, for sessions, for the clock.
	run_tap ${#tests[@]} PROVE_TESTS="${tests[*]}" PROVE_FLAGS="--timer --jobs=$((2 * $(nproc)))"
else
	run_names
fi
stop_server
[ ${#failed[@]} = 0 ] || die "PostgreSQL $PG_MAJOR: FAILED: ${failed[*]}"
if [ $# = 0 ]; then
	say "PostgreSQL $PG_MAJOR: all suites passed"
else
	say "PostgreSQL $PG_MAJOR: passed: $*"
fi
