#!/usr/bin/env bash
#
#   ./dev release-check [--last-first]
#                              everything that a release needs: the commands of ./dev that are listed
#                              in test/run/release-check.sh, one after the other, on the last commit
#                              (hours); again, those that have not passed on it; then the report
#
# Two runs share the work, if one begins at the end of the list: first in the list are the commands in
# chroots, which wait for each other.
#
# A command that fails does not stop those after it.  What each one printed is kept in a folder that
# is named by the commit, with the time that it took and whether it passed.

. "$(dirname "$0")/library.sh"

install_packages git
commit=$(git -C "$tree" rev-parse HEAD)
[ -z "$(git -C "$tree" status --porcelain)" ] || die "the tree has changes: a release is a commit"
kept=/var/cache/iuid/release/$commit
as_root mkdir -p "$kept"
git clone -q "$tree" "$work/clone"

mapfile -t commands <<'LIST'
matrix --whole 17 18 19
matrix arm64 i386 s390x
upgrade
package
images
citus
drivers --newest
lint
test
sanitize
mutants
rpm
dist
clients
drivers
readers
browser
regions
demo
models
soak 2
fuzz
fuzz --machine s390x
bench --quick
LIST

case ${1:-} in
	'') turns=("${commands[@]}") ;;
	--last-first) mapfile -t turns < <(printf '%s\n' "${commands[@]}" | tac) ;;
	*) die "release-check takes --last-first and nothing else" ;;
esac

# What a command that is kept took and whether it passed is in the file .result.
for command in "${turns[@]}"; do
	file=$kept/${command// /_}
	as_root touch "$file.log"
	exec 8<"$file.log"
	flock --nonblock 8 || continue
	! grep -qs passed "$file.result" || continue
	as_root rm -f "$file.result"
	say "=== ./dev $command"
	begin=$SECONDS result=passed
	"$work/clone/dev" $command </dev/null 2>&1 | as_root tee "$file.log" || result=FAILED
	echo "$result $((SECONDS - begin))" | as_root tee "$file.result" >/dev/null
done
exec 8<&-
for command in "${commands[@]}"; do
	[ -f "$kept/${command// /_}.result" ] || { say "Another run is at ./dev $command, and writes the report."; exit; }
done

# Lines of the logs, each once, without the escape sequences of programs that draw.
lines() { sed 's/\x1b\[[0-9;]*[a-zA-Z]//g' "$kept"/*.log | { grep -oE "$1" || echo none; } | LC_ALL=C sort -u | sed 's/^/- /'; }

report() {
	local command result seconds
	say "# iuid $(iuid_version): what ran before the release"
	say
	say "Commit $commit, on $(date -u +%F): $(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) cores."
	say
	say '| command | result | minutes |'
	say '|---|---|---|'
	for command in "${commands[@]}"; do
		read -r result seconds <"$kept/${command// /_}.result"
		say "| \`./dev $command\` | $result | $(((seconds + 59) / 60)) |"
	done
	say
	say '## What was skipped'
	say
	lines 'SKIPPED: [^=]*[^= ]'
	say
	say '## Versions of PostgreSQL'
	say
	lines 'PostgreSQL [0-9]+[.a-z0-9]* \(Debian [^)]*\)'
	say
	say '## Addresses that there are not yet'
	say
	awk -F '\t' 'NR > 1 && $2 == "" { print "- " $1 ": " $3 }' "$tree/test/release/addresses.tsv"
	say
	say '## Figures'
	sed -n '/^Measured on/,$p' "$kept/bench_--quick.log"
}
report | as_root tee "$kept/report.md"
! grep -l FAILED "$kept"/*.result || die "not everything passed; the logs are in $kept"
