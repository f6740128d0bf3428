#!/usr/bin/env bash
#
#   ./dev dist                 make dist, and let PGXN's client install, load and remove the result
#
# The distribution has what was committed.  Removed, it leaves no file behind, and neither do the tools,
# which are installed apart.

. "$(dirname "$0")/library.sh"

install_toolchain git pgxnclient python3-psycopg unzip
copy_installation
git clone -q "$tree" "$work/clone"
make -s -C "$work/clone" PG_CONFIG="$bin/pg_config" dist
distribution=$(echo "$work"/clone/iuid-*.zip)
say "${distribution##*/}: $(unzip -l "$distribution" | awk 'END { print $2 }') files"

# The client looks whether it may write there.
mkdir -p "$("$bin/pg_config" --libdir)"
[ "$(id -u)" != 0 ] || chown -R postgres: "$work"

# The files of PostgreSQL and of iuid.
installed() { find "$work/usr/" -type f | sort; }

# The client reads META.json, and calls make.
run_pgxn() {
	say "--- pgxn $1"
	as_user pgxn "$1" --yes --pg_config "$bin/pg_config" "$distribution" "${@:2}" >"$work/pgxn.log" 2>&1 ||
		{ cat "$work/pgxn.log"; die "pgxn $1"; }
}

installed >"$work/before"
export PATH=$bin:$PATH
run_pgxn install
start_server
run_pgxn load --dbname postgres
query -c 'SELECT extname, extversion FROM pg_extension WHERE extname ~ $$^iuid$$ ORDER BY 1' \
	-c 'SELECT iuid_country(gen_iuid(125, 1)), count(*) FROM iuid_iso_countries()'
run_pgxn unload --dbname postgres
run_pgxn uninstall
installed | diff "$work/before" - || die "files are left"

say "--- make -C tools"
make -s -C "$work/clone/tools" DESTDIR="$work/root" install
"$work/root/usr/local/bin/iuid" --version
make -s -C "$work/clone/tools" DESTDIR="$work/root" uninstall
! find "$work/root" -not -type d | grep . || die "files of the tools are left"
say "PostgreSQL $PG_MAJOR: the distribution can be installed and removed"
