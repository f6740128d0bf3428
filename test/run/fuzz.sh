#!/usr/bin/env bash
#
#   ./dev fuzz [--seconds N]   random texts and bits beside a slow reference, and random queries
#                              beside answers computed in Python; 300 seconds each (15 min)
#
# --seed N repeats a run, and --world N one world of it (test/fuzz/fuzz.py).  The tests run all three
# for 20 seconds each.  --machine s390x runs texts and bits there, in qemu: the first byte of a word
# is the most significant one.

. "$(dirname "$0")/library.sh"

seconds=300 seed=$((RANDOM * 32768 + RANDOM)) world=() machine=
while [ $# -gt 0 ]; do
	case $1 in
		--seconds) seconds=${2:?} ;;
		--seed) seed=${2:?} ;;
		--world) world=(--world "${2:?}") ;;
		--machine) machine=${2:?} ;;
		*) die "fuzz takes --seconds, --seed, --world and --machine, and not $1" ;;
	esac
	shift 2
done

run=()
if [ -z "$machine" ]; then
	install_toolchain clang libclang-rt-dev python3-psycopg
	build
	as_user make -s -B -C test/fuzz
else
	install_packages make "gcc-$machine-linux-gnu" "libc6-dev-$machine-cross" qemu-user-static
	cp -r "$tree"/{src,test} .
	make -s -B -C test/fuzz MAIN=random_input.c CC="$machine-linux-gnu-gcc" \
		CFLAGS='-std=c99 -O2 -Wall -Wextra -Werror -I../../src -static'
	run=("qemu-$machine-static")
fi
failed=()
for target in fuzz_text fuzz_bits; do
	say "--- $target, $seconds seconds, -seed=$seed"
	if as_user "${run[@]}" "test/fuzz/$target" -max_total_time="$seconds" -seed="$seed" -max_len=128 \
		-print_final_stats=1 2>"$work/$target.log"; then
		grep number_of_executed_units "$work/$target.log"
	else
		cat "$work/$target.log"
		failed+=("$target")
	fi
done
if [ -z "$machine" ]; then
	start_server
	say "--- fuzz.py, $seconds seconds"
	as_user /usr/bin/python3 test/fuzz/fuzz.py --seconds "$seconds" --seed "$seed" "${world[@]}" ||
		failed+=(fuzz.py)
	stop_server
fi
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
