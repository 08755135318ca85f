"""The simulation's end of a record: puts states and events into the ring."""

import os
import pickle
import select
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.records.contents import About, RecordedFile, RecordError
from autosim.records.events import Event
from autosim.records.ring import Ring
from autosim.records.writer_messages import Entry, NotWritten, Opened, WriteOrder, Written
from autosim.simulation.tree import SimulationTree
from autosim.userprogram.codec.tree_codec import tree_to_bytes

RING_BYTES = 16 * 1024 * 1024
"""Room [bytes] in the ring, at least: some twenty seconds of ten cars at 240 steps a second, for a
disk that stands still for a while."""

_RING_STATES = 64
"""Number of states for which there is room, however large they are."""

_OPEN_SECONDS = 20.0
"""Longest time [s] that the writer process may take to start and to open its file."""

_CLOSE_SECONDS = 30.0
"""Longest time [s] that it may take to write what is left."""


@dataclass(frozen=True, slots=True)
class RecordStatus:
    """How a record fares.

    `states` and `bytes`: put into the record so far, uncompressed. `waits`: how often the
    simulation had to wait for the disk. `failure`: why nothing more is recorded, "" while it is.
    """

    path: str
    states: int
    bytes: int
    waits: int
    failure: str = ""


class Recorder:
    """One record of one run.

    Args:
        path: the file; its folder is made.
        tree: laid out, of the simulation.
        about: the run.
        files: of the world.

    Raises:
        RecordError: the file cannot be written.
    """

    def __init__(
        self, path: Path, tree: SimulationTree, about: About, files: Sequence[RecordedFile]
    ) -> None:
        self._path = path.absolute()
        self._states = self._bytes = 0
        self._failure = ""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecordError(f"{path}: cannot be recorded to: {error.strerror}") from error
        room = max(RING_BYTES, _RING_STATES * tree.stop) // 8 * 8
        self._ring = Ring.create(room)
        self._control, theirs = ControlSocket.pair()
        self._process = start_python("autosim.records.writer_process", theirs)
        self._pidfd = os.pidfd_open(self._process.pid)
        theirs.close()
        order = WriteOrder(self._path, tree_to_bytes(tree), about, tuple(files))
        self._control.set_timeout(_OPEN_SECONDS)
        answer = self._ask(order)
        if not isinstance(answer, Opened):
            self._end()
            raise RecordError(f"cannot record: {_reason(answer)}")

    def status(self) -> RecordStatus:
        """How it fares."""
        waits = self._ring.waits
        return RecordStatus(str(self._path), self._states, self._bytes, waits, self._failure)

    def add_state(self, state: memoryview) -> None:
        """Records a state."""
        self._put(Entry.STATE, state)
        self._states += 1

    def add_event(self, event: Event) -> None:
        """Records something that happened."""
        self._put(Entry.EVENT, pickle.dumps(event, protocol=pickle.HIGHEST_PROTOCOL))

    def close(self, result: dict[str, str] | None = None) -> RecordStatus:
        """Ends the record and waits until it is on the disk.

        Args:
            result: what the run came to.
        """
        if not self._failure:
            self._put(Entry.RESULT, pickle.dumps(result or {}))
            self._ring.finish()
            self._control.set_timeout(_CLOSE_SECONDS)
            answer = self._receive()
            if isinstance(answer, Written):
                self._bytes = answer.bytes
            else:
                self._failure = _reason(answer)
        self._end()
        return self.status()

    def let_go(self) -> None:
        """Closes what a copy of a process has of its original's record, which goes on."""
        self._control.close()
        os.close(self._pidfd)

    def _put(self, kind: Entry, data: bytes | memoryview) -> None:
        if self._failure:
            return
        if self._ring.has_failed or not self._ring.put(kind, data, self._is_alive):
            self._failure = _reason(self._receive())
            return
        self._bytes += len(data)

    def _is_alive(self) -> bool:
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return not poll.poll(0)

    def _ask(self, order: WriteOrder) -> object:
        self._control.send(order, (self._ring.descriptor,))
        return self._receive()

    def _receive(self) -> object:
        try:
            return self._control.receive()[0]
        except (ControlClosedError, TimeoutError) as error:
            return error

    def _end(self) -> None:
        self._control.close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._pidfd)


def _reason(answer: object) -> str:
    if isinstance(answer, NotWritten):
        return answer.reason
    return "the process that writes it has ended"
