#!/usr/bin/env bash
#
#   ./dev browser [--write]    ./dev desk in a real browser; one region hangs, and one is down; the
#                              proxy before it (5 min)
#
# --write puts a picture of the page beside the desk.

. "$(dirname "$0")/library.sh"

case ${1:-} in
	'' | --write) ;;
	*) die "browser takes --write and nothing else" ;;
esac
npm=()
command -v npm >/dev/null || npm=(npm)
install_packages "${npm[@]}" chromium chromium-driver fonts-dejavu-core nginx-light python3-flask \
	python3-psycopg openssl python3-psycopg-pool python3-selenium python3-waitress
cp "$tree"/test/browser/package*.json "$work"
npm --prefix "$work" ci --ignore-scripts >"$work/npm.log" 2>&1 || { cat "$work/npm.log" >&2; die "npm failed"; }
cd "$tree"
/usr/bin/python3 test/browser/test_proxy.py -v
AXE=$work/node_modules/axe-core/axe.min.js PICTURES=$work /usr/bin/python3 test/browser/test_desk.py -v
[ "${1:-}" != --write ] || cp "$work/any_id.png" tools/desk/desk.png
