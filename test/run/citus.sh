#!/usr/bin/env bash
#
#   ./dev citus [FOLDER]       what doc/citus.md says, on a coordinator and two workers, with the Citus
#                              of FOLDER, on each of PostgreSQL 15 and 18 for which FOLDER has one;
#                              FOLDER is IUID_CITUS if none is named (7 min)
#
# Debian has no Citus.  FOLDER has the files of an installation for each version as a package has
# them: usr/lib/postgresql/VERSION/lib/citus.so, and the others beside it and in usr/share.
# `dpkg-deb --extract PACKAGE FOLDER` puts them there.  To compile Citus 13.2.2 for 15.20, leave its
# have_createdb_privilege out: that minor release has the function itself.

folder=${1:-${IUID_CITUS:-}}
[ -z "$folder" ] || folder=$(realpath -m "$folder")
. "$(dirname "$0")/library.sh"

# The folder has Citus for a version, or for any, which is *.
has_citus() { compgen -G "$folder/usr/lib/postgresql/$1/lib/citus.so" >/dev/null; }

# The page's test on the version PG_MAJOR of this system.
test_here() {
	local curl
	curl=$(apt-cache pkgnames | grep -xE 'libcurl4(t64)?' | sort | tail -n 1)
	install_toolchain libipc-run-perl perl liblz4-1 libzstd1 "$curl"
	build
	# Over the copy of the server, which is of the same shape.
	as_root cp -r "$folder"/usr/{lib,share} "$work/usr/"
	as_root chmod -R a+rX "$work/usr"
	run_make installcheck TAP_TESTS=1 REGRESS= PROVE_TESTS='test/citus/*.pl' PROVE_FLAGS=--verbose
	say "PostgreSQL $PG_MAJOR: the page on Citus is true"
}

# The same in a chroot, to which its /tmp brings the folder.
test_in_chroot() {
	have_chroot "$1" || return 0
	mkdir -m 1777 "$work/tmp.$1"
	cp -r "$folder" "$work/tmp.$1/citus"
	run_in_chroot "$1" citus /tmp/citus
}

if [ -z "$folder" ]; then
	say "=== SKIPPED: citus: Debian has no Citus, and no folder that has one is named ==="
elif ! has_citus '*'; then
	die "there is no usr/lib/postgresql/VERSION/lib/citus.so in $folder"
elif [ -n "${PG_MAJOR:-}" ]; then
	has_citus "$PG_MAJOR" || die "$folder has no Citus for PostgreSQL $PG_MAJOR"
	test_here
else
	. "$tree/test/run/chroot.sh"
	failed=()
	for major in 15 18; do
		if ! has_citus "$major"; then
			say "=== SKIPPED: citus: $folder has none for PostgreSQL $major ==="
		elif [ "$major" = "$(default_major)" ]; then
			PG_MAJOR=$major bash "$tree/test/run/citus.sh" "$folder" || failed+=("$major")
		else
			test_in_chroot "$major" || failed+=("$major")
		fi
	done
	[ ${#failed[@]} -eq 0 ] || die "FAILED on ${failed[*]}"
fi
