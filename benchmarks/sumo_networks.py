"""The same demand in SUMO on our networks and on netconvert's own imports of the same maps.

    python benchmarks/sumo_networks.py [EXTRACT…]

Needs the extra `sumo`. Three demands of 200 cars within 10 minutes, between the same places of the
same OSM ways, where both networks have a route: the table has the sums of those that have arrived
after 30 minutes and of SUMO's teleports and collisions, the mean travel time, and the share of
trips for which each network has a route.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from autosim.config.diagnostics import Diagnostics
from autosim.world.pipeline.world_pipeline import build_world
from tests.traffic.sumo.comparison import compare
from tests.traffic.sumo.test_comparison import DEMANDS, EXTRACTS
from tests.world.maps import MAPS


def main(arguments):
    print("ours / netconvert's import\n")
    print("| map | trips with a route | arrived | teleports | collisions | mean time |")
    print("|---|---|---|---|---|---|")
    for path in map(Path, arguments or [str(MAPS / name) for name in EXTRACTS]):
        with TemporaryDirectory() as folder:
            world = build_world(path, diagnostics=Diagnostics())
            found = compare(path, world, Path(folder), demands=DEMANDS)
        name = path.name.partition(".")[0]
        if found is None:
            print(f"| {name} | none in both | | | | |", flush=True)
            continue
        pair = found.ours, found.theirs
        cells = [
            " / ".join(f"{each.routed / found.trips:.0%}".replace("%", " %") for each in pair),
            " / ".join(f"{each.arrived}" for each in pair),
            " / ".join(f"{each.teleports}" for each in pair),
            " / ".join(f"{each.collisions}" for each in pair),
            " / ".join(f"{each.mean_time:.0f}" for each in pair) + " s",
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
