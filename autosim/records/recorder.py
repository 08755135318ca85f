"""Both ends of a record that is being written: who starts the writer, and the simulation.

The simulation only puts entries into a ring. It waits for nothing: neither for the process that
writes, nor for the disk, as long as there is room.
"""

import pickle
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autosim.helper_processes.process_activity import wait_while_at_work
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.model.tree import SimulationTree
from autosim.records.command_log import CommandLog
from autosim.records.events import Event
from autosim.records.record_format import RecordedFile, RecordedPicture, RecordError, RunMetadata
from autosim.records.ring import Ring
from autosim.records.writer_messages import (
    RingEntry,
    WriteOrder,
    WriterDone,
    WriterFailed,
    WriterReady,
)
from autosim.userprogram.codec.tree_codec import tree_to_bytes

RING_BYTES = 16 * 1024 * 1024
"""Room [bytes] in the ring, at least: some twenty seconds of ten cars at 240 steps a second, for a
disk that stands still for a while."""

_RING_STATES = 64
"""Number of states for which there is room, however large they are."""

NO_RECORD = "no record is being written"
"""The answer to an order to end a record where there is none."""

_CLOSE_SECONDS = 30.0
"""Time [s] for which the writer process may make no progress while it writes the rest."""


PICTURE_RING_BYTES = 64 * 1024 * 1024
"""Room [bytes] for pictures: some fifty of 640 x 480 pixels. Only what is used takes memory."""


