"""Over a bridge and through a tunnel: the shipped driver, and a ball that is rolled."""

import numpy as np
import pytest

from autosim.applications.common.open_worlds import open_named_world
from autosim.applications.run.demo import is_off_road
from autosim.config.diagnostics import Diagnostics
from autosim.engine.step.run_monitor import RunMonitor
from autosim.engine.step.simulation import Simulation
from autosim.world.pipeline.world_pipeline import build_world
from tests.applications.rides import roll
from tests.world.maps import RESIDENTIAL, write_map

MAIN = RESIDENTIAL
SIDE = {"highway": "track"}


def ways():
    """One street of 520 m: over a bridge in the west, through a tunnel in the east."""
    xs = (-260.0, -150.0, -110.0, 100.0, 170.0, 260.0)
    tags = (MAIN, MAIN | {"bridge": "yes"}, MAIN, MAIN | {"tunnel": "yes", "layer": "-1"}, MAIN)
    along = [(((a, 0.0), (b, 0.0)), t) for a, b, t in zip(xs, xs[1:], tags, strict=False)]
    across = [(((x, -90.0), (x, 90.0)), SIDE) for x in (-130.0, 135.0)]
    return [*along, *across]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return open_named_world(str(write_map(tmp_path_factory.mktemp("levels"), ways())))


@pytest.fixture(scope="module")
def compiled(world):
    terrain = world.terrain
    side = terrain.driving_side
    return build_world(
        terrain.osm, setup=terrain.setup, driving_side=side, diagnostics=Diagnostics()
    )


def test_a_car_drives_over_the_bridge_and_through_the_tunnel(world, compiled):
    notices = []
    with Simulation(world, compiled=compiled, report=notices.append) as simulation:
        record = RunMonitor(simulation)
        simulation.on_publish.append(record.add_state)
        for _ in range(240 * 75):
            simulation.step()
        figures, driven = record.figures(), record.track.part()
    track = driven.samples[:, 0]
    assert track[:, 2].max() > 3.0
    assert track[:, 2].min() < -3.0
    assert figures.collisions == (0,)
    beside = is_off_road(compiled, track, world.robots[0].robot)
    assert beside.sum() * driven.interval / 240.0 < 1.0
    assert not [notice for notice in notices if notice.level == "error"]


def test_a_ball_rolled_along_the_street_keeps_to_it(compiled):
    lanes = [lane for lane in compiled.roads.lanes if abs(lane.heading(0.0)) < 0.1]
    lanes = sorted(lanes, key=lambda lane: lane.centre_line[0, 0])
    path = np.vstack([lane.centre_line for lane in lanes if lane.length > 3.0])
    path = path[np.concatenate([[True], np.diff(path[:, 0]) > 0.2])]
    lifts = roll(compiled, path[np.abs(path[:, 0]) < 235.0])
    assert np.ptp(path[:, 2]) > 6.0
    assert np.abs(lifts[60:]).max() < 0.05
