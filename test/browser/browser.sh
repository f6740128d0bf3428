#!/usr/bin/env bash
#
#   ./dev browser [--write]    ./dev desk in a real browser; one region hangs, and one is down
#
# --write puts a picture of the page into the example.

. "$(dirname "$0")/../library.sh"

case ${1:-} in
	'' | --write) ;;
	*) die "browser takes --write and nothing else" ;;
esac
install_packages chromium chromium-driver fonts-dejavu-core python3-flask python3-psycopg \
	python3-psycopg-pool python3-selenium python3-waitress
cd "$tree"
PICTURES=$work /usr/bin/python3 test/browser/test_desk.py -v
[ "${1:-}" != --write ] || cp "$work/any_id.png" examples/desk/desk.png
