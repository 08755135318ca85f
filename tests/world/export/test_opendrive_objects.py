"""Exported OpenDRIVE holds the objects of a world, and gives them back when it is imported."""

from pathlib import Path

import numpy as np
import pytest
import shapely
from lxml import etree
from scipy.spatial import cKDTree

from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.export.furniture.mesh_outlines import solid_outlines
from autosim.world.export.opendrive import opendrive
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import RESIDENTIAL, build_map

CLOSE = 0.01
"""[m] Greatest distance of an object from where it was."""

BEND = tuple((60.0 * np.cos(a), 60.0 * np.sin(a)) for a in np.linspace(0.2, 2.4, 12))
COURT = ((-12.0, 68.0), (12.0, 68.0), (12.0, 85.0), (-12.0, 85.0), (-12.0, 68.0))


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    """A bend with houses, a wall, a fence, a hedge, trees, a lamp, a bench and a crosswalk."""
    house = ((-8.0, 20.0), (6.0, 20.0), (6.0, 30.0), (-8.0, 30.0), (-8.0, 20.0))
    ways = [
        (BEND, RESIDENTIAL),
        (house, {"building": "yes", "height": "9"}),
        (COURT, {"building": "yes"}),
        (((-20.0, 5.0), (20.0, 8.0)), {"barrier": "wall"}),
        (((-20.0, 0.0), (20.0, 0.0)), {"barrier": "fence"}),
        (((-20.0, -5.0), (20.0, -6.0)), {"barrier": "hedge"}),
    ]
    nodes = [
        ((70.0, 60.0), {"natural": "tree", "leaf_type": "needleleaved"}),
        ((0.0, 45.0), {"natural": "tree"}),
        ((-5.0, -60.0), {"natural": "tree"}),
        ((4.0, 52.0), {"highway": "street_lamp"}),
        ((30.0, 20.0), {"amenity": "bench"}),
        ((25.0, 20.0), {"barrier": "bollard"}),
        (BEND[6], {"highway": "crossing", "crossing": "zebra"}),
    ]
    return build_map(tmp_path_factory.mktemp("map"), ways, side="right", nodes=nodes)


@pytest.fixture(scope="module")
def document(town: CompiledWorld) -> etree._Element:
    return etree.fromstring(opendrive(town))


