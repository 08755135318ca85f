#!/bin/sh
# Runs uv, which it installs into .uv/ when the machine has none. Nothing outside the checkout is touched.
set -eu
cd "$(dirname "$0")/.."

if command -v uv >/dev/null 2>&1; then
    exec uv "$@"
fi
if [ ! -x .uv/bin/uv ]; then
    rm -rf .uv
    if python3 -m pip --version >/dev/null 2>&1; then
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target .uv uv 1>&2
    else
        if ! python3 -m venv .uv >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
            apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv 1>&2
        fi
        rm -rf .uv
        python3 -m venv .uv || {
            echo "setup: neither uv, pip nor venv is here; install one:  sudo apt-get install python3-venv" >&2
            exit 1
        }
        .uv/bin/python -m pip install --quiet --disable-pip-version-check uv 1>&2
    fi
fi
exec .uv/bin/uv "$@"
