"""The lane graph agrees with netconvert's; where it does not, docs/lane_graph.md says why."""

import pytest

from tests.conftest import shared
from tests.world.lane_oracle import NETCONVERT, compare

pytestmark = pytest.mark.skipif(
    not NETCONVERT.exists(), reason="netconvert (eclipse-sumo) is not installed"
)

EXPLAINED = (
    "lanes: default of",
    "lanes: lanes for buses or closed ones",
    "lanes: lanes of neither direction",
    "movements, only ours: turn lanes",
    "movements, only netconvert's: too tight",
    "movements, only netconvert's: turning back",
)
SMALL = ("city/arizona_highways.osm", "city/leeds_cycleway.osm", "city/neukolln.osm")
OTHERS = (
    "city/bautzen.osm",
    "city/borough_sausage_links.osm",
    "city/i5_exit_ramp.osm",
    "city/monaco.osm.gz",
    "city/north-bayreuth.osm.gz",
    "city/osmnx_planet_10.068_48.135.osm",
    "city/perth_peanut_roundabout.osm",
    "city/perth_stretched_lights.osm",
    "city/seattle_triangle.osm",
    "city/tiny_roundabout.osm",
    "pbf/bayfront_singapore.osm.pbf",
)
LARGE = ("pbf/baltimore.osm.pbf", "pbf/helsinki.osm.pbf", "pbf/liechtenstein.osm.pbf")


@pytest.mark.parametrize("name", SMALL)
def test_it_agrees_with_netconvert(name):
    report = compare(shared(f"osm/{name}"))
    print(report)
    assert report.share("directions") == 1.0
    assert report.share("lanes") == 1.0
    assert report.share("movements") > 0.96


@pytest.mark.parametrize(
    "name", [*OTHERS, *(pytest.param(each, marks=pytest.mark.long) for each in LARGE)]
)
def test_it_agrees_with_netconvert_but_for_what_is_explained(name):
    report = compare(shared(f"osm/{name}"))
    print(report)
    assert report.share("directions") == 1.0
    unexplained = {
        cause: count for cause, count in report.causes.items() if not cause.startswith(EXPLAINED)
    }
    assert sum(unexplained.values()) <= max(4, 0.02 * report.movements[1]), unexplained


def test_no_entry_is_respected_which_netconvert_does_not_know():
    report = compare(shared("osm/pbf/melborne.osm.pbf"))
    print(report)
    assert report.causes["movements, only netconvert's: restriction"] > 100
    assert report.share("movements") > 0.85
