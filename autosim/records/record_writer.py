"""Writes a record: states, all that happened, and the files of the world."""

from collections.abc import Sequence
from typing import BinaryIO

from autosim.model.state import time_after
from autosim.model.tree import SimulationTree
from autosim.records.events import Event, EventCodec
from autosim.records.mcap_file import McapFile
from autosim.records.record_format import FILES, STATES, TREE, RecordedFile, RunMetadata
from autosim.records.state_schema import StateCodec
from autosim.userprogram.codec.tree_codec import tree_to_bytes


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
        self,
        file: BinaryIO,
        tree: SimulationTree,
        about: RunMetadata,
        files: Sequence[RecordedFile],
    ) -> None:
        self._about = about
        self._states, self._events = StateCodec(tree), EventCodec()
        self._file = McapFile(file, about)
        self._file.attach(TREE, "application/x-protobuf", tree_to_bytes(tree))
        for each in files:
            if each.content is not None:
                self._file.attach(FILES + each.name, "application/octet-stream", each.content)
        schemas = {STATES: self._states.schema, **self._events.schemas}
        for topic, schema in schemas.items():
            self._file.add_channel(topic, schema)
        self.states = self.events = 0
        self._file.flush()

    def add_state(self, state: bytes) -> None:
        """Adds a state: a bitstream of the tree, which begins with its step and time [ns]."""
        moment = int.from_bytes(state[8:16], "little", signed=True)
        self._file.add(STATES, moment, self._states.encode(state))
        self.states += 1

    def add_event(self, event: Event) -> None:
        """Adds something that happened."""
        moment = time_after(event.step, self._about.step_seconds)
        self._file.add(event.topic, moment, self._events.encode(event, moment))
        self.events += 1

    def flush_if_due(self) -> None:
        """Sends what there is to the disk, where it is time for that."""
        self._file.flush_if_due()

    def finish(self, result: dict[str, str]) -> None:
        """Ends the file, with what the run came to."""
        self._file.finish(result)
