"""How surfaces grip, and where kerbs are low."""

import numpy as np
import pytest

from autosim.config.descriptions import MapSetup
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.highways import BUILT_IN
from autosim.world.osm.surface_friction import (
    FRICTIONS,
    friction_of,
    snowy_frictions,
    wet_frictions,
)
from autosim.world.streets.street_profiles import street_profile
from tests.world.maps import RESIDENTIAL, build_map

LINE = ((-120.0, 0.0), (0.0, 0.0), (120.0, 0.0))


@pytest.mark.parametrize(
    ("tags", "friction"),
    [
        ({"highway": "residential"}, 1.0),
        ({"highway": "residential", "surface": "asphalt"}, 1.0),
        ({"highway": "residential", "surface": "gravel;sand"}, 0.71),
        ({"highway": "residential", "surface": "unheard of"}, 1.0),
        ({"highway": "track"}, 0.71),
        ({"highway": "track", "tracktype": "grade1"}, 1.0),
        ({"highway": "track", "ice_road": "yes"}, 0.12),
        ({"highway": "tertiary", "winter_road": "yes"}, 0.24),
    ],
)
def test_streets_grip_as_their_surface_does(tags, friction):
    assert friction_of(tags) == friction


def test_nothing_grips_better_than_asphalt():
    assert max(FRICTIONS.values()) == FRICTIONS["asphalt"] == 1.0
    assert FRICTIONS["ice"] < FRICTIONS["snow"] < FRICTIONS["sand"] < FRICTIONS["gravel"]


def test_in_the_wet_paved_and_earth_roads_hold_worse_and_ice_as_badly_as_before():
    dry = np.array([1.0, 0.8, 0.71, 0.24, 0.12], dtype=np.float32)
    wet = wet_frictions(dry, 1.0)
    assert wet.dtype == np.float32
    assert wet == pytest.approx([0.706, 0.647, 0.706, 0.24, 0.12], abs=5e-3)
    assert wet_frictions(dry, 0.5) == pytest.approx((dry + wet) / 2.0)
    assert wet_frictions(dry, 0.0) is dry


def test_under_snow_all_grips_as_packed_snow_but_ice():
    bare = np.array([1.0, 0.71, 0.24, 0.12], dtype=np.float32)
    covered = snowy_frictions(bare, 1.0)
    assert covered.dtype == np.float32
    assert covered == pytest.approx([0.24, 0.24, 0.24, 0.12])
    assert snowy_frictions(bare, 0.5) == pytest.approx((bare + covered) / 2.0)
    assert snowy_frictions(bare, 0.0) is bare


def test_each_triangle_of_the_ground_has_its_friction(tmp_path):
    ways = [
        (LINE[:2], RESIDENTIAL),
        (LINE[1:], RESIDENTIAL | {"surface": "gravel"}),
        (
            ((-100.0, 60.0), (-40.0, 60.0), (-40.0, 90.0), (-100.0, 90.0), (-100.0, 60.0)),
            {"leisure": "park"},
        ),
    ]
    world = build_map(tmp_path, ways)
    ground, friction = world.ground, world.ground_friction
    assert friction.dtype == np.float32
    assert len(friction) == len(ground.triangles)
    x = ground.vertices[ground.triangles].mean(axis=1)[:, 0]
    middle = world.roads.points[:, 0].mean()
    street = ground.surfaces == Surface.CARRIAGEWAY
    assert friction[street & (x < middle - 10.0)] == pytest.approx(1.0)
    assert friction[street & (x > middle + 10.0)] == pytest.approx(0.71)
    assert friction[ground.surfaces == Surface.PARK] == pytest.approx(FRICTIONS["grass"])
    assert friction[ground.surfaces == Surface.GROUND] == pytest.approx(FRICTIONS["earth"])
    assert {round(lane.friction, 2) for lane in world.roads.lanes} == {1.0, 0.71}


@pytest.mark.parametrize(
    ("tags", "widths"),
    [
        ({}, (1.5, 1.5)),
        ({"sidewalk": "both"}, (1.5, 1.5)),
        ({"sidewalk": "left"}, (1.5, 0.0)),
        ({"sidewalk": "no"}, (0.0, 0.0)),
        ({"sidewalk": "separate"}, (1.5, 1.5)),
        ({"sidewalk:left": "no"}, (0.0, 1.5)),
        ({"sidewalk:both": "yes", "sidewalk:right": "no"}, (1.5, 0.0)),
        ({"sidewalk": "right", "sidewalk:right:width": "2.4 m"}, (0.0, 2.4)),
        ({"sidewalk": "none", "sidewalk:left": "separate"}, (1.5, 0.0)),
    ],
)
def test_tags_decide_where_pavements_are(tags, widths):
    profile = street_profile(RESIDENTIAL | tags, BUILT_IN["residential"])
    assert profile.pavement == widths


