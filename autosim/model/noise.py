"""Noise of devices: seeded, a stream for each source, all devices of a kind in one kernel.

The numbers are a hash of (seed, device, noise source, step), so that a device's noise depends on
nothing else: not on other devices, not on how often it is read, not on where the run began.
The hash is SplitMix64 (Steele, Lea and Flood, 2014), whose output passes BigCrush.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.noise_records import (
    TIMING,
    Bias,
    Delay,
    Noise,
    Outlier,
    Quantization,
    RandomWalk,
    Saturation,
    Scale,
    WhiteGaussianNoise,
    WhiteNoise,
)
from autosim.jit import compiled_without_refcounts, jitable
from autosim.model.snapshot import Memory

UNIFORMS = 20
"""Number of uniform numbers that add up to one Gaussian one (listing 5.4 of the AutoSim
document)."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 2.0**-53
"""Factor that makes a number of 53 bits one in 0..1: a double holds no more bits."""

_TO_DEVIATION = float(np.sqrt(12.0 / UNIFORMS))
"""Factor that gives the sum of `UNIFORMS` numbers in 0..1, whose variance is 1/12 each, variance
1."""

_SCALE = _TO_DEVIATION / UNIFORMS
"""The same for their mean."""

_CODES = (
    *(WhiteNoise, WhiteGaussianNoise, Bias, Scale, RandomWalk, Quantization, Saturation),
    *(Outlier, *TIMING),
)
_WHITE, _GAUSSIAN, _BIAS, _SCALED, _WALK, _QUANTIZED, _SATURATED, _OUTLIER = range(8)
_DROPOUT, _DELAY, _HOLD = range(8, 11)
"""The place of each kind of source in `_CODES`, by which the kernel knows it."""

_ROUNDING = 1e-9
"""Share of a step, or of a period, by which rounding may have made it late."""

_DESCRIPTIONS = 1024
"""Number of descriptions of noise whose numbers are kept: the beams of a lidar have the same."""


@dataclass(frozen=True, slots=True)
class NoisyValue:
    """A value of a device on which noise acts.

    `name`: unique among all devices; `device`: the device's own, which values of one device share;
    `field`: that it belongs to; `sources`: in the order in which they act. On one that `is_stamp`
    only those act that name it, and those that say when values arrive.
    """

    name: str
    device: str
    field: str
    sources: tuple[Noise, ...]
    is_stamp: bool = False

    def ranked_sources(self) -> list[tuple[int, Noise]]:
        """The noise sources of a channel, each with its index among all of the device."""
        return [
            (rank, each)
            for rank, each in enumerate(self.sources)
            if each.field == self.field
            or (not each.field and (isinstance(each, TIMING) or not self.is_stamp))
        ]


class _Source(NamedTuple):
    """Parameters of a source for `_act`; `width`: the number of values that it remembers."""

    name: str
    channel: int
    code: int
    stream: int
    width: int
    parameters: tuple[float, float]


class NoiseField:
    """All noise sources of each of many values.

    Args:
        channels: the values, in the order in which they are given to it.
        seed: of the run.
        step_seconds: length of a step [s].
        kind: of the devices, for `memories`.

    `step`: the number of the step, which the owner keeps up to date; `memories`: what sources keep
    from step to step.

    A `WhiteGaussianNoise` is, after listing 5.4,
    offset + range sqrt(12/N) (u_1 + … + u_N − N/2) / N with N = 20: its standard deviation is
    range / 20 and it stays within 0.39 range.
    """

    def __init__(
        self, channels: Sequence[NoisyValue], *, seed: int, step_seconds: float, kind: str = ""
    ) -> None:
        sources = [
            _source(channel, index, rank, noise, seed=seed, step_seconds=step_seconds)
            for index, channel in enumerate(channels)
            for rank, noise in channel.ranked_sources()
        ]
        self.step = 0
        self.is_silent = not sources
        self._step_seconds = step_seconds
        self._stream = np.array([each.stream for each in sources], dtype=np.uint64)
        self._parameters = np.array([each.parameters for each in sources]).reshape(-1, 2)
        starts, self._memory, self.memories = _memory_of(sources, kind)
        rows = [
            (each.channel, each.code, start, each.width)
            for each, start in zip(sources, starts, strict=True)
        ]
        self._sources: Integers = np.array(rows, dtype=np.int64).reshape(-1, 4)
        if sources:
            _draw_lasting(self._sources, self._stream, self._parameters)

    def __call__(self, values: Floats) -> Floats:
        """Makes of values (n,) what arrives at `step`, in place; NaN stands for no value."""
        if not self.is_silent:
            _act(
                self.step,
                self._step_seconds,
                self._sources,
                self._stream,
                self._parameters,
                self._memory,
                values,
            )
        return values


