"""The shipped program that brakes for what its lidar sees."""

from dataclasses import replace

import numpy as np

from autosim.applications.common.open_worlds import open_named_world
from autosim.engine.step.simulation import Simulation
from autosim.model.notices import Notice
from tests.worlds import ROOT, flat_world

SECONDS = 9


def test_the_car_stops_behind_the_one_that_stands():
    world = open_named_world(str(ROOT / "worlds" / "lidar.xml"))
    # On a plain, that the town need not be made; as far apart as there.
    robots = [
        replace(each, position=(each.position[0] + 120.0, 2.0, None)) for each in world.robots
    ]
    said: list[Notice] = []
    world = replace(world, robots=tuple(robots))
    with Simulation(world, compiled=flat_world(), report=said.append) as simulation:
        nodes = [simulation.tree.find(f"{name}.chassis") for name in ("car", "parked")]
        first = [node.start // 8 for node in nodes]
        speeds = []
        for _ in range(240 * SECONDS):
            simulation.step()
            speeds.append(np.linalg.norm(simulation.state.floats[first[0] + 7 :][:3]))
        places = [simulation.state.floats[word : word + 3].copy() for word in first]
    assert not said, said
    assert max(speeds) > 8.0
    assert speeds[-1] < 1.0
    length = world.robots[1].robot.parts[0].size[0]
    assert 2.0 < places[1][0] - places[0][0] - length < 5.0
