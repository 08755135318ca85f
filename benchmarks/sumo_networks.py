"""The same demand in SUMO on our networks and on netconvert's own imports of the same maps.

    python benchmarks/sumo_networks.py [EXTRACT…]

Needs the extra `sumo`. 200 cars within 10 minutes, between the same places of the same OSM ways;
counted are those that have arrived after 30 minutes, and SUMO's teleports and collisions.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from autosim.config.diagnostics import Diagnostics
from autosim.world.pipeline.pipeline import build_world
from tests.traffic.sumo.comparison import compare
from tests.traffic.sumo.test_comparison import EXTRACTS
from tests.world.maps import MAPS


def main(arguments):
    print(f"{'':36} {'arrived':>13} {'teleports':>13} {'collisions':>13}  (ours / netconvert's)")
    for path in map(Path, arguments or [str(MAPS / name) for name in EXTRACTS]):
        with TemporaryDirectory() as folder:
            world = build_world(path, diagnostics=Diagnostics())
            found = compare(path, world, Path(folder))
        if found is None:
            print(f"{path.name:36} no common trip")
            continue
        ours, theirs = found
        print(
            f"{path.name:36} {ours.arrived:6}/{theirs.arrived:6} "
            f"{ours.teleports:6}/{theirs.teleports:6} {ours.collisions:6}/{theirs.collisions:6}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
