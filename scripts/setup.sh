#!/bin/sh
# Makes .venv from the locked list and looks after the few system libraries. Safe to run again.
# `setup.sh windows` leaves out what only tests, tools and rarer extras need: two thirds of it.
set -eu
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/sbin:/sbin" # where ldconfig is

# What needs which package: Panda3D (EGL, GL, X11), Qt (xkbcommon, dbus, fontconfig, xcb), tests of windows (xvfb).
packages=""
need() { ldconfig -p 2>/dev/null | grep -q "$1" || packages="$packages $2"; }
need libEGL.so.1 libegl1
need libGL.so.1 libgl1
need libX11.so.6 libx11-6
need libxkbcommon.so.0 libxkbcommon0
need libdbus-1.so.3 libdbus-1-3
need libfontconfig.so.1 libfontconfig1
need libxcb-cursor.so.0 libxcb-cursor0
need libxcb-icccm.so.4 libxcb-icccm4
need libxcb-keysyms.so.1 libxcb-keysyms1
if [ "${1:-}" != windows ]; then
    command -v Xvfb >/dev/null 2>&1 || packages="$packages xvfb"
    command -v xdotool >/dev/null 2>&1 || packages="$packages xdotool"
fi

if [ -n "$packages" ] && command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then
        echo "setup: installing$packages"
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends $packages >/dev/null; } ||
            echo "setup: some of$packages could not be installed; going on without them" >&2
    else
        echo "setup: going on without some system libraries (windows or GL pictures may be missing). To have them:"
        echo "    sudo apt-get install --no-install-recommends$packages"
    fi
elif [ -n "$packages" ]; then
    echo "setup: going on without what Debian calls$packages"
fi

echo "setup: making .venv (Python 3.11)"
[ -x .venv/bin/python ] || sh scripts/uv.sh venv --quiet --python 3.11 .venv
# Compiled once, here: else every start pays for it where Python may not write bytecode later.
if [ "${1:-}" = windows ]; then
    .venv/bin/python scripts/locked_packages.py gui >.venv/windows.lock
    sh scripts/uv.sh pip install --quiet --compile-bytecode --require-hashes --python .venv/bin/python \
        -r .venv/windows.lock
else
    sh scripts/uv.sh pip sync --quiet --compile-bytecode --require-hashes --python .venv/bin/python requirements.lock
fi
sh scripts/uv.sh pip install --quiet --python .venv/bin/python --no-deps --editable .
.venv/bin/python -m compileall -q autosim autosim_testbench autosim_assets
# Here and on two processors, not in the first start or in each process of tests.
.venv/bin/python -m autosim.engine.step.kernel_cache
.venv/bin/python -m autosim.client.traffic.posing_warm_up
touch .venv/.windows
[ "${1:-}" = windows ] && exit
.venv/bin/python -m autosim.control.controller_warm_up
sh scripts/build_page.sh ||
    echo "setup: going on without the page for browsers; \`sh scripts/build_page.sh\` builds it" >&2
touch .venv/.ready
