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

KNOWN = {"pbf/helsinki.osm.pbf": 1}
"""Number of collisions among the 600 vehicles of a map by which ours has more. In Helsinki, two
vehicles turn round in a narrow street that the border of the map cuts 8 m behind a junction."""


def check(found: Comparison, *, known: int = 0) -> None:
    ours, theirs = found.ours, found.theirs
    assert ours.teleports <= theirs.teleports
    assert ours.collisions <= theirs.collisions + known
    assert ours.arrived >= theirs.arrived
    assert ours.unsafe_phases == 0
    assert ours.unused_signals == 0


@pytest.mark.long
@pytest.mark.parametrize("name", EXTRACTS)
def test_sumo_drives_on_our_network_of_every_map(
    built: Callable[[Path], CompiledWorld], tmp_path: Path, name: str
) -> None:
    found = compare(MAPS / name, built(MAPS / name), tmp_path, demands=DEMANDS)
    if found is None:
        pytest.skip("there is no way that both networks have")
    check(found, known=KNOWN.get(name, 0))


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
