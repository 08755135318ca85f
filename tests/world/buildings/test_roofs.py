"""Every roof makes a closed solid, and looks as its tags say."""

import math

import numpy as np
import pytest
import shapely

from autosim.world.buildings.building_solids import Footprint, make_solid_mesh
from autosim.world.buildings.roofs import Roof, RoofShape, roof_of
from autosim.world.geometry.height_function import flat
from autosim.world.geometry.meshes import Surface
from tests.world.maps import CROSSING, build_map

RECTANGLE = shapely.Polygon([(0, 0), (12, 0), (12, 8), (0, 8)])
L_SHAPE = shapely.Polygon([(0, 0), (20, 0), (20, 8), (8, 8), (8, 18), (0, 18)])
COURTYARD = shapely.Polygon(
    [(0, 0), (30, 0), (30, 24), (0, 24)], [[(10, 9), (20, 9), (20, 15), (10, 15)]]
)
CROOKED = shapely.Polygon([(0, 0), (11, 1), (14, 6), (9, 12), (2, 9)])
FOOTPRINTS = {"rectangle": RECTANGLE, "L": L_SHAPE, "courtyard": COURTYARD, "crooked": CROOKED}


def solid(polygon, shape, rise=3.0, **roof):
    return make_solid_mesh([Footprint(polygon, 6.0, Roof(shape, rise, **roof))], flat).mesh


