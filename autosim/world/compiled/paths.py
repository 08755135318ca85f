"""Paths for walking and cycling beside streets: middle lines of paths, and squares, as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats, Integers32


class PathKind(IntEnum):
    """Kinds of paths; the numbers stand in compiled worlds."""

    FOOTWAY = 0
    SIDEWALK = 1
    """Mapped as its own way beside a street, whose pavement it is."""
    CROSSING = 2
    """A path over a street, at a crossing."""
    CYCLEWAY = 3
    PEDESTRIAN = 4
    """A street for people on foot."""
    PATH = 5
    STEPS = 6


class Users(IntFlag):
    """Permitted users of a path, as bits."""

    FOOT = 1
    BICYCLE = 2
    ONE_WAY = 4
    """Bicycles go along its points only."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of a world, and its squares.

    Paths meet only at their ends: a way of the map is divided where another meets it.

    Attributes:
        points: (p, 3) float64 [m] in W on the ground, a path after another, at most 4 m apart.
        starts: (n + 1,) int32; path k has the points `starts[k]:starts[k + 1]`, two at least.
        widths: (n,) float64 [m].
        kinds: (n,) uint8 of `PathKind`.
        users: (n,) uint8 of `Users`.
        ends: (n, 2) int32, numbers of the nodes at its first and at its last point: paths that meet
            have the same.
        ring_points: (q, 2) float64 [m] in W, corners of the squares' rings, each once.
        ring_starts: (r + 1,) int32; ring j has the corners `ring_starts[j]:ring_starts[j + 1]`.
        ring_squares: (r,) int32, the number of the square of each ring, ascending. A line
            from a place in a square to far away meets the square's rings an odd number of times.
    """

    points: Floats
    starts: Integers32
    widths: Floats
    kinds: Bytes
    users: Bytes
    ends: Integers32
    ring_points: Floats
    ring_starts: Integers32
    ring_squares: Integers32

    def to_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """The paths as named arrays, for a file."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "Paths":
        """The paths that `to_arrays` took apart.

        Raises:
            KeyError: an array is missing.
        """
        return cls(**{each.name: arrays[each.name] for each in fields(cls)})


def no_paths() -> Paths:
    """The paths of a world that has none."""
    return Paths(
        points=np.zeros((0, 3)),
        starts=np.zeros(1, np.int32),
        widths=np.zeros(0),
        kinds=np.zeros(0, np.uint8),
        users=np.zeros(0, np.uint8),
        ends=np.zeros((0, 2), np.int32),
        ring_points=np.zeros((0, 2)),
        ring_starts=np.zeros(1, np.int32),
        ring_squares=np.zeros(0, np.int32),
    )
