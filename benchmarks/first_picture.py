"""How soon a browser shows the first picture of a world, and a late one its whole town.

    python benchmarks/first_picture.py [--world worlds/circle_town.xml] [--runs 3]

A server with its gateway, and headless Chromium on the same machine, a new profile for each run.
`first picture` is from the request of the page to a canvas that shows more than one colour; `state`
to the first step in the page. The limit, measured in the same run, is an empty page of the same
browser: from its request until it is drawn. Goal: 3 s for the first picture. The lines below are
the processor times until then of the browser's processes: they hardly depend on what else the
machine does.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autosim.applications.web.links import make_link
from autosim.loading.loader import load_world
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess

ROOT = Path(__file__).parents[1]
BUILD = ("sh", str(ROOT / "scripts" / "build_page.sh"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
START_SECONDS = 120.0
"""Longest time [s] until the gateway has printed its link."""


def first_link(log: Path) -> str:
    """The link that a gateway has printed.

    Raises:
        TimeoutError: it has printed none.
    """
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if link := re.search(r"http://\S+#key=\S+", log.read_text()):
            return link[0]
        time.sleep(0.1)
    raise TimeoutError(log.read_text())


Times = dict[str, list[float]]
"""A time [s] of each run by its name."""


def measure(links: list[str]) -> tuple[Times, Times]:
    """The times of each run in a browser, and its processes' processor times by their kind."""
    done = subprocess.run(
        (*BUILD, "run", "end-to-end", "first_picture"),
        cwd=ROOT,
        env={
            **os.environ,
            "NO_COLOR": "1",
            "AUTOSIM_LINKS": " ".join(links),
            "AUTOSIM_CHROMIUM": CHROMIUM,
        },
        capture_output=True,
        text=True,
    )
    found = re.search(r"FIGURES (\{.*\})", done.stdout)
    if found is None:
        raise RuntimeError(done.stdout + done.stderr)
    answer: dict[str, Times] = json.loads(found[1])
    return answer["figures"], answer["used"]


def main() -> None:
    """Measures, and prints a line for each time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--world", default="worlds/circle_town.xml")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if not CHROMIUM:
        raise SystemExit("no Chromium is installed")
    subprocess.run(BUILD, cwd=ROOT, check=True)
    world = load_world(ROOT / options.world)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "gateway.log"
        with (
            ServerProcess(world, ServerOptions("127.0.0.1:0", real_time_factor=1.0)) as server,
            log.open("w") as output,
            subprocess.Popen(
                (sys.executable, "-m", "autosim", "relay", server.address, "--web", "127.0.0.1:0"),
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as relay,
        ):
            try:
                address = first_link(log).split("/")[2]
                links = [make_link(address, "view", 1) for _ in range(options.runs)]
                figures, used = measure(links)
            finally:
                relay.terminate()
    limit = min(figures["empty page"])
    for name, times in figures.items():
        best = min(times)
        runs = " ".join(f"{each:.2f}" for each in times)
        print(f"{name}: {best:.2f} s, {best / limit:.1f} of the limit (runs: {runs} s)")
    for name, times in used.items():
        runs = " ".join(f"{each:.2f}" for each in times)
        print(
            f"processor time until the first picture, {name}: {min(times):.2f} s (runs: {runs} s)"
        )


if __name__ == "__main__":
    main()
