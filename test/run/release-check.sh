#!/usr/bin/env bash
#
#   ./dev release-check        everything that a release needs: the commands of ./dev that are listed
#                              in test/run/release-check.sh, one after the other (hours)
#
# A command that fails does not stop those after it.  At the end come the time that each one took, and
# those that failed.

set -uo pipefail
cd "$(dirname "$0")/../.."

times=() failed=()
while read -r -a command; do
	[ ${#command[@]} -gt 0 ] || continue
	echo "=== ./dev ${command[*]}"
	begin=$SECONDS
	./dev "${command[@]}" </dev/null || failed+=("${command[*]}")
	times+=("$(printf '%6d s  ./dev %s' $((SECONDS - begin)) "${command[*]}")")
done <<'LIST'
lint
test
matrix --whole 17 18 19 i386 s390x
sanitize
mutants
upgrade
package
dist
citus
clients
drivers
drivers --newest
browser
regions
demo
models
fuzz
fuzz --machine s390x
bench --quick
LIST

echo '=== Times'
printf '%s\n' "${times[@]}"
[ ${#failed[@]} -eq 0 ] || { printf 'FAILED: ./dev %s\n' "${failed[@]}"; exit 1; }
