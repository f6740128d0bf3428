#!/usr/bin/env bash
#
#   ./dev matrix [--quick | --whole] [name...]
#                              test in a chroot: on PostgreSQL 17, 18 and 19, or on those named, the
#                              tests that each version needs (./dev test), with --quick the regression
#                              tests, with --whole all; arm64, i386 and s390x are PostgreSQL 17 on
#                              these machines (10 min without names)
#
# A Datum of i386 has 32 bits: int8 and timestamptz are passed by reference, and there are no
# abbreviated keys.  A char of arm64 has no sign; the words of s390x have the most significant byte first.
# qemu runs the programs of both, ten times more slowly: the regression tests only, without those of
# test/t/.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/chroot.sh"

failed=() which=each_version
case ${1:-} in
	--quick | --whole) which=${1#--} && shift ;;
esac
[ $# -gt 0 ] || set -- 17 18 19
for name; do
	describe_chroot "$name"
done
for name; do
	tests=()
	describe_chroot "$name"
	if ! is_native || [ "$which" = quick ]; then
		mapfile -t tests < <(basename -a -s .sql "$tree"/{.,regions}/sql/*.sql)
	elif [ "$which" = each_version ]; then
		tests=(--each-version)
	fi
	! have_chroot "$name" || run_in_chroot "$name" test "${tests[@]}" || failed+=("$name")
done
[ ${#failed[@]} -eq 0 ] || die "FAILED on ${failed[*]}"
