#!/usr/bin/env bash
#
#   ./dev drivers [--newest] [--write] [name...]
#                              clients in eight languages, or those that are named, as they are and
#                              with the set-up of doc/drivers.md, must do what test/drivers/*.tsv say.
#                              They are the clients of this Debian; with --newest those of its testing
#                              release, in a chroot, and of npm, on PostgreSQL 18 and 15
#
# --write puts what they did into these files instead.

. "$(dirname "$0")/library.sh"

# What the programs of each language need, on Debian 12 and in its testing release.
declare -A debian12=(
	[python]='python3-psycopg python3-psycopg2 python3-asyncpg python3-sqlalchemy alembic'
	[java]='default-jdk-headless libpostgresql-jdbc-java'
	[go]='golang-go golang-github-lib-pq-dev golang-github-google-uuid-dev'
	[ruby]='ruby ruby-pg ruby-activerecord ruby-sequel'
	[perl]='perl libdbd-pg-perl'
	[node]='nodejs'
	[php]='php-cli php-pgsql'
)
declare -A newest=(
	[python]="${debian12[python]} python3-django python3-pg8000"
	[java]=${debian12[java]}
	[go]='golang-go golang-github-google-uuid-dev golang-github-jackc-pgx-v5-dev golang-github-lib-pq-dev
		golang-gorm-gorm-dev golang-gorm-driver-postgres-dev'
	[ruby]=${debian12[ruby]}
	[perl]=${debian12[perl]}
	[php]="${debian12[php]} php-doctrine-dbal php-illuminate-database"
	[rust]='cargo librust-sqlx-dev librust-tokio-postgres-dev librust-uuid-dev'
	[node]='nodejs npm'
)

edition=debian12 write=no results=$tree/test/drivers names=()
while [ $# -gt 0 ]; do
	case $1 in
		--newest) edition=newest ;;
		--write) write=yes ;;
		# Where the written file goes, from a chroot.
		--results) results=$2 && shift ;;
		-*) die "drivers takes --newest, --write and names of clients, not $1" ;;
		*)
			compgen -G "$tree/test/drivers/*/$1.*" >/dev/null || die "there is no client $1"
			names+=("$1")
			;;
	esac
	shift
done

# A chroot says its version of PostgreSQL.
if [ "$edition" = newest ] && [ -z "${PG_MAJOR:-}" ]; then
	. "$tree/test/run/chroot.sh"
	have_chroot 18 || exit 0
	install_packages ca-certificates
	for major in 18 15; do
		# npm in the chroot trusts whom this machine trusts.
		mkdir -m 1777 "$work/tmp.$major"
		cp /etc/ssl/certs/ca-certificates.crt "$work/tmp.$major"
		options=()
		[ "$write" = no ] || [ "$major" = 15 ] || options=(--write --results /tmp)
		run_in_chroot "$major" drivers --newest "${options[@]}" "${names[@]}"
		[ ${#options[@]} = 0 ] || cp "$work/tmp.$major/newest.tsv" "$results"
	done
	exit
fi

declare -n packages=$edition
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
	[ "$edition" = debian12 ] || export npm_config_cafile=/tmp/ca-certificates.crt
	as_user npm --prefix test/drivers/node ci >"$work/npm.log" 2>&1 ||
		{ cat "$work/npm.log" >&2; die "cannot install the clients of npm"; }
	# Node's newest is among them.
	PATH=$PWD/test/drivers/node/node_modules/.bin:$PATH
fi

port=$(free_port)
# Whoever is on this machine comes in as app, and not as a superuser.
printf '%s\n' 'local all all trust' 'host all app 127.0.0.1/32 trust' | as_user tee "$work/pg_hba.conf" >/dev/null
# An index is used for few rows, too, if it can be used.
start_server "$work" "
	listen_addresses = '127.0.0.1'
	hba_file = '$work/pg_hba.conf'
	port = $port
	timezone = 'UTC'
	enable_seqscan = off"
export PGPORT=$port
query -c "CREATE ROLE app LOGIN" -c "CREATE DATABASE template_app OWNER app"
query -d template_app -c "SET client_min_messages = warning" -c "CREATE EXTENSION iuid_regions CASCADE"
query -c "CREATE DATABASE template_uuid OWNER app TEMPLATE template_app"
query -d template_uuid -f test/drivers/uuid_columns.sql

status=0
as_user /usr/bin/python3 test/drivers/drivers.py "$edition" "$write" "${names[@]}" || status=1
[ "$write" = no ] || [ "$status" != 0 ] || cp "test/drivers/$edition.tsv" "$results"
stop_server
[ "$status" = 0 ] || die "the clients and test/drivers/$edition.tsv differ on PostgreSQL $PG_MAJOR"
[ "$write" = yes ] || say "The clients do what test/drivers/$edition.tsv says on PostgreSQL $PG_MAJOR."
