#!/usr/bin/env bash
#
#   ./dev readers              Parquet files with identifiers, as a library and DuckDB of npm write and
#                              read them; test/t/tools_readers.pl has the other readers

. "$(dirname "$0")/library.sh"

command -v npm >/dev/null || set -- nodejs npm
install_toolchain "$@"
build
start_server
mkdir "$work/home"
[ "$(id -u)" != 0 ] || chown postgres: "$work/home"
export HOME=$work/home
say "Installing DuckDB and hyparquet of npm (half a minute)"
as_user npm --prefix test/readers ci >"$work/npm.log" 2>&1 || { cat "$work/npm.log" >&2; die "cannot install what reads Parquet"; }
query -c "CREATE EXTENSION iuid"
query -Atc "SELECT gen_iuid(n % 7, 1, timestamptz '2026-01-01' + n * interval '1 second') FROM generate_series(1, 40000) AS n" >"$work/ids"
as_user bash -c 'cd test/readers && node files.mjs' <"$work/ids" || { stop_server; die "Parquet files are read otherwise"; }
stop_server
say "All is read as it was written."
