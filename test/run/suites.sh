# shellcheck shell=bash
#
# Both suites of tests, pg_regress and TAP, for the commands that run them.  Read after library.sh.

failed=()

# Seconds for a session of a test, all its queries together, also on a busy machine.
export PG_TEST_TIMEOUT_DEFAULT=600

# The arguments are the name of the suite, how many tests that is, how a line begins that tells of
# a test, and what make is told.
run_suite() {
	local name=$1 total=$2 line=$3
	shift 3
	say "--- $name, PostgreSQL $PG_MAJOR: $total test$([ "$total" = 1 ] || echo s)"
	rm -f {.,regions}/regression.diffs
	if run_make "$@" | number "$total" "$line"; then
		say "--- $name: passed"
	else
		cat {.,regions}/regression.diffs 2>/dev/null || true
		show_failed
		say "--- $name: FAILED"
		failed+=("$name")
	fi
}

# What the logs of the TAP tests have of each failure, and their ends: where a test died.
show_failed() {
	local log
	for log in tmp_check/log/regress_log_*; do
		grep -qsE 'not ok |# (Looks like|Tests were run)' "$log" || continue
		say "--- $(basename "$log")"
		{ grep -A 40 'not ok ' "$log" || true; echo ...; tail -n 20 "$log"; } | cut -c 1-1000
	done
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
# The servers that a TAP test makes have the settings of all.
run_tap() {
	echo "$settings" >"$work/settings.conf"
	export TEMP_CONFIG=$work/settings.conf
	run_suite TAP "$1" 'test/t/\S+ \.\.' installcheck TAP_TESTS=1 REGRESS= "${@:2}"
}

# Sorts the names of tests into the arrays regress, regions and tap.  In both folders of regression
# tests, the first one creates the extensions for those after it.
sort_names() {
	local name
	regress=() regions=() tap=()
	for name; do
		if [[ $name = */* ]]; then
			die "a test is named without its folder and ending, not $name"
		elif [ -f "$tree/sql/$name.sql" ]; then
			[ ${#regress[@]} -gt 0 ] || regress=(install)
			[ "$name" = install ] || regress+=("$name")
		elif [ -f "$tree/regions/sql/$name.sql" ]; then
			[ ${#regions[@]} -gt 0 ] || regions=(install_regions)
			[ "$name" = install_regions ] || regions+=("$name")
		elif [ -f "$tree/test/t/$name.pl" ]; then
			tap+=("test/t/$name.pl")
		else
			die "there is no test $name: neither sql/$name.sql nor regions/sql/$name.sql nor test/t/$name.pl"
		fi
	done
}

# Takes the tests for which one version of PostgreSQL is enough out of the array tests.
leave_out_one_version() {
	local file reason each=()
	for file in "${tests[@]}"; do
		reason=$(sed -n 's/^# One version is enough: //p' "$file")
		if [ -n "$reason" ]; then
			say "=== SKIPPED: $(basename "$file" .pl): one version is enough: $reason ==="
		else
			each+=("$file")
		fi
	done
	tests=("${each[@]}")
}

# Runs the tests of those arrays.  The arguments are what make is told besides.
run_names() {
	[ ${#regress[@]} = 0 ] || run_pg_regress ${#regress[@]} installcheck REGRESS="${regress[*]}"
	[ ${#regions[@]} = 0 ] || run_pg_regress ${#regions[@]} -C regions installcheck REGRESS="${regions[*]}"
	[ ${#tap[@]} = 0 ] || run_tap ${#tap[@]} PROVE_TESTS="${tap[*]}" PROVE_FLAGS=--verbose "$@"
}
