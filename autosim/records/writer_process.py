"""The process that writes a record: it empties the ring of a simulation onto the disk.

It outlives the simulation: where that is killed, what is in the ring still comes to the file, which
is ended properly.
"""

import os
import pickle
import signal
import sys
import time
from dataclasses import replace
from typing import BinaryIO

from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.records.command_log import unpack
from autosim.records.record_writer import RecordWriter
from autosim.records.ring import Ring
from autosim.records.writer_messages import Entry, NotWritten, Opened, WriteOrder, Written
from autosim.userprogram.codec.tree_codec import tree_from_bytes

LOOK_SECONDS = 0.1
"""Time [s] between two looks into the ring: rarely enough to cost next to nothing."""

_NICENESS = 5
"""Added to the process's own: simulations and windows come first."""


def write(control: ControlSocket, order: WriteOrder, ring: Ring, lifeline: ControlSocket) -> None:
    """Writes until the simulation has put its last entry into the ring, or is gone.

    Raises:
        OSError: the disk takes no more.
    """
    with order.path.open("wb") as file:
        _tell(control, Opened())
        writing = _Writing(order, file)
        while True:
            is_last = ring.is_done or lifeline.is_closed
            for kind, data in ring.take():
                writing.add(Entry(kind), data)
            if is_last:
                break
            writing.flush_if_due()
            time.sleep(LOOK_SECONDS)
        written = writing.finish()
    if not written.states:
        order.path.unlink()  # the simulation ended before it began
    _tell(control, written)


class _Writing:
    """Writes entries; the first says of what run they are."""

    def __init__(self, order: WriteOrder, file: BinaryIO) -> None:
        self._order, self._file = order, file
        self._writer: RecordWriter | None = None
        self._result: dict[str, str] = {}

    def add(self, kind: Entry, data: bytes) -> None:
        if kind is Entry.ABOUT:
            tree, about = pickle.loads(data)
            about = replace(about, files=tuple((f.name, f.digest) for f in self._order.files))
            self._writer = RecordWriter(self._file, tree_from_bytes(tree), about, self._order.files)
            return
        assert self._writer is not None, "the first entry says what is recorded"
        if kind is Entry.STATE:
            self._writer.add_state(data)
        elif kind is Entry.EVENT:
            self._writer.add_event(pickle.loads(data))
        elif kind is Entry.EVENTS:
            for event in unpack(data):
                self._writer.add_event(event)
        else:
            self._result = pickle.loads(data)

    def flush_if_due(self) -> None:
        if self._writer is not None:
            self._writer.flush_if_due()

    def finish(self) -> Written:
        if self._writer is None:
            return Written(0, 0, 0)
        self._writer.finish(self._result)
        return Written(self._writer.states, self._writer.events, self._file.tell())


def _tell(control: ControlSocket, message: object) -> None:
    try:
        control.send(message)
    except ControlClosedError:
        return


def main(descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    # Whoever ends the simulation by Ctrl-C wants the record whole.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    control = ControlSocket.inherited(descriptor)
    order, (ring_descriptor, lifeline_descriptor) = control.receive()
    assert isinstance(order, WriteOrder)
    ring = Ring.open(ring_descriptor)
    try:
        write(control, order, ring, ControlSocket.inherited(lifeline_descriptor))
    except OSError as error:
        ring.fail()
        _tell(control, NotWritten(f"{order.path}: {error.strerror or error}"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