def _source(
    channel: NoisyValue, index: int, rank: int, noise: Noise, *, seed: int, step_seconds: float
) -> _Source:
    owner = channel.device if isinstance(noise, TIMING) else channel.name
    width, parameters = _parameters_of(noise, step_seconds)
    code = _CODES.index(type(noise))
    name = f"{channel.name}/{rank}"
    return _Source(name, index, code, stream_of(seed, owner, rank), width, parameters)


@lru_cache(maxsize=_DESCRIPTIONS)
def _parameters_of(noise: Noise, step: float) -> tuple[int, tuple[float, float]]:
    """Number of values that a source remembers, and two parameters for the kernel."""
    match noise:
        case WhiteGaussianNoise(density=density) if density:
            return 0, (density / math.sqrt(step) * UNIFORMS, noise.offset)
        case RandomWalk(time=0.0):
            return 1, (1.0, noise.density * math.sqrt(step))
        case RandomWalk():
            kept = float(portable.exp(np.array([-step / noise.time]))[0])
            return 1, (kept, noise.density * math.sqrt(noise.time / 2.0 * (1.0 - kept * kept)))
        case Delay():
            steps = (noise.seconds / step, noise.jitter / step)
            # A ring of values, and the step of the last that has arrived.
            return math.ceil(sum(steps)) + 2, steps
    first, *others = (getattr(noise, each.name) for each in fields(noise) if each.name != "field")
    return int(isinstance(noise, TIMING)), (first, others[0] if others else 0.0)


def _memory_of(
    sources: Sequence[_Source], kind: str
) -> tuple[list[int], Floats, tuple[Memory, ...]]:
    """Offsets of the sources' memory in one array, the array, and its rows by their width."""
    widths = sorted({each.width for each in sources if each.width})
    starts, memories = [0] * len(sources), []
    memory = np.full(sum(each.width for each in sources), np.nan)
    stop = 0
    for width in widths:
        rows = [row for row, each in enumerate(sources) if each.width == width]
        first = stop
        for row in rows:
            starts[row], stop = stop, stop + width
        names = tuple(sources[row].name for row in rows)
        held = memory[first:stop].reshape(-1, width)
        memories.append(Memory(f"{kind} noise of {width}", names, held))
    return starts, memory, tuple(memories)


