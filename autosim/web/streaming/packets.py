"""Packets of the stream for browsers: the header, and compiled kernels for what follows it.

A packet's payload is a sequence of runs over the channels' integers, in their order: a varint with
the number of integers that equal the base, a varint with the number of those that follow, and of
each of these the difference to the base as a zigzag varint. The base of a key is all zeros, that of
a delta the key. Integers after the last run equal the base.
"""

import struct
from enum import IntEnum, IntFlag

import numpy as np

from autosim.arrays import Bytes, Floats, Integers
from autosim.jit import compiled, jitable

HEADER = struct.Struct("<BBHIq")
"""Kind, flags, number of the key, bytes of the payload, step: 16 bytes, little-endian."""

NOT_A_NUMBER = -(2**53)
"""The integer of a NaN [quanta]: it is beyond those of all numbers."""

MOST = 2**53 - 1
"""Largest integer of a quantised number, in both directions: JavaScript's are exact up to it."""

LONGEST_VARINT = 10
"""Bytes of the varint of a 64-bit integer at most."""

_BRIDGE = 2
"""Number of unchanged integers between two runs up to which one run is shorter than two."""


class StreamKind(IntEnum):
    """First byte of a packet."""

    KEY = 1
    DELTA = 2
    HEARTBEAT = 3
    WATCHED = 4


class StreamFlag(IntFlag):
    """Second byte of a packet."""

    STANDS_STILL = 1


def write_packet(
    kind: StreamKind,
    payload: bytes | memoryview,
    *,
    step: int,
    key: int = 0,
    standing: bool = False,
) -> bytes:
    """A packet with its header.

    Args:
        kind: what the payload is.
        payload: see the module; of `HEARTBEAT` a text in UTF-8, of `WATCHED` raw words.
        step: the number of steps done.
        key: number of the key, modulo 2^16; of `WATCHED` the number of the request.
        standing: whether the simulation is paused or has not begun.
    """
    flags = StreamFlag.STANDS_STILL if standing else StreamFlag(0)
    return HEADER.pack(kind, flags, key & 0xFFFF, len(payload), step) + payload


@compiled
def quantise(
    floats: Floats, ints: Integers, words: Integers, quanta: Floats, out: Integers
) -> None:
    """Writes the integer of each word (n,) to `out` (n,).

    `floats` and `ints` are (w,) views of the same state; `quanta` (n,) is 0 for int64 words.
    """
    for k in range(len(words)):
        if quanta[k] == 0.0:
            out[k] = ints[words[k]]
            continue
        value = floats[words[k]] / quanta[k]
        if np.isnan(value):
            out[k] = NOT_A_NUMBER
        elif value >= MOST:
            out[k] = MOST
        elif value <= -MOST:
            out[k] = -MOST
        else:
            out[k] = np.int64(np.rint(value))


@jitable
def _write_varint(value: np.uint64, out: Bytes, at: int) -> int:
    while value >= np.uint64(128):
        out[at] = np.uint8((value & np.uint64(127)) | np.uint64(128))
        value >>= np.uint64(7)
        at += 1
    out[at] = np.uint8(value)
    return at + 1


@jitable
def _run_end(values: Integers, base: Integers, first: int) -> int:
    """The end of the run of changed integers that begins at `first`; short gaps belong to it."""
    end = first + 1
    k = first + 1
    while k < len(values) and k - end <= _BRIDGE:
        if values[k] != base[k]:
            end = k + 1
        k += 1
    return end


@compiled
def write_runs(values: Integers, base: Integers, out: Bytes) -> int:
    """Writes the payload of a key or a delta to `out`; returns its length [bytes].

    Args:
        values: (n,) integers.
        base: (n,) integers that the receiver has.
        out: room for it; see `room_for`.
    """
    at = 0
    k = 0
    written = 0
    count = len(values)
    while k < count:
        if values[k] == base[k]:
            k += 1
            continue
        end = _run_end(values, base, k)
        at = _write_varint(np.uint64(k - written), out, at)
        at = _write_varint(np.uint64(end - k), out, at)
        while k < end:
            change = values[k] - base[k]
            zigzag = np.uint64((change << 1) ^ (change >> 63))
            at = _write_varint(zigzag, out, at)
            k += 1
        written = end
    return at


def room_for(count: int) -> int:
    """Bytes that the payload of `count` integers takes at most."""
    return 2 * LONGEST_VARINT + 12 * count


class MalformedPayloadError(ValueError):
    """Bytes that are not the payload of a key or a delta."""


def read_runs(payload: bytes, base: Integers) -> Integers:
    """The integers (n,) that a payload stands for, with the `base` (n,) that it was written for.

    This is the reference for decoders in other languages, not made for speed.

    Raises:
        MalformedPayloadError: it ends early, or has more integers than the base.
    """
    values = base.copy()
    at = place = 0
    while at < len(payload):
        unchanged, at = _read_varint(payload, at)
        changed, at = _read_varint(payload, at)
        place += unchanged
        if place + changed > len(values):
            raise MalformedPayloadError(f"more than {len(values)} integers")
        for _ in range(changed):
            zigzag, at = _read_varint(payload, at)
            change = (zigzag >> 1) ^ -(zigzag & 1)
            values[place] = (int(base[place]) + change + 2**63) % 2**64 - 2**63
            place += 1
    return values


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift >= 7 * LONGEST_VARINT:
            raise MalformedPayloadError("a number ends early or is too long")
        value |= (data[at] & 127) << shift
        at += 1
        if not data[at - 1] & 128:
            return value, at
        shift += 7
