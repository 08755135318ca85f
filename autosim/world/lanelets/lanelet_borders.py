"""Geometry of the borders of lanelets: their direction, and points between them."""

from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats

_LONGEST_STEP = 5.0
"""Greatest distance [m] of the cross-sections of a lanelet."""

_MOST_STEPS = 20_000
"""Largest number of cross-sections of a lanelet: bounds what two nodes of a file can make."""

_PAIRED = 0.1
"""Difference of shares of the borders' lengths up to which points of the same number are pairs."""

_SAME = 1e-9
"""Difference of shares of a border's length up to which they are one."""


class LaneletSections(NamedTuple):
    """Cross-sections of a lanelet: points on its borders."""

    left: Floats
    """(n, 3) [m]."""
    right: Floats
    """(n, 3) [m]."""


def shares_of(line: Floats) -> Floats:
    """Arc length in plan at the points (n, 3) of a line as a share (n,) of its length."""
    steps = portable.hypot(*np.diff(line[:, :2], axis=0).T)
    stations = np.concatenate([[0.0], np.cumsum(steps)])
    if stations[-1] <= 0.0:
        return np.linspace(0.0, 1.0, len(line))
    return np.asarray(stations / stations[-1])


def length_of_line(line: Floats) -> float:
    """Length [m] of a line (n, 3) in plan."""
    return float(portable.hypot(*np.diff(line[:, :2], axis=0).T).sum())


def at_shares(line: Floats, shares: Floats, own: Floats | None = None) -> Floats:
    """Points (k, 3) of a line (n, 3) at shares (k,) of its length; `own` (n,) are its points'."""
    own = shares_of(line) if own is None else own
    return np.column_stack([np.interp(shares, own, line[:, k]) for k in range(3)])


def cross_sections(left: Floats, right: Floats) -> LaneletSections:
    """Cross-sections at all points of both borders, and more between distant ones.

    Where both have as many points at about the same places, the points are pairs; else they meet
    by their share of the border's length.
    """
    first, second = shares_of(left), shares_of(right)
    if len(first) == len(second) and float(np.abs(first - second).max()) < _PAIRED:
        first = second = (first + second) / 2.0
    shares = np.unique(np.concatenate([first, second]))
    shares = shares[np.concatenate([[True], np.diff(shares) > _SAME])]
    shares[-1] = 1.0
    longest = max(length_of_line(left), length_of_line(right))
    counts = np.maximum(np.ceil(np.diff(shares) * longest / _LONGEST_STEP), 1).astype(np.int64)
    counts = np.minimum(counts, _MOST_STEPS)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    every = np.append(shares[of] + np.diff(shares)[of] * (k / counts[of]), 1.0)
    return LaneletSections(at_shares(left, every, first), at_shares(right, every, second))


def aligned(left: Floats, right: Floats) -> tuple[bool, bool]:
    """Whether each of two lines (n, 3) has to be reversed, so that they are a lanelet's borders.

    The right border is to the right of the left one. Files do not state directions.
    """
    flip_left = len(left) > 1 and _is_left(left, _middle(right))
    turned = left[::-1] if flip_left else left
    flip_right = len(right) > 1 and not _is_left(right, _middle(turned))
    return flip_left, flip_right


def _middle(line: Floats) -> Floats:
    if len(line) > 2:
        return np.asarray(line[len(line) // 2, :2])
    return np.asarray((line[0, :2] + line[-1, :2]) / 2.0)


def _is_left(line: Floats, point: Floats) -> bool:
    """Whether a point (2,) is to the left of a line (n, 3), by its nearest segment."""
    start, step = line[:-1, :2], np.diff(line[:, :2], axis=0)
    gap = point - start
    squares = np.maximum((step**2).sum(axis=1), 1e-18)
    share = np.clip((gap * step).sum(axis=1) / squares, 0.0, 1.0)
    distances = portable.hypot(*(gap - share[:, None] * step).T)
    crosses = step[:, 0] * gap[:, 1] - step[:, 1] * gap[:, 0]
    near = distances <= distances.min() + 1e-9
    sines = crosses / np.sqrt(squares)
    # Of two segments that meet at the nearest point, the one that the point is beside decides.
    return bool(sines[near][np.abs(sines[near]).argmax()] > 0.0)
