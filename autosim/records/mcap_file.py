"""An MCAP file that is being written: its chunks go to the disk several times a second."""

import os
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

from mcap.data_stream import RecordBuilder
from mcap.records import Attachment
from mcap.writer import CompressionType, Writer

from autosim.records.record_format import ABOUT, PROFILE, RESULT, RunMetadata
from autosim.records.schemas import Schema

CHUNK_BYTES = 1024 * 1024
"""Number of bytes, uncompressed, after which a chunk goes to the disk in any case: small enough to
be decompressed at once while a user scrubs through the record."""

FLUSH_SECONDS = 0.25
"""Time [s] after which a chunk goes to the disk, however short it is. With the pauses of the writer
process this keeps what a killed machine loses below 0.6 s."""

_CRC_BYTES = 4
"""Length [bytes] of the checksum at the end of an attachment."""


class McapFile:
    """One file.

    Args:
        file: empty, and open for writing; it stays the caller's.
        about: the run.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, file: BinaryIO, about: RunMetadata) -> None:
        self._file = file
        self._writer = Writer(file, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile=PROFILE, library=f"autosim {about.version}")
        self._writer.add_metadata(ABOUT, about.as_texts())
        self._channels: dict[str, int] = {}
        self._flushed_at = time.monotonic()

    def attach(self, name: str, media_type: str, data: bytes) -> None:
        """Adds an attachment."""
        self._writer.add_attachment(0, 0, name, media_type, data)

    def add_channel(self, topic: str, schema: Schema) -> None:
        """Says what the messages of a topic are."""
        number = self._writer.register_schema(schema.name, "protobuf", schema.data)
        self._channels[topic] = self._writer.register_channel(topic, "protobuf", number)

    def add(self, topic: str, moment: int, data: bytes) -> None:
        """Adds a message at the simulated time `moment` [ns]."""
        self._writer.add_message(
            self._channels[topic], log_time=moment, data=data, publish_time=moment
        )

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

    def finish(self, result: Mapping[str, str]) -> None:
        """Ends the file, with what the run came to."""
        self.flush()
        self._writer.add_metadata(RESULT, dict(result))
        self._writer.finish()  # type: ignore[no-untyped-call]
        self._file.flush()
        os.fsync(self._file.fileno())


def fits_checksum(attachment: Attachment, file: BinaryIO) -> bool:
    """Whether an attachment that was just read of `file` is as it was written.

    The library does not check that. `file` stands behind it, before and after.
    """
    file.seek(-_CRC_BYTES, os.SEEK_CUR)
    builder = RecordBuilder()
    attachment.write(builder)
    written: bytes = builder.end()  # type: ignore[no-untyped-call]
    return written[-_CRC_BYTES:] == file.read(_CRC_BYTES)
