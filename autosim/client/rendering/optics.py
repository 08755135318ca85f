"""A picture through a lens: put together from a wider, flat one."""

from dataclasses import dataclass
from math import atan, ceil
from typing import Protocol

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Floats32, Integers
from autosim.client.rendering.measured import Measured
from autosim.config.semantic_classes import class_number
from autosim.jit import compiled

MOST_WIDE = 4096
"""[pixels] Edge of the flat picture at most: a wider one takes longer than its pixels are worth."""

_UNLABELED = class_number("unlabeled")


@dataclass(frozen=True, slots=True)
class FlatPicture:
    """The pinhole picture that holds all that a lens shows.

    `width`, `height` [pixels]; `focal` [pixels].
    """

    width: int
    height: int
    focal: float

    @property
    def fov(self) -> float:
        """The vertical field of view [rad]."""
        return 2.0 * atan(self.height / 2.0 / self.focal)


class PictureLens(Protocol):
    """A lens before a picture of `width` by `height` pixels; `focal` [pixels]."""

    @property
    def width(self) -> int:
        """Width of the picture [pixels]."""

    @property
    def height(self) -> int:
        """Height of the picture [pixels]."""

    @property
    def focal(self) -> float:
        """Focal length [pixels]: that of the flat picture, too."""

    def directions(self, pixels: Floats) -> Floats:
        """Directions (n, 2) that pixels (n, 2) show; NaN where the lens passes no light."""


class Optics:
    """Bends flat pictures as a lens does.

    Args:
        lens: other than a pinhole.

    `flat`: the picture that has to be drawn. Where the lens lets nothing through, pictures are
    black, infinitely far, unlabeled.
    """

    def __init__(self, lens: PictureLens) -> None:
        self._shape = (lens.height, lens.width)
        u, v = np.meshgrid(np.arange(lens.width) + 0.5, np.arange(lens.height) + 0.5)
        ways = lens.directions(np.column_stack([u.ravel(), v.ravel()]))
        self._is_dark: Booleans = np.isnan(ways[:, 0])
        reach = np.abs(ways[~self._is_dark]).max(axis=0, initial=1e-3)
        scale = min(1.0, MOST_WIDE / (2.0 * lens.focal * float(reach.max())))
        focal = lens.focal * scale
        width, height = (2 * ceil(each * focal + 1.0) for each in reach.tolist())
        self.flat = FlatPicture(width, height, focal)
        centre = np.array([width / 2.0, height / 2.0])
        self._places: Floats = np.where(self._is_dark[:, None], 0.0, centre + focal * ways)
        cells = np.floor(self._places)
        columns, rows = cells.astype(np.int64).T
        self._nearest: Integers = rows * width + columns
        self._ways = _ahead(np.where(self._is_dark[:, None], 0.0, ways))
        self._ways_of_nearest = _ahead((cells + 0.5 - centre) / focal)

    def colours(self, flat: Bytes) -> Bytes:
        """A picture in colour (height, width, 4), between the pixels of the flat one."""
        bent = np.zeros((*self._shape, 4), dtype=np.uint8)
        _between(np.ascontiguousarray(flat), self._places, self._is_dark, bent.reshape(-1, 4))
        return bent

    def nearest(self, flat: Floats32) -> Floats32:
        """Values (height, width, channels) of the flat picture's nearest pixels."""
        bent: Floats32 = flat.reshape(-1, flat.shape[2])[self._nearest]
        return bent.reshape(*self._shape, flat.shape[2])

    def measured(self, flat: Measured) -> Measured:
        """Measured values: of each pixel the nearest of the flat picture, never a mean.

        Depths are extrapolated from there along the visible surface by its normal.
        """
        height, width = self._shape
        normals = flat.normals.reshape(-1, 3)[self._nearest]
        depths = flat.depths.reshape(-1)[self._nearest] * self._along_surface(normals)
        classes = flat.classes.reshape(-1)[self._nearest]
        instances = flat.instances.reshape(-1)[self._nearest]
        depths[self._is_dark], normals[self._is_dark] = np.inf, np.nan
        classes[self._is_dark], instances[self._is_dark] = _UNLABELED, 0
        return Measured(
            depths=depths.reshape(height, width),
            normals=normals.reshape(height, width, 3),
            classes=classes.reshape(height, width),
            instances=instances.reshape(height, width),
        )

    def _along_surface(self, normals: Floats32) -> Floats32:
        """Depths (n,) of planes with such normals where pixels look, by those of the nearest."""
        facing = np.einsum("ij,ij->i", normals, self._ways_of_nearest)
        wanted = np.einsum("ij,ij->i", normals, self._ways)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(facing * wanted > 0.0, facing / wanted, 1.0)
        kept: Floats32 = np.clip(ratio, 1.0 / _MOST_CHANGE, _MOST_CHANGE).astype(np.float32)
        return kept


_MOST_CHANGE = 1.5
"""Ratio of depths half a pixel apart at most: seen flatter, a surface is too uncertain."""


def _ahead(directions: Floats) -> Floats32:
    """Directions (n, 2) as vectors (n, 3) forward, left and up, 1 long along the view axis."""
    ones = np.ones(len(directions))
    return np.column_stack([ones, -directions[:, 0], -directions[:, 1]]).astype(np.float32)


@compiled
def _between(flat: Bytes, places: Floats, is_dark: Booleans, bent: Bytes) -> None:
    """Bilinear, with the pixels' middles at halves."""
    height, width = flat.shape[:2]
    for k in range(len(places)):
        bent[k, 3] = 255
        if is_dark[k]:
            continue
        x = min(max(places[k, 0] - 0.5, 0.0), width - 1.001)
        y = min(max(places[k, 1] - 0.5, 0.0), height - 1.001)
        column, row = int(x), int(y)
        right, below = x - column, y - row
        for channel in range(3):
            above_value = (1.0 - right) * flat[row, column, channel] + right * flat[
                row, column + 1, channel
            ]
            below_value = (1.0 - right) * flat[row + 1, column, channel] + right * flat[
                row + 1, column + 1, channel
            ]
            bent[k, channel] = int((1.0 - below) * above_value + below * below_value + 0.5)
