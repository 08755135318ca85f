"""A recorded run is simulated again; what differs is named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.engine.step.resimulation import first_difference, resimulate
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import command_for
from autosim.model.state import State
from autosim.records.events import StateDigest
from autosim.records.record_file import Record
from autosim.records.recorder import RecordProcess
from autosim.server.process.run_recording import RunRecording
from tests.records.runs import start_record, with_a_gap
from tests.server.crashing_cars import CrashingCars, FlatSimulation, crash_world
from tests.server.runs import program

STEPS = 240
FAILS = """
from autosim.userprogram import set_data, wait

def main(argv):
    set_data(f"{argv[0]}.chassis.drive_chassis", [0.0, 0.5, 0.0])
    wait(0.25)
    raise ValueError("a wheel came off")
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of a crash, in which a program fails and a car is moved."""
    folder = tmp_path_factory.mktemp("records")
    world = crash_world((None, Path(program(folder, FAILS)).name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOSIM_PATH", str(folder))
        recording = RunRecording(world, 3, is_whole=True, report=lambda notice: None)
        with CrashingCars(world, seed=3, report=recording.report) as simulation:
            recording.follow(simulation)
            process = start_record(recording, folder / "run.mcap", simulation.tree.stop)
            for _ in range(STEPS // 2):
                simulation.step()
            simulation.place("car0", (0.0, 20.0))
            simulation.queue(
                [command_for(simulation.tree, "car0.chassis.drive_chassis", [0.2, 0.5, 0.0])]
            )
            for _ in range(STEPS // 2):
                simulation.step()
            recording.close()
        process.wait()
    return folder / "run.mcap"


def again(*, seed: int = 3) -> Simulation:
    world = crash_world()
    return FlatSimulation(world, seed=seed, report=lambda notice: None)


def test_the_same_seed_and_log_give_the_same_states(path: Path) -> None:
    with Record(path) as record, again() as simulation:
        followed = resimulate(simulation, record, last=STEPS)
        assert followed.difference is None
        assert followed.compared == STEPS + 1
        assert bytes(simulation.state.buffer) == record.state(STEPS)


def test_a_run_is_followed_over_a_gap_in_its_record(path: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.mcap"
    with_a_gap(path, whole)
    with Record(whole) as record, again() as simulation:
        assert record.find_state(120) is None
        followed = resimulate(simulation, record, last=STEPS)
        assert (followed.compared, followed.difference) == (STEPS + 1 - 50, None)


def test_another_seed_differs_at_a_named_field(path: Path) -> None:
    with Record(path) as record, again(seed=4) as simulation:
        difference = resimulate(simulation, record, last=STEPS).difference
        assert difference is not None
        assert difference.step == 0
        assert difference.node.startswith("car0.chassis.")
        assert difference.recorded != difference.simulated


def test_the_field_that_differs_is_found_by_its_place() -> None:
    with again() as simulation:
        tree = simulation.tree
        assert first_difference(tree, bytes(simulation.state.buffer), simulation.state) is None
        other = State(tree, bytearray(simulation.state.buffer))
        node = tree.find("car1.chassis.velocimeter")
        assert node is not None
        other.floats[node.start // 8] = np.nextafter(other.floats[node.start // 8], 1.0)
        found = first_difference(tree, bytes(other.buffer), simulation.state)
        assert found is not None
        assert (found.node, found.field) == (node.name, node.fields[0].name)


def test_a_run_that_comes_to_other_states_ends_at_the_next_check_point(tmp_path: Path) -> None:
    path = tmp_path / "moment.mcap"
    recording = RunRecording(crash_world(), 3, is_whole=True, report=lambda notice: None)
    with again() as simulation:
        recording.follow(simulation)
        for _ in range(6):
            simulation.step()
            recording.note_digest(lambda: "0" * 64)
        recording.log.add(StateDigest(4, "0" * 64))
        process = RecordProcess(path, (), state_bytes=simulation.tree.stop)
        outlets = replace(process.outlets, lifeline=process.outlets.lifeline.dup())
        recording.save(path, outlets, "", digest="1" * 64)
        process.wait()
    with Record(path) as record, again() as simulation:
        assert (record.first_step, record.last_step) == (6, 6)
        difference = resimulate(simulation, record, last=6).difference
        assert difference is not None
        assert (difference.step, difference.field) == (4, "digest")
