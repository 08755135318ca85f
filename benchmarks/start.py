"""Times how long the demo takes to its first step: with nothing cached, in part, and all cached.

    python benchmarks/start.py [REPEATS]

`to first step` is from the start of the command to the first step that the client sees; `whole`
until it has ended, with its pictures written. `autosim --help` is the limit of what a command of
Python can do. `autosim client` is timed to its first picture, beside a server that runs, with all
cached: the goal is 3 s.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORLDS = ("worlds/circle_town.xml", "../shared/osm/pbf/helsinki.osm.pbf")
_ADDRESS = re.compile(r"(\S+:\d+); Ctrl-C")
REPEATS = 3
COLUMNS = ["start", "to first step or picture s", "whole s", "of --help"]
CASES = {
    "demo, nothing cached": (False, False),
    "demo, kernels cached": (True, False),
    "demo, world cached": (False, True),
    "demo, all cached": (True, True),
}


def child(begin: float, out: str) -> None:
    """Runs the demo and prints the seconds from `begin` (monotonic) to the first step."""
    from autosim.cli import main
    from autosim.client.link.mirror import Mirror

    take = Mirror.take
    first: list[float] = []

    def timed_take(mirror: Mirror) -> bool:
        is_new = take(mirror)
        if not first and mirror.state.step > 0:
            first.append(time.monotonic() - begin)
        return is_new

    Mirror.take = timed_take
    with contextlib.redirect_stdout(sys.stderr):
        main(["demo", "--headless", "--seconds", "0.1", "--out", out], standalone_mode=False)
    print(first[0])


def picture_child(begin: float, address: str, out: str) -> None:
    """Runs a client and prints the seconds from `begin` (monotonic) to its first picture."""
    from autosim.applications.recording.picture_output import RenderResult
    from autosim.cli import main

    show = RenderResult.show
    first: list[float] = []

    def timed_show(pictures: RenderResult, state: object) -> None:
        show(pictures, state)
        first.append(time.monotonic() - begin)

    RenderResult.show = timed_show
    command = ["client", "--server", address, "--headless", "--seconds", "0.5", "--out", out]
    with contextlib.redirect_stdout(sys.stderr):
        main(command, standalone_mode=False)
    print(first[0])


@contextlib.contextmanager
def server(world: str) -> Iterator[str]:
    """A server of a world; gives its address once it listens."""
    command = [sys.executable, "-m", "autosim", "server", world, "--headless", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stderr is not None
            lines = (_ADDRESS.search(line) for line in process.stderr)
            yield next(found for found in lines if found)[1]
        finally:
            process.send_signal(signal.SIGINT)


def client_row(world: str, repeats: int, helped: float) -> list[str]:
    """How long a client takes to its first picture; the first of all makes the caches."""
    found = []
    with server(world) as address:
        for _ in range(repeats + 1):
            with tempfile.TemporaryDirectory() as out:
                begin = str(time.monotonic())
                whole, text = timed(
                    [sys.executable, __file__, "--picture", begin, address, out], {}
                )
                found.append((float(text), whole))
    first, whole = min(found[1:])
    name = f"client, {Path(world).name}"
    return [name, f"{first:.2f}", f"{whole:.2f}", f"{first / helped:.1f}"]


def timed(command: list[str], environment: dict[str, str]) -> tuple[float, str]:
    begin = time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return time.perf_counter() - begin, done.stdout


def demo(folder: Path, *, has_kernels: bool, has_world: bool, warm: Path) -> tuple[float, float]:
    """(seconds to the first step, seconds in all) with caches that are `warm` or empty."""
    environment = {
        "NUMBA_CACHE_DIR": str((warm if has_kernels else folder) / "kernels"),
        "XDG_CACHE_HOME": str((warm if has_world else folder) / "worlds"),
    }
    command = [sys.executable, __file__, "--child", str(time.monotonic()), str(folder / "out")]
    whole, text = timed(command, environment)
    return float(text), whole


def fastest(case: tuple[bool, bool], warm: Path, repeats: int) -> tuple[float, float]:
    has_kernels, has_world = case
    found = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            found.append(
                demo(Path(folder), has_kernels=has_kernels, has_world=has_world, warm=warm)
            )
    return min(found)


def main(repeats: int) -> None:
    program = str(Path(sys.executable).parent / "autosim")
    helped = min(timed([program, "--help"], {})[0] for _ in range(repeats))
    rows = [COLUMNS, ["autosim --help", "", f"{helped:.2f}", "1.0"]]
    with tempfile.TemporaryDirectory() as folder:
        warm = Path(folder)
        demo(warm, has_kernels=True, has_world=True, warm=warm)
        for name, case in CASES.items():
            first, whole = fastest(case, warm, repeats)
            rows.append([name, f"{first:.2f}", f"{whole:.2f}", f"{first / helped:.1f}"])
    rows += [client_row(world, repeats, helped) for world in WORLDS if (ROOT / world).exists()]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    for name, *values in rows:
        cells = [value.rjust(width) for value, width in zip(values, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *cells]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(float(sys.argv[2]), sys.argv[3])
    elif sys.argv[1:2] == ["--picture"]:
        picture_child(float(sys.argv[2]), *sys.argv[3:5])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS)
