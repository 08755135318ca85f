"""The shipped driver, in one process, on the demo town and on real extracts."""

import runpy
from dataclasses import replace

import numpy as np
import pytest

from autosim.applications.common.open_worlds import open_named_world
from autosim.engine.step.collision_texts import COLLIDED
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_robot
from autosim.model.commands import command_for
from autosim.world.pipeline.cache import compile_world
from tests.applications.driver_runs import DEMO_TOWN, drive
from tests.conftest import shared
from tests.paths import ROOT, SHARED

EXTRACTS = sorted(
    str(each.relative_to(SHARED / "osm"))
    for each in (SHARED / "osm").glob("*/*.osm*")
    if each.parent.name in ("city", "pbf")
)


@pytest.mark.parametrize(
    "extract",
    [
        None,
        "city/tiny_roundabout.osm",
        "city/perth_peanut_roundabout.osm",
        "city/neukolln.osm",
        pytest.param("pbf/helsinki.osm.pbf", marks=pytest.mark.long),
    ],
)
def test_it_drives_a_minute_on_the_carriageway_without_a_collision(extract):
    done = drive(str(shared(f"osm/{extract}")) if extract else DEMO_TOWN, 60.0)
    assert done.metres > 300.0
    assert done.off_road_seconds < 1.0
    assert done.figures.collisions == (0,)
    assert not [notice for notice in done.notices if notice.level == "error"]


def hits(done):
    """What the car has hit, in words; errors of its program, too."""
    return [
        each.text
        for each in done.notices
        if each.level == "error" or (each.source == "impreza" and COLLIDED in each.text)
    ]


@pytest.mark.slow
def test_it_hits_nobody_in_a_small_busy_town():
    # With this seed a driver that trusts its distance sensors alone hits a bicycle.
    done = drive(str(shared("osm/city/tiny_roundabout.osm")), 50.0, seed=1, vehicles=30, people=20)
    assert hits(done) == []
    assert done.metres > 150.0


def test_it_sees_the_whole_outline_of_a_vehicle():
    driver = runpy.run_path(str(ROOT / "userprograms" / "driver.py"))
    yaw = 0.6
    along, aside = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
    middle = np.array([20.0, 5.0])
    count = len(driver["SECONDS"])
    other = driver["Other"](
        np.tile(middle, (count, 1)), np.full(count, yaw), 4.2, 1.8, 0.25, np.zeros(2), False
    )
    places = [(0.0, 0.9), (2.1, 0.9), (-2.1, -0.9), (3.1, 0.0), (0.0, -1.4), (5.1, 4.9)]
    points = np.array([middle + x * along + y * aside for x, y in places])
    np.testing.assert_allclose(other.gaps(points)[:, 0], [0.0, 0.0, 0.0, 1.0, 0.5, 5.0], atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("extract", EXTRACTS)
def test_it_hits_nobody_in_traffic_on_any_extract(extract, seed):
    done = drive(str(shared(f"osm/{extract}")), 60.0, seed=seed, vehicles=30, people=20)
    assert hits(done) == []
    assert done.metres > 20.0


def test_it_keeps_to_its_side_of_the_road():
    done = drive(DEMO_TOWN, 60.0)
    roads = done.compiled.roads
    offsets = []
    for x, y, _, yaw in done.track[::24]:
        _, _, t = roads.nearest_lane((x, y), yaw)
        offsets.append(abs(t))
    assert np.percentile(offsets, 95) < 0.6
    assert max(offsets) < 1.2


def test_it_drives_a_kinematic_car_too():
    world = open_named_world(DEMO_TOWN)
    placed = replace(world.robots[0], robot=load_robot("robots/kinematic_car.xml"))
    compiled = compile_world(world.terrain)
    notices = []
    with Simulation(
        replace(world, robots=(placed,)), compiled=compiled, report=notices.append
    ) as simulation:
        chassis = simulation.tree.find("impreza.chassis").start // 8
        first = simulation.state.floats[chassis : chassis + 3].copy()
        offsets, metres, last = [], 0.0, first
        for _ in range(30 * 240 // 24):
            for _ in range(24):
                simulation.step()
            here = simulation.state.floats[chassis : chassis + 3].copy()
            metres, last = metres + np.linalg.norm(here - last), here
            vx, vy = simulation.state.floats[chassis + 7 : chassis + 9]
            if np.hypot(vx, vy) > 1.0:
                _, _, t = compiled.roads.nearest_lane(here[:2], np.arctan2(vy, vx))
                offsets.append(abs(t))
    assert [each.text for each in notices if each.level != "info"] == []
    assert metres > 120.0
    assert np.percentile(offsets, 95) < 0.8


def test_it_stops_before_a_car_that_stands_in_its_lane():
    world = open_named_world(DEMO_TOWN)
    compiled = compile_world(world.terrain)
    free = drive(DEMO_TOWN, 60.0).track
    ahead = free[np.searchsorted(np.cumsum(np.hypot(*np.diff(free[:, :2], axis=0).T)), 60.0)]
    parked = replace(
        world.robots[0],
        name="parked",
        position=(ahead[0], ahead[1], None),
        yaw=ahead[3],
        program=None,
    )
    world = replace(world, robots=(*world.robots, parked))
    with Simulation(world, compiled=compiled, report=lambda notice: None) as simulation:
        for _ in range(240 * 20):
            simulation.step()
        chassis = simulation.tree.find("impreza.chassis").start // 8
        position = simulation.state.floats[chassis : chassis + 2]
        speed = np.linalg.norm(simulation.state.floats[chassis + 7 : chassis + 10])
        assert speed < 0.05
        gap = np.hypot(*(position - ahead[:2])) - world.robots[0].robot.parts[0].size[0]
        assert 1.0 < gap < 7.0
        collisions = [simulation.state.ints[n.start // 8 + 1] for n in simulation.tree.children]
        assert collisions == [0, 0]
        drive_away = command_for(simulation.tree, "parked.chassis.drive_chassis", [0.0, 0.4, 0.0])
        simulation.queue([drive_away])
        for _ in range(240 * 6):
            simulation.step()
        assert np.linalg.norm(simulation.state.floats[chassis + 7 : chassis + 10]) > 1.0
