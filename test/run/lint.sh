#!/usr/bin/env bash
#
#   ./dev lint                 gcc, clang, scan-build, clang-tidy, cppcheck and pyflakes, without a
#                              warning (2 min)
#
# Every warning of both compilers, of scan-build, clang-tidy, cppcheck and pyflakes is an error, and so
# is a difference to clang-format.  .clang-tidy says what clang-tidy looks for.

. "$(dirname "$0")/library.sh"

install_toolchain clang clang-format clang-tidy clang-tools cppcheck dpkg-dev perl pyflakes3 \
	python3 python3-jsonschema
build -Werror
say "gcc: no warning"
run_make clean
# clang compiles each file, and then its analyzer reads the file.  The analyzer knows that
# ereport(ERROR) does not return: the server's headers say so to compilers.
as_user scan-build --status-bugs --use-cc=clang -o "$work/scan-build" \
	make -s -j "$(nproc)" -C "$work/tree" PG_CONFIG="$bin/pg_config" all with_llvm=no \
	COPT='-Werror -Wno-unknown-warning-option -Wno-ignored-optimization-argument' \
	>"$work/scan-build.log" 2>&1 || { cat "$work/scan-build.log"; die "clang or scan-build"; }
say "clang, scan-build: no warning"
# The arguments are a folder and where its files look for others.
tidy() {
	find "$1" -name '*.c' -print0 | as_user xargs -0 -n 8 -P "$(nproc)" bash -c '
		flags=$1 && shift
		clang-tidy --quiet "$@" -- $flags -isystem "$(pg_config --includedir-server)" \
			-isystem "$(pg_config --includedir)" -D_GNU_SOURCE \
			-DIUID_EXTENSION_VERSION=\"\" 2>/dev/null' clang-tidy "$2"
}
tidy src '-I src'
tidy regions '-I regions -I src'
say "clang-tidy: no warning"
check() {
	as_user cppcheck --quiet --std=c99 --enable=warning,style,performance,portability \
		--error-exitcode=1 "$@"
}
check -I src src
check -I regions -I src regions
say "cppcheck: no warning"
find src regions test/fuzz -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
say "clang-format: no difference"
as_user pyflakes3 clients/python/*.py tools/desk/*.py tools/iuid/{*,*/*}.py test/{browser,clients,data,drivers,drivers/python,fuzz,lint,models,mutants}/*.py
say "pyflakes: no warning"
/usr/bin/python3 test/lint/limits.py || die "these are too long"
say "pages, lines, COMMENTs: none is too long"
python3 test/mutants/put.py --check . test/mutants/*.mutant || die "make these mutants anew"
say "mutants: each applies"
version=$(iuid_version)
# The versions and comments of the extensions, as META.json has them.
{
	echo "distribution: $version.0"
	for control in {,regions/}*.control; do
		sed -n "s/^/$(basename "$control" .control): /
			s/default_version = '\(.*\)'/\1.0/p
			s/comment = '\(.*\)'/\u\1/p" "$control"
	done
} | sort >"$work/control"
perl -MJSON::PP -0777 -ne '
	my $meta = decode_json($_);
	print "distribution: $meta->{version}\n";
	while (my ($name, $has) = each %{ $meta->{provides} }) {
		print "$name: $_\n" for @$has{qw(version abstract)};
	}' META.json | sort | diff "$work/control" - || die "META.json and the control files differ"
[ "$(dpkg-parsechangelog -l debian/changelog -S Version)" = "$version-1" ] ||
	die "debian/changelog and iuid.control differ in the version"
for manifest in clients/{javascript/package.json,python/pyproject.toml,rust/Cargo.toml}; do
	grep -qE "^ *\"?version\"?( =|:) \"$version\.0\",?$" "$manifest" || die "$manifest and iuid.control differ in the version"
done
for client in clients/{go,javascript,python,rust}; do
	cmp LICENSE "$client/LICENSE" || die "$client has another license"
done
# What the PGXN Meta Spec 1.0.0 asks for.  PGXN's own validator is not in Debian.
/usr/bin/python3 -m jsonschema -i META.json test/lint/meta.schema.json || die "META.json is not as PGXN wants it"
say "META.json, debian/changelog, clients: one version, one license"
