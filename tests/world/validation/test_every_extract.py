"""Every extract beside the checkout holds the invariants in a window of 1 km about its middle.

And so does each place of a country in which one was broken once; a long test checks all of it.
"""

from dataclasses import dataclass
from functools import lru_cache

import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.world.geometry.extent import Window
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.steps import steps_in_plan
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.validation.soundness import measures
from tests.conftest import shared

SIDE = 1000.0


@dataclass(frozen=True)
class Extract:
    """A map, the middle [deg] and side [m] of its window, and its terrain."""

    path: str
    latitude: float
    longitude: float
    terrain: str = ""
    side: float = SIDE


QUICK = (
    Extract("city/arizona_highways.osm", 33.6296, -111.8909),
    Extract("city/bautzen.osm", 51.1897, 14.4127),
    Extract("city/borough_sausage_links.osm", 51.501, -0.0928),
    Extract("city/i5_exit_ramp.osm", 47.6562, -122.3214),
    Extract("city/neukolln.osm", 52.4733, 13.4398),
    Extract("city/osmnx_planet_10.068_48.135.osm", 48.1356, 10.0702),
    Extract("city/perth_peanut_roundabout.osm", -31.9813, 115.9008),
    Extract("city/perth_stretched_lights.osm", -31.9751, 115.8976),
    Extract("city/seattle_triangle.osm", 47.6165, -122.3381),
    Extract("city/tiny_roundabout.osm", 33.6369, -84.5635),
    Extract("odd/td_64bit_ids.osm", 17.14, -61.7874),
    Extract("city/leeds_cycleway.osm", 53.7978, -1.5353),
    Extract(
        "city/monaco.osm.gz",
        43.737,
        7.4223,
        terrain="dem/N43E007.hgt.zip",
    ),
    Extract(
        "city/north-bayreuth.osm.gz",
        50.0072,
        11.547,
        terrain="dem",
    ),
    Extract("pbf/bayfront_singapore.osm.pbf", 1.2823, 103.8597),
)
HEAVY = (
    Extract("pbf/baltimore.osm.pbf", 39.2852, -76.5688),
    Extract("pbf/helsinki.osm.pbf", 60.1702, 24.9454),
    Extract("pbf/liechtenstein.osm.pbf", 47.1364, 9.5315),
    Extract("pbf/melborne.osm.pbf", -37.6278, 145.3667),
)
COUNTRY = Extract("pbf/liechtenstein.osm.pbf", 47.16, 9.54, side=26_000.0)
LONG = [pytest.param(each, marks=pytest.mark.long) for each in (*HEAVY, COUNTRY)]
WITHIN = (
    ("a crumb of a park at the border of the world", 47.183625180, 9.524545817),
    ("a pocket of a hand's breadth between kerb radii", 47.121031, 9.528788),
    ("a turn from a track that lies 2 m over another one's end", 47.169260, 9.490257),
    ("a turn that leads along beside the ramp of a tunnel", 47.115142, 9.569488),
    ("a sharp turn at the end of a bridge of 5 m", 47.082438, 9.541236),
    ("a ramp that comes down to a street at their node", 47.150809, 9.505052),
    ("a bend at the end of a lane", 47.185035, 9.541254),
    ("a bend at the end of a service way of one lane", 47.108159, 9.545588),
    ("a lane of 5 m between junctions that turns by 70 degrees", 47.215767, 9.569374),
)
ON_SLOPES = (
    # A roundabout in a tunnel with arms that lie 0.6 m beside one another at other heights.
    Extract("city/monaco.osm.gz", 43.7306, 7.415, terrain="dem/N43E007.hgt.zip", side=450.0),
    # A tunnel that changes its level beside another one that parts from it and climbs.
    Extract("city/monaco.osm.gz", 43.7313, 7.4163, terrain="dem/N43E007.hgt.zip", side=300.0),
    # A street on a slope under the bridges of a motorway, too short to dive under both.
    Extract("city/north-bayreuth.osm.gz", 50.03214, 11.56563, terrain="dem", side=300.0),
    # A ramp to a bridge, and a street that falls beside it and goes straight on at a junction.
    Extract("pbf/baltimore.osm.pbf", 39.2808, -76.5596, side=300.0),
)


@pytest.fixture(scope="module", autouse=True)
def maps_read_once():
    """Keeps the map that was read last; several windows of one come one after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps_in_plan, "read_osm", lru_cache(maxsize=1)(read_osm))
        yield


def broken(extract):
    path = shared(f"osm/{extract.path}")
    heights = shared(f"osm/{extract.terrain}") if extract.terrain else None
    window = Window(extract.latitude, extract.longitude, extract.side)
    world = build_world(path, height_map=heights, window=window, diagnostics=Diagnostics())
    return [each for each in measures(world) if each.is_broken]


def _name(extract):
    return extract.path if extract.side == SIDE else f"all of {extract.path}"


@pytest.mark.parametrize("extract", [*QUICK, *LONG], ids=_name)
def test_an_extract_holds_every_invariant(extract):
    assert broken(extract) == []


@pytest.mark.parametrize(
    ("what", "latitude", "longitude"), WITHIN, ids=[each[0] for each in WITHIN]
)
def test_places_that_broke_one_hold_them_now(what, latitude, longitude):
    assert broken(Extract(COUNTRY.path, latitude, longitude, side=300.0)) == []


@pytest.mark.parametrize("extract", ON_SLOPES, ids=str)
def test_places_on_slopes_that_broke_one_hold_them_now(extract):
    assert broken(extract) == []
