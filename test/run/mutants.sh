#!/usr/bin/env bash
#
#   ./dev mutants [name...]    put known faults into the code, all or those that are named, one
#                              after the other: each must make a test fail (45 min)
#
# A mutant is test/mutants/NAME.mutant.  Its first line says what it breaks.  A line "Test: NAME..."
# names tests, as ./dev test takes them: one of them must fail.  Without a mutant, all of them must
# pass.  test/mutants/put.py says how a mutant names the code that it changes.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/suites.sh"

tests_of() {
	sed -n 's/^Test: //p' "$tree/test/mutants/$1.mutant"
}

# Sets "changed" to the file that the mutant changes.
apply() {
	changed=$(as_user python3 test/mutants/put.py . "test/mutants/$1.mutant")
}

restore() {
	[ -z "$changed" ] || as_user tee "$work/tree/$changed" <"$tree/$changed" >/dev/null
}

build_again() {
	run_make all install with_llvm=no autodepend=yes
}

# A test that fails can leave roles and databases, and a fault can end the server.
start_afresh() {
	stop_server
	rm -rf "$work/data"
	cp -a "$work/fresh" "$work/data"
	start_server
}

# Whether a test passes; its output goes to $work/test.log.  The test "install" comes before each
# other regression test, and can fail by itself.  If no test has another output, none could run.
passes() {
	local arguments
	sort_names "$1"
	if [ ${#tap[@]} -gt 0 ]; then
		arguments=(TAP_TESTS=1 REGRESS= PROVE_TESTS="${tap[*]}")
	elif [ ${#regions[@]} -gt 0 ]; then
		arguments=(-C regions REGRESS="${regions[*]}")
	else
		arguments=(REGRESS="${regress[*]}")
	fi
	if [ ${#tap[@]} = 0 ]; then
		rm -f {.,regions}/regression.diffs
		start_afresh
	fi
	run_make "${arguments[@]}" installcheck >"$work/test.log" 2>&1 && return
	[ ${#tap[@]} = 0 ] || return 1
	local diffs
	diffs=$(cat {.,regions}/regression.diffs 2>/dev/null) || true
	[ -n "$diffs" ] || { cat "$work/test.log" >&2; die "test $1 could not run"; }
	! grep -q "/$1\.out$" <<<"$diffs"
}

names=("$@")
[ $# -gt 0 ] || names=($(basename -s .mutant "$tree"/test/mutants/*.mutant))
for name in "${names[@]}"; do
	[ -f "$tree/test/mutants/$name.mutant" ] || die "there is no mutant $name"
	[ -n "$(tests_of "$name")" ] || die "mutant $name names no test"
done

install_toolchain libfaketime libipc-run-perl openssl perl python3
build '' with_llvm=no autodepend=yes
start_server
stop_server
cp -a "$work/data" "$work/fresh"

say "--- the tests, without a mutant"
for test in $(for name in "${names[@]}"; do tests_of "$name"; done | tr ' ' '\n' | sort -u); do
	passes "$test" || { cat "$work/test.log" >&2; die "$test fails without a mutant"; }
done

say "--- ${#names[@]} mutants"
failed=()
for name in "${names[@]}"; do
	outcome='SURVIVES'
	if ! apply "$name" >"$work/mutant.log" 2>&1; then
		outcome='does not apply'
	elif ! build_again >"$work/mutant.log" 2>&1; then
		outcome='does not build'
	else
		for test in $(tests_of "$name"); do
			passes "$test" || { outcome="noticed by $test"; break; }
		done
	fi
	say "$name: $outcome"
	[[ $outcome = noticed* ]] || failed+=("$name")
	[[ $outcome != 'does not'* ]] || cat "$work/mutant.log"
	restore
done
stop_server
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
say "each is noticed"
