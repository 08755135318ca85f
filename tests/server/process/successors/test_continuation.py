"""Programs take part in a recorded run again, or restart where it continues."""

from pathlib import Path

import pytest

from autosim.model.notices import Notice
from autosim.records.record_format import Continuation, RecordError
from autosim.server.process.run_recording import RunRecording
from autosim.server.process.successors.continuation import continue_run
from tests.records.runs import start_record
from tests.server.crashing_cars import FlatSimulation, crash_world
from tests.server.runs import program

STEPS = 48
DRIVES_BY_CHANCE = """
import os
from autosim.userprogram import set_data, wait

def main(argv):
    while True:
        chance = int.from_bytes(os.urandom(4), "little") / 2**32
        set_data(f"{argv[0]}.chassis.drive_chassis", [0.2 * chance, 0.6, 0.0])
        wait(0.05)
"""


class Runs:
    """Runs of two cars of which the second drives by chance; `said` is what the last reported."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "run.mcap"
        self.said: list[str] = []
        self._world = crash_world((None, Path(program(folder, DRIVES_BY_CHANCE)).name))

    def record(self, *, intervention: str = "") -> None:
        recording = RunRecording(self._world, 0, is_whole=True, report=lambda notice: None)
        with FlatSimulation(self._world, report=recording.report) as simulation:
            recording.follow(simulation)
            process = start_record(recording, self.path, simulation.tree.stop)
            for step in range(STEPS):
                if intervention and step == STEPS // 2:
                    recording.note_intervention(intervention)
                simulation.step()
            recording.close()
        process.wait()

    def go_on(self, step: int | None = None, *, has_fresh_programs: bool = False) -> bool:
        """Whether programs are under way there."""

        def report(notice: Notice) -> None:
            self.said.append(notice.text)

        recording = RunRecording(self._world, 0, is_whole=True, report=report)
        with FlatSimulation(self._world, report=report) as simulation:
            recording.follow(simulation)
            continuation = Continuation(self.path, step, has_fresh_programs)
            are_under_way = continue_run(self._world, simulation, continuation, recording, report)
            assert simulation.state.step == (STEPS if step is None else step)
        return are_under_way


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    return Runs(tmp_path)


def test_a_program_that_depends_on_chance_is_found_out(runs: Runs) -> None:
    runs.record()
    with pytest.raises(
        RecordError, match=r"another state than recorded: step .*--restart-programs"
    ):
        runs.go_on()
    assert not runs.go_on(has_fresh_programs=True)


def test_programs_that_cannot_be_repeated_restart(runs: Runs) -> None:
    intervention = "a client sent an order to the program of car"
    runs.record(intervention=intervention)
    assert not runs.go_on()
    reason = f"continues from step {STEPS}; programs restart ({intervention})"
    assert runs.said[-1] == reason
    with pytest.raises(RecordError, match="--restart-programs"):
        runs.go_on(STEPS // 2)  # there was no intervention by then


def test_a_step_that_the_record_lacks_is_named(runs: Runs) -> None:
    runs.record()
    with pytest.raises(RecordError, match=f"its last step is {STEPS}, not {STEPS + 1}"):
        runs.go_on(STEPS + 1)
