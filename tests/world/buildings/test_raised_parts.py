"""What stands under the parts of buildings that begin above the ground."""

import numpy as np
import pytest
import shapely
from PIL import Image

from autosim.applications.maps.world_check import check_record, check_text
from autosim.config.descriptions import MapSetup
from autosim.world.buildings.solid_support import unsupported_solids
from autosim.world.geometry.meshes import Surface
from autosim.world.pipeline.steps import steps_of_buildings
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import RESIDENTIAL, build_map, write_map

STREET = (((-90.0, 0.0), (90.0, 0.0)), RESIDENTIAL)


def rectangle(x, y, width, depth):
    return ((x, y), (x + width, y), (x + width, y + depth), (x, y + depth), (x, y))


def building(shape, **tags):
    return shape, {"building": "yes", **tagged(tags)}


def part(shape, **tags):
    return shape, {"building:part": "yes", **tagged(tags)}


def tagged(tags):
    long = {"levels": "building:levels", "min_level": "building:min_level"}
    return {long.get(key, key): str(value) for key, value in tags.items()}


def built(folder, *ways):
    return build_map(folder, [STREET, *ways])


def is_built(world, x, y, z):
    """Whether a point is inside a building: an upward ray leaves more solids than it enters."""
    mesh = world.buildings
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    corners = np.stack([a[:, :2], b[:, :2], c[:, :2]], axis=1)
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    twice = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    level = np.abs(twice) > 1e-6
    hit = level & shapely.contains_xy(shapely.polygons(corners), x, y)
    above = hit & (np.stack([a, b, c], axis=1)[:, :, 2].mean(axis=1) > z)
    return int(np.sign(twice[above]).sum()) > 0


def floating_count(world):
    return dict(world.invariants)["floating_buildings"]


HOUSE = rectangle(10.0, 20.0, 30.0, 20.0)


def test_an_outline_stands_up_to_parts_that_cover_it_above_the_ground(tmp_path):
    world = built(tmp_path, building(HOUSE, levels=2), part(HOUSE, levels=6, min_level=2))
    assert [is_built(world, 25.0, 30.0, z) for z in (1.0, 5.9, 6.1, 17.9, 18.1)] == [
        *[True] * 4,
        False,
    ]
    assert floating_count(world) == 0.0


def test_an_outline_with_the_height_of_all_ends_where_its_parts_begin(tmp_path):
    world = built(
        tmp_path,
        building(rectangle(10.0, 20.0, 36.0, 20.0), levels=6),
        part(HOUSE, levels=6, min_level=2),
    )
    assert is_built(world, 43.0, 30.0, 5.0)
    assert not is_built(world, 43.0, 30.0, 7.0)


def test_an_outline_is_left_out_where_parts_on_the_ground_cover_it(tmp_path):
    low, high = rectangle(10.0, 20.0, 24.0, 20.0), rectangle(10.0, 20.0, 10.0, 20.0)
    world = built(
        tmp_path,
        building(HOUSE, levels=6),
        part(low, levels=2),
        part(high, levels=6, min_level=2),
    )
    assert is_built(world, 15.0, 30.0, 10.0)
    assert not is_built(world, 25.0, 30.0, 7.0)
    assert not is_built(world, 38.0, 30.0, 1.0)


def test_what_is_under_a_part_without_an_outline_is_filled_up(tmp_path):
    world = built(tmp_path, part(HOUSE, levels=6, min_level=2))
    assert is_built(world, 25.0, 30.0, 1.0)
    assert floating_count(world) == 0.0


def test_a_part_over_a_lower_one_goes_down_to_it_or_is_filled_up(tmp_path):
    above = rectangle(12.0, 22.0, 8.0, 8.0)
    for base in (3, 5):
        world = built(tmp_path, part(HOUSE, levels=2), part(above, levels=6, min_level=base))
        assert is_built(world, 16.0, 26.0, 8.0)
        assert not is_built(world, 30.0, 26.0, 8.0)
        assert floating_count(world) == 0.0


