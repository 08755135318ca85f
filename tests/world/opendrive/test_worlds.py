"""Whole worlds of small OpenDRIVE files."""

from pathlib import Path

import numpy as np
import pytest

from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex, all_levels, on_carriageway
from autosim.world.geometry.extent import Window
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges
from autosim.world.lanes.lane_rules import Control
from autosim.world.pipeline import world_pipeline
from autosim.world.pipeline.forked_helpers import WorkerLostError
from autosim.world.pipeline.map_check import check_map
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.opendrive.files import (
    crossroads,
    document,
    lane,
    piece,
    road,
    section,
    straight,
    written,
)

LIGHT = (
    '<signal id="s1" s="2" t="-6" orientation="-" dynamic="yes" country="OpenDRIVE" '
    'type="1000001" subtype="-1" zOffset="3"/>'
)

PROFILE = '<{0}><{1} s="0" a="0" b="{2}" c="0" d="0"/></{0}>'


def compiled(folder: Path, text: str) -> CompiledWorld:
    return build_world(written(folder / "town.xodr", text))


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> CompiledWorld:
    return compiled(tmp_path_factory.mktemp("odr"), crossroads())


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
    # Traffic keeps right: along the arm that leads east, it comes in on the northern side.
    lanes = [k for k in range(len(roads.roads)) if roads.roads[k] == 0 and not roads.connectors[k]]
    middles = {bool(roads.lanes[k].successors): roads.lanes[k].position(60.0)[1] for k in lanes}
    assert middles == {True: pytest.approx(1.75), False: pytest.approx(-1.75)}


def test_its_ground_is_sound_and_its_lanes_lie_on_the_carriageway(crossing: CompiledWorld) -> None:
    values = dict(crossing.invariants)
    sound = ("open_edges", "non_manifold_edges", "downward_faces", "missed_rays")
    assert {name: values[name] for name in sound} == dict.fromkeys(sound, 0.0)
    assert values["missed_lane_rays"] == 0.0
    # At the ends of the arms the last points lie on the border.
    points = crossing.roads.points
    inner = points[np.abs(points[:, :2]).max(axis=1) < 139.0]
    assert on_carriageway(crossing, inner).all()
    surfaces = GroundIndex.build(crossing.ground).surfaces_at(np.array([[60.0, 4.5], [60.0, 30.0]]))
    assert surfaces.tolist() == [Surface.PAVEMENT, Surface.GROUND]


def test_equal_roads_give_way_to_the_right(crossing: CompiledWorld) -> None:
    controls = crossing.roads.traffic.controls
    assert set(controls[controls > 0].tolist()) == {Control.EQUAL}
    assert len(crossing.roads.traffic.conflict_lanes) > 0


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ((LIGHT, ""), {Control.SIGNALS}),
        (("", '<priority high="0" low="1"/>'), {Control.GIVE_WAY, Control.NONE}),
    ],
)
def test_signals_and_priorities_rule(
    tmp_path: Path, options: tuple[str, str], wanted: set[Control]
) -> None:
    roads = compiled(tmp_path, crossroads(signal=options[0], priorities=options[1])).roads
    incoming = [each for each in roads.lanes if not each.is_connector and each.successors]
    assert {each.control for each in incoming} == wanted


def test_heights_superelevation_and_lane_offset_place_lanes(tmp_path: Path) -> None:
    profiles = (
        '<elevationProfile><elevation s="0" a="2" b="0.05" c="0" d="0"/></elevationProfile>'
        '<lateralProfile><superelevation s="0" a="0.06" b="0" c="0" d="0"/></lateralProfile>'
    )
    lanes = '<laneOffset s="0" a="1" b="0" c="0" d="0"/>' + section([(-1, lane(-1))])
    world = compiled(
        tmp_path, document(road(1, piece(0, 0, 0, 0, 80), 80, lanes, profiles=profiles))
    )
    point = world.roads.lanes[0].position(40.0)
    # The middle of the lane is 0.75 m to the right of the reference line.
    assert point[1] == pytest.approx(-0.75 * np.cos(0.06), abs=1e-3)
    height = 2.0 + 0.05 * 40.0 - 0.75 * np.sin(0.06)
    assert point[2] == pytest.approx(height, abs=0.01)
    assert GroundIndex.build(all_levels(world)).heights_at(point[None])[0] == pytest.approx(
        height, abs=0.01
    )


def test_ways_of_a_junction_that_disagree_in_height_make_one_smooth_surface(tmp_path: Path) -> None:
    values = dict(compiled(tmp_path, crossroads(bump=0.25)).invariants)
    assert values["missed_lane_rays"] == 0.0
    assert values["worst_hop_m"] < 0.02
    assert values["steepest_lane"] < 0.06


