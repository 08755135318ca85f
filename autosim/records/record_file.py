"""Reads records: states at random, all else in its order; checks the checksum of each chunk."""

import bisect
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Self

from google.protobuf.message import DecodeError
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import McapReader, make_reader
from mcap.records import Chunk, ChunkIndex, Message
from mcap.stream_reader import CRCValidationError
from mcap.summary import Summary
from mcap.writer import MCAP0_MAGIC
from zstandard import ZstdError

from autosim.config.diagnostics import printable
from autosim.model.tree import SimulationTree, TreeError
from autosim.records.chunks import records_of
from autosim.records.events import KINDS, LOGGED, Event, EventCodec
from autosim.records.mcap_file import fits_checksum
from autosim.records.record_format import (
    ABOUT,
    FILES,
    LOST,
    RESULT,
    SENSORS_SUFFIX,
    STATES,
    TREE,
    RecordError,
    RunMetadata,
)
from autosim.records.state_schema import StateCodec
from autosim.userprogram.codec.tree_codec import tree_from_bytes

_CACHE_BYTES = 64 * 1024 * 1024
"""Memory [bytes] for states of decompressed chunks, which scrubbing needs again. Eight chunks of a
usual record have less; of larger chunks only the newest is cached."""

_NS = 1e-9
"""Seconds in a nanosecond."""

DAMAGES = (
    *(McapError, CRCValidationError, ZstdError, ValueError, EOFError, struct.error, KeyError),
    # lz4 raises RuntimeError; lengths beyond all memory raise the others.
    *(RuntimeError, MemoryError, OverflowError),
)
"""Exceptions of the libraries at bytes that are not a whole record."""

_UNREADABLE = (*DAMAGES, DecodeError, OSError)
"""Exceptions on reading a record: also a place in it that no file has, and a disk that fails."""


