#!/usr/bin/env bash
# A client's identifier, beside the language's own UUID of version 4 and 7, if it has one
#
# A language that is not installed is left out, and named.
set -euo pipefail

programs=$PWD/test/bench/languages clients=$PWD/clients
cd "$(mktemp -d "$BENCH_FOLDER/languages.XXXXXX")"
export HOME=$PWD GOCACHE=$PWD/go

prepare_go() {
	mkdir iuid
	cp "$clients/go/iuid.go" iuid
	cp "$programs/cost.go" .
	printf 'module cost\ngo 1.18\n' >go.mod
	go build -o cost_go .
}

prepare_rust() {
	rustc --edition 2021 -O --crate-type lib --crate-name iuid -o libiuid.rlib "$clients/rust/iuid.rs"
	rustc --edition 2021 -O --extern iuid=libiuid.rlib -o cost_rust "$programs/cost.rs"
}

# The name of each language, its compiler, what makes the program, and the program.
while IFS='|' read -r language compiler prepare run; do
	if ! command -v "$compiler" >/dev/null; then
		echo "SKIPPED: $language is not installed" >&2
		continue
	fi
	$prepare
	for _ in $(seq "$BENCH_ROUNDS"); do
		$run $((BENCH_MILLION / 10))
	done | while IFS=$'\t' read -r way ns; do
		psql -Xq -v ON_ERROR_STOP=1 -c "INSERT INTO bench.measurement (work, way, value, unit) VALUES ('$language', '$way', $ns, 'ns')"
	done
done <<end
Python|python3|true|env PYTHONPATH=$clients/python python3 -B $programs/cost.py
Go|go|prepare_go|./cost_go
JavaScript|node|true|node $programs/cost.mjs
Java|javac|javac -d . $clients/java/Iuid.java $programs/Cost.java|java -cp . Cost
Rust|rustc|prepare_rust|./cost_rust
end
