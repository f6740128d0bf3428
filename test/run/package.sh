#!/usr/bin/env bash
#
#   ./dev package [version...] Debian's packages for PostgreSQL 15, 17 and 18, or for those named: build
#                              them, install and test them on a bare system, remove them (3 min each)
#
# The packages are built in a chroot of the release of Debian that has the version.  lintian finds no
# error and no warning in them, and test/package/files.list has their files.
# autopkgtest installs them in a copy of the bare system and runs the first table of README.md and the
# tools, and in a copy of the chroot with make, and runs the regression tests.  Purged, the packages
# leave no file in the bare system.  The copies end with the run.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/chroot.sh"

build_package() {
	local update=yes
	# The control file in the tree is that of this version, which the build checks.
	[ "$major" != 15 ] || update=no
	say "--- $package: build"
	as_root mkdir -p "$build/changes/build/tree"
	tar -C "$tree" --exclude=./.git -cf - . | as_root tar --no-same-owner -C "$build/changes/build/tree" -xf -
	quietly as_root unshare --mount bash -euc '
		mount -t proc proc "$1/proc"
		mount --bind "$2" "$1/mnt"
		exec chroot "$1" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -euc "apt-get -q update
			apt-get -q -y --no-install-recommends install lintian
			apt-get -q -y --no-install-recommends build-dep /mnt"
	' install "$root" "$tree" &&
	quietly inside "$build" "$root" env -C /build/tree PG_UPDATECONTROL=$update \
		DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -us -uc &&
	say "--- $package: lintian" &&
	# The tag asks for the bug of Debian by which a package was wanted: there is none.
	inside "$build" "$root" sh -c 'lintian --allow-root --fail-on error,warning \
		--suppress-tags initial-upload-closes-no-bugs /build/*.changes'
}

# The files of the packages.  Files of a kind are one line.
list_files() {
	local each
	for each in "$package" "$package-regions" iuid-tools; do
		dpkg -c "$build/changes/build/$each"_*.deb | sed -n "/^d/d
			s,.* \./,/,
			s,/$major/,/N/,
			s,-$major-,-N-,
			s,^/usr/lib/systemd,/lib/systemd,
			s,\(/bitcode/[a-z_]*/\|/usr/share/doc/[^/]*-iuid/[a-z]*/\).*,\1,
			s,--[0-9.]*\.sql,--VERSION.sql,
			s,[a-z_]*\.py$,*.py,
			s,^,${each/$major/N}: ,p" | sort -u
	done
}

depends_on_libpq() {
	dpkg-deb -f "$build/changes/build/$1"_*.deb Depends | grep -q libpq
}

check_contents() {
	say "--- $package: contents"
	list_files | diff "$tree/test/package/files.list" - || return 1
	depends_on_libpq "$package-regions" && ! depends_on_libpq "$package" ||
		{ say "not iuid_regions alone depends on libpq"; return 1; }
}

# Runs a test of debian/tests in a copy of a chroot, and installs what the test needs.  The tree in which
# the package was built has the control file of this version.
run_autopkgtest() {
	say "--- $package: autopkgtest $1"
	beside "$2" "$3" autopkgtest --quiet --setup-commands='apt-get -q update' --test-name="$1" \
		"$build"/changes/build/*.deb "$build/changes/build/tree" -- chroot "$2/root" >"$work/$1.log" 2>&1 ||
		{ cat "$work/$1.log"; return 1; }
}

remove_package() {
	say "--- $package: purge"
	quietly inside "$bare" "$root.bare" bash -euc '
		if command -v cc gcc clang; then exit 1; fi
		dpkg -L "$1" | grep /iuid.so
		apt-get -q -y purge "$1" "$1-regions" iuid-tools
		if find / -xdev -name "*iuid*" -not -path "/tmp/*" | grep .; then exit 1; fi
	' purge "$package"
}

check_package() {
	local major=$1 package=postgresql-$1-iuid build=$work/build.$1 bare=$work/bare.$1
	build_package &&
		check_contents &&
		run_autopkgtest first-table "$bare" "$root.bare" &&
		run_autopkgtest tools "$bare" "$root.bare" &&
		remove_package &&
		run_autopkgtest installcheck "$work/tools.$1" "$root"
}

failed=()
declare -A release=([15]=bookworm [17]=trixie [18]=forky)
install_packages autopkgtest apt-utils
[ $# -gt 0 ] || set -- 15 17 18
for name; do
	! have_chroot "${release[$name]:-$name}" || check_package "$name" || failed+=("$name")
done
[ ${#failed[@]} -eq 0 ] || die "FAILED on ${failed[*]}"
