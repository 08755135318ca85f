"""A grid of heights in degrees, with the voids of the data filled."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import distance_transform_edt, uniform_filter

from autosim.arrays import Floats

MOST_SAMPLES = 64_000_000
"""Largest number of samples of a height map: half a gigabyte, or 240 km of an SRTM tile's grid."""

_SMOOTHING_ROUNDS = 20
"""Number of rounds that smooth a filled void. Chosen: a round reaches one sample farther, and voids
are some ten samples wide."""


@dataclass(frozen=True, slots=True)
class Extent:
    """A box on Earth [deg]."""

    south: float
    """Southern latitude [deg]."""
    west: float
    """Western longitude [deg]."""
    north: float
    """Northern latitude [deg]."""
    east: float
    """Eastern longitude [deg]."""


@dataclass(frozen=True, slots=True)
class GridFrame:
    """The extents of height data: `wanted` is read as far as it exists, `needed` must exist."""

    wanted: Extent
    needed: Extent


@dataclass(frozen=True, slots=True)
class Grid:
    """Heights (rows, columns) [m], NaN where unknown; row 0 in the north, column 0 in the west.

    `north`, `west` [deg] are the place of the first sample, `step` (latitude, longitude) [deg] the
    distances between samples.
    """

    heights: Floats
    """Above sea level."""
    north: float
    west: float
    step: tuple[float, float]

    def place_of(self, places: Floats) -> Floats:
        """Rows and columns (2, n) of latitudes and longitudes (n, 2) [deg]."""
        row = (self.north - places[:, 0]) / self.step[0]
        column = (places[:, 1] - self.west) / self.step[1]
        return np.vstack([row, column])

    def filled(self) -> Floats:
        """The heights with voids filled: from the nearest samples, smoothed inside the void.

        A grid without any sample, far out at sea, is 0.
        """
        void = np.isnan(self.heights)
        if not void.any() or void.all():
            return np.where(void, 0.0, self.heights)
        nearest = distance_transform_edt(void, return_distances=False, return_indices=True)
        heights: Floats = self.heights[tuple(nearest)]
        for _ in range(_SMOOTHING_ROUNDS):
            heights[void] = uniform_filter(heights, 3, mode="nearest")[void]
        return heights
