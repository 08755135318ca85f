"""Noise of the sensors: seeded, one stream a device, all devices in one kernel.

The numbers are a hash of (seed, device, noise source, step), so that a device's noise depends on
nothing else: not on other devices, not on how often it is read, not on where the run began.
The hash is SplitMix64 (Steele, Lea and Flood, 2014), whose output passes BigCrush.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Noise
from autosim.jit import compilable, compiled

UNIFORMS = 20
"""How many uniform numbers add up to one Gaussian one (listing 5.4 of the AutoSim document)."""

_GAUSSIAN = 1
"""Number of the kind of noise that is normally distributed."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 2.0**-53
"""Factor that makes a number of 53 bits one in 0..1: a double holds no more bits."""

_SCALE = float(np.sqrt(12.0 / UNIFORMS)) / UNIFORMS
"""Factor that gives the sum of `UNIFORMS` numbers in 0..1, whose variance is 1/12 each, a standard
deviation of 1 / UNIFORMS, as in that listing."""


class NoiseField:
    """The sum of all noise sources of each of many sensor values.

    Args:
        channels: for each value its unique name and its noise sources.
        seed: of the run.

    A `WhiteNoise` is uniform in offset ± range. A `WhiteGaussianNoise` is, after listing 5.4,
    offset + range sqrt(12/N) (u_1 + … + u_N − N/2) / N with N = 20: its standard deviation is
    range / 20 and it stays within 0.39 range.
    """

    def __init__(self, channels: Sequence[tuple[str, tuple[Noise, ...]]], *, seed: int) -> None:
        sources = [
            (index, _stream(seed, name, rank), noise)
            for index, (name, noises) in enumerate(channels)
            for rank, noise in enumerate(noises)
        ]
        self._channel = np.array([index for index, _, _ in sources], dtype=np.int64)
        self._stream = np.array([stream for _, stream, _ in sources], dtype=np.uint64)
        self._kind = np.array(
            [int(noise.kind == "WhiteGaussianNoise") for _, _, noise in sources], dtype=np.int64
        )
        self._range = np.array([noise.range for _, _, noise in sources], dtype=np.float64)
        self._offset = np.array([noise.offset for _, _, noise in sources], dtype=np.float64)
        self.values = np.zeros(len(channels))

    def sample(self, step: int) -> Floats:
        """Noise (n,) of all values at `step`, in `values` too, in the units of the sensors."""
        _sample(
            np.uint64(step),
            self._channel,
            self._stream,
            self._kind,
            self._range,
            self._offset,
            self.values,
        )
        return self.values


def _stream(seed: int, name: str, rank: int) -> int:
    digest = hashlib.blake2b(f"{seed}\x1f{name}\x1f{rank}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


@compilable
def _uniform(stream: np.uint64, counter: np.uint64) -> float:
    mixed = stream + (counter + np.uint64(1)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX_2
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * _TO_UNIT


@compiled
def _sample(
    step: np.uint64,
    channel: Integers,
    stream: npt.NDArray[np.uint64],
    kind: Integers,
    noise_range: Floats,
    offset: Floats,
    values: Floats,
) -> None:
    values[:] = 0.0
    first = step * np.uint64(UNIFORMS)
    for i in range(channel.size):
        if kind[i] == _GAUSSIAN:
            total = 0.0
            for k in range(UNIFORMS):
                total += _uniform(stream[i], first + np.uint64(k))
            unit = (total - UNIFORMS / 2) * _SCALE
        else:
            unit = 2.0 * _uniform(stream[i], first) - 1.0
        values[channel[i]] += offset[i] + noise_range[i] * unit
