#!/usr/bin/env bash
#
#   ./dev lint                 gcc, clang, cppcheck and pyflakes, without a warning
#
# Every warning of both compilers, of cppcheck and of pyflakes is an error, and so is a difference
# to clang-format.

. "$(dirname "$0")/library.sh"

install_toolchain clang clang-format cppcheck perl pyflakes3
build -Werror
say "gcc: no warning"
run_make clean
run_make all with_llvm=no CC=clang \
	COPT='-Werror -Wno-unknown-warning-option -Wno-ignored-optimization-argument'
say "clang: no warning"
as_user cppcheck --quiet --std=c99 --enable=warning,style,performance,portability \
	--error-exitcode=1 \
	-I src src
say "cppcheck: no warning"
find src test/fuzz -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
say "clang-format: no difference"
as_user pyflakes3 test/{data,fuzz,models}/*.py
say "pyflakes: no warning"
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" iuid.control)
perl -MJSON::PP -0777 -e '
	my ($meta, $version) = (decode_json(<STDIN>), "$ARGV[0].0");
	exit(grep { $_->{version} ne $version } $meta, values %{ $meta->{provides} })' "$version" <META.json ||
	die "META.json and iuid.control differ in the version"
