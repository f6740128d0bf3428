#!/usr/bin/env bash
#
#   ./dev bits                 draw doc/plots/bits.svg, from the table of the fields in doc/format.md

set -euo pipefail

cd "$(dirname "$0")/../.."
perl test/bits/draw.pl <doc/format.md >doc/plots/bits.svg