def test_a_pavement_that_is_stated_is_there_also_where_none_is_usual():
    tags = {"highway": "service", "sidewalk": "left"}
    assert street_profile(tags, BUILT_IN["service"]).pavement == (1.5, 0.0)


def kerbs_near(world, x, reach=2.0):
    """Heights [m] of the pavement's front edge about a place along a street on the x axis."""
    mesh = world.ground
    behind = np.unique(mesh.triangles[mesh.surfaces == Surface.PAVEMENT])
    kerb = np.unique(mesh.triangles[mesh.surfaces == Surface.KERB])
    rows = np.intersect1d(behind, kerb)
    places = mesh.vertices[rows]
    return places[np.abs(places[:, 0] - x) < reach][:, 2]


@pytest.mark.parametrize("side", ["left", "right"])
def test_kerbs_are_dropped_at_a_crossing_over_its_width(tmp_path, side):
    nodes = [((0.0, 0.0), {"highway": "crossing", "crossing": "unmarked"})]
    world = build_map(tmp_path, [(LINE, RESIDENTIAL)], side, nodes=nodes)
    assert kerbs_near(world, 0.0, 1.6) == pytest.approx(0.025)
    assert len(kerbs_near(world, 0.0, 1.6)) == 4
    assert kerbs_near(world, 2.5, 0.2) == pytest.approx(0.15)
    assert kerbs_near(world, 40.0, 20.0) == pytest.approx(0.15)
    counts = dict(world.invariants)
    assert counts["open_edges"] == counts["non_manifold_edges"] == counts["road_slivers"] == 0.0


def test_a_raised_kerb_and_a_plain_street_stay(tmp_path):
    nodes = [((0.0, 0.0), {"highway": "crossing", "kerb": "raised"})]
    for others in ({"nodes": nodes}, {}):
        world = build_map(tmp_path, [(LINE, RESIDENTIAL)], **others)
        assert kerbs_near(world, 0.0, 50.0) == pytest.approx(0.15)


def test_kerbs_are_dropped_beside_a_driveway(tmp_path):
    drive = (((0.0, 0.0), (0.0, 30.0)), {"highway": "service", "service": "driveway"})
    world = build_map(tmp_path, [(LINE, RESIDENTIAL), drive])
    low = kerbs_near(world, 0.0, 8.0)
    assert (np.abs(low - 0.025) < 1e-6).any()
    y = world.ground.vertices[np.abs(world.ground.vertices[:, 2] - 0.025) < 1e-6][:, 1]
    street = world.roads.points[np.abs(world.roads.points[:, 0]) > 60.0][:, 1].mean()
    assert (y > street).all(), "the other side stays as it is"


def test_a_kerb_that_is_lower_than_a_dropped_one_stays(tmp_path):
    from autosim.world.pipeline.world_pipeline import build_world
    from tests.world.maps import ORIGIN, write_map

    nodes = [((0.0, 0.0), {"highway": "crossing"})]
    path = write_map(tmp_path, [(LINE, RESIDENTIAL)], nodes=nodes)
    setup = MapSetup("test", origin=ORIGIN, kerb_height=0.01)
    world = build_world(path, setup=setup, driving_side="left")
    assert world.ground.vertices[:, 2].max() == pytest.approx(0.01)


@pytest.mark.parametrize("metres", [0.03, 1.0])
def test_roads_lie_above_the_terrain_by_the_height_of_the_set_up(tmp_path, metres):
    from autosim.world.pipeline.world_pipeline import build_world
    from tests.world.maps import ORIGIN, write_map

    path = write_map(tmp_path, [(LINE, RESIDENTIAL)])
    setup = MapSetup("test", origin=ORIGIN, height_above_terrain=metres)
    world = build_world(path, setup=setup, driving_side="left")
    _, y, z = world.ground.vertices.T
    assert world.roads.points[:, 2] == pytest.approx(metres, abs=1e-6)
    assert z[np.abs(y) > 60.0] == pytest.approx(0.0, abs=1e-9)
    assert dict(world.invariants)["open_edges"] == 0.0
