"""Short records of simulations that cost next to nothing."""

from dataclasses import replace
from pathlib import Path

from autosim.engine.step.replay import Replay
from autosim.model.commands import command_for
from autosim.records.record_file import Record
from autosim.records.record_format import RecordError
from autosim.records.record_writer import RecordWriter
from autosim.records.recorder import RecordProcess
from autosim.server.process.run_recording import RunRecording
from autosim.world.compiled.compiled_world import CompiledWorld
from tests.server.light_simulation import LightSimulation, flat_world, light_world

DRIVE = "r0.box.drive"


def record_run(path: Path, steps: int, *, started_at: int = 0) -> list[bytes]:
    """Records a run of two robots, of which one is commanded every tenth step; its states."""
    simulation = LightSimulation(light_world(2))
    recording = RunRecording(light_world(2), 0, is_whole=True, report=lambda notice: None)
    recording.follow(simulation)
    states = []
    for step in range(steps + 1):
        if step:
            simulation.step()
        if step == started_at:
            process = start_record(recording, path, simulation.tree.stop)
        if step >= started_at:
            states.append(bytes(simulation.state.buffer))
        if step % 10 == 0:
            simulation.take([command_for(simulation.tree, DRIVE, [0.1, step / 1000, 0.0])])
    recording.close("d" * 64)
    process.wait()
    return states


def start_record(recording: RunRecording, path: Path, state_bytes: int) -> RecordProcess:
    """Begins a record of a simulation in this process."""
    process = RecordProcess(path, (), state_bytes=state_bytes)
    try:
        process.wait_until_open()
    except RecordError:
        process.close()
        raise
    outlets = replace(process.outlets, lifeline=process.outlets.lifeline.dup())
    recording.start(path, outlets, "")
    process.release()
    return process


def with_a_gap(path: Path, whole: Path) -> None:
    """Writes a record without some of its states, as one that was damaged and is recovered."""
    with Record(path) as record, whole.open("wb") as file:
        writer = RecordWriter(file, record.tree, record.about, ())
        for event in record.events():
            writer.add_event(event)
        for step, state in record.states():
            if step not in range(100, 150):
                writer.add_state(state)
        writer.finish({})


def states_of(path: Path) -> list[bytes]:
    with Record(path) as record:
        return [state for _, state in record.states()]


class LightReplay(Replay):
    """Of a record of a world without a map."""

    def compile(self, world: object) -> CompiledWorld:
        return flat_world()
