"""Worlds with cars in a row, and their simulation."""

from dataclasses import replace

from autosim.engine.step.simulation import Simulation
from tests.worlds import flat_world, impreza_world


def simulate(world, *, seed=0, notices=None):
    report = (lambda notice: None) if notices is None else notices.append
    return Simulation(world, seed=seed, compiled=flat_world(), report=report)


def cars_in_a_row(*places):
    """Cars that all head east, at these places along the x axis."""
    world = impreza_world()
    robots = [
        replace(world.robots[0], name=f"car{k}", position=(x, 0.0, None), yaw=0.0)
        for k, x in enumerate(places)
    ]
    return replace(world, robots=tuple(robots))
