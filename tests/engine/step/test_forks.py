"""A simulation in a Python program is tried out from one moment."""

import errno
import hashlib
import os

import pytest

from autosim.engine.step.forks import ForkError
from autosim.engine.step.simulation import Simulation
from tests.server.crashing_cars import CrashingCars, crash_world

STEPS = 120


def drive_on(simulation: Simulation, steps: int) -> str:
    """The digest of the states that follow."""
    digest = hashlib.sha256()
    for _ in range(steps):
        simulation.step()
        digest.update(simulation.state.buffer)
    return digest.hexdigest()


def fail(simulation: Simulation) -> None:
    raise ValueError(f"at step {simulation.state.step}")


def drive_or_fail(simulation: Simulation, steps: int) -> str:
    return drive_on(simulation, steps) if steps else str(fail(simulation))


def test_several_ways_are_tried_at_once_and_one_failure_is_told() -> None:
    with CrashingCars(crash_world(), report=lambda notice: None) as simulation:
        drive_on(simulation, STEPS)
        with simulation.fork() as fork:
            steps = [30, 5, 20, 5]
            tried = fork.map(drive_or_fail, steps, at_once=3)
            assert tried == [fork.run(drive_on, each) for each in steps]
            with pytest.raises(ForkError, match=f"ValueError: at step {STEPS}"):
                fork.map(drive_or_fail, [5, 0, 5], at_once=2)
            assert fork.run(drive_on, 5) == tried[1]


def test_a_fork_goes_on_as_the_simulation_does_and_changes_nothing() -> None:
    with CrashingCars(crash_world(), report=lambda notice: None) as simulation:
        drive_on(simulation, 2 * STEPS)
        with simulation.fork() as fork:
            tried = [fork.run(drive_on, STEPS) for _ in range(2)]
            assert simulation.state.step == fork.step == 2 * STEPS
            with pytest.raises(ForkError, match=f"ValueError: at step {2 * STEPS}"):
                fork.run(fail)
            assert tried == [drive_on(simulation, STEPS)] * 2


def test_a_copy_that_cannot_be_copied_reports_it_and_can_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fork, forks = os.fork, []

    def fork_twice() -> int:
        forks.append(0)
        if len(forks) == 2:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        return fork()

    with CrashingCars(crash_world(), report=lambda notice: None) as simulation:
        monkeypatch.setattr(os, "fork", fork_twice)
        with simulation.fork() as copy:
            with pytest.raises(ForkError, match="cannot be copied: Resource temporarily"):
                copy.run(drive_on, 1)
            assert copy.run(drive_on, 1) == drive_on(simulation, 1)
