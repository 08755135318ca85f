"""The process that writes a record: it empties the ring of a simulation onto the disk.

It outlives the simulation: where that is killed, what is in the ring still comes to the file, which
is ended properly.
"""

import os
import pickle
import sys
import time
from dataclasses import replace
from itertools import islice
from typing import BinaryIO

from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control
from autosim.records.command_log import unpack
from autosim.records.record_format import RecordedPicture, RunMetadata
from autosim.records.record_writer import RecordWriter
from autosim.records.ring import Ring
from autosim.records.sensor_file import SensorFile
from autosim.records.writer_messages import (
    RingEntry,
    WriteOrder,
    WriterDone,
    WriterFailed,
    WriterReady,
)
from autosim.userprogram.codec.tree_codec import tree_from_bytes

LOOK_SECONDS = 0.1
"""Time [s] between two looks into the ring: rarely enough to cost next to nothing."""

_PICTURES = 8
"""Number of pictures that are written between two looks for states: a fraction of a second."""

_NICENESS = 5
"""Added to the process's own: simulations and windows come first."""


def write(
    control: ControlSocket, order: WriteOrder, rings: tuple[Ring, Ring], lifeline: ControlSocket
) -> None:
    """Writes until the simulation has put its last entry into the rings, or is gone.

    Raises:
        OSError: the disk takes no more.
    """
    ring, pictures = rings
    with order.path.open("wb") as file:
        _tell(control, WriterReady())
        writing = _Writing(order, file)
        while True:
            is_last = ring.is_done or lifeline.is_closed
            for kind, data in ring.take():
                writing.add(RingEntry(kind), data, has_time=not ring.is_half_full)
            # States come first: of the pictures only some are written between two looks.
            for _, data in islice(pictures.take(), None if is_last else _PICTURES):
                writing.add_picture(pickle.loads(data))
            if is_last:
                break
            writing.flush_if_due()
            time.sleep(LOOK_SECONDS)
        written = writing.finish(pictures.dropped)
    if not written.states:
        order.path.unlink()  # the simulation ended before it began
    _tell(control, written)


class _Writing:
    """Writes entries; the first says of what run they are."""

    def __init__(self, order: WriteOrder, file: BinaryIO) -> None:
        self._order, self._file = order, file
        self._writer: RecordWriter | None = None
        self._sensors: SensorFile | None = None
        self._result: dict[str, str] = {}

    def add(self, kind: RingEntry, data: bytes, *, has_time: bool) -> None:
        if kind is RingEntry.ABOUT:
            self._open(*pickle.loads(data))
            return
        assert self._writer is not None, "the first entry says what is recorded"
        assert self._sensors is not None
        if kind is RingEntry.STATE:
            self._writer.add_state(data)
            self._sensors.add_state(data, has_time=has_time)
        elif kind is RingEntry.EVENT:
            self._writer.add_event(pickle.loads(data))
        elif kind is RingEntry.EVENTS:
            for event in unpack(data):
                self._writer.add_event(event)
        else:
            self._result = pickle.loads(data)

    def _open(self, tree_bytes: bytes, about: RunMetadata) -> None:
        order, tree = self._order, tree_from_bytes(tree_bytes)
        files = tuple(each for each in order.files if not each.is_program)
        programs = tuple((each.name, each.digest) for each in order.files if each.is_program)
        named = tuple((each.name, each.digest) for each in files)
        about = replace(about, files=named, programs=programs)
        self._writer = RecordWriter(self._file, tree, about, files)
        self._sensors = SensorFile(order.path, tree, about)

    def add_picture(self, picture: RecordedPicture) -> None:
        if self._sensors is not None:
            self._sensors.add_picture(picture)

    def flush_if_due(self) -> None:
        if self._writer is not None and self._sensors is not None:
            self._writer.flush_if_due()
            self._sensors.flush_if_due()

    def finish(self, dropped: int) -> WriterDone:
        """Closes the files; `dropped` is the number of pictures that did not arrive here."""
        if self._writer is None or self._sensors is None:
            return WriterDone(0, 0, 0)
        self._writer.finish(self._result)
        sensors = self._sensors
        sensors.dropped += dropped
        sensors.finish()
        return WriterDone(
            self._writer.states,
            self._writer.events,
            self._file.tell(),
            sensors.dropped,
            sensors.failure,
        )


def _tell(control: ControlSocket, message: object) -> None:
    try:
        control.send(message)
    except ControlClosedError:
        return


def main(descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = inherited_control(descriptor)
    os.nice(_NICENESS)
    try:
        order, (*descriptors, lifeline_descriptor) = control.receive()
    except ControlClosedError:
        return 0
    assert isinstance(order, WriteOrder)
    ring, pictures = (Ring.open(each) for each in descriptors)
    try:
        write(control, order, (ring, pictures), ControlSocket.inherited(lifeline_descriptor))
    except OSError as error:
        ring.fail()
        _tell(control, WriterFailed(f"{order.path}: {error.strerror or error}"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
