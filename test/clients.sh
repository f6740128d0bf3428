#!/usr/bin/env bash
#
#   ./dev clients [language...]
#                              the programs of clients/, or those that are named: clients/vectors.json
#                              by the rules of doc/format.md, and identifiers of four processes
#
# Without a name, the languages that are missing are installed.  With names, they are SKIPPED.

. "$(dirname "$0")/library.sh"

# Each function prepares the program of a language, in a folder of its own, and names the command that
# runs it.
declare -A compiler=([python]=python3 [go]=go [javascript]=node [java]=javac [rust]=rustc)
declare -A package=([python]=python3 [go]=golang-go [javascript]=nodejs [java]=default-jdk-headless [rust]=rustc)
all='python go javascript java rust'

if [ $# = 0 ]; then
	for language in $all; do
		command -v "${compiler[$language]}" >/dev/null || install_packages "${package[$language]}"
	done
fi

prepare_python() { command=(python3 -B "$tree/test/clients/client.py"); }

prepare_go() {
	command=(./client)
	mkdir iuid
	cp "$tree/clients/go/iuid.go" iuid
	cp "$tree/test/clients/client.go" main.go
	printf 'module client\ngo 1.18\n' >go.mod
	export GOCACHE=$work/go-cache
	go vet ./... && go build -o client .
}

prepare_javascript() { command=(node "$tree/test/clients/client.mjs"); }

prepare_java() {
	command=(java -cp . Client)
	javac -Xlint:all -Werror -d . "$tree/clients/java/Iuid.java" "$tree/test/clients/Client.java"
}

prepare_rust() {
	command=(./client)
	local rust=(rustc --edition 2021 -O -D warnings)
	"${rust[@]}" --crate-type lib --crate-name iuid -o libiuid.rlib "$tree/clients/rust/iuid.rs" &&
		"${rust[@]}" --extern iuid=libiuid.rlib -o client "$tree/test/clients/client.rs"
}

failed=()
for language in ${*:-$all}; do
	[ -n "${compiler[$language]:-}" ] || die "there is no client in $language"
	if ! command -v "${compiler[$language]}" >/dev/null; then
		say "SKIPPED: $language is not installed"
		continue
	fi
	mkdir "$work/$language"
	cd "$work/$language"
	if ! "prepare_$language" || ! python3 -B "$tree/test/clients/check.py" "$language" "${command[@]}"; then
		failed+=("$language")
	fi
	cd "$work"
done
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
