#!/usr/bin/env bash
#
#   ./dev release              the last commit as a release: a tag, and in release/ its archive, the
#                              list of its files with their licenses, the report of release-check,
#                              and the checksums of these (a minute)
#
# The version is the one of the control files; CHANGELOG.md and debian/changelog have the date.

. "$(dirname "$0")/library.sh"

install_packages git reuse zip
version=$(iuid_version)
report=/var/cache/iuid/release/$(git -C "$tree" rev-parse HEAD)/report.md
[ -z "$(git -C "$tree" status --porcelain)" ] || die "the tree has changes: a release is a commit"
grep -qE "^## $version, [0-9]{4}-[0-9]{2}-[0-9]{2}$" "$tree/CHANGELOG.md" ||
	die "CHANGELOG.md has no line \"## $version, $(date -u +%F)\""
! grep -q UNRELEASED "$tree/debian/changelog" || die "debian/changelog says UNRELEASED: run \"dch --release\""
[ -f "$report" ] || die "./dev release-check has not run on this commit"
! grep -q FAILED "$report" || die "not everything has passed: $report"

folder=$tree/release name=iuid-$version.0
mkdir "$folder" || die "there is a folder release/ already"
git -C "$tree" archive --format=zip --prefix="$name/" --output="$folder/$name.zip" HEAD
cp "$report" "$folder/$name.report.md"

# reuse reads licenses in the form of debian/copyright.
git clone -q "$tree" "$work/$name"
cd "$work/$name"
mkdir .reuse LICENSES
cp debian/copyright .reuse/dep5
cp LICENSE LICENSES/PostgreSQL.txt
reuse lint >"$work/reuse.log" || { cat "$work/reuse.log"; die "a file has no license"; }
reuse spdx -o "$folder/$name.spdx" 2>>"$work/reuse.log"

cd "$folder"
sha256sum -- "$name".* >SHA256SUMS
cat SHA256SUMS
git -C "$tree" tag -a "v$version" -m "iuid $version" HEAD
say "This is v$version.  \"git push origin v$version\" publishes the tag, and release/ goes beside it."