def stream_of(seed: int, name: str, rank: int) -> int:
    """The stream of random numbers that belongs to the noise `rank` of the value `name`."""
    digest = hashlib.blake2b(f"{seed}\x1f{name}\x1f{rank}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


@jitable
def uniform(stream: np.uint64, counter: np.uint64) -> float:
    """The number of a stream with the place `counter`, in 0..1."""
    mixed = stream + (counter + np.uint64(1)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX_2
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * _TO_UNIT


@jitable
def _sum_of_uniforms(stream: np.uint64, first: np.uint64) -> float:
    """Of `UNIFORMS` numbers from `first` on, less its mean."""
    total = 0.0
    for k in range(UNIFORMS):
        total += uniform(stream, first + np.uint64(k))
    return total - UNIFORMS / 2


@jitable
def normal(stream: np.uint64, first: np.uint64) -> float:
    """A nearly normal number with a standard deviation of 1; it uses up `UNIFORMS` numbers."""
    return _sum_of_uniforms(stream, first) * _TO_DEVIATION


@compiled_without_refcounts
def _draw_lasting(sources: Integers, streams: npt.NDArray[np.uint64], parameters: Floats) -> None:
    """Puts in place of the first parameter of what stays in a run all that is known of it then."""
    for i in range(streams.size):
        first, second = parameters[i, 0], parameters[i, 1]
        if sources[i, 1] == _BIAS:
            parameters[i, 0] = first + second * normal(streams[i], np.uint64(0))
        elif sources[i, 1] == _SCALED:
            parameters[i, 0] = 1.0 + first + second * normal(streams[i], np.uint64(0))


@jitable
def _with_error(
    code: int,
    value: float,
    counter: np.uint64,
    stream: np.uint64,
    first: float,
    second: float,
    memory: Floats,
) -> float:
    """Result of a source that adds an error to, or scales, `value`."""
    if code == _WHITE:
        return value + (second + first * (2.0 * uniform(stream, counter) - 1.0))
    if code == _GAUSSIAN:
        return value + (second + first * (_sum_of_uniforms(stream, counter) * _SCALE))
    if code == _BIAS:
        return value + first
    if code == _SCALED:
        return value * first
    before = 0.0 if np.isnan(memory[0]) else memory[0]
    memory[0] = first * before + second * normal(stream, counter)
    return value + float(memory[0])


@jitable
def _delayed(value: float, lateness: float, step: int, memory: Floats) -> float:
    """The value of `lateness` steps before, or the last that has arrived if that is newer.

    `memory`: a ring of values by their steps, and last the step of the one that arrived last.
    """
    ring = memory.size - 1
    if np.isnan(memory[ring]):
        # Before the first value there was none: it stands for those.
        for k in range(ring):
            memory[k] = value
        memory[ring] = step - ring
    memory[step % ring] = value
    memory[ring] = max(memory[ring], math.floor(step - lateness + _ROUNDING))
    return float(memory[int(memory[ring]) % ring])


@jitable
def _is_due(rate: float, step: int, step_seconds: float) -> bool:
    """Whether the number of whole periods goes up in `step`."""
    now = math.floor(step * step_seconds * rate + _ROUNDING)
    return now != math.floor((step - 1) * step_seconds * rate + _ROUNDING)


@jitable
def _arrival(
    code: int,
    value: float,
    step: int,
    step_seconds: float,
    stream: np.uint64,
    first: float,
    second: float,
    memory: Floats,
) -> float:
    """Result of a source that decides when values arrive, applied to `value`."""
    if code == _DELAY:
        late = first + second * uniform(stream, np.uint64(step))
        return _delayed(value, late, step, memory)
    is_new = np.isnan(memory[0])
    if code == _DROPOUT:
        is_new |= uniform(stream, np.uint64(step)) >= first
    else:
        is_new |= _is_due(first, step, step_seconds)
    if is_new:
        memory[0] = value
    return float(memory[0])


@compiled_without_refcounts
def _act(
    step: int,
    step_seconds: float,
    sources: Integers,
    streams: npt.NDArray[np.uint64],
    parameters: Floats,
    memory: Floats,
    values: Floats,
) -> None:
    """Applies all sources to `values`, in their order.

    `sources` (n, 4): the channel, the code, where its memory begins and how wide it is.
    """
    counter = np.uint64(step) * np.uint64(UNIFORMS)
    for i in range(streams.size):
        channel, code, start = sources[i, 0], sources[i, 1], sources[i, 2]
        stream, first, second = streams[i], parameters[i, 0], parameters[i, 1]
        value = values[channel]
        if code <= _WALK:
            kept = memory[start : start + sources[i, 3]]
            value = _with_error(code, value, counter, stream, first, second, kept)
        elif code == _QUANTIZED:
            value = math.floor(value / first + 0.5) * first
        elif code == _SATURATED:
            value = first if value < first else (second if value > second else value)
        elif code == _OUTLIER:
            if uniform(stream, counter) < first:
                value += second * (2.0 * uniform(stream, counter + np.uint64(1)) - 1.0)
        else:
            kept = memory[start : start + sources[i, 3]]
            value = _arrival(code, value, step, step_seconds, stream, first, second, kept)
        values[channel] = value