class Record:
    """A finished record. Use as a context manager.

    Args:
        path: the file.

    `about` is its run, `tree` the layout of its states; `first_step` and `last_step` those of its
    states. `files` are those of its world by their names, without the `damaged_files`, also those
    that were lost on recovering it. `result` is what the run came to, empty where the simulation
    was killed.

    Raises:
        RecordError: it cannot be read, was not finished, or is damaged.
    """

    tree: SimulationTree
    files: dict[str, bytes]
    damaged_files: list[str]

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
        try:
            self._open()
        except RecordError:
            self._file.close()
            raise
        except (*_UNREADABLE, TreeError, RecursionError) as error:
            self._file.close()
            hint = "if its writer was killed, repair it with: autosim recover"
            raise RecordError(f"{path}: not a complete record ({error}); {hint} {path}") from error

    def _open(self) -> None:
        if not self._has_end():
            raise ValueError("it has no end")
        reader = make_reader(self._file, validate_crcs=True)
        summary = reader.get_summary()
        if summary is None:
            raise RecordError(f"{self.path}: was not finished: autosim recover {self.path}")
        metadata = {each.name: each.metadata for each in reader.iter_metadata()}
        if ABOUT not in metadata:
            raise RecordError(f"{self.path}: is an MCAP file, but no record of AutoSim")
        self.about = RunMetadata.from_texts(metadata[ABOUT])
        self.result: dict[str, str] = metadata.get(RESULT, {})
        if not any(each.topic == STATES for each in summary.channels.values()):
            raise RecordError(
                f"{self.path}: holds no states; one that ends in {SENSORS_SUFFIX} has what the "
                "sensors of a run saw, and the record lies beside it"
            )
        lost = [each.metadata["file"] for each in reader.iter_metadata() if each.name == LOST]
        self._read_attachments(reader, lost)
        self._codec, self._events = StateCodec(self.tree), EventCodec()
        self._index_chunks(summary)
        self._cached: dict[int, dict[int, bytes]] = {}

    def _read_attachments(self, reader: McapReader, lost: Sequence[str]) -> None:
        self.files, self.damaged_files = {}, [name.removeprefix(FILES) for name in lost]
        if TREE in lost:
            raise RecordError(f"{self.path}: is damaged where it says what its values are")
        for each in reader.iter_attachments():
            name, is_whole = each.name.removeprefix(FILES), fits_checksum(each, self._file)
            if each.name == TREE and is_whole:
                self.tree = tree_from_bytes(each.data)
            elif each.name == TREE:
                raise RecordError(f"{self.path}: is damaged where it says what its values are")
            elif not each.name.startswith(FILES):
                continue  # another program has added it
            elif name in self.files:
                raise RecordError(f"{self.path}: was altered: it holds '{printable(name)}' twice")
            elif is_whole:
                self.files[name] = each.data
            else:
                self.damaged_files.append(name)
        if not hasattr(self, "tree"):
            raise RecordError(
                f"{self.path}: has no attachment '{TREE}', which describes its values: it was "
                "altered, or written by another program"
            )

    def _has_end(self) -> bool:
        """Whether the file ends as a finished one does; leaves it at its beginning."""
        self._size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, self._size - len(MCAP0_MAGIC)))
        end = self._file.read()
        self._file.seek(0)
        return end == MCAP0_MAGIC

    def _index_chunks(self, summary: Summary) -> None:
        self._topics = {number: each.topic for number, each in summary.channels.items()}
        channels = {topic: number for number, topic in self._topics.items()}
        self._state_channel = channels[STATES]
        self._all_chunks = sorted(summary.chunk_indexes, key=lambda each: each.chunk_start_offset)
        with_states = [
            each
            for each in summary.chunk_indexes
            if self._state_channel in each.message_index_offsets
        ]
        self.chunks = sorted(with_states, key=lambda each: each.message_start_time)
        self._starts = [each.message_start_time for each in self.chunks]
        if not self.chunks:
            raise RecordError(f"{self.path}: holds no states")
        self.first_step = min(self.states_in(self.chunks[0]))
        self.last_step = max(self.states_in(self.chunks[-1]))

    def state(self, step: int) -> bytes:
        """The bitstream of the tree after `step` steps.

        Raises:
            RecordError: the record has no such state, or is damaged there.
        """
        state = self.find_state(step)
        if state is None:
            raise RecordError(f"{self.path}: has no state of step {step}")
        return state

    def find_state(self, step: int) -> bytes | None:
        """The same; None where there is none: a record that was recovered may have gaps.

        Raises:
            RecordError: the record is damaged there.
        """
        moment = step * self.about.step_seconds / _NS
        # Times are whole nanoseconds: half a step later is beyond any rounding.
        last = bisect.bisect_right(self._starts, moment + 0.5 * self.about.step_seconds / _NS)
        for number in range(last - 1, max(last - 4, -1), -1):
            states = self.states_of_chunk(number)
            if step in states:
                return self._codec.decode(states[step])
        return None

    def states(self) -> Iterator[tuple[int, bytes]]:
        """All states with their steps, in their order.

        Raises:
            RecordError: the record is damaged.
        """
        for number in range(len(self.chunks)):
            for step, message in self.states_of_chunk(number).items():
                yield step, self._codec.decode(message)

    def events(self, kinds: Iterable[type[Event]] = KINDS) -> Iterator[Event]:
        """The events, in their order.

        Raises:
            RecordError: the record is damaged.
        """
        wanted = {kind.topic for kind in kinds}
        topics = {each: topic for each, topic in self._topics.items() if topic in wanted}
        try:
            for index in self._all_chunks:
                if topics.keys() & index.message_index_offsets.keys():
                    yield from self._events_of(index, topics)
        except _UNREADABLE as error:
            raise self._damaged(error) from error

    def _events_of(self, index: ChunkIndex, topics: Mapping[int, str]) -> Iterator[Event]:
        for each in records_of(self._chunk_at(index)):
            if isinstance(each, Message) and each.channel_id in topics:
                step = round(each.log_time * _NS / self.about.step_seconds)
                yield self._events.decode(topics[each.channel_id], each.data, step=step)

    def log(self) -> list[Event]:
        """The events that decide how the run continues: commands, placements, states shown."""
        return list(self.events(LOGGED))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _damaged(self, error: Exception) -> RecordError:
        return RecordError(
            f"{self.path}: is damaged ({error}); autosim recover {self.path} --out FILE leaves out "
            "what is"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def cached_chunks(self) -> list[int]:
        """Numbers of the chunks in the cache, the one used last at the end."""
        return list(self._cached)

    def states_in(self, index: ChunkIndex) -> dict[int, bytes]:
        """The messages of the states of a chunk by their steps, read from the file."""
        return {
            round(each.log_time * _NS / self.about.step_seconds): each.data
            for each in records_of(self._chunk_at(index))
            if isinstance(each, Message) and each.channel_id == self._state_channel
        }

    def _chunk_at(self, index: ChunkIndex) -> Chunk:
        self._file.seek(index.chunk_start_offset)
        stream = ReadDataStream(self._file)
        opcode, length = stream.read1(), stream.read8()
        if opcode != Opcode.CHUNK or length > self._size:
            raise ValueError(f"there is no chunk at byte {index.chunk_start_offset}")
        chunk: Chunk = Chunk.read(stream)
        return chunk

    def states_of_chunk(self, number: int) -> dict[int, bytes]:
        """The messages of the states of a chunk by their steps, from the cache if they are there.

        The cache has the chunks in the order of their last use, and at most `_CACHE_BYTES` beside
        the newest.
        """
        states = self._cached.pop(number, None)
        if states is None:
            states = self._read_chunk_states(number)
        self._cached[number] = states
        while len(self._cached) > 1 and sum(map(_size_of, self._cached.values())) > _CACHE_BYTES:
            del self._cached[next(iter(self._cached))]
        return states

    def _read_chunk_states(self, number: int) -> dict[int, bytes]:
        try:
            return self.states_in(self.chunks[number])
        except _UNREADABLE as error:
            raise self._damaged(error) from error


def _size_of(states: dict[int, bytes]) -> int:
    """Size [bytes] of the messages of a chunk."""
    return sum(map(len, states.values()))