@dataclass(frozen=True, slots=True)
class RecordingChannels:
    """The rings for a simulation's record: states and events, and pictures apart from them.

    The process that writes ends the file when the rings are finished, or when all copies of this
    end of the `lifeline` are closed.
    """

    ring: Ring
    """Ring of states and events."""
    pictures: Ring
    lifeline: socket.socket

    @classmethod
    def create(cls, state_bytes: int) -> "tuple[RecordingChannels, socket.socket]":
        """New ones, for states of that size, and the other end of the lifeline."""
        ring = Ring.create(max(RING_BYTES, _RING_STATES * state_bytes) // 8 * 8)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return cls(ring, Ring.create(PICTURE_RING_BYTES), ours), theirs

    @classmethod
    def open(cls, descriptors: Sequence[int]) -> "RecordingChannels":
        """The rings of another process. Takes over the descriptors."""
        ring, pictures, lifeline = descriptors
        return cls(Ring.open(ring), Ring.open(pictures), socket.socket(fileno=lifeline))

    @property
    def descriptors(self) -> tuple[int, int, int]:
        """To hand to another process."""
        return self.ring.descriptor, self.pictures.descriptor, self.lifeline.fileno()


@dataclass(frozen=True, slots=True)
class RecordStatus:
    """Status of a record.

    `states` and `bytes`: put into the record so far, uncompressed. `waits`: how often the
    simulation had to wait for the disk; `dropped`: how many pictures were left out, since they came
    faster than they can be written. `failure`: why nothing more is recorded, "" while it is.
    """

    path: str
    """The file that is written."""
    states: int
    bytes: int
    waits: int
    dropped: int = 0
    failure: str = ""


class RecordProcess:
    """The process that writes a record, from its parent's side. Returns before it is ready.

    Args:
        path: the file; its folder is made.
        files: of the world.
        state_bytes: size of a state.

    `outlets` are for the simulation's `Recorder`.

    Raises:
        RecordError: the folder cannot be made.
    """

    def __init__(self, path: Path, files: Sequence[RecordedFile], *, state_bytes: int) -> None:
        self.path = path.absolute()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecordError(f"{path}: cannot be recorded to: {error.strerror}") from error
        self.outlets, heard = RecordingChannels.create(state_bytes)
        self._control, theirs = ControlSocket.pair()
        self._process = start_python("autosim.records.writer_process", theirs)
        theirs.close()
        order = WriteOrder(self.path, tuple(files))
        *rings, _ = self.outlets.descriptors
        self._control.send(order, (*rings, heard.fileno()))
        heard.close()

    def wait_until_open(self) -> None:
        """Waits until the file can be written, as long as the process that opens it lives.

        Raises:
            RecordError: it cannot be written.
        """
        self._control.set_blocking(True)
        answer = self._receive()
        if not isinstance(answer, WriterReady):
            raise RecordError(f"cannot record: {_reason(answer)}")

    def wait(self) -> WriterDone:
        """Waits until the file is complete: for as long as the run takes.

        Raises:
            RecordError: it is not: the disk took no more, or the process has ended.
        """
        self._control.set_blocking(True)
        answer = self._receive()
        if isinstance(answer, WriterReady):
            answer = self._receive()
        self.close()
        if not isinstance(answer, WriterDone):
            raise RecordError(
                f"nothing more is recorded: {_reason(answer)}; "
                f"autosim recover {self.path} keeps what there is"
            )
        return answer

    def release(self) -> None:
        """Closes what the simulation has by now."""
        self.outlets.lifeline.close()

    def close(self) -> None:
        """Waits for the end of the process, which writes the rest first."""
        self.release()
        self._control.close()
        if not wait_while_at_work(self._process, _CLOSE_SECONDS):
            self._process.kill()
            self._process.wait()

    def _receive(self) -> object:
        try:
            return self._control.receive()[0]
        except ControlClosedError as error:
            return error


class Recorder:
    """The simulation's end.

    Args:
        path: of the file, for messages.
        outlets: of the process that writes; takes them over.
        tree: laid out.
        about: the run.
    """

    def __init__(
        self, path: Path, outlets: RecordingChannels, tree: SimulationTree, about: RunMetadata
    ) -> None:
        self._path, self._ring, self._pictures = path, outlets.ring, outlets.pictures
        self._lifeline = ControlSocket(outlets.lifeline)
        self._states = self._bytes = 0
        self._put(RingEntry.ABOUT, pickle.dumps((tree_to_bytes(tree), about)))

    @property
    def has_failed(self) -> bool:
        """Whether nothing more is recorded."""
        return self._ring.has_failed

    def status(self) -> RecordStatus:
        """The status of the record."""
        failure = "the file can no longer be written" if self.has_failed else ""
        return RecordStatus(
            str(self._path),
            self._states,
            self._bytes,
            self._ring.waits,
            self._pictures.dropped,
            failure,
        )

    def add_state(self, state: memoryview) -> None:
        """Records a state."""
        self._put(RingEntry.STATE, state)
        self._states += 1

    def add_event(self, event: Event) -> None:
        """Records something that happened."""
        self._put(RingEntry.EVENT, pickle.dumps(event, protocol=pickle.HIGHEST_PROTOCOL))

    def add_picture(self, picture: RecordedPicture) -> None:
        """Records a picture, if there is room for it."""
        data = pickle.dumps(picture, protocol=pickle.HIGHEST_PROTOCOL)
        self._pictures.offer(RingEntry.PICTURE, data)
        self._bytes += len(data)

    def add_log(self, log: CommandLog) -> None:
        """Records all that happened before."""
        for block in log.blocks():
            self._put(RingEntry.EVENTS, block)

    def close(self, result: dict[str, str]) -> RecordStatus:
        """Ends the record with what the run came to; waits for nothing."""
        self._put(RingEntry.RESULT, pickle.dumps(result))
        self._ring.finish()
        self._lifeline.close()
        return self.status()

    def release(self) -> None:
        """Closes a process copy's share in its original's record, which continues."""
        self._lifeline.close()

    def _put(self, kind: RingEntry, data: bytes | memoryview) -> None:
        if self._ring.has_failed:
            return
        if self._ring.put(kind, data, lambda: not self._lifeline.is_closed):
            self._bytes += len(data)
        else:
            self._ring.fail()


def _reason(answer: object) -> str:
    if isinstance(answer, WriterFailed):
        return answer.reason
    return "the process that writes it has ended"
