#!/usr/bin/env bash
#
#   ./dev rpm                  packages of RPM: build them from the archive of make dist, install them
#                              over PostgreSQL in a folder, run iuid from there, and remove them
#
# rpmlint finds no error in them, and they have the files of Debian's packages, which are listed in
# test/package/files.list.  Debian has rpm without the packages that the spec names: rpm asks for none.

. "$(dirname "$0")/library.sh"

install_toolchain git help2man python3-psycopg rpm rpmlint unzip
copy_installation
git clone -q "$tree" "$work/clone"
make -s -C "$work/clone" PG_CONFIG="$bin/pg_config" dist
mkdir -p "$work/build/SOURCES"
cp "$work"/clone/iuid-*.zip "$work/build/SOURCES"
[ "$(id -u)" != 0 ] || chown -R postgres: "$work"

# The macros of PGDG.  The packages are for the PostgreSQL of this machine, whose folders these are.
cat >"$work/.rpmmacros" <<EOF
%pgmajorversion $PG_MAJOR
%pginstdir /usr/lib/postgresql/$PG_MAJOR
%_topdir $work/build
EOF
spec=$work/clone/packaging/rpm/iuid.spec

say "--- rpmbuild"
as_user env HOME="$work" rpmbuild -bb --nodeps "$spec" >"$work/build.log" 2>&1 || { cat "$work/build.log"; die "rpmbuild"; }
packages=("$work"/build/RPMS/*/*.rpm)
say "--- rpmlint"
HOME=$work rpmlint --config "$work/clone/packaging/rpm/rpmlint.toml" "$spec" "${packages[@]}" >"$work/rpmlint.log" 2>&1 ||
	{ cat "$work/rpmlint.log"; die "rpmlint"; }

# The files of both kinds of packages, under the names of Debian's packages.  Those of the documentation are
# in other folders, bitcode is in a package of its own, and compiled Python is made during the
# installation of Debian's.
list_files() {
	rpm -qp --qf '[%{=NAME}: %{FILENAMES} %{FILEMODES:perms}\n]' "${packages[@]}" | sed -n "
		/ d[^ ]*\$/d
		s/ [^ ]*\$//
		\,/doc/\|/licenses/\|/.build-id/\|/__pycache__/,d
		s/^iuid_$PG_MAJOR-llvmjit: \(.*bitcode.iuid_regions\)/iuid_N-regions: \1/
		s/^iuid_$PG_MAJOR\(-llvmjit\)\?/iuid_N/
		s/^iuid_N/postgresql-N-iuid/
		s,/$PG_MAJOR/,/N/,
		s,\(/bitcode/[a-z_]*/\).*,\1,
		s,--[0-9.]*\.sql,--VERSION.sql,
		s,[a-z_]*\.py\$,*.py,
		s,/usr/lib/systemd,/lib/systemd,
		s,\(/man1/iuid.1\).*,\1,
		p" | LC_ALL=C sort -u
}

say "--- contents"
sed '/\/doc\/\|\/runtime.d\//d; s/\.1\.gz$/.1/; s/ -> .*//' "$tree/test/package/files.list" | LC_ALL=C sort | diff - <(list_files) ||
	die "RPM's and Debian's packages differ"
requires_libpq() { rpm -qp --requires "$work/build/RPMS"/*/"$1"-[0-9]*.rpm | grep -q libpq; }
requires_libpq "iuid_$PG_MAJOR-regions" && ! requires_libpq "iuid_$PG_MAJOR" || die "not iuid_regions alone requires libpq"

# The folder has a PostgreSQL below /usr, as the machine has, but neither a shell nor systemd.
in_folder() { as_root rpm --force-debian --root "$work" --nodeps --noscripts "$@"; }
installed() { find "$work/usr/" -not -type d -o -name '*iuid*' | sort; }

installed >"$work/before"
say "--- rpm --install"
in_folder --install "${packages[@]}"
start_server
query -c 'CREATE EXTENSION btree_gist' -c 'CREATE EXTENSION iuid_regions CASCADE' -c 'CREATE EXTENSION iuid_gist' \
	-c 'SELECT iuid_country(gen_iuid(125, 1)), count(*) FROM iuid_iso_countries()'
# The first run is the one in which Python writes its files.
as_root env -u PYTHONDONTWRITEBYTECODE "$work/usr/bin/iuid" --version
say "--- rpm --erase"
mapfile -t names < <(rpm -qp --qf '%{NAME}\n' "${packages[@]}")
in_folder --erase "${names[@]}"
installed | diff "$work/before" - || die "files are left"
say "PostgreSQL $PG_MAJOR: RPM's packages can be installed and removed"
