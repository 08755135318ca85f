"""Recording of a simulation process: the log of commands, and records on order."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from autosim.config.descriptions import WorldDescription
from autosim.engine.step.collision_texts import COLLIDED
from autosim.engine.step.placement import Placement
from autosim.engine.step.run_log import RunInput, as_event
from autosim.model.commands import Command
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.records.command_log import CommandLog
from autosim.records.events import (
    Collision,
    CommandOrdered,
    Event,
    Intervention,
    OutputPrinted,
    StateDigest,
    notice_event,
)
from autosim.records.record_format import RecordedPicture, RecordError, RunMetadata
from autosim.records.recorder import NO_RECORD, Recorder, RecordingChannels, RecordStatus
from autosim.userprogram.ipc.camera_images import ImageMemory, ImageSlot, PictureRequest
from autosim.version import __version__
from autosim.world.compiled.compiled_world import CompiledWorld

CHECK_SECONDS = 10.0
"""Simulated time [s] between two digests in the log: a run that is simulated again and comes to
other states is stopped then, and not at its end."""

NO_LOG = (
    "the run cannot be simulated again from its first step: a robot was added to its world or "
    "removed, or its log has become too long"
)

_SOURCE = "record"
"""The origin of messages on a record."""


class Recordable(Protocol):
    """The recorded parts of a simulation."""

    tree: SimulationTree
    state: State
    step_seconds: float
    compiled: CompiledWorld
    on_publish: list[Callable[[], None]]
    on_command: list[Callable[[int, RunInput], None]]


class RunRecording:
    """Keeps the log of a run, and records the run while that is ordered.

    Args:
        world: that is simulated.
        seed: of its noise.
        is_whole: the run begins at step 0, so that its log suffices to simulate it again.
        report: takes messages for the user.

    `log` has all inputs of the simulation, `from_outside` those not from its own programs. `report`
    passes messages on, and into the record. `follow` attaches it to a simulation.
    """

    def __init__(
        self,
        world: WorldDescription,
        seed: int,
        *,
        is_whole: bool,
        report: Callable[[Notice], None],
    ) -> None:
        self.log = CommandLog(is_complete=is_whole)
        self.from_outside = CommandLog()
        self._world, self._seed = world, seed
        self._report = report
        self._recorder: Recorder | None = None
        self._ended: RecordStatus | None = None
        self._simulation: Recordable | None = None
        self._waits = 0

    def follow(self, simulation: Recordable) -> None:
        """Notes the inputs and events of the simulation from now on."""
        self._simulation = simulation
        simulation.on_command.append(self._add_told)
        simulation.on_publish.append(self._add_state)

    def report(self, notice: Notice) -> None:
        """Passes a message on, and records it."""
        self._report(notice)
        if self._recorder is None:
            return
        self._recorder.add_event(notice_event(notice))
        if COLLIDED in notice.text:
            self._recorder.add_event(Collision(notice.step, notice.source, notice.text))

    def printed(self, text: str, source: str) -> None:
        """Records the output of a user program; `source` is its robot and file."""
        if self._recorder is not None and self._simulation is not None:
            self._recorder.add_event(OutputPrinted(self._simulation.state.step, text, source))

    def add_picture(self, wish: PictureRequest, place: ImageSlot, images: ImageMemory) -> None:
        """Records a picture that a program gets."""
        if self._recorder is not None:
            data = images.picture(wish.kind, place).tobytes()
            self._recorder.add_picture(
                RecordedPicture(wish.camera, wish.kind, place.step, place.width, place.height, data)
            )

    @property
    def status(self) -> RecordStatus | None:
        """Status of the current record; None without one."""
        return None if self._recorder is None else self._recorder.status()

    def start(self, path: Path, outlets: RecordingChannels, world_file: str) -> RecordStatus:
        """Begins a record with the present state.

        Args:
            path: of the file, for messages.
            outlets: of the process that writes it; takes them over.
            world_file: the name of the world's own file.

        Raises:
            RecordError: there is one already.
        """
        if self._recorder is not None:
            outlets.lifeline.close()
            raise RecordError(f"a record is being written already: {self._recorder.status().path}")
        self._recorder, self._waits = self._begin(path, outlets, world_file), 0
        return self._recorder.status()

    def save(
        self, path: Path, outlets: RecordingChannels, world_file: str, *, digest: str
    ) -> RecordStatus:
        """Writes a record of the present state alone, with all that led there; as `start`.

        Args:
            path: as `start`.
            outlets: as `start`.
            world_file: as `start`.
            digest: of all states so far.

        Raises:
            RecordError: what led there is not known.
        """
        assert self._simulation is not None
        if not self.log.is_complete:
            outlets.lifeline.close()
            raise RecordError(NO_LOG)
        recorder = self._begin(path, outlets, world_file)
        step = self._simulation.state.step
        recorder.add_event(StateDigest(step, digest))
        return recorder.close({"steps": str(step), "digest": digest})

    def _begin(self, path: Path, outlets: RecordingChannels, world_file: str) -> Recorder:
        simulation = self._simulation
        assert simulation is not None
        state = simulation.state
        about = RunMetadata(
            version=__version__,
            world=self._world.name,
            world_file=world_file,
            seed=self._seed,
            step_seconds=simulation.step_seconds,
            layout_digest=simulation.tree.digest,
            world_digest=simulation.compiled.digest,
            first_step=state.step,
            has_log=self.log.is_complete,
            files=(),
        )
        recorder = Recorder(path, outlets, simulation.tree, about)
        if self.log.is_complete:
            recorder.add_log(self.log)
        recorder.add_state(state.buffer)
        return recorder

    def stop(self, digest: str = "") -> RecordStatus:
        """Ends the record; the process that writes it continues until it is on the disk.

        Returns:
            the status of the record, also where it has ended before, by itself or by an order: a
            failure of its writer may have been first.

        Raises:
            RecordError: there has been none.
        """
        if self._recorder is not None and self._simulation is not None:
            recorder, self._recorder = self._recorder, None
            result = {"steps": str(self._simulation.state.step), "digest": digest}
            self._ended = recorder.close(result)
        if self._ended is None:
            raise RecordError(NO_RECORD)
        return self._ended

    def release(self) -> None:
        """Forgets the record: another process writes on."""
        if self._recorder is not None:
            self._recorder.release()
            self._recorder = None

    def close(self, digest: str = "") -> str:
        """Ends the record where there is one; returns its path, "" where there was none."""
        return "" if self._recorder is None else self.stop(digest).path

    def note_from_outside(self, commands: Sequence[Command]) -> None:
        """Notes what people or clients have commanded for the next step."""
        if self._simulation is not None:
            step = self._simulation.state.step
            for command in commands:
                values = tuple(np.frombuffer(command.data).tolist())
                self._add(CommandOrdered(step, command.device, values), is_from_outside=True)

    def note_intervention(self, text: str) -> None:
        """Notes an intervention that programs cannot repeat by themselves."""
        step = 0 if self._simulation is None else self._simulation.state.step
        self._add(Intervention(step, text))

    def note_earlier(self, events: Iterable[Event]) -> None:
        """Takes over what a record has of the same run, before it is simulated again."""
        for event in events:
            self._add(event, is_from_outside=isinstance(event, CommandOrdered))

    def note_digest(self, digest: Callable[[], str]) -> None:
        """Notes the digest of all states up to the present one, every `CHECK_SECONDS`."""
        simulation = self._simulation
        if simulation is not None:
            interval = max(1, round(CHECK_SECONDS / simulation.step_seconds))
            if simulation.state.step % interval == 0:
                self._add(StateDigest(simulation.state.step, digest()))

    def _add_told(self, step: int, told: RunInput) -> None:
        self._add(as_event(step, told), is_from_outside=isinstance(told, Placement))

    def _add(self, event: Event, *, is_from_outside: bool = False) -> None:
        self.log.add(event)
        if is_from_outside:
            self.from_outside.add(event)
        if self._recorder is not None:
            self._recorder.add_event(event)

    def _add_state(self) -> None:
        recorder, simulation = self._recorder, self._simulation
        if recorder is None or simulation is None:
            return
        recorder.add_state(simulation.state.buffer)
        status = recorder.status()
        if status.failure:
            # The process that started the writer reports why.
            self._recorder, self._ended = None, status
            recorder.release()
        elif status.waits and not self._waits:
            self._waits = status.waits
            text = "the disk is slower than the simulation, which waits for it from time to time"
            self._report(Notice("warning", _SOURCE, simulation.state.step, text))
