"""The shipped program that takes a boat over the lake of the shipped town."""

from dataclasses import replace

import numpy as np

from autosim.engine.step.simulation import Simulation
from autosim.loading.loader import load_world
from autosim.model.notices import Notice
from tests.server.linked_robots import value
from tests.worlds import ROOT

GOALS = np.array([[252.0, -226.0], [241.0, -212.0]])
"""Two places [m] on the lake, of which the second needs a turn about."""

LONGEST = 33.0
"""[s] for both: 36 m at less than 3 m/s, and a turn."""


def test_it_goes_over_the_lake_to_both_places_and_stops():
    town = load_world(ROOT / "worlds" / "robots.xml")
    (boat,) = (robot for robot in town.robots if robot.name == "boat")
    places = tuple(f"{east},{north}" for east, north in GOALS)
    world = replace(town, robots=(replace(boat, program_arguments=places),))
    said: list[Notice] = []
    with Simulation(world, report=said.append) as simulation:
        track = []
        for step in range(round(LONGEST / simulation.step_seconds)):
            simulation.step()
            if step % 24 == 0:
                track.append(value(simulation, "boat.hull.position"))
        speed = np.linalg.norm(value(simulation, "boat.hull.velocity"))
        collisions = value(simulation, "boat.collisions")
    assert not [notice for notice in said if notice.level == "error"], said
    places = np.array(track)
    for goal in GOALS:
        assert np.linalg.norm(places[:, :2] - goal, axis=1).min() < 4.5
    assert np.linalg.norm(places[-1, :2] - GOALS[-1]) < 5.0
    assert np.ptp(places[20:, 2]) < 0.05
    assert speed < 0.15
    assert not collisions
