#!/usr/bin/env bash
#
#   ./dev models [--rows N] [name...]
#                              the examples, or those that are named, with random data from six
#                              sessions, beside models of them in Python; 100,000 rows each
#
# Each model prints its seed, and --seed repeats its data.  The tests run the models, too, with few
# rows.

. "$(dirname "$0")/library.sh"

# model.py and identifiers.py are what the models share.
all=$(basename -s .py "$tree"/test/models/*.py | grep -vxE 'model|identifiers|move')
rows=100000 seed=() names=()
while [ $# -gt 0 ]; do
	case $1 in
		--rows) rows=${2:?} && shift ;;
		--seed) seed=(--seed "${2:?}") && shift ;;
		*)
			grep -qx "$1" <<<"$all" || die "there is no model $1"
			names+=("$1")
			;;
	esac
	shift
done
[ ${#names[@]} -gt 0 ] || names=($all)

install_toolchain python3-psycopg
build
start_server
failed=()
for name in "${names[@]}"; do
	as_user /usr/bin/python3 "test/models/$name.py" --rows "$rows" "${seed[@]}" || failed+=("$name")
done
stop_server
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