def test_a_bay_and_an_arcade_jut_out(tmp_path):
    arcade = rectangle(10.0, 16.5, 30.0, 3.5)
    world = built(tmp_path, part(HOUSE, levels=4), part(arcade, levels=4, min_level=1))
    assert is_built(world, 25.0, 18.0, 5.0)
    assert not is_built(world, 25.0, 18.0, 1.0)
    assert floating_count(world) == 0.0


def test_a_part_that_juts_out_far_is_filled_up(tmp_path):
    far = rectangle(10.0, 40.0, 30.0, 15.0)
    world = built(tmp_path, part(HOUSE, levels=4), part(far, levels=4, min_level=1))
    assert is_built(world, 25.0, 50.0, 1.0)


def test_a_bridge_between_houses_spans_what_is_between_them(tmp_path):
    world = built(
        tmp_path,
        building(rectangle(-30.0, 20.0, 20.0, 20.0), levels=4),
        building(rectangle(10.0, 20.0, 20.0, 20.0), levels=4),
        building(rectangle(-10.0, 28.0, 20.0, 4.0), levels=3, min_level=2),
    )
    assert is_built(world, 0.0, 30.0, 7.0)
    assert not is_built(world, 0.0, 30.0, 3.0)
    assert floating_count(world) == 0.0


@pytest.mark.parametrize(
    "way", [{"highway": "footway", "tunnel": "building_passage"}, {"railway": "rail"}]
)
def test_a_passage_and_a_railway_lead_through_below(tmp_path, way):
    through = (((25.0, 10.0), (25.0, 60.0)), way)
    world = built(tmp_path, building(HOUSE, levels=2), part(HOUSE, levels=6, min_level=2), through)
    assert not is_built(world, 25.0, 30.0, 1.0)
    assert is_built(world, 25.0, 30.0, 7.0)
    assert is_built(world, 15.0, 30.0, 1.0)
    assert floating_count(world) == 0.0


def test_on_a_slope_the_parts_of_a_building_meet(tmp_path):
    # 40 m over 200 m, from south to north.
    rows = np.repeat(np.linspace(200.0, 0.0, 101)[:, None], 101, axis=1)
    Image.fromarray(rows.astype(np.uint8)).save(tmp_path / "heights.png")
    setup = MapSetup("slope", height_data_per_area=2.0, height_division_coefficient=5.0)
    ways = [
        STREET,
        part(rectangle(10.0, 12.0, 10.0, 40.0), levels=3),
        part(rectangle(10.0, 42.0, 10.0, 10.0), levels=6, min_level=3),
        part(rectangle(10.0, 12.0, 10.0, 10.0), levels=6, min_level=3),
    ]
    world = build_world(
        write_map(tmp_path, ways),
        setup=setup,
        height_map=tmp_path / "heights.png",
        driving_side="left",
    )
    assert floating_count(world) == 0.0
    roofs = world.buildings.triangles[world.buildings.surfaces == Surface.ROOF]
    heights = np.unique(world.buildings.vertices[roofs][:, :, 2].round(3))
    assert np.diff(heights) == pytest.approx([9.0])


def test_what_floats_is_found_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr(steps_of_buildings, "held_up", lambda areas, **others: list(areas))
    small = rectangle(50.0, 20.0, 10.0, 10.0)
    world = built(
        tmp_path,
        part(HOUSE, levels=6, min_level=2),
        part(small, levels=6, min_level=2),
    )
    assert floating_count(world) == 2.0
    record = check_record(world)
    assert "floating_buildings" in record["broken"]
    assert record["worst_causes"]["floating_buildings"].startswith("600 m² of a building")
    assert "broken    floating_buildings 2, worst at -31.97" in check_text(world)


def test_solids_that_hold_each_other_above_the_ground_float():
    boxes = [shapely.box(k, 0.0, k + 10.0, 10.0) for k in (0.0, 10.0, 30.0)]
    spans = np.array([[5.0, 9.0], [5.0, 9.0], [0.0, 9.0]])
    assert unsupported_solids(boxes, spans, np.array([True, True, False])) == [0, 1]
    spans[1, 0] = 0.0
    assert unsupported_solids(boxes, spans, np.array([True, False, False])) == [0]
