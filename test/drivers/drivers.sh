#!/usr/bin/env bash
#
#   ./dev drivers [--write] [name...]
#                              clients in five languages, or those that are named, as they are and
#                              with the set-up of doc/drivers.md, whose tables must say what they did
#
# --write puts what they did into the tables instead.

. "$(dirname "$0")/../library.sh"

# What the programs of each language need.
declare -A packages=(
	[python]='python3-psycopg python3-psycopg2 python3-asyncpg python3-sqlalchemy python3-django alembic'
	[java]='default-jdk-headless libpostgresql-jdbc-java'
	[go]='golang-go golang-github-jackc-pgx-v4-dev golang-github-lib-pq-dev golang-github-google-uuid-dev'
	[ruby]='ruby ruby-pg ruby-activerecord'
	[perl]='perl libdbd-pg-perl'
	[node]='nodejs'
)

write=no names=()
while [ $# -gt 0 ]; do
	case $1 in
		--write) write=yes ;;
		-*) die "drivers takes --write and names of clients, not $1" ;;
		*)
			compgen -G "$tree/test/drivers/*/$1.*" >/dev/null || die "there is no client $1"
			names+=("$1")
			;;
	esac
	shift
done

languages=()
for language in "${!packages[@]}"; do
	for name in "${names[@]:-*}"; do
		! compgen -G "$tree/test/drivers/$language/$name.*" >/dev/null || languages+=("$language")
	done
done
needed=$(for language in "${languages[@]}"; do echo "${packages[$language]}"; done)
# Node has npm with it where it does not come from Debian.
[[ $needed != *nodejs* ]] || command -v npm >/dev/null || needed+=' npm'
install_toolchain python3 $needed
build
mkdir "$work/home"
[ "$(id -u)" != 0 ] || chown postgres: "$work/home"
export HOME=$work/home TZ=Asia/Almaty
if [[ $needed == *nodejs* ]]; then
	say "Installing the clients of npm (half a minute)"
	as_user npm --prefix test/drivers/node ci >"$work/npm.log" 2>&1 ||
		{ cat "$work/npm.log" >&2; die "cannot install the clients of npm"; }
fi

port=$(free_port)
# An index is used for few rows, too, if it can be used.
start_server "$work" "
	listen_addresses = '127.0.0.1'
	port = $port
	timezone = 'UTC'
	enable_seqscan = off"
export PGPORT=$port
query -c "CREATE ROLE app LOGIN" -c "CREATE DATABASE template_app OWNER app"
query -d template_app -c "SET client_min_messages = warning" -c "CREATE EXTENSION iuid_regions CASCADE"

status=0
as_user /usr/bin/python3 test/drivers/drivers.py doc/drivers.md "$write" "${names[@]}" || status=1
[ "$write" = no ] || [ "$status" != 0 ] || cat doc/drivers.md >"$tree/doc/drivers.md"
stop_server
[ "$status" = 0 ] || die "the clients and doc/drivers.md differ"
[ "$write" = yes ] || say "The clients do what doc/drivers.md says."
