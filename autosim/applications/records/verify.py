"""Simulates a recorded run again and compares every state with the record."""

from dataclasses import dataclass
from pathlib import Path

from autosim.applications.common.open_worlds import compile_with_progress
from autosim.applications.common.terminal import progress_bar
from autosim.applications.records.recorded_world import recorded_world
from autosim.engine.step.resimulation import Difference, resimulate
from autosim.engine.step.run_monitor import RunMonitor
from autosim.engine.step.simulation import Simulation
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError


@dataclass(frozen=True, slots=True)
class Verified:
    """Result: number of compared states; the first difference, if there is one."""

    states: int
    difference: Difference | None

    def __str__(self) -> str:
        """In words."""
        if self.difference is None:
            return f"the same bytes: {self.states} states simulated again, all equal"
        return f"not the same: {self.difference}"


def verify(path: Path) -> Verified:
    """Simulates the run of a record again.

    Raises:
        UserError: the record cannot be read, or not be simulated again.
    """
    with recorded_world(path) as world, Record(path) as record, progress_bar() as bar:
        compiled = compile_with_progress(world)
        task = bar.add_task("simulating again", total=record.last_step)
        with Simulation(
            world,
            seed=record.about.seed,
            compiled=compiled,
            idle=[robot.name for robot in world.robots],
            report=lambda notice: None,
        ) as simulation:
            followed = resimulate(
                simulation,
                record,
                last=record.last_step,
                progress=lambda step: bar.update(task, completed=step),
            )
            return Verified(followed.compared, followed.difference)


def resimulated_digest(path: Path) -> str:
    """The digest of all states of a recorded run that is simulated again.

    Raises:
        UserError: the record cannot be read, or not be simulated again.
    """
    with recorded_world(path) as world, Record(path) as record:
        idle = [robot.name for robot in world.robots]
        with Simulation(
            world, seed=record.about.seed, idle=idle, report=lambda notice: None
        ) as simulation:
            run = RunMonitor(simulation)
            simulation.on_publish.append(run.add_state)
            difference = resimulate(simulation, record, last=record.last_step).difference
            if difference is not None:
                raise RecordError(f"{path}: the run comes to another state now: {difference}")
            return run.figures().state_digest
