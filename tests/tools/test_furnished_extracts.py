"""New houses on real extracts, judged by what the simulator builds and not by the survey."""

import math

import numpy as np
import osmium
import pytest
import shapely

from autosim.config.diagnostics import Diagnostics
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest
from autosim.tools.osm_manipulator.manipulator import furnish, write_furnished
from autosim.tools.osm_manipulator.preview import NEW_HOUSE, NEW_TREE, draw_preview
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.osm_reader import read_osm
from autosim.world.pipeline.world_pipeline import build_world
from tests.conftest import shared
from tests.tools.houses import read_houses

QUICK = ("tiny_roundabout", "neukolln", "perth_peanut_roundabout")
LEAST = {"tiny_roundabout": 30, "neukolln": 30, "perth_peanut_roundabout": 60}


@pytest.fixture(scope="module", params=QUICK)
def town(request, tmp_path_factory):
    original = shared(f"osm/city/{request.param}.osm")
    target = tmp_path_factory.mktemp(request.param) / "furnished.osm"
    found = furnish(FurnishRequest(original))
    write_furnished(found, target)
    before = build_world(original, diagnostics=Diagnostics())
    return request.param, original, target, found, before


def triangles(world, *surfaces):
    chosen = np.isin(world.ground.surfaces, surfaces)
    return shapely.polygons(world.ground.vertices[:, :2][world.ground.triangles[chosen]])


def boxes(town):
    *_, target, _, before = town
    return [house.box for house in read_houses(target, before.origin)]


def nearest(shapes, others):
    """The least distance between two groups of shapes [m]."""
    tree = shapely.STRtree(list(others))
    (rows, _), distances = tree.query_nearest(list(shapes), return_distance=True)
    return float(distances.min()) if len(rows) else math.inf


def test_enough_houses_are_set(town):
    name = town[0]
    assert len(boxes(town)) >= LEAST[name]


def test_they_are_clear_of_carriageways_pavements_and_water(town):
    *_, before = town
    street = triangles(before, Surface.CARRIAGEWAY, Surface.KERB, Surface.PAVEMENT)
    assert nearest(boxes(town), street) >= 1.0
    water = triangles(before, Surface.WATER)
    if len(water):
        assert nearest(boxes(town), water) >= 1.0


ROUNDING = 0.017
"""How far [m] two houses together move when their places are written with seven decimals."""


def test_they_are_clear_of_buildings_and_of_each_other(town):
    *_, before = town
    new = boxes(town)
    corners = before.buildings.vertices[before.buildings.triangles]
    is_roof = before.buildings.surfaces == Surface.ROOF
    assert nearest(new, shapely.polygons(corners[is_roof][:, :, :2])) >= 5.0
    first, second = shapely.STRtree(new).query(new, predicate="dwithin", distance=5.0 - ROUNDING)
    assert np.array_equal(first, second)


def test_they_are_clear_of_rails_paths_and_streams(town):
    _, original, _, _, before = town
    data = read_osm(original)
    points = MapProjection(before.origin).to_local(data.places)
    lines = [
        shapely.LineString(points[data.rows(way.refs)])
        for way in data.ways
        if len(way.refs) > 1
        and way.tags.get("tunnel") in (None, "no", "building_passage")
        and (
            way.tags.get("highway") in ("footway", "path", "steps", "cycleway")
            or way.tags.get("railway") in ("rail", "tram", "light_rail")
            or way.tags.get("waterway") in ("river", "stream", "canal")
        )
    ]
    assert nearest(boxes(town), lines) >= 0.7


def _room_of(lane):
    line = shapely.LineString(lane.centre_line[:, :2])
    return line.buffer(lane.width / 2.0, cap_style="flat")


def test_they_look_at_their_street(town):
    *_, target, _, before = town
    houses = read_houses(target, before.origin)
    # The lanes and not all of the carriageway, of which the bays of parked cars are a part: these
    # reach out here and there, towards houses that do not look at them.
    street = shapely.union_all([_room_of(lane) for lane in before.roads.lanes])
    aside = 0
    for house in houses:
        ahead = shapely.LineString([house.centre, house.centre + 15.0 * house.front])
        seen = shapely.intersection(ahead, street)
        assert not seen.is_empty
        centre = shapely.Point(house.centre)
        aside += centre.distance(seen) > 1.1 * centre.distance(street)
    # At corners another street may be nearer than the one that a house belongs to.
    assert aside <= 0.2 * len(houses)


def test_the_simulator_builds_them_all_and_the_streets_stay_the_same(town):
    _, _, target, found, before = town
    after = build_world(target, diagnostics=Diagnostics())
    assert len(after.houses) - len(before.houses) == len(found.houses)
    assert after.origin == before.origin
    assert after.bounds == before.bounds
    assert np.array_equal(after.ground.vertices, before.ground.vertices)
    assert dict(after.invariants)["open_edges"] == dict(before.invariants)["open_edges"]


def test_osmium_sees_sorted_objects_and_the_metadata_of_the_original(town):
    _, original, target, _, _ = town

    def records(path):
        return {
            (item.type_str(), item.id): (
                item.version,
                item.changeset,
                item.uid,
                item.user,
                str(item.timestamp),
                tuple((tag.k, tag.v) for tag in item.tags),
            )
            for item in osmium.FileProcessor(str(path))
        }

    before, after = records(original), records(target)
    assert {key: after[key] for key in before} == before
    order = [("nwr".index(kind), number) for kind, number in after]
    assert order == sorted(order)
    assert min(n for _, n in set(after) - set(before)) > max(n for kind, n in before if kind == "n")


def test_the_preview_shows_streets_and_new_houses(town):
    *_, found, _ = town
    picture = np.asarray(draw_preview(found, size=700))
    assert max(picture.shape[:2]) >= 700
    colours = (
        {NEW_HOUSE, NEW_TREE} if any(h.house.size[0] < 2 for h in found.houses) else {NEW_HOUSE}
    )
    for colour in colours:
        assert (picture == colour).all(axis=2).sum() > 20


@pytest.mark.parametrize(
    "path",
    [
        "city/neukolln.osm",
        pytest.param("city/monaco.osm.gz", marks=pytest.mark.long),
        pytest.param("pbf/helsinki.osm.pbf", marks=pytest.mark.long),
    ],
)
def test_whole_cities_are_furnished(tmp_path, path):
    original = shared(f"osm/{path}")
    found = furnish(FurnishRequest(original))
    assert len(found.houses) > 30
    write_furnished(found, tmp_path / "city.osm.pbf")
    after = build_world(tmp_path / "city.osm.pbf", diagnostics=Diagnostics())
    assert len(after.houses) == len(found.houses)
