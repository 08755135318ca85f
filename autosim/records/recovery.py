"""Makes a whole record of one whose writer was killed, or whose disk was full."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mcap.records import Attachment, Channel, Chunk, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

from autosim.records.chunks import records_of
from autosim.records.mcap_file import CHUNK_BYTES, fits_checksum
from autosim.records.record_file import DAMAGES
from autosim.records.record_format import FILES, LOST, PROFILE, STATES, RecordError


@dataclass(frozen=True, slots=True)
class Recovered:
    """Findings: states, other messages, parts that are damaged, and why reading ended.

    `lost_files`: the damaged ones among the files of its world.

    Attributes:
        events: number of recovered messages that are not states.
        damaged_parts: number of parts that could not be read.
        end: reason why reading ended; "complete" at the file's regular end.
    """

    states: int
    events: int
    damaged_parts: int
    end: str
    lost_files: tuple[str, ...] = ()


def recover(broken: Path, whole: Path) -> Recovered:
    """Writes all that can be read of `broken` to `whole`, which may be the same file.

    Chunks and files are read as a whole, each with its checksum; damaged ones are left out.

    Raises:
        RecordError: nothing can be read of it, or `whole` cannot be written.
        OSError: `broken` cannot be opened.
    """
    beside = whole.with_name(whole.name + ".part")
    try:
        with broken.open("rb") as source, beside.open("wb") as target:
            recovered = copy_readable(source, target)
            os.fsync(target.fileno())
        beside.replace(whole)
    except OSError as error:
        if error.filename == str(broken):
            raise
        hint = "autosim recover RECORD --out FILE writes elsewhere"
        raise RecordError(f"{whole}: cannot be written: {error.strerror}; {hint}") from error
    except RecordError as error:
        raise RecordError(f"{broken}: {error}") from error
    finally:
        beside.unlink(missing_ok=True)
    return recovered


def copy_readable(source: BinaryIO, target: BinaryIO) -> Recovered:
    """As `recover`, from an open file to another.

    Raises:
        RecordError: no state can be read.
    """
    copy = _Copy(target)
    copy.run(source)
    if copy.is_empty:
        raise RecordError("no state can be read of it")
    copy.finish()
    return Recovered(copy.states, copy.events, copy.damaged, copy.end, tuple(copy.lost_files))


class _Copy:
    def __init__(self, target: BinaryIO) -> None:
        self._writer = Writer(target, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile=PROFILE)
        self._schemas: dict[int, int] = {}
        self._channels: dict[int, int] = {}
        self._states: set[int] = set()
        self.states = self.events = self.damaged = 0
        self.lost_files: list[str] = []
        self.end = "complete"

    @property
    def is_empty(self) -> bool:
        """Whether a record has no state; the file of the sensors beside one has none ever."""
        return not (self.states or (self.events and not self._states))

    def run(self, source: BinaryIO) -> None:
        """Copies up to the end, or to the last readable message."""
        reader = StreamReader(source, emit_chunks=True)
        try:
            for record in reader.records:
                if isinstance(record, Chunk):
                    self._copy_chunk(record)
                elif isinstance(record, Attachment):
                    self._copy_attachment(record, is_whole=fits_checksum(record, source))
                elif isinstance(record, Metadata):
                    self._writer.add_metadata(record.name, record.metadata)
        except DAMAGES as error:
            self.end = str(error) or type(error).__name__

    def _copy_attachment(self, record: Attachment, *, is_whole: bool) -> None:
        if is_whole:
            self._writer.add_attachment(0, 0, record.name, record.media_type, record.data)
        else:
            self.damaged += 1
            if record.name.startswith(FILES):
                self.lost_files.append(record.name.removeprefix(FILES))
            self._writer.add_metadata(LOST, {"file": record.name})

    def _copy_chunk(self, chunk: Chunk) -> None:
        try:
            self._copy_records(chunk)
        except DAMAGES:
            self.damaged += 1

    def _copy_records(self, chunk: Chunk) -> None:
        for record in records_of(chunk):
            if isinstance(record, Schema):
                if record.id not in self._schemas:
                    self._schemas[record.id] = self._writer.register_schema(
                        record.name, record.encoding, record.data
                    )
            elif isinstance(record, Channel):
                self._copy_channel(record)
            elif isinstance(record, Message) and record.channel_id in self._channels:
                self._copy_message(record)

    def _copy_channel(self, channel: Channel) -> None:
        if channel.id in self._channels:
            return
        self._channels[channel.id] = self._writer.register_channel(
            channel.topic, channel.message_encoding, self._schemas.get(channel.schema_id, 0)
        )
        if channel.topic == STATES:
            self._states.add(channel.id)

    def _copy_message(self, message: Message) -> None:
        self._writer.add_message(
            self._channels[message.channel_id],
            log_time=message.log_time,
            data=message.data,
            publish_time=message.publish_time,
        )
        if message.channel_id in self._states:
            self.states += 1
        else:
            self.events += 1

    def finish(self) -> None:
        """Ends the file."""
        self._writer.finish()  # type: ignore[no-untyped-call]
