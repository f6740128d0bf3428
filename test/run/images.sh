#!/usr/bin/env bash
#
#   ./dev images               Dockerfile and packaging/cloudnativepg/Dockerfile: without a container
#                              engine, their RUN lines in chroots of Debian, and then iuid on a server
#                              with what they make
#
# The first stage runs in a copy of a chroot in which nothing is installed, and so does the second one, where
# PostgreSQL alone is installed before.  Debian's trixie has PostgreSQL 17: what needs 18 runs on forky.

. "$(dirname "$0")/library.sh"
. "$tree/test/run/chroot.sh"

# The RUN lines of a stage, which counts from 1.
run_lines() {
	awk -v stage="$2" '/^FROM / { n++ }
		n == stage && (sub(/^RUN /, "") || more) { print; more = /\\$/ }' "$1"
}

# Runs a script in a copy of the bare chroot.
in_stage() {
	quietly inside "$1" "$root.bare" env PG_MAJOR="$major" sh -euc "$2"
}

check_image() {
	local dockerfile=$tree/$1 major=$2 destination=$3 settings=$4 build=$work/$2/build server=$work/$2/server made
	made=$(sed -n 's,^COPY --from=build \(.*\) /$,\1,p' "$dockerfile")
	say "--- $1: the first stage"
	as_root mkdir -p "$build/changes/build" "$server/changes$destination"
	tar -C "$tree" --exclude=./.git -cf - . | as_root tar --no-same-owner -C "$build/changes/build" -xf -
	in_stage "$build" "$(run_lines "$dockerfile" 1)"
	say "--- $1: the second stage"
	in_stage "$server" "apt-get update && apt-get install -y --no-install-recommends postgresql-$major
		$(run_lines "$dockerfile" 2)"
	as_root cp -a "$build/changes$made/." "$server/changes$destination"
	say "--- $1: a server"
	# It ends with the copy's processes.
	in_stage "$server" "cd / && export LD_LIBRARY_PATH=$destination/system PATH=/usr/lib/postgresql/$major/bin:\$PATH
		runuser -u postgres -- initdb -D /tmp/data -c port=5433 $settings
		runuser -u postgres -- pg_ctl -D /tmp/data -l /tmp/log -w start
		runuser -u postgres -- psql -X -p 5433 -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION btree_gist' \
			-c 'CREATE EXTENSION iuid_regions CASCADE' -c 'CREATE EXTENSION iuid_gist' \
			-c 'SELECT 1 / (iuid_country(gen_iuid(125, 1)) = 125)::int AS made'"
}

! have_chroot trixie || check_image Dockerfile 17 / ''
# The settings are those that the operator makes.
! have_chroot 18 || check_image packaging/cloudnativepg/Dockerfile 18 /extensions/iuid \
	"-c 'extension_control_path=\$system:/extensions/iuid/share' -c 'dynamic_library_path=\$libdir:/extensions/iuid/lib'"