def volume(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def roof_heights(mesh, *points):
    """Height of the roof over points, by its triangles."""
    found = []
    for point in points:
        for triangle in mesh.triangles[mesh.surfaces == Surface.ROOF]:
            corners = mesh.vertices[triangle]
            base = np.column_stack([corners[:, :2], np.ones(3)])
            if abs(np.linalg.det(base)) < 1e-9:
                continue
            weights = np.linalg.solve(base.T, [*point, 1.0])
            if weights.min() > -1e-9:
                found.append(float(weights @ corners[:, 2]))
                break
    return found


@pytest.mark.parametrize("turn", [0.0, 0.4])
@pytest.mark.parametrize("shape", list(RoofShape))
@pytest.mark.parametrize("name", list(FOOTPRINTS))
def test_every_roof_closes_its_solid(name, shape, turn):
    polygon = shapely.transform(
        FOOTPRINTS[name],
        lambda p: (
            p @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        ),
    )
    mesh = solid(polygon, shape)
    t = mesh.triangles
    directed = np.vstack([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    _, uses = np.unique(np.sort(directed, axis=1), axis=0, return_counts=True)
    assert set(uses.tolist()) == {2}
    # Neighbours run along their edge in opposite directions: all faces look outwards.
    assert len(np.unique(directed, axis=0)) == len(directed)
    assert polygon.area * 6.4 < volume(mesh) < polygon.area * 9.6


def test_a_gabled_roof_has_its_ridge_along_the_longer_side():
    mesh = solid(RECTANGLE, RoofShape.GABLED)
    assert roof_heights(mesh, (1.0, 4.0), (11.0, 4.0)) == pytest.approx([9.0, 9.0])
    assert roof_heights(mesh, (6.0, 2.0), (6.0, 0.0)) == pytest.approx([7.5, 6.0])
    assert volume(mesh) == pytest.approx(96.0 * (6.5 + 1.5))


def test_a_ridge_can_be_turned():
    mesh = solid(RECTANGLE, RoofShape.GABLED, ridge=math.pi / 2.0)
    assert roof_heights(mesh, (6.0, 1.0), (3.0, 4.0)) == pytest.approx([9.0, 7.5])


def test_a_hipped_roof_slopes_from_all_sides():
    mesh = solid(RECTANGLE, RoofShape.HIPPED)
    middle, *eaves = roof_heights(mesh, (6.0, 4.0), (6.0, 0.0), (0.0, 4.0), (12.0, 4.0))
    assert middle == pytest.approx(9.0)
    assert eaves == pytest.approx([6.0, 6.0, 6.0])
    assert volume(mesh) < volume(solid(RECTANGLE, RoofShape.GABLED))


def test_a_hipped_roof_can_be_flat_on_top():
    mesh = solid(RECTANGLE, RoofShape.HIPPED, inset=2.0)
    assert roof_heights(mesh, (3.0, 4.0), (6.0, 2.5), (6.0, 1.0)) == pytest.approx([9.0, 9.0, 7.5])


def test_a_pyramid_has_its_top_over_the_middle():
    mesh = solid(RECTANGLE, RoofShape.PYRAMIDAL)
    assert roof_heights(mesh, (6.0, 4.0), (3.0, 4.0)) == pytest.approx([9.0, 7.5])
    assert volume(mesh) == pytest.approx(96.0 * (6.5 + 1.0))


@pytest.mark.parametrize(
    ("tags", "shape"),
    [
        ({"roof:shape": "gabled"}, RoofShape.GABLED),
        ({"roof:shape": "half-hipped"}, RoofShape.HIPPED),
        ({"roof:shape": "onion"}, RoofShape.PYRAMIDAL),
        ({"building": "garage"}, RoofShape.FLAT),
        ({"building": "church"}, RoofShape.GABLED),
    ],
)
def test_tags_and_kinds_choose_the_roof(tags, shape):
    assert roof_of(tags, RECTANGLE, RECTANGLE, seed=1).shape is shape


def test_untagged_houses_have_various_pitched_roofs():
    shapes = [roof_of({"building": "house"}, RECTANGLE, RECTANGLE, seed=k).shape for k in range(40)]
    assert set(shapes) == {RoofShape.GABLED, RoofShape.HIPPED}
    again = [roof_of({"building": "house"}, RECTANGLE, RECTANGLE, seed=k).shape for k in range(40)]
    assert shapes == again


def test_the_height_of_a_building_includes_its_roof_and_its_levels_do_not(tmp_path):
    ring = ((20.0, 20.0), (32.0, 20.0), (32.0, 28.0), (20.0, 28.0), (20.0, 20.0))
    gabled = {"building": "house", "roof:shape": "gabled", "roof:height": "2"}
    by_height = build_map(tmp_path, [*CROSSING, (ring, {**gabled, "height": "9"})])
    by_levels = build_map(tmp_path, [*CROSSING, (ring, {**gabled, "building:levels": "3"})])
    assert by_height.buildings.vertices[:, 2].max() == pytest.approx(9.0)
    assert by_levels.buildings.vertices[:, 2].max() == pytest.approx(11.0)


def test_parts_take_the_place_of_their_building(tmp_path):
    ring = ((20.0, 20.0), (40.0, 20.0), (40.0, 30.0), (20.0, 30.0), (20.0, 20.0))
    low = ((20.0, 20.0), (30.0, 20.0), (30.0, 30.0), (20.0, 30.0), (20.0, 20.0))
    high = ((30.0, 20.0), (40.0, 20.0), (40.0, 30.0), (30.0, 30.0), (30.0, 20.0))
    part = {"building:part": "yes", "roof:shape": "flat"}
    ways = [*CROSSING, (ring, {"building": "office", "height": "30"}),
            (low, {**part, "height": "5"}),
            (high, {**part, "height": "12", "min_height": "4"})]  # fmt: skip
    world = build_map(tmp_path, ways)
    assert np.unique(np.round(world.buildings.vertices[:, 2], 3)).tolist() == [-0.5, 4.0, 5.0, 12.0]
    assert not any("building" in reason for reason, _ in world.ignored)


def test_stated_colours_are_kept(tmp_path):
    ring = ((20.0, 20.0), (32.0, 20.0), (32.0, 28.0), (20.0, 28.0), (20.0, 20.0))
    tags = {"building": "yes", "building:colour": "#102030", "roof:colour": "red"}
    world = build_map(tmp_path, [*CROSSING, (ring, tags)])
    is_roof = world.buildings.surfaces == Surface.ROOF
    assert np.unique(world.building_tints[is_roof], axis=0).tolist() == [[255, 0, 0, 255]]
    assert np.unique(world.building_tints[~is_roof], axis=0).tolist() == [[16, 32, 48, 255]]
