#!/usr/bin/env bash
#
#   ./dev bench [--quick] [name...]
#                              timings, as ratios against the alternatives; all of them, into
#                              test/bench/RESULTS.md and doc/plots, or, on the terminal only,
#                              those that are named, and with a tenth of the rows (60 min, or 10)
#
# With --export, which this script itself uses, the measurements come out as they are.
#
# A benchmark is another file of this folder: a psql script, or a shell script where it takes more
# than one session; its heading is its first comment.  What it measures goes into a table of the
# database "bench", and from there to the terminal, as Markdown.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/chroot.sh"

bench_names() { basename -a "$tree"/test/bench/*.s[qh]* | sed 's/\..*//' | xargs; }

bench_script() { ls "test/bench/$1".s[qh]*; }

describe_machine() {
	printf 'Measured on %s by `./dev bench%s`: %s, %s cores, %s GB of memory, Linux %s; %s, iuid %s, libsodium %s.\n' \
		"$(date -u +%F)" "${1% }" "$(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)" "$(nproc)" \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 1e6 }' /proc/meminfo)" "$(uname -r)" \
		"$(query -At -c "SELECT 'PostgreSQL ' || current_setting('server_version')")" \
		"$(query -At -c "SELECT extversion FROM pg_extension WHERE extname = 'iuid'")" \
		"$(dpkg-query -W -f '${Version}' libsodium-dev)"
	say "The server does not flush (fsync = off, but where a benchmark says so), has 128 MB of shared buffers, and no parallel workers or JIT."
	say "The median of several rounds, the least and the most of them, and the ratio of the median to the one of the first way."
}

# Each benchmark has a schema to itself.
measure() {
	local name script
	for name; do
		script=$(bench_script "$name")
		query -c "CREATE SCHEMA \"$name\""
		export PGOPTIONS="-c client_min_messages=warning -c search_path=\"$name\",public -c bench.name=$name -c bench.rounds=$rounds"
		case $script in
			*.sql) query -o /dev/null -v million="$BENCH_MILLION" -f "$script" ;;
			*.sh) as_user bash "$script" ;;
		esac
		query -c "DROP SCHEMA \"$name\" CASCADE"
		unset PGOPTIONS
		[ -n "$export" ] || report "$PG_MAJOR" "$name"
	done
}

# What was measured on a server version, as Markdown.
report() {
	local major=$1 name
	shift
	for name; do
		say
		say "## $(sed -n '/^\(--\|#\) [A-Z]/ { s/^[-#]* //p; q }' "$(bench_script "$name")") (\`$name\`)"
		say
		query -v name="$name" -v major="$major" -f test/bench/report/table.sql | sed -e 1d -e '3s/+/|/g' -e '/^+/d' -e '/^$/d'
	done
}

# Measured in a chroot, the measurements come into the table here, so that the plots have all versions.
bench_in_chroot() {
	local major=$1
	shift
	say
	say "# PostgreSQL $major"
	say
	run_in_chroot "$major" bench --export "$@" >"$work/measured"
	# The description of the machine is the first paragraph.
	sed '/^$/q' "$work/measured"
	sed '1,/^$/d' "$work/measured" | query -c "\\copy bench.measurement ($columns) FROM STDIN"
	report "$major" "$@"
}

columns='major, benchmark, work, way, value, unit, shown'
names=() export='' mode='' takes="an hour" preload='' rounds=7 sessions=3 parts=30 million=1000000
for name; do
	case $name in
		--quick) mode=' --quick' takes='ten minutes' rounds=3 sessions=1 parts=10 million=100000 ;;
		--export) export=yes ;;
		*) names+=("$name") ;;
	esac
done
for name in "${names[@]}"; do
	[[ " $(bench_names) " = *" $name "* ]] ||
		die "there is no benchmark $name: there are $(bench_names)"
done
install_toolchain gnuplot-nox python3-psycopg >&2
[[ " ${names[*]:-languages} " != *' languages '* ]] || install_packages default-jdk-headless golang-go nodejs rustc >&2
build >&2
# The generator of TimescaleDB, where there is one, needs its library from the start.
[ ! -f "$work/usr/share/postgresql/$PG_MAJOR/extension/timescaledb.control" ] ||
	preload="shared_preload_libraries = timescaledb"
start_server "$work" "$(printf 'shared_buffers = 128MB\n%s' "$preload")"
# Compiled as the extension is.
as_user cc $("$bin/pg_config" --cflags --cflags_sl) -I "$("$bin/pg_config" --includedir-server)" \
	-shared -o "$work/floor.so" test/bench/floor.c
export BENCH_FOLDER=$work BENCH_SECONDS=1 BENCH_MILLION=$million BENCH_ROUNDS=$sessions BENCH_PARTS=$parts
query -c 'CREATE DATABASE bench'
export PGDATABASE=bench
PGOPTIONS='-c client_min_messages=warning' query -f test/bench/report/setup.sql

if [ ${#names[@]} -gt 0 ]; then
	describe_machine "$mode ${names[*]}"
	measure "${names[@]}"
	[ -z "$export" ] || { say; query -c "\\copy (SELECT $columns FROM bench.measurement ORDER BY number) TO STDOUT"; }
	exit
fi
say "Running all benchmarks (less than $takes)" >&2
# Not by a pipe: a signal is to end this shell.
exec 3>&1 > >(exec tee "$work/RESULTS.md")
name=$!
say "# Results"
if [ -z "$mode" ] && have_chroot 18 >&2; then
	bench_in_chroot 18 $(bench_names)
	# The servers before and after, in what they themselves do in another way.
	bench_in_chroot 19 copy generate insert
	bench_in_chroot 15 copy generate insert
else
	say
	describe_machine "$mode"
	measure $(bench_names)
fi
exec >&3 3>&-
wait "$name"
[ -z "$mode" ] || exit 0
cp "$work/RESULTS.md" "$tree/test/bench/"
mkdir -p "$tree/doc/plots"
(cd "$tree/doc/plots" && gnuplot "$tree/test/bench/report/plots.gnuplot")
say "This is test/bench/RESULTS.md now, and the plots are in doc/plots." >&2
