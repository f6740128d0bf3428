#!/usr/bin/env bash
#
#   ./dev clients [language...]
#                              the packages of clients/, or those that are named: packed, installed,
#                              and given clients/vectors.json by the rules of doc/format.md, and
#                              identifiers of four processes; "bundles" is what bundlers of npm make of
#                              the one in JavaScript, "python" the file that "pip" installs
#
# Without a name, the programs that are missing are installed.  With names, what needs them is SKIPPED.

. "$(dirname "$0")/library.sh"

# Each function prepares the program of a language, in a folder of its own, and names the command that
# runs it.
declare -A programs=([python]=/usr/bin/python3 [pip]='/usr/bin/python3 /usr/bin/pip3 flit' [go]=go [javascript]='node npm' [java]=javac [rust]=cargo [bundles]='node npm chromium')
declare -A package=([/usr/bin/python3]=python3 [/usr/bin/pip3]=python3-pip [flit]=flit [go]=golang-go [node]=nodejs [npm]=npm [javac]=default-jdk-headless [cargo]=cargo [chromium]=chromium)
# Libraries that services use beside the clients, each for the tests of one.
libraries='python3-pandas python3-pydantic libjackson2-databind-java libgoogle-gson-java'
all='pip go javascript java rust bundles'

if [ $# = 0 ]; then
	for program in "${!package[@]}"; do
		command -v "$program" >/dev/null || install_packages "${package[$program]}"
	done
	# shellcheck disable=SC2086
	install_packages $libraries
fi

# Debian 12 has Node 18, in which crypto is global with an option only.
export NODE_OPTIONS=--experimental-global-webcrypto

export npm_config_audit=false npm_config_fund=false npm_config_loglevel=error
export GOPROXY=off GOCACHE=$work/go-cache CARGO_NET_OFFLINE=true

# Whether the list on the standard input has these files, and no others.
has() { diff <(printf '%s\n' "$@" | sort) <(sort); }

prepare_python() { command=(env PYTHONPATH="$tree/clients/python" /usr/bin/python3 -B "$tree/test/clients/client.py"); }

# From its folder in a fresh environment, and from the wheel of the packed source in another one.
prepare_pip() {
	command=(packed/bin/python -B "$tree/test/clients/client.py")
	cp -r "$tree/clients/python" source
	/usr/bin/python3 -m venv --without-pip --system-site-packages fresh
	/usr/bin/python3 -m venv --without-pip --system-site-packages packed
	pip fresh install ./source &&
		fresh/bin/python -c 'import iuid; iuid.make(125, 1)' &&
		(cd source && /usr/bin/python3 -c 'from flit_core.buildapi import *; build_sdist("..")') &&
		tar -tzf iuid-*.tar.gz | sed 's|^iuid-[0-9.]*/||' | has LICENSE PKG-INFO iuid.py pyproject.toml &&
		pip packed wheel ./iuid-*.tar.gz &&
		/usr/bin/python3 -m zipfile -l iuid-*.whl | sed '1d; s/ .*//; s|^iuid-.*/||' | has LICENSE METADATA RECORD WHEEL iuid.py &&
		pip packed install iuid-*.whl
}

# With the system's flit: pip would fetch it.
pip() { /usr/bin/pip3 --quiet --python "$1/bin/python" "$2" --no-index --no-build-isolation "${@:3}"; }

# A module is not packed: what is in its folder is in it.
prepare_go() {
	command=(./client)
	cp -r "$tree/clients/go" source
	cp "$tree/test/clients/client.go" main.go
	printf 'module client\ngo 1.18\n' >go.mod
	ls -A source | has LICENSE go.mod iuid.go &&
		go mod edit -replace example.org/iuid=./source && go get example.org/iuid &&
		go vet . example.org/iuid && go build -o client .
}

prepare_javascript() {
	command=(node client.mjs)
	cp -r "$tree"/test/clients/{client.mjs,javascript} .
	echo '{}' >package.json
	install_javascript
}

# From its folder in a fresh one, and from the packed file in the current one.
install_javascript() {
	cp -r "$tree/clients/javascript" source
	mkdir fresh
	echo '{}' >fresh/package.json
	(cd fresh && npm install ../source >/dev/null && node --input-type=module -e 'import { make } from "iuid"; make(125, 1)') &&
		npm pack ./source >/dev/null &&
		tar -tzf iuid-*.tgz | has package/{LICENSE,iuid.d.mts,iuid.mjs,package.json} &&
		npm install --no-save ./iuid-*.tgz >/dev/null
}

# These are no client's program: the vectors are in the bundles.
prepare_bundles() {
	check=() command=(node bundles.mjs)
	cp "$tree"/test/clients/javascript/* "$tree/clients/vectors.json" .
	npm ci --ignore-scripts >/dev/null && install_javascript
}

prepare_java() {
	command=(java -cp ".:/usr/share/java/*" Client)
	javac -Xlint:all -Werror -d . "$tree/clients/java/Iuid.java" "$tree/test/clients/Client.java"
}

prepare_rust() {
	command=(target/release/client)
	cp -r "$tree/clients/rust" source
	# From 1.84 on, cargo packs a Cargo.lock.
	cargo package --quiet --no-verify --manifest-path source/Cargo.toml &&
		tar -xzf source/target/package/iuid-*.crate &&
		ls -A iuid-* | grep -vx Cargo.lock | has Cargo.toml Cargo.toml.orig LICENSE iuid.rs &&
		cargo init --quiet --vcs none --edition 2021 --name client &&
		cp "$tree/test/clients/client.rs" src/main.rs &&
		cargo add --quiet --path iuid-* &&
		RUSTFLAGS='-D warnings' cargo build --quiet --release
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
