"""Lenses: where a camera shows what lies in a direction, and which direction a pixel shows.

The models are those of OpenCV (its reference, "Camera Calibration and 3D Reconstruction"): Brown
and Conrady with k1, k2, p1, p2, k3, and the equidistant fisheye with k1 to k4 (Kannala and Brandt,
2006).
Directions are x to the right and y downwards, each divided by z along the view axis. Pixels count
from the top left corner of the picture, so that the middle of the first one is at 0.5, 0.5; OpenCV
counts from that middle.
"""

from dataclasses import dataclass
from math import radians, tan

import numpy as np

from autosim.arrays import Booleans, Floats

WIDEST = radians(80.0)
"""[rad] from the view axis up to which a lens shows anything: the flat picture behind it would grow
without bound towards 90°."""

_ROUNDS = 30
"""Number of Newton's steps at most: a lens that is any good takes five."""

_SAME = 1e-9
"""Ratio to the focal length below which a found direction is exact: a thousandth of a pixel's."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens before a picture of `width` by `height` pixels.

    `focal` [pixels] is the focal length. `brown_conrady` holds k1, k2, p1, p2, k3, or nothing;
    `fisheye` k1 to k4, or nothing. A lens with neither is a pinhole. `is_parallel`: it shows things
    in one size, however far they are, and `focal` is in pixels a metre.
    """

    width: int
    height: int
    focal: float
    brown_conrady: tuple[float, ...] = ()
    fisheye: tuple[float, ...] = ()
    is_parallel: bool = False

    @classmethod
    def of(
        cls,
        *,
        fov: float,
        size: tuple[int, int],
        brown_conrady: tuple[float, ...] = (),
        fisheye: tuple[float, ...] = (),
        span: float = 0.0,
    ) -> "Lens":
        """The lens with a vertical field of view `fov` [rad] for pictures of that size.

        Of Brown and Conrady's model it is the field of view without the distortion. A `span` [m]
        other than 0 is the height of what a parallel projection shows.
        """
        width, height = size
        if span > 0.0:
            return cls(width, height, height / span, is_parallel=True)
        half = fov / 2.0
        reach = float(_stretched(np.array([half]), fisheye)[0]) if fisheye else tan(half)
        return cls(width, height, height / 2.0 / reach, brown_conrady, fisheye)

    @property
    def is_pinhole(self) -> bool:
        """Whether it distorts nothing."""
        return not any(self.brown_conrady) and not self.fisheye

    def pixels(self, directions: Floats) -> Floats:
        """Pixels (n, 2) at which directions (n, 2) are shown."""
        return self._centre + self.focal * self.distorted(directions)

    def directions(self, pixels: Floats) -> Floats:
        """Directions (n, 2) that pixels (n, 2) show; NaN where the lens passes no light."""
        shown = (pixels - self._centre) / self.focal
        found = self._straightened(shown)
        radius = np.hypot(found[:, 0], found[:, 1])
        found[~(radius <= tan(WIDEST))] = np.nan
        return found

    def places(self, pixels: Floats, depths: Floats) -> Floats:
        """The places (n, 3) [m], right, forward and up of the camera, of pixels (n, 2).

        Args:
            pixels: of the picture.
            depths: (n,) [m] along the view axis.
        """
        if self.is_parallel:
            across = (pixels - self._centre) / self.focal
        else:
            across = self.directions(pixels) * depths[:, None]
        return np.column_stack([across[:, 0], depths, -across[:, 1]])

    def shown(self, places: Floats) -> Floats:
        """Pixels (n, 2) at which points (n, 3) [m] are shown: right, down, and ahead."""
        if self.is_parallel:
            return self._centre + self.focal * places[:, :2]
        return self.pixels(places[:, :2] / places[:, 2:])

    def distorted(self, directions: Floats) -> Floats:
        """Directions (n, 2) as the lens bends them, in focal lengths from the centre."""
        if self.fisheye:
            radius = np.hypot(directions[:, 0], directions[:, 1])
            stretched = _stretched(np.arctan(radius), self.fisheye)
            scale = np.where(radius > 0.0, stretched / np.where(radius > 0.0, radius, 1.0), 1.0)
            return directions * scale[:, None]
        if any(self.brown_conrady):
            return _bent(directions, self.brown_conrady)
        return directions.copy()

    @property
    def _centre(self) -> Floats:
        return np.array([self.width / 2.0, self.height / 2.0])

    def _straightened(self, shown: Floats) -> Floats:
        if self.fisheye:
            return _from_fisheye(shown, self.fisheye)
        if any(self.brown_conrady):
            return _from_brown_conrady(shown, self.brown_conrady)
        return shown.copy()


