#!/usr/bin/env bash
#
#   ./dev clients [language...]
#                              the programs of clients/, or those that are named: clients/vectors.json
#                              by the rules of doc/format.md, and identifiers of four processes;
#                              "bundles" is what bundlers of npm make of the one in JavaScript
#
# Without a name, the programs that are missing are installed.  With names, what needs them is SKIPPED.

. "$(dirname "$0")/library.sh"

# Each function prepares the program of a language, in a folder of its own, and names the command that
# runs it.
declare -A programs=([python]=/usr/bin/python3 [go]=go [javascript]=node [java]=javac [rust]=rustc [bundles]='node npm chromium')
declare -A package=([/usr/bin/python3]=python3 [go]=golang-go [node]=nodejs [javac]=default-jdk-headless [rustc]=rustc [npm]=npm [chromium]=chromium)
# Libraries that services use beside the clients, each for the tests of one.
libraries='python3-pandas python3-pydantic libjackson2-databind-java libgoogle-gson-java'
all='python go javascript java rust bundles'

if [ $# = 0 ]; then
	for program in "${!package[@]}"; do
		command -v "$program" >/dev/null || install_packages "${package[$program]}"
	done
	# shellcheck disable=SC2086
	install_packages $libraries
fi

# Debian 12 has Node 18, in which crypto is global with an option only.
export NODE_OPTIONS=--experimental-global-webcrypto

prepare_python() { command=("${programs[python]}" -B "$tree/test/clients/client.py"); }

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

# These are no client's program: the vectors are in the bundles.
prepare_bundles() {
	check=() command=(node "$tree/test/clients/javascript/bundles.mjs")
	cp "$tree"/test/clients/javascript/package*.json .
	npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 || { cat npm.log >&2; return 1; }
}

prepare_java() {
	command=(java -cp ".:/usr/share/java/*" Client)
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
	[ -n "${programs[$language]:-}" ] || die "there is no client in $language"
	if ! type ${programs[$language]} >/dev/null 2>&1; then
		say "SKIPPED: $language, which needs ${programs[$language]}"
		continue
	fi
	mkdir "$work/$language"
	cd "$work/$language"
	check=(python3 -B "$tree/test/clients/check.py" "$language")
	if ! "prepare_$language" || ! "${check[@]}" "${command[@]}"; then
		failed+=("$language")
	fi
	cd "$work"
done
[ ${#failed[@]} = 0 ] || die "FAILED: ${failed[*]}"
