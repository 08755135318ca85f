"""Uses a server in all its ways until the time is up, and prints how what it holds has grown.

`python -m tests.soak --seed 3 --hours 1`
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autosim.client.link.simulation_control import simulation_control
from autosim.loading.loader import load_world
from autosim.server.network.server_process import ServerProcess
from autosim.server.worlds.server_options import ServerOptions
from tests.paths import ROOT
from tests.soak.rounds import Rounds
from tests.soak.slopes import slopes_of
from tests.soak.usage import Usage, usage_of

WORLD = ROOT / "worlds" / "circle_town.xml"


def main() -> int:
    """1 if anything grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=0, help="of the actions of each round")
    parser.add_argument("--hours", type=float, default=1.0, help="after which no round begins")
    given = parser.parse_args()
    end = time.monotonic() + 3600.0 * given.hours
    rounds: list[Usage] = []
    with own_temporary_folder() as folder:
        for usage in soak(folder, given.seed):
            rounds.append(usage)
            print(f"round {len(rounds):5}  {_line(usage)}", flush=True)
            if time.monotonic() > end:
                break
    found = slopes_of(rounds)
    print(f"{'quantity':14} {'first':>9} {'per round':>9} interval of {len(rounds)} rounds")
    for slope in found:
        print(slope)
    return int(any(slope.is_leak for slope in found))


def soak(folder: Path, seed: int) -> Iterator[Usage]:
    """Endless rounds with one server; what it holds after each."""
    world = load_world(WORLD)
    options = ServerOptions(address="127.0.0.1:0", seed=seed)
    with (
        ServerProcess(world, options) as server,
        simulation_control(server.address) as control,
    ):
        rounds = Rounds(control, world, address=server.address, folder=folder, seed=seed)
        number = 0
        while True:
            rounds.run(number)
            server.poll()
            yield usage_of(folder)
            number += 1


@contextmanager
def own_temporary_folder() -> Iterator[Path]:
    """A folder in which this process and those that it starts put their temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        former, os.environ["TMPDIR"] = os.environ.get("TMPDIR"), folder
        tempfile.tempdir = None
        home = os.getcwd()
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(home)
            tempfile.tempdir = None
            del os.environ["TMPDIR"]
            if former is not None:
                os.environ["TMPDIR"] = former


def _line(usage: Usage) -> str:
    return "  ".join(f"{name} {value:.0f}" for name, value in usage._asdict().items())


if __name__ == "__main__":
    sys.exit(main())
