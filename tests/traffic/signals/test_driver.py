"""The shipped driver keeps to signals and stop signs."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.commands import Command
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT
from tests.traffic.signals.junctions import east_west, signalled_crossing
from tests.worlds import impreza_world

STEPS = 120
"""Steps in a second: enough for a car on level ground."""
FRONT = 2.3
"""Distance [m] of the bumper from the middle of the car."""


class Drive:
    """A car that comes from the west on a crossing, with the shipped driver."""

    def __init__(self, world):
        lane = world.roads.lanes[east_west(world)[0]]
        self.line = lane.stop_line
        x, y, _ = lane.position(self.line - 45.0).tolist()
        described = impreza_world(
            program="userprograms/driver.py", position=(x, y, None), yaw=lane.heading(0.0)
        )
        physics = replace(described.physics, step_seconds=1.0 / STEPS)
        described = replace(described, physics=physics, traffic=TrafficDescription())
        self.notices, self.lane = [], lane
        self.simulation = Simulation(described, compiled=world, report=self.notices.append)

    def order(self, *orders):
        rows = np.array(orders, dtype=np.float64).reshape(-1, 2)
        self.simulation.queue([Command("traffic.signal_orders", rows.tobytes())])

    def drive(self, seconds):
        """Distance [m] of the bumper before the line (n,), and speeds [m/s] (n,)."""
        gaps = []
        node = self.simulation.tree.find("impreza.chassis")
        for _ in range(round(seconds * STEPS)):
            self.simulation.step()
            place = self.simulation.state.value(node, node.fields[0])
            gaps.append(self.line - FRONT - self.lane.local_coordinates(place)[0])
        assert not [notice for notice in self.notices if notice.level == "error"]
        return np.array(gaps)


def test_the_driver_stops_before_a_red_signal_and_goes_on_at_green(tmp_path):
    world = signalled_crossing(tmp_path)
    run = Drive(world)
    group = int(run.simulation.systems.signals.plan.lane_groups[run.lane.index])
    run.order((group, SignalState.RED))
    gaps = run.drive(12.0)
    assert 0.0 < gaps[-1] < 2.0
    assert gaps[-STEPS] == pytest.approx(gaps[-1], abs=0.05)
    run.order((group, SignalState.GREEN))
    assert run.drive(12.0)[-1] < -2.0
    run.simulation.close()


def test_the_driver_halts_once_at_a_stop_sign(tmp_path):
    world = signalled_crossing(tmp_path, tags={"highway": "stop", "stop": "all"})
    run = Drive(world)
    gaps = run.drive(16.0)
    run.simulation.close()
    speeds = -np.diff(gaps[:: STEPS // 10]) * 10.0
    near = (gaps[STEPS // 10 :: STEPS // 10] < 2.0) & (gaps[STEPS // 10 :: STEPS // 10] > 0.0)
    assert speeds[near].min() < 0.3
    assert gaps[-1] < -2.0


def test_the_demos_car_waits_at_red_and_finds_the_next_junction_green():
    described = load_world(ROOT / "worlds" / "circle_town.xml")
    physics = replace(described.physics, step_seconds=1.0 / STEPS)
    described = replace(described, physics=physics, traffic=TrafficDescription())
    with Simulation(described, compiled=compile_world(described.terrain)) as simulation:
        node = simulation.tree.find("impreza.chassis")
        places = []
        for _ in range(34 * STEPS):
            simulation.step()
            places.append(simulation.state.value(node, node.fields[0])[:2].copy())
    speeds = np.hypot(*np.diff(places, axis=0).T) * STEPS
    y = np.array(places)[1:, 1]
    assert (speeds[(y > 65.0) & (y < 74.0)] < 0.1).sum() > 5 * STEPS
    assert y[-1] > 190.0
    assert speeds[y > 110.0].min() > 10.0
