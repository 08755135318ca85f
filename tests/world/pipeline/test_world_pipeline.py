import math
import pickle
from inspect import signature
from typing import get_type_hints

import numpy as np
import pytest
import shapely
from PIL import Image
from shapely.errors import GEOSException

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex, height_at, on_carriageway
from autosim.world.geometry.meshes import Surface
from autosim.world.levels.heights import kerb_lift
from autosim.world.pipeline.recipe import Results
from autosim.world.pipeline.scheduler import run_steps
from autosim.world.pipeline.world_inputs import WorldInputs
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.pipeline.world_recipe import AFTER_PLAN, IN_PLAN, INPUTS, WORLD
from tests.world.maps import CROSSING, ORIGIN, RESIDENTIAL, build_map, write_map

STEPS = (*IN_PLAN.steps, *AFTER_PLAN.steps)
SETUP = MapSetup("test", origin=ORIGIN)
SQUARE = ((20.0, 20.0), (40.0, 20.0), (40.0, 32.0), (20.0, 32.0), (20.0, 20.0))


def build(folder, ways=CROSSING, setup=SETUP, **others):
    height_map = others.pop("height_map", None)
    return build_world(
        write_map(folder, ways, **others), setup=setup, height_map=height_map, driving_side="left"
    )


@pytest.fixture(scope="module")
def crossing_results(tmp_path_factory):
    """What each step gives."""
    path = write_map(tmp_path_factory.mktemp("results"), CROSSING)
    made = {INPUTS: WorldInputs(path, SETUP, driving_side="left")}
    for step in STEPS:
        results = Results()
        for each, value in made.items():
            results.keep(each, value)
        made[step] = run_steps([step], results).of(step)
    return made


@pytest.fixture(scope="module")
def crossing(tmp_path_factory):
    return build(tmp_path_factory.mktemp("crossing"))


def test_the_ground_is_one_watertight_level(crossing):
    assert dict(crossing.invariants) == {
        "open_edges": 0.0,
        "non_manifold_edges": 0.0,
        "road_slivers": 0.0,
        "downward_faces": 0.0,
        "missed_rays": 0.0,
        "floating_buildings": 0.0,
        "missed_lane_rays": 0.0,
        "worst_hop_m": 0.0,
        "worst_side_step_m": 0.0,
        "steepest_lane": 0.0,
        "grade_p99": 0.0,
        "worst_joint_gap_m": 0.0,
        "worst_joint_turn": pytest.approx(0.05, abs=0.03),
        "tight_connectors": 0.0,
        "tight_lanes": 0.0,
        "lost_ends": 0.0,
    }


def test_surfaces_lie_where_the_map_has_them(crossing):
    points = [[50.0, 0.0], [50.0, 4.0], [50.0, 60.0]]
    assert on_carriageway(crossing, points).tolist() == [True, False, False]
    surfaces = GroundIndex.build(crossing.ground).surfaces_at(points)
    assert surfaces.tolist() == [Surface.CARRIAGEWAY, Surface.PAVEMENT, Surface.GROUND]


def test_the_kerb_is_a_slope_of_its_height(crossing):
    heights = height_at(crossing, [[50.0, 0.0], [50.0, 3.4], [50.0, 4.0]])
    assert heights[0] == pytest.approx(0.0, abs=1e-6)
    assert 0.01 < heights[1] < 0.14
    assert heights[2] == pytest.approx(0.15, abs=1e-6)


def test_outside_the_world_there_is_no_height(crossing):
    assert np.isnan(height_at(crossing, [[9000.0, 0.0]])).all()


def test_every_lane_lies_on_the_carriageway_with_room_for_a_car(crossing):
    index = GroundIndex.build(crossing.ground)
    for lane in crossing.roads.lanes:
        for s in np.linspace(0.0, lane.length, 20):
            for t in (-1.4, 0.0, 1.4):
                assert index.surfaces_at([lane.position(s, t)])[0] == Surface.CARRIAGEWAY


def test_a_footprint_becomes_a_closed_solid(tmp_path):
    world = build(tmp_path, [*CROSSING, (SQUARE, {"building": "yes", "height": "7"})])
    mesh = world.buildings
    corners = mesh.vertices[mesh.triangles]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(20.0 * 12.0 * 7.5, rel=0.01)
    assert mesh.vertices[:, 2].max() == pytest.approx(7.0)
    edges = np.vstack(
        [mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]]
    )
    _, uses = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert set(uses.tolist()) == {2}


