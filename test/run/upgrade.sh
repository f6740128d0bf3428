#!/usr/bin/env bash
#
#   ./dev upgrade [version...] pg_upgrade from PostgreSQL 15 to 17, 18 and 19 in a chroot, or here
#                              from each of those named to the next; and of one node beside another
#                              one that stays

. "$(dirname "$0")/library.sh"

if [ $# = 0 ]; then
	. "$tree/test/run/chroot.sh"
	describe_chroot upgrade
	! have_chroot upgrade || run_in_chroot upgrade upgrade $majors
	exit
fi

installations=()
for PG_MAJOR; do
	install_toolchain libipc-run-perl perl
	build "" with_llvm=no
	installations+=("${bin%/bin}")
done
export IUID_INSTALLATIONS="${installations[*]}"
run_make installcheck TAP_TESTS=1 REGRESS= PROVE_TESTS="$(echo test/upgrade/*.pl)" PROVE_FLAGS=--verbose