@pytest.fixture(scope="module")
def back(town: CompiledWorld, tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    path = tmp_path_factory.mktemp("back") / "town.xodr"
    path.write_bytes(opendrive(town))
    return build_world(path)


def kinds(document: etree._Element) -> set[tuple[str, str]]:
    return {(each.get("type"), each.get("subtype", "")) for each in document.iter("object")}


def test_objects_have_types_and_subtypes_of_the_standard(document: etree._Element) -> None:
    assert {
        ("building", ""),
        ("barrier", "wall"),
        ("barrier", "fence"),
        ("vegetation", "hedge"),
        ("tree", "leaf"),
        ("tree", "needle"),
        ("pole", "streetLamp"),
        ("pole", "bollard"),
        ("crosswalk", "pedestrian"),
    } <= kinds(document)


def test_objects_come_before_signals_and_have_ids_of_their_own(document: etree._Element) -> None:
    ids = [each.get("id") for each in document.iter("object")]
    assert len(set(ids)) == len(ids)
    for road in document.iter("road"):
        order = [each.tag for each in road if each.tag in ("lanes", "objects", "signals")]
        assert order == sorted(order, key=("lanes", "objects", "signals").index)


@pytest.mark.parametrize("kind", list(PropKind)[:4])
def test_props_come_back_where_they_were(
    town: CompiledWorld, back: CompiledWorld, kind: PropKind
) -> None:
    before = town.props.positions[town.props.kinds == kind]
    after = back.props.positions[back.props.kinds == kind]
    assert len(before) == len(after) > 0
    assert cKDTree(after).query(before)[0].max() < CLOSE


def plan_of(mesh: Mesh, surface: Surface) -> shapely.Polygon:
    solids = solid_outlines(mesh.select(mesh.surfaces == surface))
    return shapely.union_all([part for solid in solids for part in solid.polygons])


@pytest.mark.parametrize("surface", [Surface.MASONRY, Surface.TIMBER, Surface.HEDGE])
def test_barriers_come_back_where_they_were(
    town: CompiledWorld, back: CompiledWorld, surface: Surface
) -> None:
    before, after = plan_of(town.obstacles, surface), plan_of(back.obstacles, surface)
    assert before.area > 1.0
    assert before.symmetric_difference(after).area < 0.02 * before.area


def test_buildings_come_back_with_their_plan_and_height(
    town: CompiledWorld, back: CompiledWorld
) -> None:
    def whole(mesh: Mesh) -> shapely.Polygon:
        return shapely.union_all([p for each in solid_outlines(mesh) for p in each.polygons])

    before, after = whole(town.buildings), whole(back.buildings)
    assert before.area > 300.0
    assert before.symmetric_difference(after).area < 0.01 * before.area
    assert back.buildings.vertices[:, 2].max() == pytest.approx(
        town.buildings.vertices[:, 2].max(), abs=CLOSE
    )


def test_a_crosswalk_leads_over_both_lanes_again(town: CompiledWorld, back: CompiledWorld) -> None:
    def places(world: CompiledWorld) -> list[list[float]]:
        rules = world.roads.traffic
        pairs = zip(rules.crossing_lanes, rules.crossing_stations, strict=True)
        return sorted(world.roads.lanes[lane].position(s)[:2].tolist() for lane, s in pairs)

    assert len(places(town)) == 2
    assert np.allclose(places(back), places(town), atol=0.2)


def test_bridges_and_tunnels_are_marked_on_the_roads_that_they_carry(tmp_path: Path) -> None:
    wide = {"highway": "secondary"}
    ways = [
        (((-300.0, 0.0), (-60.0, 0.0)), wide),
        (((-60.0, 0.0), (60.0, 0.0)), wide | {"bridge": "yes", "layer": "1"}),
        (((60.0, 0.0), (300.0, 0.0)), wide),
        (((0.0, -300.0), (0.0, 300.0)), RESIDENTIAL),
        (((-150.0, -300.0), (-150.0, -50.0)), wide),
        (((-150.0, -50.0), (-150.0, 50.0)), wide | {"tunnel": "yes", "layer": "-1"}),
        (((-150.0, 50.0), (-150.0, 300.0)), wide),
    ]
    document = etree.fromstring(opendrive(build_map(tmp_path, ways, side="right")))
    places = {}
    for tag in ("bridge", "tunnel"):
        found = list(document.iter(tag))
        assert len(found) == 2
        for each in found:
            geometry = each.getparent().getparent().find("planView/geometry")
            x, y, heading = (float(geometry.get(name)) for name in ("x", "y", "hdg"))
            middle = float(each.get("s")) + float(each.get("length")) / 2.0
            places[tag] = np.array([x + middle * np.cos(heading), y + middle * np.sin(heading)])
            assert float(each.get("length")) > 10.0
    assert places["bridge"] - places["tunnel"] == pytest.approx([150.0, 0.0], abs=4.0)


def area_of(world: CompiledWorld, surface: Surface) -> float:
    p = world.ground.vertices[world.ground.triangles[world.ground.surfaces == surface], :2]
    ahead, away = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
    return 0.5 * float(np.abs(ahead[:, 0] * away[:, 1] - ahead[:, 1] * away[:, 0]).sum())


def test_pavements_and_wide_carriageways_come_back(tmp_path: Path) -> None:
    street = {"highway": "residential", "sidewalk": "both", "width": "9"}
    town = build_map(tmp_path, [(((-150.0, 0.0), (150.0, 20.0)), street)], side="right")
    document = etree.fromstring(opendrive(town))
    assert {each.get("type") for each in document.iter("type")} == {"townLocal"}
    kinds = {each.get("type") for each in document.iter("lane")}
    assert {"driving", "sidewalk"} <= kinds
    path = tmp_path / "town.xodr"
    path.write_bytes(opendrive(town))
    back = build_world(path)
    assert set(back.roads.highway_names) == {"residential"}
    for surface in (Surface.PAVEMENT, Surface.CARRIAGEWAY):
        assert area_of(town, surface) > 500.0
        assert area_of(back, surface) == pytest.approx(area_of(town, surface), rel=0.1)
