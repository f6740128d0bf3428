# shellcheck shell=bash
#
# What the commands of ./dev share: packages, a folder that is gone afterwards, with an installation
# of PostgreSQL of its own in it, and servers on sockets there, or on the loopback address.  No other
# server notices.  A command reads this file first.

set -euo pipefail

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# The same everywhere, whatever locales this machine has.
unset LANGUAGE
export LC_ALL=C.UTF-8

say() { printf '%s\n' "$*"; }
die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

# Before the output of what it asks for goes elsewhere.
need_root() {
	[ "$(id -u)" = 0 ] || command -v sudo >/dev/null || die "this needs root, or sudo: $*"
}

as_root() {
	need_root "$@"
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# PostgreSQL refuses to run as root.
as_user() {
	if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# As the control files have it.
iuid_version() { sed -n "s/^default_version = '\(.*\)'/\1/p" "$tree/iuid.control"; }

# --- what the machine must have ------------------------------------------

install_packages() {
	local package missing=()
	for package; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	need_root apt-get install "${missing[@]}"
	say "Installing ${missing[*]} (a minute or two)"
	apt_install "${missing[@]}" >"$work/apt.log" 2>&1 ||
		{ cat "$work/apt.log" >&2; die "cannot install ${missing[*]}"; }
}

# Without the machine-wide server that Debian's package sets up and starts.  The lists of packages are
# fetched again only where there are none, or where they name a package that the archive has no more.
apt_install() {
	local conf=/etc/postgresql-common/createcluster.d/iuid.conf status=0
	local install=(env DEBIAN_FRONTEND=noninteractive
		apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@")
	as_root mkdir -p "$(dirname "$conf")"
	echo 'create_main_cluster = false' | as_root tee "$conf"
	as_root "${install[@]}" || { as_root apt-get update && as_root "${install[@]}"; } || status=1
	as_root rm -f "$conf"
	return $status
}

# The version that this system's package "postgresql" stands for.
default_major() {
	apt-cache depends postgresql 2>/dev/null |
		sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p'
}

install_toolchain() {
	if [ -z "${PG_MAJOR:-}" ]; then
		if [ -z "$(default_major)" ]; then
			need_root apt-get update
			as_root apt-get update >/dev/null 2>&1 || true
		fi
		PG_MAJOR=$(default_major || true)
		[ -n "$PG_MAJOR" ] || die "this system's package lists have no PostgreSQL"
	fi
	install_packages gcc make libc6-dev libpq-dev libsodium-dev \
		"postgresql-$PG_MAJOR" "postgresql-server-dev-$PG_MAJOR" "$@"
}

# --- the temporary folder ------------------------------------------------

# It is one that the server's user may enter, and so is the current folder from here on.
make_work_folder() {
	# The path of a socket is short.
	unset TMPDIR
	work=$(mktemp -d /tmp/iuid.XXXXXX)
	chmod 755 "$work"
	cd "$work"
	trap clean_up EXIT
	trap 'exit 130' INT TERM
}

clean_up() {
	local status=${1:-$?}
	trap '' INT TERM
	if [ "$status" != 0 ] || [ "${keep:-no}" = no ]; then
		local data
		for data in "$work"/data "$work"/*/data; do
			stop_server "${data%/data}" || true
		done
		cd /
		! mountpoint -q "$work/small" || as_root umount "$work/small"
		# What a chroot left there when it was interrupted belongs to root.
		rm -rf "$work" 2>/dev/null || as_root rm -rf "$work"
	fi
	exit "$status"
}

# For the commands that can leave their servers.
take_keep() {
	case ${2:-} in
		'') ;;
		--keep) keep=yes ;;
		*) die "$1 takes --keep and nothing else" ;;
	esac
}

# --- the installation ----------------------------------------------------

# PostgreSQL finds its files from where its programs are, so a copy of an
# installation is one of its own.  It begins without the iuid that this system may have.
copy_installation() {
	local prefix=$work/usr
	mkdir -p "$prefix/lib/postgresql" "$prefix/share/postgresql"
	cp -a "/usr/lib/postgresql/$PG_MAJOR" "$prefix/lib/postgresql/"
	cp -a "/usr/share/postgresql/$PG_MAJOR" "$prefix/share/postgresql/"
	rm -rf "$prefix/lib/postgresql/$PG_MAJOR/lib"/{,bitcode/}iuid* "$prefix/share/postgresql/$PG_MAJOR/extension"/iuid*
	ln -sfn /usr/include "$prefix/include"
	bin=$prefix/lib/postgresql/$PG_MAJOR/bin
}

# The arguments are the compiler's flags, and what make is told.
build() {
	say "Building iuid for PostgreSQL $PG_MAJOR (ten seconds)"
	copy_installation
	build_in_copy "$@"
}

# The copy has its programs in $bin.
build_in_copy() {
	mkdir -p "$work/tree"
	tar -C "$tree" --exclude=./.git -cf - . | tar -C "$work/tree" -xf -
	[ "$(id -u)" != 0 ] || chown -R postgres: "$work"

	export PATH=$bin:$PATH
	# apt keeps the tree's owner out of it, so make runs as the server's user.
	run_make clean COPT= >/dev/null
	run_make all install COPT="${1:-}" "${@:2}" >"$work/build.log" 2>&1 ||
		{ cat "$work/build.log" >&2; die "the build failed"; }
	# The examples name files from the top of the tree.
	cd "$work/tree"
}

run_make() {
	as_user make -s -C "$work/tree" PG_CONFIG="$bin/pg_config" "$@"
}

# A disk of this size that is soon full, for the test of that.  Where nothing can be mounted, there is
# none.
make_small_disk() {
	as_user mkdir "$work/small"
	! (as_root mount -t tmpfs -o "size=${1:-24m},uid=$(as_user id -u),mode=700" small "$work/small") ||
		export SMALL_DISK=$work/small
}

# --- servers -------------------------------------------------------------

# Of all servers: 19 does not compile queries either, unless it is told to.
settings='jit = off'

# A server has a folder to itself, with its data, its log and its socket, and
# may have lines of configuration of its own.  One that was stopped starts again.
start_server() {
	local folder=${1:-$work}
	export PGHOST=$folder PGUSER=postgres PGDATABASE=postgres
	unset PGPORT PGSERVICE PGOPTIONS
	[ -d "$folder/data" ] || init_server "$folder" "${2:-}"
	as_user "$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w start >/dev/null ||
		{ cat "$folder/server.log" >&2; die "the server did not start"; }
}

init_server() {
	as_user mkdir -p "$1"
	as_user "$bin/initdb" -D "$1/data" -U postgres -A trust --no-sync \
		-E UTF8 --no-locale >"$work/initdb.log" 2>&1 ||
		{ cat "$work/initdb.log" >&2; die "initdb failed"; }
	as_user tee -a "$1/data/postgresql.conf" >/dev/null <<-EOF
		listen_addresses = ''
		unix_socket_directories = '$1'
		unix_socket_permissions = 0700
		fsync = off
		max_wal_size = 4GB
		$settings
		$2
	EOF
}

# Outside the range from which a system takes the ports of its own connections.
free_port() {
	local port
	while port=$((20000 + RANDOM % 10000)); (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}

stop_server() {
	local data=${1:-$work}/data
	[ -f "$data/postmaster.pid" ] || return 0
	as_user "$bin/pg_ctl" -D "$data" -m fast -w stop >/dev/null
}

# What the user types to stop a server that was left, or to start it: pg_ctl with a command, not in a
# folder which that server's user cannot enter.
control_command() {
	local control="$bin/pg_ctl -D $1/data $2"
	if [ "$(id -u)" = 0 ]; then
		echo "cd / && runuser -u postgres -- $control"
	else
		echo "$control"
	fi
}

query() {
	as_user psql -Xq -v ON_ERROR_STOP=1 "$@"
}

make_work_folder
