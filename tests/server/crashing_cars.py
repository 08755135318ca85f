"""A simulation with physics in which two cars collide and go on touching, on a plain."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autosim.config.descriptions import WorldDescription
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import command_for
from tests.server.rows_of_cars import cars_in_a_row
from tests.worlds import flat_world


class FlatSimulation(Simulation):
    """On a plain that no file describes."""

    def __init__(self, world: WorldDescription, **others: Any) -> None:
        super().__init__(world, **{**others, "compiled": flat_world()})


class CrashingCars(FlatSimulation):
    """The first of them drives into the second, and pushes it."""

    def begin(self) -> None:
        drive = command_for(self.tree, "car0.chassis.drive_chassis", [0.0, 1.0, 0.0])
        self.queue([drive])
        super().begin()


def crash_world(programs: Sequence[str | None] = (None, None)) -> WorldDescription:
    """Two cars, one close behind the other, with these programs."""
    world = cars_in_a_row(0.0, 6.0)
    robots = zip(world.robots, programs, strict=True)
    return replace(world, robots=tuple(replace(each, program=p) for each, p in robots))
