"""A map of footways alone is a town for delivery robots: a world without lanes."""

import numpy as np
import pytest

from autosim.applications.maps.world_check import is_sound
from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.engine.engine_errors import PlacementError
from autosim.engine.physics.spawn_poses import spawn_poses
from autosim.engine.step.simulation import Simulation
from autosim.world.compiled.ground_index import GroundIndex, height_at
from autosim.world.compiled.paths import PathKind
from autosim.world.export.plan_svg import plan_svg
from autosim.world.geometry import block_grid
from autosim.world.geometry.extent import Window
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.osm_reader import check_osm
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import CROSSING, ORIGIN, write_map
from tests.worlds import impreza_world

FOOTWAY = {"highway": "footway"}
SQUARE = ((-50.0, -50.0), (-10.0, -50.0), (-10.0, -10.0), (-50.0, -10.0), (-50.0, -50.0))
WAYS = (
    (((-80.0, 0.0), (0.0, 0.0), (80.0, 10.0)), FOOTWAY),
    (((0.0, 0.0), (0.0, 70.0)), {"highway": "cycleway"}),
    (((80.0, 10.0), (82.0, 14.0)), {"highway": "steps"}),
    (SQUARE, {"highway": "pedestrian", "area": "yes"}),
    (((10.0, 20.0), (30.0, 20.0), (30.0, 40.0), (10.0, 40.0), (10.0, 20.0)), {"building": "yes"}),
)


def build(path, found=None, **others):
    diagnostics = Diagnostics() if found is None else found
    return build_world(path, driving_side="left", diagnostics=diagnostics, **others)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_map(tmp_path_factory.mktemp("footways"), WAYS)


@pytest.fixture(scope="module")
def world(path):
    return build(path)


def test_it_has_ground_paths_and_buildings_but_no_lanes(world):
    assert not len(world.roads.lanes)
    assert len(world.buildings.triangles)
    assert set(world.paths.kinds.tolist()) == {
        PathKind.FOOTWAY,
        PathKind.CYCLEWAY,
        PathKind.STEPS,
    }
    assert (world.ground.surfaces == Surface.PAVING).any()
    assert height_at(world, [[0.0, 0.0]])[0] == pytest.approx(0.0, abs=0.2)


def test_a_warning_says_what_such_a_world_lacks(path):
    found = Diagnostics()
    build(path, found)
    (warning,) = found.warnings
    assert "there is no street here, only paths" in warning.message
    (finding,) = check_osm(path)
    assert "only paths: its world has no lanes" in finding.message


def test_it_is_sound_and_can_be_drawn(world):
    assert is_sound(world)
    assert b"<svg" in plan_svg(world)


def test_robots_without_a_position_begin_on_its_paths(world):
    (placed,) = impreza_world(position=(0.0, 0.0, None), yaw=0.0).robots
    waiting = [impreza_world().robots[0]] * 3
    poses = spawn_poses([placed, *waiting], world, rest_heights=[0.4] * 4)
    places = np.array([pose.position for pose in poses])
    surfaces = GroundIndex.build(world.ground).surfaces_at(places[1:, :2])
    assert set(surfaces.tolist()) <= {Surface.PAVING, Surface.ASPHALT}
    with pytest.raises(PlacementError, match="has no lanes, and its paths hold only"):
        spawn_poses(waiting * 30, world, rest_heights=[0.4] * 90)


def test_a_simulation_runs_in_it(world):
    described = impreza_world(position=(-20.0, 3.0, None), yaw=0.0)
    with Simulation(described, compiled=world) as simulation:
        for _ in range(20):
            simulation.step()


def test_a_window_without_streets_but_with_paths_is_a_world(tmp_path):
    lane = [(((400.0, 0.0), (600.0, 0.0)), {"highway": "residential"})]
    path = write_map(tmp_path, [*WAYS, *lane])
    world = build(path, window=Window(*ORIGIN, 300.0))
    assert not len(world.roads.lanes)
    with pytest.raises(ConfigError, match="there is no street in the window"):
        build(path, window=Window(ORIGIN[0] + 0.02, ORIGIN[1], 300.0))


def test_a_map_without_ways_to_go_is_no_world(tmp_path):
    path = write_map(tmp_path, [(SQUARE, {"building": "yes"})])
    with pytest.raises(ConfigError, match="there is no street in this map, and no path"):
        build(path)


def test_it_may_lie_in_blocks_and_beside_streets(tmp_path, monkeypatch):
    monkeypatch.setattr(block_grid, "LARGEST_BLOCK", 100.0)
    monkeypatch.setattr(block_grid, "BLOCK", 100.0)
    assert dict(build(write_map(tmp_path, WAYS)).invariants)["open_edges"] == 0.0
    assert len(build(write_map(tmp_path, [*WAYS, *CROSSING])).roads.lanes)