def test_a_road_over_another_is_a_bridge(tmp_path: Path) -> None:
    over = (
        '<elevationProfile><elevation s="0" a="0" b="0" c="0" d="0"/>'
        '<elevation s="20" a="0" b="0" c="0.00222222" d="-0.0000164609"/>'
        '<elevation s="110" a="6" b="0" c="0" d="0"/>'
        '<elevation s="190" a="6" b="0" c="-0.00222222" d="0.0000164609"/>'
        '<elevation s="280" a="0" b="0" c="0" d="0"/></elevationProfile>'
    )
    both = section([(1, lane(1)), (-1, lane(-1))])
    world = compiled(
        tmp_path,
        document(
            road(1, piece(0, -150, 0, 0, 300), 300, both, profiles=over),
            road(2, piece(0, 0, -100, np.pi / 2.0, 200), 200, both),
        ),
    )
    assert len(world.structures.triangles)
    index = GroundIndex.build(all_levels(world))
    heights = index.heights_at(np.array([[0.0, -1.75, 6.0], [0.0, -1.75, 0.0]]))
    assert heights == pytest.approx([6.0, 0.0], abs=0.02)
    values = dict(world.invariants)
    assert values["missed_lane_rays"] == 0.0
    assert values["steepest_lane"] < 0.15
    assert values["worst_hop_m"] < 0.05


def test_lane_sections_make_one_lane_and_limits_count(tmp_path: Path) -> None:
    speed = '<speed sOffset="0" max="36" unit="km/h"/>'
    sections = section([(-1, lane(-1, after=-1, inner=speed))]) + section(
        [(-1, lane(-1, before=-1, inner=speed))], s=40.0
    )
    world = compiled(tmp_path, document(road(1, piece(0, 0, 0, 0, 100), 100, sections)))
    assert len(world.roads.lanes) == 1
    assert world.roads.lanes[0].length == pytest.approx(100.0, abs=1e-6)
    assert world.roads.lanes[0].speed_limit == pytest.approx(10.0)


def test_traffic_that_keeps_left_drives_on_the_left(tmp_path: Path) -> None:
    world = compiled(tmp_path, straight(rule="LHT"))
    assert world.driving_side == "left"
    along = next(each for each in world.roads.lanes if abs(each.heading(1.0)) < 0.1)
    assert along.position(1.0)[1] > 0.0


def test_the_origin_is_that_of_the_reference(tmp_path: Path) -> None:
    assert compiled(tmp_path, straight()).origin == (50.0, 8.0)


def test_road_marks_and_objects_are_there(tmp_path: Path) -> None:
    mark = '<roadMark sOffset="0" type="broken" color="yellow" width="0.15"/>'
    lanes = section([(1, lane(1)), (-1, lane(-1, inner="")), (-2, lane(-2))])
    lanes = lanes.replace('<lane id="-1" type="driving">', f'<lane id="-1" type="driving">{mark}')
    objects = (
        '<objects><object id="o" type="building" s="50" t="20" length="10" width="8" height="6"/>'
        '<object id="p" type="pole" s="20" t="6" radius="0.1" height="4"/>'
        '<object id="c" type="crosswalk" s="70" t="0" length="4" width="7"/></objects>'
    )
    world = compiled(tmp_path, document(road(1, piece(0, 0, 0, 0, 100), 100, lanes, rest=objects)))
    assert Surface.PAINT_YELLOW in world.markings.surfaces
    assert Surface.PAINT in world.markings.surfaces
    assert len(world.buildings.triangles) == 12
    assert np.ptp(world.buildings.vertices[:, 2]) == pytest.approx(6.4)
    assert len(world.obstacles.triangles)
    assert len(world.roads.traffic.crossing_lanes) == 2


def test_a_lane_that_climbs_to_a_crosswalk_leads_over_it(tmp_path: Path) -> None:
    slope = '<elevationProfile><elevation s="0" a="0" b="0.08" c="0" d="0"/></elevationProfile>'
    walk = '<object id="c" type="crosswalk" s="70" t="0" length="4" width="7"/>'
    text = straight(profiles=slope, rest=f"<objects>{walk}</objects>")
    traffic = compiled(tmp_path, text).roads.traffic
    assert sorted(traffic.crossing_stations.tolist()) == pytest.approx([30.0, 70.0], abs=0.3)


def test_a_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    assert check_map(written(tmp_path / "town.xml", straight())) == []
    world = build_world(written(tmp_path / "town.map", straight()), diagnostics=Diagnostics())
    assert len(world.roads.lanes) == 2
    faults = check_map(written(tmp_path / "bad.xodr", straight().replace("<line/>", "")))
    assert 5 in [each.line for each in faults]


