# shellcheck shell=bash
#
# Keeps what the function measure_all of the script that reads this file prints: lines of work, way,
# value and unit.  It runs beside the nodes of examples/regions, in a shell of its own, as these are
# other servers, in another folder.  The function stop_all stops the programs that it has started.

measured=$(
	unset PGOPTIONS
	. test/run/library.sh
	cd "$tree"
	bin=$(dirname "$(command -v initdb)")
	. examples/regions/nodes.sh
	trap 'status=$?; stop_all || true; clean_up $status' EXIT
	start_all >&2
	measure_all
)
psql -Xq -v ON_ERROR_STOP=1 -c "\\copy bench.measurement (work, way, value, unit) FROM STDIN (DELIMITER '|')" <<<"$measured"
