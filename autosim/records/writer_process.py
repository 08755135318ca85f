"""The process that writes a record: it empties the ring of a simulation onto the disk.

It outlives the simulation: where that is killed, what is in the ring still comes to the file, which
is ended properly.
"""

import os
import pickle
import signal
import sys
import time

from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.records.record_writer import RecordWriter
from autosim.records.ring import Ring
from autosim.records.writer_messages import Entry, NotWritten, Opened, WriteOrder, Written
from autosim.userprogram.codec.tree_codec import tree_from_bytes

LOOK_SECONDS = 0.1
"""Time [s] between two looks into the ring: rarely enough to cost next to nothing."""

_NICENESS = 5
"""Added to the process's own: simulations and windows come first."""


def write(control: ControlSocket, order: WriteOrder, ring: Ring) -> None:
    """Writes until the simulation has put its last entry into the ring, or is gone.

    Raises:
        OSError: the disk takes no more.
    """
    writer = RecordWriter(order.path, tree_from_bytes(order.tree), order.about, order.files)
    try:
        control.send(Opened())
        result = _write_entries(control, ring, writer)
        writer.finish(result)
    finally:
        writer.close()
    _tell(control, Written(writer.states, writer.events, order.path.stat().st_size))


def _write_entries(control: ControlSocket, ring: Ring, writer: RecordWriter) -> dict[str, str]:
    """Returns what the run came to; nothing where the simulation was killed."""
    result: dict[str, str] = {}
    while True:
        is_last = ring.is_done or control.is_closed
        for kind, data in ring.take():
            if kind == Entry.STATE:
                writer.add_state(data)
            elif kind == Entry.EVENT:
                writer.add_event(pickle.loads(data))
            else:
                result = pickle.loads(data)
        if is_last:
            return result
        writer.flush_if_due()
        time.sleep(LOOK_SECONDS)


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
    order, (ring_descriptor,) = control.receive()
    assert isinstance(order, WriteOrder)
    ring = Ring.open(ring_descriptor)
    try:
        write(control, order, ring)
    except OSError as error:
        ring.fail()
        _tell(control, NotWritten(f"{order.path}: {error.strerror or error}"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
