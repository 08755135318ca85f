"""Every extract beside the checkout holds the invariants in a window of 1 km about its middle."""

from dataclasses import dataclass, field
from types import MappingProxyType

import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.world.pipeline import build_world
from autosim.world.soundness import measures
from autosim.world.window import Window
from tests.conftest import shared

SIDE = 1000.0


@dataclass(frozen=True)
class Extract:
    """A map, the middle [deg] of its window, its terrain, and what is known to be broken there.

    `known` are the values that a broken invariant reaches and must not go beyond: what is mended
    is taken out, what grows worse fails.
    """

    path: str
    latitude: float
    longitude: float
    terrain: str = ""
    known: dict[str, float] = field(default_factory=dict)


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
)
HEAVY = (
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
    Extract("pbf/baltimore.osm.pbf", 39.2852, -76.5688),
    Extract("pbf/bayfront_singapore.osm.pbf", 1.2823, 103.8597),
    Extract("pbf/helsinki.osm.pbf", 60.1702, 24.9454, known={"worst_hop_m": 0.08}),
    Extract("pbf/liechtenstein.osm.pbf", 47.1364, 9.5315),
    Extract("pbf/melborne.osm.pbf", -37.6278, 145.3667),
)
SLOW = [pytest.param(each, marks=pytest.mark.slow) for each in HEAVY]


@pytest.mark.parametrize("extract", [*QUICK, *SLOW], ids=lambda each: each.path)
def test_an_extract_holds_every_invariant(extract):
    world = build_world(
        shared(f"osm/{extract.path}"),
        height_map=shared(f"osm/{extract.terrain}") if extract.terrain else None,
        window=Window(extract.latitude, extract.longitude, SIDE),
        diagnostics=Diagnostics(),
    )
    known = MappingProxyType(extract.known)
    broken = {each.name: each for each in measures(world) if each.is_broken}
    assert broken.keys() <= known.keys(), broken
    for name, each in broken.items():
        assert each.place is not None
        worse = each.value < known[name] if each.is_least else each.value > known[name]
        assert not worse, each
