"""Writes a record: an MCAP file whose chunks go to the disk several times a second."""

import os
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from mcap.writer import CompressionType, Writer

from autosim.records.contents import (
    ABOUT,
    FILES,
    PROFILE,
    RESULT,
    STATES,
    TREE,
    About,
    RecordedFile,
)
from autosim.records.events import Event, EventCodec
from autosim.records.state_schema import StateCodec
from autosim.simulation.state import time_after
from autosim.simulation.tree import SimulationTree
from autosim.userprogram.codec.tree_codec import tree_to_bytes

CHUNK_BYTES = 1024 * 1024
"""Number of bytes, uncompressed, after which a chunk goes to the disk in any case: small enough to
be decompressed at once while somebody scrubs through the record."""

FLUSH_SECONDS = 0.25
"""Time [s] after which a chunk goes to the disk, however short it is. With the pauses of the writer
process this keeps what a killed machine loses below 0.6 s."""


class RecordWriter:
    """One record that is being written.

    Args:
        file: empty, and open for writing; it stays the caller's.
        tree: the layout of the states.
        about: the run.
        files: of the world.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(
        self, file: BinaryIO, tree: SimulationTree, about: About, files: Sequence[RecordedFile]
    ) -> None:
        self._about = about
        self._states, self._events = StateCodec(tree), EventCodec()
        self._file = file
        self._writer = Writer(self._file, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile=PROFILE, library=f"autosim {about.version}")
        self._writer.add_metadata(ABOUT, about.as_texts())
        self._attach(TREE, "application/x-protobuf", tree_to_bytes(tree))
        for each in files:
            if each.content is not None:
                self._attach(FILES + each.name, "application/octet-stream", each.content)
        schemas = {STATES: self._states.schema, **self._events.schemas}
        self._channels: dict[str, int] = {}
        for topic, schema in schemas.items():
            number = self._writer.register_schema(schema.name, "protobuf", schema.data)
            self._channels[topic] = self._writer.register_channel(topic, "protobuf", number)
        self.states = self.events = 0
        self._flushed_at = time.monotonic()
        self.flush()

    def add_state(self, state: bytes) -> None:
        """Adds a state: a bitstream of the tree, which begins with its step and time [ns]."""
        moment = int.from_bytes(state[8:16], "little", signed=True)
        self._add(STATES, moment, self._states.encode(state))
        self.states += 1

    def add_event(self, event: Event) -> None:
        """Adds something that happened."""
        moment = time_after(event.step, self._about.step_seconds)
        self._add(event.topic, moment, self._events.encode(event, moment))
        self.events += 1

    def flush_if_due(self) -> None:
        """Sends what there is to the disk, where it was not for `FLUSH_SECONDS`."""
        if time.monotonic() - self._flushed_at >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Sends what there is to the disk."""
        # The library ends a chunk by its size alone, and has no public way to end one earlier.
        end_chunk: Any = self._writer._Writer__finalize_chunk  # type: ignore[attr-defined]
        end_chunk()
        self._file.flush()
        self._flushed_at = time.monotonic()

    def finish(self, result: dict[str, str]) -> None:
        """Ends the file, with what the run came to."""
        self.flush()
        self._writer.add_metadata(RESULT, result)
        self._writer.finish()  # type: ignore[no-untyped-call]
        self._file.flush()
        os.fsync(self._file.fileno())

    def _attach(self, name: str, media_type: str, data: bytes) -> None:
        self._writer.add_attachment(0, 0, name, media_type, data)

    def _add(self, topic: str, moment: int, data: bytes) -> None:
        self._writer.add_message(
            self._channels[topic], log_time=moment, data=data, publish_time=moment
        )