def test_a_window_is_a_warning(tmp_path: Path) -> None:
    found = Diagnostics()
    path = written(tmp_path / "town.xodr", straight())
    build_world(path, window=Window(50.0, 8.0, 100.0), diagnostics=found)
    assert [each.message for each in found.warnings if "window is not used" in each.message]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<OpenDRIVE>", 1, "not well-formed XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><OpenDRIVE/>', 1, "not accepted"),
        ("<osm/>", 1, "root element"),
        (document(), 1, "no <road>"),
        (straight().replace('hdg="0"', 'hdg="east"'), 5, "hdg of <geometry> is not a number"),
        (straight().replace("<line/>", "<curve/>"), 5, "holds none of line, arc"),
        (straight(lanes=section([(-2, lane(-2))])), 6, "lacks lane -1"),
        (
            straight(lanes=section([(-1, '<lane id="-1" type="driving"/>')])),
            6,
            "lane -1: it has neither <width> nor <border>",
        ),
        (straight().replace('revMinor="7"', 'revMinor="1"'), 3, "OpenDRIVE 1.1 is not read"),
        (straight(lanes=section([(-1, lane(-1))], s=200.0)), 4, "begin beyond its end"),
        (straight(lanes=section([(-1, lane(-1, width="1e300 0 0 0"))])), 0, "more than 20 km"),
        (
            straight(profiles=PROFILE.format("elevationProfile", "elevation", "1e300")),
            0,
            "the heights of the roads exceed 10 km",
        ),
        (
            straight(profiles=PROFILE.format("lateralProfile", "superelevation", "1e200")),
            0,
            "the heights of the roads exceed 10 km",
        ),
        (
            straight().replace("<line/>", '<spiral curvStart="0" curvEnd="1000"/>'),
            5,
            "<spiral> turns by more than 1000 rad",
        ),
    ],
)
def test_unusable_files_are_refused_with_the_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = written(tmp_path / "town.xodr", text)
    with pytest.raises(ConfigError) as caught:
        build_world(path, diagnostics=Diagnostics())
    error = next(each for each in caught.value.diagnostics if message in each.message)
    assert (error.level, error.line) == ("error", line)


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (
            ZeroDivisionError("by\x1bzero"),
            ConfigError,
            r"failed to compile it \(ZeroDivision",
        ),
        (MemoryError(), WorkerLostError, "no world is made: .*memory"),
    ],
)
def test_a_fault_of_the_compiler_is_an_error_of_the_map(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    kind: type[Exception],
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(world_pipeline, "build_opendrive", fail)
    path = written(tmp_path / "town.xodr", straight())
    with pytest.raises(kind, match=message) as caught:
        build_world(path)
    assert str(path) in str(caught.value)
    assert "\x1b" not in str(caught.value)


TUNNEL = '<objects><tunnel id="t" s="40" length="100" type="standard"/></objects>'


def heights_over(mesh: Mesh, x: float, y: float) -> list[float]:
    rows, _, heights = GroundIndex.build(mesh).hits(np.array([[x, y]]))
    return sorted(heights[rows == 0].tolist())


def test_a_tunnel_has_walls_and_a_roof(tmp_path: Path) -> None:
    world = compiled(tmp_path, straight(200.0, rest=TUNNEL))
    solids = world.obstacles
    assert heights_over(solids, 93.0, 1.5) == pytest.approx([4.7, 5.2])
    for y in (-3.7, 3.7):
        assert heights_over(solids, 93.0, y) == pytest.approx([-0.4, 5.2])
    assert not heights_over(solids, 20.0, 1.5)
    assert not heights_over(solids, 170.0, -3.7)
    assert len(boundary_edges(solids.triangles)) == 0


def test_a_tunnel_of_two_roads_has_no_wall_between_them(tmp_path: Path) -> None:
    def one_way(id_: int, y: float) -> str:
        lanes = section([(-1, lane(-1))])
        return road(id_, piece(0, 0, y, 0, 200.0), 200.0, lanes, rest=TUNNEL)

    solids = compiled(tmp_path, document(one_way(1, 0.0), one_way(2, 3.5))).obstacles
    assert heights_over(solids, 93.0, 3.7) == pytest.approx([-0.4, 5.2])
    assert heights_over(solids, 93.0, -3.7) == pytest.approx([-0.4, 5.2])
    assert min(heights_over(solids, 93.0, 0.2)) > 4.0


def test_a_way_of_a_virtual_junction_leaves_its_main_road_between_the_ends(tmp_path: Path) -> None:
    both = section([(1, lane(1)), (-1, lane(-1))])
    main = road(1, piece(0, 0, 0, 0, 200.0), 200.0, both)
    off = road(
        2,
        piece(0, 80.0, 0.0, 0.0, 30.0, '<arc curvature="-0.05"/>'),
        30.0,
        section([(-1, lane(-1))]),
        links='<predecessor elementType="road" elementId="1" elementS="80" elementDir="+"/>',
        junction=9,
    )
    junction = (
        '<junction id="9" name="drive" type="virtual" mainRoad="1" sStart="75" sEnd="95" '
        'orientation="+"><connection id="0" incomingRoad="1" connectingRoad="2" '
        'contactPoint="start"><laneLink from="-1" to="-1"/></connection></junction>'
    )
    lanes = compiled(tmp_path, document(main, off, junction)).roads.lanes
    ways = [each for each in lanes if each.is_connector]
    (way,) = ways
    (before,) = [each for each in lanes if way.index in each.successors]
    assert before.position(before.length)[:2] == pytest.approx([80.0, -1.75], abs=0.01)
    assert len(before.successors) == 2
    on = next(lanes[k] for k in before.successors if k != way.index)
    assert on.length == pytest.approx(120.0, abs=0.01)
    # Lanes of the other direction are cut as well, and go on.
    assert sum(each.length for each in lanes if each.heading(0.0) > 3.0) == pytest.approx(200.0)
