"""Shortest curves between two poses that turn with one radius.

Source: L. E. Dubins, On Curves of Minimal Length with a Constraint on Average Curvature, and with
Prescribed Initial and Terminal Positions and Tangents. American Journal of Mathematics 79 (1957);
the formulas in a frame scaled to the radius are those of A. M. Shkel and V. Lumelsky,
Classification of the Dubins set, Robotics and Autonomous Systems 34 (2001).
"""

import math

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import (
    arc,
    heading_between,
    turn_between,
    unit,
    without_repeats,
)

_DETOUR = math.radians(220.0)
"""Largest sum of turns [rad] beyond the turn between the poses: a bulb, but not a full circle."""

_NONE = 1e-6
"""Turn [rad] below which an arc is no more than rounding."""

Word = tuple[tuple[float, float], ...]
"""Parts of a curve: the side of each (1 for an arc to the left, -1 to the right, 0 for a straight
line), and its length [rad] or [radii]."""


def dubins_curve(
    start: Floats, start_heading: float, end: Floats, end_heading: float, radius: float
) -> Floats | None:
    """The shortest curve of an arc, a straight line or an arc, and an arc.

    None if it would drive a full circle.

    Args:
        start: (2,) [m].
        start_heading: [rad].
        end: (2,) [m].
        end_heading: [rad].
        radius: that of both arcs [m].

    Returns:
        Points (n, 2) [m].
    """
    words = _words(start, start_heading, end, end_heading, radius)
    word = min(words, key=_length)
    pieces, at, heading = [start[None, :]], start, start_heading
    for side, size in word:
        if side == 0.0:
            pieces.append((at + size * radius * unit(heading))[None, :])
        else:
            pieces.append(arc(at, heading, side * size, radius))
            heading += side * size
        at = pieces[-1][-1]
    turned = sum(size for side, size in word if side != 0.0)
    turn = abs(turn_between(start_heading, end_heading))
    if turned > turn + _DETOUR:
        return None
    return without_repeats(np.vstack([*pieces, end[None, :]]))


def _length(word: Word) -> float:
    """Length of a curve [radii]."""
    return sum(size for _, size in word)


def _words(
    start: Floats, start_heading: float, end: Floats, end_heading: float, radius: float
) -> list[Word]:
    """All curves of an arc, a straight line or an arc, and an arc."""
    distance = portable.length(end - start) / radius
    bearing = heading_between(start, end)
    words = []
    for side in (1.0, -1.0):
        # In a mirror a turn to the right is one to the left.
        first, second = side * (start_heading - bearing), side * (end_heading - bearing)
        words += [
            tuple((side * each, size) for each, size in word if size > _NONE)
            for word in _beginning_left(first, second, distance)
        ]
    return words


def _beginning_left(first: float, second: float, distance: float) -> list[Word]:
    """The curves that begin with an arc to the left: LSL, LSR and LRL.

    Args:
        first: heading at the start [rad], from the direction towards the end.
        second: heading at the end [rad], likewise.
        distance: from start to end [radii].
    """
    sin_a, cos_a = portable.sin_cos(first)
    sin_b, cos_b = portable.sin_cos(second)
    cos_ab = portable.cos(first - second)
    words: list[Word] = []
    same = 2.0 + distance**2 - 2.0 * cos_ab + 2.0 * distance * (sin_a - sin_b)
    course = portable.arctan2(cos_b - cos_a, distance + sin_a - sin_b)
    if same >= 0.0:
        turns = _whole(course - first), _whole(second - course)
        words.append(((1.0, turns[0]), (0.0, math.sqrt(same)), (1.0, turns[1])))
    other = distance**2 - 2.0 + 2.0 * cos_ab + 2.0 * distance * (sin_a + sin_b)
    if other >= 0.0:
        straight = math.sqrt(other)
        across = portable.arctan2(-(cos_a + cos_b), distance + sin_a + sin_b)
        across -= portable.arctan2(-2.0, straight)
        turns = _whole(across - first), _whole(across - second)
        words.append(((1.0, turns[0]), (0.0, straight), (-1.0, turns[1])))
    cosine = 1.0 - same / 8.0
    if abs(cosine) <= 1.0:
        # The centres of the outer arcs are up to four radii apart, on the line of `course`.
        middle = math.tau - portable.arctan2(math.sqrt(1.0 - cosine**2), cosine)
        turn = _whole(course - first + middle / 2.0)
        last = _whole(second - first - turn + middle)
        words.append(((1.0, turn), (-1.0, middle), (1.0, last)))
    return words


def _whole(angle: float) -> float:
    """An angle [rad] in [0, 2 pi), 0 where it is a full turn up to rounding."""
    turned = angle % math.tau
    return turned if turned < math.tau - _NONE else 0.0
