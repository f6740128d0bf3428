#!/usr/bin/env bash
#
#   ./dev matrix [version...]  test on PostgreSQL 17, 18 and 19, or on those named, in chroots

. "$(dirname "$0")/library.sh"
. "$tree/test/chroot.sh"

failed=()
[ $# -gt 0 ] || set -- 17 18 19
for major; do
	suite_of "$major" >/dev/null
done
for major; do
	! have_chroot "$major" || run_in_chroot "$major" test || failed+=("$major")
done
[ ${#failed[@]} -eq 0 ] || die "FAILED on PostgreSQL ${failed[*]}"
