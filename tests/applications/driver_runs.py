"""Runs of the shipped driver."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from autosim.applications.common.open_worlds import open_named_world
from autosim.applications.run.demo import is_off_road
from autosim.engine.step.run_monitor import RunFigures, RunMonitor
from autosim.engine.step.simulation import Simulation
from autosim.loading.world_writer import with_traffic
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from tests.worlds import ROOT

DEMO_TOWN = str(ROOT / "worlds" / "circle_town.xml")


@dataclass
class Drive:
    compiled: CompiledWorld
    figures: RunFigures
    track: npt.NDArray[np.float64]
    off_road_seconds: float
    notices: list

    @property
    def metres(self):
        return float(np.hypot(*np.diff(self.track[:, :2], axis=0).T).sum())


@cache
def drive(name: str, seconds: float, *, seed: int = 0, **traffic: int) -> Drive:
    """Drives in one process; `traffic` as `with_traffic` takes it."""
    world = with_traffic(open_named_world(name), **traffic)
    compiled = compile_world(world.terrain)
    notices = []
    with Simulation(world, compiled=compiled, report=notices.append, seed=seed) as simulation:
        record = RunMonitor(simulation)
        simulation.on_publish.append(record.add_state)
        for _ in range(round(seconds / simulation.step_seconds)):
            simulation.step()
        figures, part = record.figures(), record.track.part()
    beside = is_off_road(compiled, part.samples[:, 0], world.robots[0].robot)
    seconds = beside.sum() * part.interval * world.physics.step_seconds
    return Drive(compiled, figures, part.samples[:, 0], seconds, notices)
