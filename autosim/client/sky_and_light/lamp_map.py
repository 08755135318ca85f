"""The light of street lamps on the ground, as a picture of the town from above.

However many lamps there are, a pixel of the world looks up one pixel of this map. What that has is
linear in the lamps, so values between two pixels are as good as theirs: how much light comes, from
where on the average, and how high the lamps hang.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Bytes, Floats
from autosim.client.panda.panda_imports import core
from autosim.world.compiled.compiled_world import PropKind, Props

SQUARE = 250.0
"""Edge [m] of the squares in which the map is made and kept."""

_PIXEL = 2.0
"""Edge [m] of a pixel: light of lamps varies over three times as much."""

_PIXELS = round(SQUARE / _PIXEL)
"""Number of pixels along the edge of a square."""

AROUND = 2
"""Number of squares on each side of the one with the eye: light farther away is only a few
pixels."""

ARM, HANG = 0.21, 0.97
"""Position of a lamp's light: its distance before the post, and its height, as shares of the lamp's
height (`tiles.prop_shapes`)."""

_REACH = 5.5
"""Distance at which the light of a lamp has ended, as a factor of its height."""

_SPREAD = 1.35
"""Distance at which it falls to a third, as a factor of its height: lamps of streets light far."""

MOST_LIGHT = 2.0
"""Light that the map can hold, as a factor of that straight below a lamp."""

_LEAST = 1e-3
"""Light that counts in directions and heights where there is none: beyond the rim of a lamp's
light its height still holds, so that nothing is between it and zero."""

_MOST_KEPT = 64
"""Number of squares that are kept: those around two cameras."""


@dataclass(frozen=True, slots=True)
class LampHeads:
    """The lights of lamps: `places` (n, 3) [m] in W, `heights` (n,) [m] above their feet."""

    places: Floats
    heights: Floats

    @classmethod
    def of(cls, props: Props) -> "LampHeads":
        """The lights of all lamps among the props of a world."""
        rows = props.kinds == PropKind.LAMP
        yaws, heights = props.yaws[rows], props.heights[rows]
        arms = np.column_stack([ARM * np.cos(yaws), ARM * np.sin(yaws), np.full(len(yaws), HANG)])
        return cls(props.positions[rows] + heights[:, None] * arms, HANG * heights)

    def within(self, low: Floats, high: Floats) -> "LampHeads":
        """The lights between two corners (2,) [m]."""
        flat = self.places[:, :2]
        chosen = ((flat >= low) & (flat < high)).all(axis=1)
        return LampHeads(self.places[chosen], self.heights[chosen])


class LampMap:
    """The map around an eye, as a texture.

    Red is the root of the light, as a share of `MOST_LIGHT`; green and blue are the horizontal part
    of the direction that it comes from, alpha the height of the lamps.

    Args:
        heads: all lamps of a world.
    """

    def __init__(self, heads: LampHeads) -> None:
        self._heads = heads
        self._squares: dict[tuple[int, int], Bytes] = {}
        self._middle: tuple[int, int] | None = None
        low, high = heads.places[:, 2].min(initial=0.0), heads.places[:, 2].max(initial=0.0)
        self.base, self.rise = float(low) - 1.0, float(high - low) + 2.0
        size = _PIXELS * (2 * AROUND + 1)
        self.texture = core.Texture("lamp_map")
        kind, layout = core.Texture.TUnsignedByte, core.Texture.FRgba8
        self.texture.setup2dTexture(size, size, kind, layout)
        self.texture.setMinfilter(core.SamplerState.FTLinear)
        self.texture.setMagfilter(core.SamplerState.FTLinear)
        self.texture.setWrapU(core.SamplerState.WMClamp)
        self.texture.setWrapV(core.SamplerState.WMClamp)

    def follow(self, eye: Floats) -> bool:
        """Fits the map to an eye (3,) [m]; returns whether it has changed."""
        middle = square_of(eye)
        if middle == self._middle:
            return False
        self._middle = middle
        rows = [
            np.concatenate([self._square((x, y)) for x in _about(middle[0])], axis=1)
            for y in _about(middle[1])
        ]
        pixels = np.concatenate(rows, axis=0)
        # Beyond its edge the texture is clamped.
        pixels[[0, -1]] = 0
        pixels[:, [0, -1]] = 0
        self.texture.setRamImage(np.ascontiguousarray(pixels[..., [2, 1, 0, 3]]).tobytes())
        return True

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """Parameters of a shader to find a position: corner [m], 1 / edge, lowest height."""
        assert self._middle is not None
        x, y = (SQUARE * (each - AROUND) for each in self._middle)
        return x, y, 1.0 / (SQUARE * (2 * AROUND + 1)), self.base

    def _square(self, number: tuple[int, int]) -> Bytes:
        found = self._squares.pop(number, None)
        if found is None:
            found = self._light_of(number)
            if len(self._squares) >= _MOST_KEPT:
                del self._squares[next(iter(self._squares))]
        # The one that was used last is the last to go.
        self._squares[number] = found
        return found

    def _light_of(self, number: tuple[int, int]) -> Bytes:
        low = SQUARE * np.array(number, dtype=np.float64)
        margin = _REACH * float(self._heads.heights.max(initial=0.0)) + 2.0 * _PIXEL
        heads = self._heads.within(low - margin, low + SQUARE + margin)
        light = np.zeros((_PIXELS, _PIXELS))
        sums, weights = np.zeros((_PIXELS, _PIXELS, 3)), np.full((_PIXELS, _PIXELS), 1e-12)
        for place, height in zip(heads.places, heads.heights, strict=True):
            rows, columns, gaps = _patch(place[:2] - low, _REACH * float(height) + 2.0 * _PIXEL)
            distance2 = (gaps**2).sum(axis=2)
            own = _falloff(distance2, float(height))
            weight = own + _LEAST
            slant = np.sqrt(distance2 + height * height)[..., None]
            light[rows, columns] += own
            sums[rows, columns, :2] += weight[..., None] * gaps / slant
            sums[rows, columns, 2] += weight * (place[2] - self.base) / self.rise
            weights[rows, columns] += weight
        means = sums / weights[..., None]
        share = np.sqrt(np.clip(light / MOST_LIGHT, 0.0, 1.0))[..., None]
        values = np.concatenate([share, 0.5 + 0.5 * means[..., :2], means[..., 2:]], axis=2)
        return np.asarray(np.round(255.0 * np.clip(values, 0.0, 1.0))).astype(np.uint8)


def square_of(eye: Floats) -> tuple[int, int]:
    """The number of the square, eastwards and northwards, in which a place [m] is."""
    x, y = np.floor(eye[:2] / SQUARE).astype(int).tolist()
    return x, y


def _about(middle: int) -> range:
    return range(middle - AROUND, middle + AROUND + 1)


def _patch(place: Floats, reach: float) -> tuple[slice, slice, Floats]:
    """The pixels of a square within `reach` [m] of a place, and the way (h, w, 2) to it."""
    first = np.clip(np.floor((place - reach) / _PIXEL), 0, _PIXELS).astype(int)
    last = np.clip(np.ceil((place + reach) / _PIXEL), 0, _PIXELS).astype(int)
    x, y = (_PIXEL * (np.arange(first[axis], last[axis]) + 0.5) - place[axis] for axis in (0, 1))
    gaps = np.stack(np.broadcast_arrays(-x[None, :], -y[:, None]), axis=2)
    return slice(first[1], last[1]), slice(first[0], last[0]), gaps


def _falloff(distance2: Floats, height: float) -> Floats:
    """Light on the ground by the distance squared [m²] from below a lamp, 1 there."""
    near = 1.0 / (1.0 + distance2 / (_SPREAD * height) ** 2) ** 1.6
    left = np.clip(1.0 - distance2 / (_REACH * height) ** 2, 0.0, 1.0)
    return np.asarray(near * left * left)
