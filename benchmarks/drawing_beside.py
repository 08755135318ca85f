"""What a client that draws costs the steps of a server on the same machine.

    python benchmarks/drawing_beside.py [WORLD ...] [--seconds S] [--rounds N]

The same world is simulated alone and with `autosim client --headless` beside it, in real time and
as fast as it goes. `late` is how late paced steps began [ms], `step` how long one took [ms], `x`
the simulated by the real time, and `pictures` those drawn in a second of the latter. `alone` is the
limit: what the same machine does at the same time with nothing to draw.
"""

import argparse
import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.client.link.mirror import Mirror
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess

ROOT = Path(__file__).resolve().parents[1]
WORLDS = ("worlds/circle_town.xml", "../shared/osm/pbf/helsinki.osm.pbf")
FIRST_SECONDS = 3.0
"""In which a client that is connected draws its first picture, of a state that stands still."""

LAST_SECONDS = 1.0
"""How long a client outlives the simulation that it draws: nothing new comes any more."""


@contextlib.contextmanager
def drawing(address: str, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """A client that has drawn its first picture, and draws what comes in `seconds` [s]."""
    command = [sys.executable, "-m", "autosim", "client", "--server", address, "--headless"]
    command += ["--seconds", str(FIRST_SECONDS + seconds + LAST_SECONDS)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as client:
        assert client.stderr is not None
        if not any("pictures by" in line for line in client.stderr):
            raise SystemExit("the client has not connected")
        time.sleep(FIRST_SECONDS)
        yield client


def pictures_of(client: subprocess.Popen[str]) -> int:
    """How many pictures a client drew of states that came after the first."""
    assert client.stderr is not None
    drawn = re.search(r"drew (\d+) frames", client.stderr.read())
    if drawn is None:
        raise SystemExit("the client has failed")
    return int(drawn[1]) - 1


def measure(world_file: str, *, pace: float, seconds: float, is_drawn: bool) -> str:
    """One row of the table."""
    world = open_named_world(world_file)
    compile_with_progress(world)
    with (
        ServerProcess(world, ServerOptions(address="127.0.0.1:0")) as server,
        Mirror(world, server.address, rate_hz=1.0) as mirror,
        contextlib.ExitStack() as stack,
    ):
        mirror.connection.wait_for_state(120.0)
        client = stack.enter_context(drawing(server.address, seconds)) if is_drawn else None
        begin = time.monotonic()
        mirror.connection.run(real_time_factor=pace)
        time.sleep(seconds)
        mirror.connection.pause()
        wall = time.monotonic() - begin
        report = mirror.connection.report()
        pictures = f"{pictures_of(client) / wall:9.0f}" if client else ""
    (late50, late99), (step50, step99) = report.lateness_ms, report.step_ms
    return (
        f"{late50:9.2f} {late99:6.2f} {step50:9.3f} {step99:6.3f} "
        f"{report.status.time / wall:9.1f} {pictures}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worlds", nargs="*", default=WORLDS)
    parser.add_argument("--seconds", type=float, default=10.0, help="measured, of each row")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    for world in arguments.worlds:
        print(f"{Path(world).name}\n{'':28}late p50    p99  step p50    p99         x  pictures")
        for _ in range(arguments.rounds):
            for pace, name in ((1.0, "real time"), (0.0, "as fast as it goes")):
                for is_drawn, beside in ((False, "alone"), (True, "drawn")):
                    row = measure(world, pace=pace, seconds=arguments.seconds, is_drawn=is_drawn)
                    print(f"{name:18} {beside:6} {row}", flush=True)


if __name__ == "__main__":
    main()