def test_a_building_on_a_street_is_left_out_and_counted(tmp_path):
    on_street = tuple((x - 30.0, y - 26.0) for x, y in SQUARE)
    world = build(tmp_path, [*CROSSING, (on_street, {"building": "yes"})])
    assert dict(world.left_out) == {"buildings on carriageways": 1}
    assert not len(world.buildings.triangles)


def test_a_house_node_stands_turned_and_sized_as_it_says(tmp_path):
    tags = {
        "filePath": "models/buildings/house0",
        "rotY": f"{math.pi / 2.0}",
        "sizeX": "8",
        "sizeY": "5",
        "sizeZ": "12",
    }
    world = build(tmp_path, nodes=[((30.0, 30.0), tags)])
    (house,) = world.houses
    assert house.size == (12.0, 8.0, 5.0)
    assert house.yaw == pytest.approx(0.0, abs=1e-9)
    assert house.position == pytest.approx((30.0, 30.0, 0.0), abs=0.02)
    assert np.ptp(world.house_boxes.vertices, axis=0) == pytest.approx([12.0, 8.0, 5.5], abs=0.01)


def test_a_house_node_on_the_street_or_without_size_is_left_out(tmp_path):
    sized = {"filePath": "m", "sizeX": "8", "sizeY": "5", "sizeZ": "12"}
    world = build(tmp_path, nodes=[((30.0, 5.0), sized), ((30.0, 50.0), {"filePath": "m"})])
    assert world.houses == ()
    assert dict(world.left_out) == {"houses on carriageways": 1, "houses without a size": 1}


def test_parks_and_water_are_surfaces(tmp_path):
    pond = tuple((x + 30.0, y + 30.0) for x, y in SQUARE)
    ways = [*CROSSING, (SQUARE, {"leisure": "park"}), (pond, {"natural": "water"})]
    world = build(tmp_path, ways)
    surfaces = GroundIndex.build(world.ground).surfaces_at([[30.0, 26.0], [60.0, 56.0]])
    assert surfaces.tolist() == [Surface.PARK, Surface.WATER]


def test_a_height_map_lifts_the_ground_and_streets_stay_smooth(tmp_path):
    rows = np.arange(64, dtype=np.uint8)
    picture = tmp_path / "heightmap.png"
    Image.fromarray(np.repeat(rows[:, None] * 2, 64, axis=1)).save(picture)
    world = build(tmp_path, height_map=picture)
    south, north = height_at(world, [[60.0, -100.0], [60.0, 100.0]])
    # 8 m a sample and 10 units a metre: 200 m are 25 samples of 0.2 m.
    assert south - north == pytest.approx(5.0, abs=0.3)
    assert dict(world.invariants)["open_edges"] == 0.0
    across = height_at(world, [[60.0, -2.5], [60.0, 2.5]])
    assert abs(across[0] - across[1]) < 0.1


def test_the_size_of_the_set_up_is_the_size_of_the_world(tmp_path):
    world = build(tmp_path, setup=MapSetup("s", origin=ORIGIN, size=(240.0, 200.0)))
    assert world.bounds == (-120.0, -100.0, 120.0, 100.0)
    assert dict(world.left_out)["streets cut at the window"] == 4


def test_the_same_map_gives_the_same_world(tmp_path):
    first, second = build(tmp_path), build(tmp_path)
    assert first.digest == second.digest
    assert first.ground.vertices.tobytes() == second.ground.vertices.tobytes()
    assert first.roads.points.tobytes() == second.roads.points.tobytes()


def test_the_steps_report_their_progress(tmp_path):
    seen = []
    build_world(
        write_map(tmp_path, CROSSING),
        driving_side="left",
        progress=lambda name, share: seen.append((name, share)),
    )
    assert {name for name, _ in seen} == {step.name for step in STEPS} | {"done"}
    assert seen[-1] == ("done", 1.0)
    assert [share for _, share in seen] == sorted(share for _, share in seen)


def test_each_step_takes_what_an_earlier_step_gives():
    given = {INPUTS: WorldInputs}
    for step in STEPS:
        types = get_type_hints(step.run)
        # A record is its own result.
        result = types.pop("return", step.run)
        number = () if step.parts is None else (0,)
        bound = signature(step.run).bind(*number, *step.arguments, **step.keywords)
        for name in list(bound.arguments)[len(number) :]:
            assert types[name] == given[bound.arguments[name]], (step.name, name)
        given[step] = result if step.parts is None else tuple[result, ...]
    assert given[WORLD] is CompiledWorld


