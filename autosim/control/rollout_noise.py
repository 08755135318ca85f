"""Normal numbers that depend on a seed and a place alone, for vectors of the processor.

So the same plans are tried with any number of threads, and in any order. The hash is SplitMix64
(Steele, Lea and Flood, 2014); its two halves make two normal numbers (Box and Muller, 1958), of at
most 6.7 deviations.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers
from autosim.jit import jitable, vectorised
from autosim.portable import TAU, log_of_parts, sin_cos

BLOCK = 512
"""Number of plans that are computed together: enough that what a loop over them prepares is little,
and few enough that what they need stays in the memory next to a processor."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_PER_NUMBER = 2.0**-32
"""Factor that makes a number of 32 bits one in 0..1."""

_FRACTION = np.int64(0x000FFFFFFFFFFFFF)
_OF_HALF = np.int64(0x3FE0000000000000)
"""The bits of a double's fraction, and its other bits where it lies in [1/2, 1)."""

_EXPONENT_AT, _EXPONENT_OF_ONE = np.int64(52), np.int64(1022)
"""Number of the exponent's lowest bit; the exponent of numbers in [1/2, 1)."""


class _Room(NamedTuple):
    """Working memory for the numbers of a block, so that no memory is allocated in between.

    `hashes` (n,); `unit` (n,) numbers in 0..1, `unit_bits` the same memory; `share`, `share_bits`
    likewise; `doublings` (n,).
    """

    hashes: npt.NDArray[np.uint64]
    unit: Floats
    unit_bits: Integers
    share: Floats
    share_bits: Integers
    doublings: Floats


@jitable
def _room(count: int) -> _Room:
    unit, share = np.empty(count), np.empty(count)
    bits = np.empty(count, np.uint64)
    return _Room(bits, unit, unit.view(np.int64), share, share.view(np.int64), np.empty(count))


@vectorised
def draw_noise(
    first: int, last: int, seed: np.uint64, deviation: tuple[float, float], noise: Floats
) -> None:
    """Draws the noise of some of the plans.

    Args:
        first: number of the first block.
        last: of the one after the last.
        seed: of all.
        deviation: of both numbers of an action.
        noise: (blocks, T, 2, BLOCK), written.
    """
    room = _room(BLOCK)
    steps = noise.shape[1]
    for block in range(first, last):
        for t in range(steps):
            _draw(seed, block * BLOCK * steps + t, steps, room)
            for i in range(BLOCK):
                noise[block, t, 0, i] = deviation[0] * room.unit[i]
                noise[block, t, 1, i] = deviation[1] * room.share[i]


@vectorised
def correlate(first: int, last: int, share: float, noise: Floats) -> None:
    """Correlates noise from step to step, at the same deviation.

    Args:
        first: number of the first block.
        last: of the one after the last.
        share: of the noise of a step that is kept in the next, from 0 to 1: their correlation.
        noise: (blocks, T, 2, BLOCK) of independent steps, changed.
    """
    fresh = (1.0 - share * share) ** 0.5
    for block in range(first, last):
        for t in range(1, noise.shape[1]):
            for k in range(2):
                for i in range(BLOCK):
                    before = noise[block, t - 1, k, i]
                    noise[block, t, k, i] = share * before + fresh * noise[block, t, k, i]


@jitable
def _draw(seed: np.uint64, first: int, stride: int, room: _Room) -> None:
    """Makes pairs of normal numbers, `unit` and `share` of the room, for every `stride`th place."""
    for i in range(room.unit.size):
        z = seed + np.uint64(first + i * stride) * _GOLDEN
        z = (z ^ (z >> np.uint64(30))) * _MIX_1
        z = (z ^ (z >> np.uint64(27))) * _MIX_2
        room.hashes[i] = z ^ (z >> np.uint64(31))
    for i in range(room.unit.size):
        room.unit[i] = (np.float64(np.int64(room.hashes[i] >> _HALF)) + 0.5) * _PER_NUMBER
    for i in range(room.unit.size):
        room.share_bits[i] = (room.unit_bits[i] & _FRACTION) | _OF_HALF
        room.doublings[i] = np.float64((room.unit_bits[i] >> _EXPONENT_AT) - _EXPONENT_OF_ONE)
    for i in range(room.unit.size):
        room.unit[i] = (-2.0 * log_of_parts(room.share[i], room.doublings[i])) ** 0.5
    for i in range(room.unit.size):
        share = np.float64(np.int64(room.hashes[i] & _LOW)) * _PER_NUMBER
        sine, cosine = sin_cos(share * TAU)
        room.unit[i], room.share[i] = room.unit[i] * cosine, room.unit[i] * sine
