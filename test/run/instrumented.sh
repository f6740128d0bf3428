# shellcheck shell=bash
#
# Servers built from Debian's source of PostgreSQL, with assertions, for one of two instruments:
# "address", which is AddressSanitizer, and "valgrind".  They are kept in /var/cache/iuid/servers, in
# a folder named by the version of the source, the instrument, and a checksum of how it was built.
# Read after library.sh.

# Without the word "postgres" in its path, Debian's source would install into Debian's own folders.
servers=${IUID_CHROOTS:-/var/cache/iuid}/servers

# Debian's own server hangs when libasan is preloaded, so the sanitizer is in the server.  It does not
# have UndefinedBehaviorSanitizer: what the server's headers put into iuid is compiled with iuid.
instrument_flags() {
	[ "$1" != address ] || echo '-fsanitize=address -fno-omit-frame-pointer'
}

# USE_VALGRIND makes the server say which memory may be used, and the header in test/sanitize says it
# to AddressSanitizer.
instrument_macros() {
	echo "-DUSE_VALGRIND$([ "$1" != address ] || echo " -I$tree/test/sanitize")"
}

# What the tests use; all of PostgreSQL takes twice as long.
parts='src/backend src/timezone src/backend/utils/mb/conversion_procs src/backend/snowball
	src/backend/replication/libpqwalreceiver src/backend/replication/pgoutput src/interfaces/libpq
	src/bin/initdb src/bin/pg_ctl src/bin/pg_config src/bin/pg_basebackup src/bin/pg_dump
	src/bin/pgbench src/bin/psql src/pl/plpgsql src/include src/makefiles src/test/regress
	src/test/perl contrib/amcheck contrib/btree_gist contrib/citext contrib/dblink
	contrib/postgres_fdw'

# --- the source ----------------------------------------------------------

# An apt with lists, sources and archives of its own: that of the machine stays as it is.
apt_source() {
	local apt=$work/apt
	if [ ! -d "$apt" ]; then
		mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
		apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
			'Created-By: Packages' 'Origin: Debian' | sort -u >"$apt/sources.list"
	fi
	"$1" -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "${@:2}"
}

download() {
	(cd "$work/apt" && apt_source apt-get -q -y --only-source --download-only "$@")
}

# The newest version whose source can be had: an archive may list what it does not have.
source_version() {
	local version
	apt_source apt-get -q update >&2
	for version in $(apt_source apt-cache showsrc --only-source "postgresql-$PG_MAJOR" |
		sed -n 's/^Version: //p' | sort -Vru); do
		! download --dsc-only source "postgresql-$PG_MAJOR=$version" >&2 || { echo "$version"; return; }
	done
}

# --- the servers ---------------------------------------------------------

# Sets $server to the folder of a server with that instrument; false if there is no source for it.
have_server() {
	local instrument=$1 recipe version
	install_packages dpkg-dev libssl-dev libxml2-dev valgrind
	recipe=$(cat "$tree"/test/run/instrumented.sh "$tree"/test/sanitize/valgrind/* | cksum | cut -d ' ' -f 1)
	version=$(dpkg-query -W -f '${source:Version}' "postgresql-$PG_MAJOR")
	server=$servers/postgresql-$version-$instrument-$recipe
	[ ! -d "$server" ] || return 0
	version=$(source_version 2>"$work/source.log") || true
	if [ -z "$version" ]; then
		say "=== SKIPPED: $instrument: the Debian archive has no source of PostgreSQL $PG_MAJOR ==="
		return 1
	fi
	server=$servers/postgresql-$version-$instrument-$recipe
	[ ! -d "$server" ] || return 0
	# One run at a time builds.
	as_root mkdir -p "$servers"
	(
		flock 8
		[ -d "$server" ] || build_server "$instrument" "$version"
	) 8<"$servers" || exit 1
}

build_server() {
	local instrument=$1 version=$2 source=$work/source.$2 folder=$work/$1
	say "Building PostgreSQL $version for $instrument (two minutes, or more)"
	if [ ! -d "$source" ]; then
		{ download source "postgresql-$PG_MAJOR=$version" &&
			dpkg-source --extract "$work"/apt/*.dsc "$source"; } >>"$work/source.log" 2>&1 ||
			{ cat "$work/source.log" >&2; die "cannot get the source of PostgreSQL $version"; }
	fi
	# Releases before 17 have the parsers in their source.
	[ -f "$source/src/backend/parser/gram.c" ] || install_packages bison flex
	mkdir "$folder"
	(cd "$folder" && make_server "$instrument" "$source") >"$work/postgresql.log" 2>&1 ||
		{ tail -n 50 "$work/postgresql.log" >&2; die "PostgreSQL $version cannot be built"; }
	as_root rm -rf "$server.new" "$servers/postgresql-$PG_MAJOR."*-"$instrument"-*
	as_root cp -a "$folder/installed/$server" "$server.new"
	as_root mv "$server.new" "$server"
	rm -rf "$folder"
}

# In the current folder.
make_server() {
	local instrument=$1 source=$2 part
	# What the programs of the build leak goes with their processes.
	export ASAN_OPTIONS=detect_leaks=0
	"$source/configure" -q --prefix="$server" \
		CFLAGS="-Og -g1 -fdebug-prefix-map=$source/= $(instrument_flags "$instrument")" \
		--enable-cassert --enable-debug --enable-tap-tests --with-ssl=openssl --with-libxml \
		--without-icu --without-readline --without-zlib ||
		return 1
	make -s -C src/backend generated-headers || return 1
	for part in $parts; do
		make -s -j "$(nproc)" -C "$part" COPT="$(instrument_macros "$instrument")" all &&
			make -s -C "$part" COPT="$(instrument_macros "$instrument")" DESTDIR="$PWD/installed" install ||
			return 1
	done
	# What extensions are built with.
	make -s -C src DESTDIR="$PWD/installed" install-local &&
		make -s -C config DESTDIR="$PWD/installed" install &&
		cp "$source/src/tools/valgrind.supp" "$PWD/installed/$server/share"
}
