"""Where new houses stand, on small maps that are exactly known."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
import shapely

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import ConfigError
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest, Spacing
from autosim.tools.osm_manipulator.manipulator import furnish, write_furnished
from autosim.tools.osm_manipulator.manipulator_errors import CancelledError, ManipulatorError
from autosim.world.pipeline.world_pipeline import build_world
from tests.tools.houses import HOUSES, furnish_file, house_list, read_houses
from tests.world.maps import ORIGIN, RESIDENTIAL, write_map

SETUP = MapSetup("test", origin=ORIGIN)
SETUP_FILE = f"""<Setup name="test"><TerrainSetup>
  <OsmSetup name="test"><NodeOffset lat="{ORIGIN[0]}" lon="{ORIGIN[1]}"/></OsmSetup>
  <HighwayDimensions name="test">
    <residential width="8.0" leftPavementWidth="1.5" rightPavementWidth="2.5"/>
    <service width="3.0" leftPavementWidth="0.0" rightPavementWidth="0.0"/>
    <motorway width="16.0" leftPavementWidth="0.0" rightPavementWidth="0.0"/>
  </HighwayDimensions>
</TerrainSetup></Setup>"""
STRAIGHT = (((-150.0, 0.0), (150.0, 0.0)), RESIDENTIAL)
DIAGONAL = (((-120.0, -90.0), (120.0, 90.0)), RESIDENTIAL)
LEFT_EDGE, RIGHT_EDGE = 4.0 + 1.5, 4.0 + 2.5


def rectangle(x0, y0, x1, y1):
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))


def houses_of(folder, ways, nodes=(), **options):
    """Furnishes a map; returns its houses as osmium reads them."""
    setup = folder / "setup.xml"
    setup.write_text(SETUP_FILE, encoding="utf-8")
    original = write_map(folder, ways, nodes=nodes)
    target = folder / "furnished.osm"
    furnish_file(original, target, house_list(folder), setup=setup, **options)
    return [house for house in read_houses(target) if "own" not in house.tags]


def test_houses_stand_in_rows_at_the_distance_asked_for_and_look_at_the_street(tmp_path):
    houses = houses_of(tmp_path, [STRAIGHT], to_street=12.0)
    left = [house for house in houses if house.centre[1] > 0]
    right = [house for house in houses if house.centre[1] < 0]
    assert len(left) > 10
    assert len(right) > 10
    assert np.allclose([house.centre[1] for house in left], LEFT_EDGE + 12.0, atol=0.02)
    assert np.allclose([house.centre[1] for house in right], -RIGHT_EDGE - 12.0, atol=0.02)
    assert np.allclose([house.front for house in left], [0.0, -1.0], atol=1e-3)
    assert np.allclose([house.front for house in right], [0.0, 1.0], atol=1e-3)
    # rotY of the simulator: pi looks south, 0 looks north.
    assert {round(float(house.tags["rotY"]), 2) % 6.28 for house in left} == {3.14}
    assert {round(float(house.tags["rotY"]), 2) % 6.28 for house in right} == {0.0}


@pytest.mark.parametrize("between", [0.0, 4.0, 8.3])
@pytest.mark.parametrize("street", [STRAIGHT, DIAGONAL])
def test_neighbours_of_a_straight_street_keep_exactly_the_requested_distance(
    tmp_path, between, street
):
    setup = tmp_path / "setup.xml"
    setup.write_text(SETUP_FILE, encoding="utf-8")
    request = FurnishRequest(
        write_map(tmp_path, [street]), house_list(tmp_path), setup, Spacing(10.0, between)
    )
    furnished = furnish(request)
    yaw = furnished.houses[0].yaw
    row = [house for house in furnished.houses if abs(house.yaw - yaw) < 1e-6]
    gaps = free_spaces([shapely.Polygon(house.corners) for house in row])
    assert len(gaps) > 8
    assert {house.house.name for house in row} == {"small", "wide"}
    assert np.allclose(gaps, between, rtol=0.0, atol=1.001e-3)
    write_furnished(furnished, tmp_path / "furnished.osm")
    written = read_houses(tmp_path / "furnished.osm")
    front = written[0].front
    boxes = [house.box for house in written if np.allclose(house.front, front)]
    # Seven decimals of a degree, as all OpenStreetMap files have: 5.6 mm for each of the two.
    assert np.allclose(free_spaces(boxes), between, rtol=0.0, atol=0.017)


def free_spaces(boxes):
    return [a.distance(b) for a, b in pairwise(boxes)]


def test_neighbours_of_a_bend_keep_the_requested_distance_or_more(tmp_path):
    angles, radius = np.linspace(0.0, math.pi / 2.0, 30), 200.0
    bend = tuple((radius * math.sin(a), radius * math.cos(a)) for a in angles.tolist())
    houses = houses_of(tmp_path, [(bend, RESIDENTIAL)], between=4.0)
    pairs = [a.box.distance(b.box) for a, b in combinations(houses, 2)]
    assert min(pairs) >= 4.0 - 0.017
    for is_inside in (True, False):
        row = [house.box for house in houses if (np.hypot(*house.centre) < radius) == is_inside]
        assert len(row) > 16
        assert max(free_spaces(row)) < 4.0 + 0.6, "half a metre, and no gap of a house"


def test_a_house_too_deep_for_the_distance_stands_back_clear_of_the_pavement(tmp_path):
    houses = houses_of(tmp_path, [STRAIGHT], to_street=0.0)
    assert len(houses) > 10
    for house in houses:
        edge = LEFT_EDGE if house.centre[1] > 0 else RIGHT_EDGE
        assert 1.0 <= np.abs(shapely.get_coordinates(house.box)[:, 1]).min() - edge < 1.1


def test_land_use_chooses_and_where_there_is_none_residential_does(tmp_path):
    ways = [
        STRAIGHT,
        (rectangle(-150, -80, -50, 80), {"landuse": "forest"}),
        (rectangle(50, -80, 150, 80), {"landuse": "industrial"}),
    ]
    houses = houses_of(tmp_path, ways)
    kinds = {"forest": {"tree"}, "industrial": {"hall"}, "residential": {"small", "wide"}}
    for use, names in kinds.items():
        inside = [house for house in houses if house.tags["landuse"] == use]
        assert {house.tags["name"] for house in inside} == names
        low, high = {"forest": (-150, -50), "industrial": (50, 150)}.get(use, (-50, 50))
        assert all(low <= house.box.bounds[0] and house.box.bounds[2] <= high for house in inside)


def test_the_smallest_area_counts_and_one_that_the_list_does_not_name_stays_empty(tmp_path):
    ways = [
        STRAIGHT,
        (rectangle(-150, -80, 150, 80), {"landuse": "industrial"}),
        (rectangle(-60, -60, 0, 60), {"landuse": "forest"}),
        (rectangle(0, -60, 60, 60), {"leisure": "playground"}),
    ]
    houses = houses_of(tmp_path, ways)
    assert {house.tags["landuse"] for house in houses} == {"industrial", "forest"}
    playground = shapely.Polygon(rectangle(0, -60, 60, 60))
    assert not any(house.box.intersects(playground) for house in houses)
    trees = [house for house in houses if house.tags["landuse"] == "forest"]
    assert all(-60 < house.centre[0] < 0 for house in trees)


def test_a_wood_is_a_forest(tmp_path):
    houses = houses_of(tmp_path, [STRAIGHT, (rectangle(-160, -90, 160, 90), {"natural": "wood"})])
    assert {house.tags["name"] for house in houses} == {"tree"}


OBSTACLES = {
    "building": ((rectangle(-20, 10, 20, 30)), {"building": "yes"}, 5.0),
    "roof": ((rectangle(-20, 10, 20, 30)), {"building": "roof"}, 0.5),
    "lake": ((rectangle(-20, 10, 20, 30)), {"natural": "water"}, 1.0),
    "railway": (((0.0, 8.0), (0.0, 60.0)), {"railway": "rail"}, 3.0),
    "stream": (((-60.0, 16.0), (60.0, 16.0)), {"waterway": "stream"}, 1.5),
    "footway": (((0.0, 8.0), (0.0, 60.0)), {"highway": "footway"}, 1.0),
    "wall": (((-30.0, 15.0), (30.0, 15.0)), {"barrier": "wall"}, 0.2),
    "bridge": (((0.0, 9.0), (0.0, 60.0)), {"highway": "residential", "bridge": "yes"}, 6.0),
    "side street": (((0.0, 0.0), (0.0, 90.0)), {"highway": "residential"}, 5.0),
    "driveway": (((0.0, 0.0), (0.0, 60.0)), {"highway": "service"}, 2.5),
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_houses_are_clear_of(tmp_path, name):
    points, tags, clearance = OBSTACLES[name]
    houses = houses_of(tmp_path, [STRAIGHT, (points, tags)])
    shape = shapely.Polygon(points) if points[0] == points[-1] else shapely.LineString(points)
    assert len(houses) > 15
    assert min(house.box.distance(shape) for house in houses) >= clearance


def test_what_is_under_the_ground_is_in_nobodys_way(tmp_path):
    free = houses_of(tmp_path, [STRAIGHT])
    under = {"railway": "subway", "tunnel": "yes"}
    with_tunnel = houses_of(tmp_path, [STRAIGHT, (((0.0, 8.0), (0.0, 60.0)), under)])
    assert len(with_tunnel) == len(free)


def test_houses_stay_out_of_the_sea(tmp_path):
    # The land is on the left of a coastline: this one, drawn eastwards, has the sea in the south.
    coast = (((-900.0, -9.0), (900.0, -9.0)), {"natural": "coastline"})
    houses = houses_of(tmp_path, [STRAIGHT, coast])
    assert len(houses) > 10
    assert all(house.centre[1] > 0 for house in houses)


def test_houses_that_are_there_keep_their_ground(tmp_path):
    tags = {"filePath": "models/buildings/house0", "rotY": "0.5", "own": "yes"}
    tags |= {"sizeX": "12", "sizeY": "6", "sizeZ": "12"}
    first = houses_of(tmp_path, [STRAIGHT], nodes=[((3.0, 20.0), tags)])
    angle = 0.5
    front = np.array([math.sin(angle), math.cos(angle)])
    right = np.array([front[1], -front[0]])
    corners = [
        np.array([3.0, 20.0]) + a * front + b * right
        for a, b in ((-6, -6), (-6, 6), (6, 6), (6, -6))
    ]
    own = shapely.Polygon(corners)
    assert min(house.box.distance(own) for house in first) >= 5.0


def test_no_rows_along_motorways_driveways_and_the_inside_of_roundabouts(tmp_path):
    ring = [(60.0 + 30.0 * math.cos(a), 30.0 * math.sin(a)) for a in np.arange(12) / 12 * math.tau]
    ring = [(round(x, 3), round(y, 3)) for x, y in ring]
    ways = [
        (((-150.0, 0.0), ring[6]), RESIDENTIAL),
        ((*ring, ring[0]), {**RESIDENTIAL, "junction": "roundabout"}),
        (((-150.0, -90.0), (150.0, -90.0)), {"highway": "motorway"}),
        (((-150.0, 90.0), (150.0, 90.0)), {"highway": "service"}),
    ]
    houses = houses_of(tmp_path, ways)
    assert houses
    assert all(abs(house.centre[1]) < 30.0 for house in houses)
    assert not any(np.hypot(h.centre[0] - 60.0, h.centre[1]) < 30.0 for h in houses)


def test_there_are_rows_only_where_the_simulator_builds_the_street(tmp_path):
    size = '<TerrainDimensions name="t"><Size width="240" height="240"/></TerrainDimensions>'
    setup = tmp_path / "setup.xml"
    setup.write_text(SETUP_FILE.replace("</TerrainSetup>", f"{size}</TerrainSetup>"))
    target = tmp_path / "furnished.osm"
    furnish_file(write_map(tmp_path, [STRAIGHT]), target, house_list(tmp_path), setup=setup)
    houses = read_houses(target)
    # The ground reaches 60 m beyond the ends at which streets are cut.
    assert 8 <= len(houses) <= 16
    assert all(abs(house.centre[0]) <= 60.05 for house in houses)


def test_the_seed_chooses_and_the_same_seed_chooses_the_same(tmp_path):
    def names(seed):
        houses = houses_of(tmp_path, [STRAIGHT], seed=seed)
        return [(house.tags["name"], *house.centre) for house in houses]

    assert names(1) == names(1)
    assert names(1) != names(2)
    assert {name for name, *_ in names(1)} == {"small", "wide"}


def test_the_simulator_builds_every_new_house(tmp_path):
    side = (((0.0, 0.0), (40.0, 60.0), (110.0, 80.0)), RESIDENTIAL)
    houses = houses_of(tmp_path, [STRAIGHT, side])
    world = build_world(tmp_path / "furnished.osm", setup=SETUP, driving_side="left")
    assert len(world.houses) == len(houses) > 20
    by_place = sorted(houses, key=lambda house: tuple(np.round(house.centre, 3)))
    for built, read in zip(sorted(world.houses, key=place_of), by_place, strict=True):
        assert np.allclose(built.position[:2], read.centre, atol=1e-6)
        assert np.allclose([math.cos(built.yaw), math.sin(built.yaw)], read.front)


def place_of(house):
    return tuple(np.round(house.position[:2], 3))


@pytest.mark.parametrize("distance", [-1.0, math.nan, math.inf, 1000.0])
def test_distances_that_make_no_sense_are_refused(distance):
    with pytest.raises(ManipulatorError, match="distance"):
        Spacing(distance, 5.0)
    with pytest.raises(ManipulatorError, match="distance"):
        Spacing(5.0, distance)


def test_an_empty_house_list_and_a_missing_model_are_named(tmp_path):
    original = write_map(tmp_path, [STRAIGHT])
    empty = house_list(tmp_path, "<houses><residential/></houses>")
    with pytest.raises(ManipulatorError, match="no houses"):
        furnish(FurnishRequest(original, empty))
    text = """<houses><residential><house name="x"><File path="models/none" type="3ds"/>
      <BoxSize x="5" y="5" z="5"/></house></residential></houses>"""
    furnished = furnish(FurnishRequest(original, house_list(tmp_path, text)))
    assert furnished.houses
    assert any("models/none" in warning.message for warning in furnished.warnings)


def test_a_map_that_cannot_be_used_is_refused_with_its_line(tmp_path):
    original = tmp_path / "map.osm"
    original.write_text('<osm version="0.6">\n<node id="1" lat="1" lon=')
    with pytest.raises(ConfigError, match=r"map\.osm:2: error"):
        furnish(FurnishRequest(original, house_list(tmp_path)))


def test_cancelling_ends_the_work_at_the_next_step(tmp_path):
    original = write_map(tmp_path, [STRAIGHT])
    seen = []

    def progress(step, share):
        seen.append(share)
        if share > 0.3:
            raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        furnish(FurnishRequest(original, house_list(tmp_path)), progress)
    assert seen == sorted(seen)
    assert seen[-1] < 1.0


def test_looking_where_houses_fit_can_be_called_off_at_each_kind(tmp_path):
    seen = []
    furnish(
        FurnishRequest(write_map(tmp_path, [STRAIGHT]), house_list(tmp_path)),
        lambda step, share: seen.append(step),
    )
    assert seen.count("look where houses fit") == HOUSES.count("<house ") + HOUSES.count("<tree ")


def test_progress_goes_from_nothing_to_all(tmp_path):
    original = write_map(tmp_path, [STRAIGHT])
    seen = []
    furnish(FurnishRequest(original, house_list(tmp_path)), lambda step, share: seen.append(share))
    assert seen[0] == 0.0
    assert seen[-1] == 1.0
    assert seen == sorted(seen)
