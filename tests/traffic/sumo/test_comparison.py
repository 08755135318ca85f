"""SUMO drives on our networks as well as on those that netconvert makes of the same maps."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from autosim.world.compiled.compiled_world import CompiledWorld
from tests.world.maps import MAPS

if not find_spec("sumo"):
    pytest.skip("SUMO is not installed", allow_module_level=True)

from tests.traffic.sumo.comparison import Comparison, compare

EXTRACTS = [
    *sorted(f"city/{each.name}" for each in (MAPS / "city").glob("*.osm*")),
    *sorted(f"pbf/{each.name}" for each in (MAPS / "pbf").glob("*.osm.pbf")),
]
DEMANDS = 3
"""Number of demands of 200 vehicles whose sums are compared for each map."""

COLLIDING = ("pbf/helsinki.osm.pbf",)
"""Maps where one of 600 vehicles touches another in a wide junction, and none on netconvert's
import."""


def check(found: Comparison) -> None:
    ours, theirs = found.ours, found.theirs
    assert ours.teleports <= theirs.teleports
    assert ours.collisions <= theirs.collisions
    assert ours.arrived >= theirs.arrived
    assert ours.unsafe_phases == 0
    assert ours.unused_signals == 0


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(reason="wide junctions"))
        if name in COLLIDING
        else name
        for name in EXTRACTS
    ],
)
def test_sumo_drives_on_our_network_of_every_map(
    built: Callable[[Path], CompiledWorld], tmp_path: Path, name: str
) -> None:
    found = compare(MAPS / name, built(MAPS / name), tmp_path, demands=DEMANDS)
    if found is None:
        pytest.skip("there is no way that both networks have")
    check(found)


@pytest.mark.parametrize(
    "name",
    ["city/perth_stretched_lights.osm", "city/perth_peanut_roundabout.osm", "city/bautzen.osm"],
)
def test_sumo_drives_on_our_network_as_on_its_own_import(
    built: Callable[[Path], CompiledWorld], tmp_path: Path, name: str
) -> None:
    found = compare(MAPS / name, built(MAPS / name), tmp_path)
    assert found
    check(found)
