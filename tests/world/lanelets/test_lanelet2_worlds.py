"""Whole worlds of small Lanelet2 files."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.reading.map_kinds import MapKind, map_kind
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import on_carriageway
from autosim.world.geometry.meshes import Surface
from autosim.world.lanelets.lanelet2_reader import read_lanelet2
from autosim.world.lanelets.lanelet_records import PathKey
from autosim.world.lanes.lane_rules import Control
from autosim.world.pipeline.map_check import check_map
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.lanelets.lanelet2_files import (
    INNER,
    ORIGIN,
    OUTER,
    WIDTH,
    Lanelet2File,
    crossroads,
)


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    file = Lanelet2File()
    crossroads(file, rule="traffic_light")
    return build_world(file.written(tmp_path_factory.mktemp("lanelets")))


def test_a_crossroads_becomes_lanes_that_meet(crossing: CompiledWorld) -> None:
    roads = crossing.roads
    assert (~roads.connectors).sum() == 8
    assert roads.connectors.sum() == 12
    incoming = [each for each in roads.lanes if not each.is_connector and each.successors]
    assert [len(each.successors) for each in incoming] == [3, 3, 3, 3]
    for each in incoming:
        for after in each.successors:
            gap = roads.lanes[after].position(0.0) - each.position(each.length)
            assert np.linalg.norm(gap) < 1e-6
    assert crossing.driving_side == "right"
    # The arms have one street each, on which both directions are.
    assert len(np.unique(roads.roads[~roads.connectors])) == 4


def test_its_ground_is_sound_and_its_lanes_lie_on_the_carriageway(crossing: CompiledWorld) -> None:
    values = dict(crossing.invariants)
    assert not any(values[name] for name in ("open_edges", "non_manifold_edges", "missed_rays"))
    points = crossing.roads.points
    # The ends of the arms are the edge of the carriageway.
    inside = np.abs(points[:, :2]).max(axis=1) < OUTER - 0.1
    assert on_carriageway(crossing, points[inside]).all()
    assert (crossing.markings.surfaces == Surface.PAINT).sum() > 0


def test_lights_hold_the_lane_that_refers_to_them(crossing: CompiledWorld) -> None:
    roads = crossing.roads
    held = np.flatnonzero(roads.traffic.controls == Control.SIGNALS).tolist()
    # A light is for the whole junction; its own lane waits at the line that the file states.
    ends = np.array([roads.lanes[k].position(roads.lanes[k].length)[:2] for k in held])
    east = int(np.abs(ends - (INNER, WIDTH / 2.0)).sum(axis=1).argmin())
    waits = roads.lanes[held[east]].position(float(roads.traffic.stop_lines[held[east]]))
    offset = ends[east] - waits[:2]
    assert np.hypot(*offset) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("rule", "sign", "expected"),
    [
        ("right_of_way", "", Control.GIVE_WAY),
        ("traffic_sign", "de206", Control.STOP),
        ("all_way_stop", "", Control.ALL_WAY_STOP),
    ],
)
def test_rules_of_right_of_way_hold_their_lanes(
    tmp_path: Path, rule: str, sign: str, expected: Control
) -> None:
    file = Lanelet2File()
    crossroads(file, rule=rule, sign=sign)
    roads = build_world(file.written(tmp_path)).roads
    assert (roads.traffic.controls == expected).sum() == 1


def test_successors_are_paths_that_begin_at_the_same_nodes(tmp_path: Path) -> None:
    file = Lanelet2File()
    ids = crossroads(file)
    content = read_lanelet2(file.written(tmp_path), Diagnostics())
    for incoming in ids["in"]:
        after = content.successors[PathKey(incoming, is_along=True)]
        assert len(after) == 3
        assert {each.lanelet for each in after} <= set(ids["through"])
    assert all(not content.successors[PathKey(each, is_along=True)] for each in ids["out"])


def test_a_two_way_lanelet_has_a_lane_for_each_direction(tmp_path: Path) -> None:
    file = Lanelet2File()
    left = file.way([(0.0, 6.0), (80.0, 6.0)])
    right = file.way([(80.0, 0.0), (0.0, 0.0)])
    file.lanelet(left, right, one_way="no")
    roads = build_world(file.written(tmp_path)).roads
    assert len(roads.roads) == 2
    tops = [lane.position(40.0)[1] - lane.position(0.0)[1] for lane in roads.lanes]
    assert tops == pytest.approx([0.0, 0.0], abs=1e-3)
    apart = abs(roads.lanes[0].position(40.0)[1] - roads.lanes[1].position(40.0)[1])
    assert apart == pytest.approx(3.0, abs=1e-3)
    assert roads.lanes[0].position(40.0)[1] < roads.lanes[1].position(40.0)[1]


def test_lanelets_that_follow_one_another_are_one_lane(tmp_path: Path) -> None:
    file = Lanelet2File()
    for x in (0.0, 20.0, 40.0):
        left = file.way([(x, 3.0), (x + 20.0, 3.0)])
        right = file.way([(x, 0.0), (x + 20.0, 0.0)])
        file.lanelet(left, right, speed_limit="30 mph" if x > 30.0 else "50")
    roads = build_world(file.written(tmp_path)).roads
    assert roads.lengths() == pytest.approx([40.0, 20.0], abs=1e-4)
    assert roads.speed_limits == pytest.approx([50.0 / 3.6, 30.0 * 0.44704])
    assert roads.lanes[0].successors == (1,)


def test_local_coordinates_go_before_latitudes_and_keep_large_grids_near(tmp_path: Path) -> None:
    file = Lanelet2File(is_local=True, shift=(81_000.0, 42_000.0))
    left = file.way([(0.0, 3.0, 5.0), (30.0, 3.0, 8.0)])
    right = file.way([(0.0, 0.0, 5.0), (30.0, 0.0, 8.0)])
    file.lanelet(left, right)
    world = build_world(file.written(tmp_path))
    points = world.roads.points
    assert np.abs(points[:, :2]).max() < 100.0
    assert points[:, 2].min() == pytest.approx(5.0, abs=0.01)
    assert points[:, 2].max() == pytest.approx(8.0, abs=0.01)


def test_maps_by_latitude_have_their_origin_in_the_middle(crossing: CompiledWorld) -> None:
    assert crossing.origin == pytest.approx(ORIGIN, abs=1e-6)


def test_walkways_areas_buildings_and_walls_are_made(tmp_path: Path) -> None:
    file = Lanelet2File()
    inner = file.way([(0.0, 0.0), (60.0, 0.0)], type="curbstone")
    file.lanelet(file.way([(0.0, 6.0), (60.0, 6.0)]), inner)
    file.lanelet(inner, file.way([(0.0, -2.0), (60.0, -2.0)]), subtype="walkway")
    file.lanelet(
        file.way([(30.0, 0.0), (30.0, 6.0)]),
        file.way([(33.0, 0.0), (33.0, 6.0)]),
        subtype="crosswalk",
    )
    ring = [(0.0, 10.0), (20.0, 10.0), (20.0, 20.0), (0.0, 20.0), (0.0, 10.0)]
    for subtype, x in (("building", 0.0), ("parking", 30.0)):
        outer = file.way([(a + x, b) for a, b in ring])
        file.relation([("way", outer, "outer")], type="multipolygon", subtype=subtype)
    file.way([(0.0, 25.0), (60.0, 25.0)], type="wall", height="3")
    world = build_world(file.written(tmp_path))
    surfaces = set(world.ground.surfaces.tolist())
    assert {Surface.PAVEMENT, Surface.KERB, Surface.CARRIAGEWAY} <= surfaces
    assert world.buildings.vertices[:, 2].max() == pytest.approx(8.0)
    assert world.obstacles.vertices[:, 2].max() == pytest.approx(3.0)
    assert len(world.roads.traffic.crossing_lanes) == 1


def test_a_lanelet_over_another_is_a_bridge(tmp_path: Path) -> None:
    file = Lanelet2File()
    for z, turned in ((0.0, False), (6.0, True)):
        ends = [[(-40.0, y, z), (40.0, y, z)] for y in (2.0, -2.0)]
        lines = [[(-y, x, z) for x, y, z in line] if turned else line for line in ends]
        file.lanelet(file.way(lines[0]), file.way(lines[1]))
    world = build_world(file.written(tmp_path))
    assert len(world.structures.triangles)
    assert not world.roads.connectors.any()


def test_the_kind_is_recognised_by_content(tmp_path: Path) -> None:
    file = Lanelet2File()
    crossroads(file)
    plain = file.written(tmp_path)
    packed = tmp_path / "packed.osm.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    other = tmp_path / "town.osm"
    other.write_text('<osm version="0.6"><node id="1" lat="1" lon="2"/></osm>')
    assert [map_kind(each) for each in (plain, packed, other)] == [
        MapKind.LANELET2,
        MapKind.LANELET2,
        MapKind.OPENSTREETMAP,
    ]
    assert check_map(packed) == []


NODES = '<node id="1" lat="49" lon="8"/>\n<node id="2" lat="49.001" lon="8"/>\n'
LANELET = '<relation id="9"><tag k="type" v="lanelet"/>{}</relation>\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            NODES + '<way id="3"><nd ref="1"/><nd ref="7"/></way>\n',
            ":4: error: way 3: there is no node 7",
        ),
        ('<node id="x" lat="49" lon="8"/>\n', ":2: error: id of <node> is not an id: 'x'"),
        ('<node id="1" lat="95" lon="8"/>\n', ":2: error: node 1: its lat or lon is not a place"),
        ('<node id="1"/>\n', "neither lat and lon nor local_x and local_y"),
        (NODES, "the file has no lanelet with a left and a right border"),
        ("<node\n", "not well-formed XML"),
    ],
)
def test_unusable_files_are_refused_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.osm"
    path.write_text('<osm version="0.6">\n' + text + LANELET.format("") + "</osm>\n")
    with pytest.raises(ConfigError) as error:
        build_world(path)
    assert message in str(error.value)