def _stretched(angles: Floats, k: tuple[float, ...]) -> Floats:
    """Radii (n,) [focal lengths] at which a fisheye shows angles (n,) [rad] from its axis."""
    squares = angles * angles
    k1, k2, k3, k4 = k
    stretched: Floats = angles * (
        1.0 + squares * (k1 + squares * (k2 + squares * (k3 + squares * k4)))
    )
    return stretched


def _from_fisheye(shown: Floats, k: tuple[float, ...]) -> Floats:
    radius = np.hypot(shown[:, 0], shown[:, 1])
    # The lens is one up to the first angle at which it shows more of the angle no farther out.
    table = np.linspace(0.0, WIDEST, 8192)
    stretched = _stretched(table, k)
    falls = np.flatnonzero(np.diff(stretched) <= 0.0)
    stop = falls[0] + 1 if len(falls) else len(table)
    angles = np.interp(radius, stretched[:stop], table[:stop])
    k1, k2, k3, k4 = k
    for _ in range(3):  # the table is so near that Newton's second step is exact
        squares = angles * angles
        slope = 1.0 + squares * (
            3 * k1 + squares * (5 * k2 + squares * (7 * k3 + squares * 9 * k4))
        )
        angles = angles - (_stretched(angles, k) - radius) / np.maximum(slope, 1e-6)
    is_shown = radius <= stretched[stop - 1]
    scale = np.where(radius > 0.0, np.tan(angles) / np.where(radius > 0.0, radius, 1.0), 1.0)
    return np.where(is_shown[:, None], shown * scale[:, None], np.nan)


def _bent(points: Floats, coefficients: tuple[float, ...]) -> Floats:
    k1, k2, p1, p2, k3 = coefficients
    x, y = points[:, 0], points[:, 1]
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.column_stack(
        [
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ]
    )


def _from_brown_conrady(shown: Floats, coefficients: tuple[float, ...]) -> Floats:
    """Newton's method, from the centre outwards, as long as the lens folds nothing over."""
    k1, k2, p1, p2, k3 = coefficients
    found = shown.copy()
    for _ in range(_ROUNDS):
        x, y = found[:, 0], found[:, 1]
        r2 = x * x + y * y
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        slope = 2.0 * (k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3))
        a = radial + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x
        b = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y
        d = radial + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x
        ex, ey = (_bent(found, coefficients) - shown).T
        determinant = a * d - b * b
        determinant = np.where(np.abs(determinant) > 1e-12, determinant, np.nan)
        move = np.column_stack([d * ex - b * ey, a * ey - b * ex]) / determinant[:, None]
        found = found - np.clip(move, -0.5, 0.5)
    error = np.abs(_bent(found, coefficients) - shown).max(axis=1)
    is_found = (error < _SAME) & ~_is_folded(found, coefficients)
    return np.where(is_found[:, None], found, np.nan)


def _is_folded(points: Floats, coefficients: tuple[float, ...]) -> Booleans:
    """Whether points (n, 2) lie beyond the radius at which the lens's projection stops growing."""
    k1, k2, _, _, k3 = coefficients
    radii = np.linspace(0.0, tan(WIDEST), 8192)
    r2 = radii * radii
    shown = radii * (1.0 + r2 * (k1 + r2 * (k2 + r2 * k3)))
    falls = np.flatnonzero(np.diff(shown) <= 0.0)
    limit = radii[falls[0]] if len(falls) else np.inf
    return np.asarray(np.hypot(points[:, 0], points[:, 1]) > limit)
