"""The chunks of MCAP files, unpacked within bounds: 500 kB can be made to unpack to gigabytes."""

import zlib
from collections.abc import Iterator

import zstandard
from lz4.frame import LZ4FrameDecompressor
from mcap.data_stream import ReadDataStream
from mcap.exceptions import UnsupportedCompressionError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, McapRecord, Message, Schema
from mcap.stream_reader import CRCValidationError, get_chunk_data_stream

MAX_CHUNK_BYTES = 256 * 1024 * 1024
"""Largest size [bytes] of an unpacked chunk. Ours have 1 MiB and at most one message more, the
largest of which is a picture of some 33 MB."""


def records_of(chunk: Chunk) -> Iterator[McapRecord]:
    """The schemas, channels and messages of a chunk, one after the other.

    The checksum of the whole chunk is compared before the first one.

    Raises:
        ValueError: it is larger than `MAX_CHUNK_BYTES`, or has another size than it says.
        CRCValidationError: its bytes are not those that were written.
        McapError, ZstdError, RuntimeError, struct.error: it is damaged.
    """
    data = _unpacked(chunk)
    if chunk.uncompressed_crc and (found := zlib.crc32(data)) != chunk.uncompressed_crc:
        raise CRCValidationError(chunk.uncompressed_crc, found, chunk)
    plain = Chunk(**{**vars(chunk), "compression": "", "data": data, "uncompressed_crc": 0})
    stream, size = get_chunk_data_stream(plain)
    while stream.count < size:
        record = _next_record(stream)
        if record is not None:
            yield record


def _next_record(stream: ReadDataStream) -> McapRecord | None:
    """The next record of an unpacked chunk; None if it is of a kind that readers skip."""
    opcode, length = stream.read1(), stream.read8()
    record: McapRecord | None = None
    if opcode == Opcode.MESSAGE:
        record = Message.read(stream, length)
    elif opcode == Opcode.CHANNEL:
        record = Channel.read(stream)
    elif opcode == Opcode.SCHEMA:
        record = Schema.read(stream)
    else:
        stream.read(length)
    return record


def _unpacked(chunk: Chunk) -> bytes:
    size = chunk.uncompressed_size
    if size > MAX_CHUNK_BYTES:
        raise ValueError(f"a chunk unpacks to {size} bytes, more than {MAX_CHUNK_BYTES}")
    data: bytes
    if chunk.compression == "zstd":
        # The size in the frame's own head is not trusted: at most one byte too many is unpacked.
        unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_CHUNK_BYTES)
        with unpacker.stream_reader(chunk.data) as reader:
            data = reader.read(size + 1)
    elif chunk.compression == "lz4":
        data = LZ4FrameDecompressor().decompress(chunk.data, size + 1)
    elif not chunk.compression:
        data = chunk.data
    else:
        raise UnsupportedCompressionError(chunk.compression)
    if len(data) != size:
        raise ValueError(f"a chunk does not unpack to the {size} bytes that it says")
    return data