def test_what_a_helper_may_run_comes_back_as_it_was(crossing_results):
    for step in (each for each in STEPS if each.is_shared):
        result = crossing_results[step]
        assert pickle.loads(pickle.dumps(result)) is not None, step.name


def test_a_side_that_is_not_stated_is_not_a_warning_far_from_borders(tmp_path):
    diagnostics = Diagnostics()
    world = build_world(write_map(tmp_path, CROSSING), diagnostics=diagnostics)
    assert world.driving_side == "left"
    assert diagnostics.warnings == ()


def test_a_map_without_streets_is_an_error(tmp_path):
    path = write_map(tmp_path, [(SQUARE, {"building": "yes"})])
    with pytest.raises(ConfigError, match="no street"):
        build_world(path)


def test_a_broken_map_makes_no_world(tmp_path):
    path = tmp_path / "map.osm"
    path.write_text("<osm version='0.6'><node id='1' lat='1' lon='1'")
    with pytest.raises(ConfigError, match=r"map\.osm:1: error"):
        build_world(path)


def test_a_picture_that_is_none_is_an_error(tmp_path):
    picture = tmp_path / "heightmap.png"
    picture.write_text("no picture")
    with pytest.raises(ConfigError, match="height map"):
        build(tmp_path, height_map=picture)


def test_multipolygons_have_their_holes(tmp_path):
    path = write_map(
        tmp_path,
        [
            *CROSSING,
            (SQUARE, {}),
            (((26.0, 24.0), (34.0, 24.0), (34.0, 28.0), (26.0, 28.0), (26.0, 24.0)), {}),
        ],
    )
    relation = (
        '<relation id="1"><member type="way" ref="3" role="outer"/>'
        '<member type="way" ref="4" role="inner"/>'
        '<tag k="type" v="multipolygon"/><tag k="leisure" v="park"/></relation></osm>'
    )
    path.write_text(path.read_text().replace("</osm>", relation))
    world = build_world(path, setup=SETUP, driving_side="left")
    surfaces = GroundIndex.build(world.ground).surfaces_at([[22.0, 26.0], [30.0, 26.0]])
    assert surfaces.tolist() == [Surface.PARK, Surface.GROUND]


def test_two_carriageways_side_by_side_are_not_welded(tmp_path):
    ways = [
        (((-80.0, 0.0), (80.0, 0.0)), RESIDENTIAL),
        (((-80.0, 9.0), (80.0, 9.0)), RESIDENTIAL),
    ]
    world = build(tmp_path, ways)
    assert not on_carriageway(world, [[0.0, 4.5]])[0]


def test_worlds_of_left_and_right_traffic_differ(tmp_path):
    left = build_map(tmp_path, CROSSING, "left")
    right = build_map(tmp_path, CROSSING, "right")
    assert left.digest != right.digest


def test_what_touches_the_carriageway_is_not_lifted():
    triangles = np.array([[0, 1, 2], [1, 2, 3]], dtype=np.int32)
    surfaces = np.array([Surface.CARRIAGEWAY, Surface.PAVEMENT], dtype=np.uint8)
    lifted = kerb_lift(
        triangles, surfaces, count=4, raised=Surface.PAVEMENT, level=Surface.CARRIAGEWAY
    )
    assert lifted.tolist() == [False, False, False, True]


def test_shapes_that_geos_cannot_combine_are_left_out_by_their_place(tmp_path, monkeypatch):
    plain = shapely.difference

    def difference(first, second, **options):
        """Fails for houses, as GEOS does on some: as a whole array, and each alone."""
        houses = [each for each in np.atleast_1d(first) if 90.0 < each.area < 250.0]
        if houses:
            raise GEOSException("TopologyException: side location conflict")
        return plain(first, second, **options)

    monkeypatch.setattr(shapely, "difference", difference)
    on_street = tuple((x - 30.0, y - 27.0) for x, y in SQUARE)
    path = write_map(
        tmp_path, [*CROSSING, (SQUARE, {"building": "yes"}), (on_street, {"building": "yes"})]
    )
    found = Diagnostics()
    world = build_world(path, setup=SETUP, driving_side="left", diagnostics=found)
    assert dict(world.left_out)["shapes on which GEOS failed"] > 0
    message = found.warnings[-1].message
    assert "is left out of the step" in message
    assert "near -31.97" in message
    assert "(building " in message or "(way " in message
    assert "side location conflict" in message
    assert message in [text for _, _, text in world.warnings]
