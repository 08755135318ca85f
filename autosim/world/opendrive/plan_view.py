"""Evaluates reference lines in plan: lines, arcs, clothoids and polynomials, many stations at once.

A clothoid is the integral of (cos, sin) of a heading that is quadratic in the arc length. It is
taken by Gauss-Legendre quadrature over parts that turn by little, exact to rounding: closed forms
by Fresnel integrals differ in the last bits from processor to processor. Polynomials are curves of
a parameter; the station on them is their arc length, scaled to the length that the file states.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.polylines import count_up_to
from autosim.world.opendrive.xodr_records import PlanPieces, PlanShape

_NODES = np.array(
    [
        -0.9739065285171717,
        -0.8650633666889845,
        -0.6794095682990244,
        -0.4333953941292472,
        -0.1488743389816312,
        0.1488743389816312,
        0.4333953941292472,
        0.6794095682990244,
        0.8650633666889845,
        0.9739065285171717,
    ]
)
"""Nodes of Gauss-Legendre quadrature of order 10 on [-1, 1] (Abramowitz and Stegun, table 25.4)."""

_WEIGHTS = np.array(
    [
        0.0666713443086881,
        0.1494513491505806,
        0.2190863625159820,
        0.2692667193099963,
        0.2955242247147529,
        0.2955242247147529,
        0.2692667193099963,
        0.2190863625159820,
        0.1494513491505806,
        0.0666713443086881,
    ]
)
"""Weights of these nodes."""

_TURN = 1.0
"""Greatest turn [rad] of one part of the quadrature: its error is then below 1e-16. The reader
bounds the turn of a piece, and so the number of parts."""

_STEPS = 64
"""Number of steps in which the arc length of a polynomial is tabulated."""

_STRAIGHT = 1e-12
"""Curvature [1/m] below which an arc is a line."""


@dataclass(frozen=True, slots=True)
class PlanPoints:
    """Points (n, 2) [m] of a reference line, its headings (n,) [rad] and curvatures (n,) [1/m]."""

    points: Floats
    """In the plane of the file."""
    headings: Floats
    curvatures: Floats


def plan_points(plan: PlanPieces, s: Floats) -> PlanPoints:
    """The points of a reference line at stations (n,) [m]; beyond its ends it is straight."""
    piece = np.clip(np.searchsorted(plan.starts, s, side="right") - 1, 0, len(plan.starts) - 1)
    local = np.empty((len(s), 2))
    turned, curvatures = np.empty(len(s)), np.empty(len(s))
    # Before its start and past its end, a piece continues straight.
    inside = np.clip(s - plan.starts[piece], 0.0, plan.lengths[piece])
    shapes = plan.shapes[piece]
    smooth = shapes <= PlanShape.SPIRAL
    rows = np.flatnonzero(smooth)
    if len(rows):
        of = piece[rows]
        found = clothoid(
            inside[rows], plan.parameters[of, 0], plan.parameters[of, 1], plan.lengths[of]
        )
        local[rows], turned[rows], curvatures[rows] = found
    rows = np.flatnonzero(~smooth)
    if len(rows):
        found = _polynomials(plan, piece[rows], inside[rows])
        local[rows], turned[rows], curvatures[rows] = found
    x, y, heading = plan.poses[piece].T
    sine, cosine = portable.sin_cos(heading)
    headings = heading + turned
    over = s - plan.starts[piece] - inside
    ahead_y, ahead_x = portable.sin_cos(headings)
    points = np.column_stack(
        [
            x + cosine * local[:, 0] - sine * local[:, 1] + over * ahead_x,
            y + sine * local[:, 0] + cosine * local[:, 1] + over * ahead_y,
        ]
    )
    return PlanPoints(points, headings, curvatures)


def clothoid(
    s: Floats, start: Floats, end: Floats, length: Floats
) -> tuple[Floats, Floats, Floats]:
    """Points of clothoids that begin at the origin along x.

    Args:
        s: (n,) arc lengths [m].
        start: (n,) curvatures [1/m] at the start.
        end: (n,) curvatures [1/m] at `length`.
        length: (n,) [m].

    Returns:
        The points (n, 2) [m], the headings (n,) [rad] and the curvatures (n,) [1/m].
    """
    rate = (end - start) / length
    turned = s * (start + 0.5 * rate * s)
    points = np.empty((len(s), 2))
    is_arc = np.abs(rate) < _STRAIGHT * 1e-3
    is_line = is_arc & (np.abs(start) < _STRAIGHT)
    # An arc: chord 2 sin(turn / 2) / curvature, at half the turn.
    half_sine, half_cosine = portable.sin_cos(turned / 2.0)
    chord = np.where(is_line, s, 2.0 * half_sine / np.where(is_arc & ~is_line, start, 1.0))
    points[:, 0] = chord * np.where(is_line, 1.0, half_cosine)
    points[:, 1] = chord * np.where(is_line, 0.0, half_sine)
    rows = np.flatnonzero(~is_arc)
    if len(rows):
        points[rows] = _integrated(s[rows], start[rows], rate[rows])
    return points, turned, start + rate * s


def _integrated(s: Floats, start: Floats, rate: Floats) -> Floats:
    """The integrals (n, 2) of (cos, sin) of the heading start · s + rate · s² / 2."""
    turn = np.abs(start * s) + 0.5 * np.abs(rate) * s * s
    parts = max(int(np.ceil(turn.max() / _TURN)), 1)
    total = np.zeros((len(s), 2))
    step = s / parts
    for part in range(parts):
        at = step[:, None] * (part + 0.5 * (1.0 + _NODES))
        sine, cosine = portable.sin_cos(at * (start[:, None] + 0.5 * rate[:, None] * at))
        total[:, 0] += 0.5 * step * (cosine * _WEIGHTS).sum(axis=1)
        total[:, 1] += 0.5 * step * (sine * _WEIGHTS).sum(axis=1)
    return total


def _polynomials(plan: PlanPieces, piece: Integers, s: Floats) -> tuple[Floats, Floats, Floats]:
    """As `clothoid`, on pieces (n,) that are polynomials."""
    pieces, of = np.unique(piece, return_inverse=True)
    curves = np.ascontiguousarray(plan.parameters[pieces].T).reshape(2, 4, -1)
    lengths = plan.lengths[pieces]
    # The parameter of `poly3` is the local x axis: the curve is longer than its projection.
    is_poly3 = plan.shapes[pieces] == PlanShape.POLY3
    last = np.where(~is_poly3 & (plan.normalized[pieces] != 0), 1.0, lengths)
    step = last / _STEPS
    grid = np.arange(_STEPS + 1)[:, None] * step
    parts = _arc_lengths(curves[:, :, None], grid[:-1], grid[1:])
    table = np.concatenate([np.zeros((1, len(pieces))), np.cumsum(parts, axis=0)])
    wanted = s * np.where(is_poly3, 1.0, table[-1] / lengths)[of]
    numbers = np.repeat(np.arange(len(pieces)), _STEPS + 1)
    row = count_up_to(numbers, table.T.ravel(), of, wanted) - 1 - of * (_STEPS + 1)
    row = np.clip(row, 0, _STEPS - 1)
    p = _parameters(curves[:, :, of], wanted - table[row, of], row * step[of], step[of])
    p = np.clip(p, 0.0, last[of])
    (x, dx, ddx), (y, dy, ddy) = (_derivatives(each[:, of], p) for each in curves)
    speed = np.maximum(portable.hypot(dx, dy), 1e-12)
    curvature = (dx * ddy - dy * ddx) / (speed * speed * speed)
    return np.column_stack([x, y]), portable.arctan2(dy, dx), curvature


def _derivatives(c: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """Cubic polynomials with coefficients (4, …) at p (…), and their first two derivatives."""
    value = c[0] + p * (c[1] + p * (c[2] + p * c[3]))
    return value, _slope(c, p), 2.0 * c[2] + 6.0 * p * c[3]


def _slope(c: Floats, p: Floats) -> Floats:
    return np.asarray(c[1] + p * (2.0 * c[2] + 3.0 * p * c[3]))


def _speed(curves: Floats, p: Floats) -> Floats:
    """Arc length per parameter (…) of curves (2, 4, …) at p (…)."""
    return np.asarray(portable.hypot(_slope(curves[0], p), _slope(curves[1], p)))


def _arc_lengths(curves: Floats, first: Floats, last: Floats) -> Floats:
    """Arc lengths (…) [m] of curves (2, 4, …) between two parameters (…)."""
    half = 0.5 * (last - first)
    total = np.zeros_like(half)
    for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
        total += weight * _speed(curves, first + half * (1.0 + node))
    return half * total


def _parameters(curves: Floats, wanted: Floats, start: Floats, step: Floats) -> Floats:
    """Parameters (n,) at which curves (2, 4, n) have the arc lengths `wanted` (n,) from `start`.

    They lie within about a `step` (n,); Newton's method finds them.
    """
    span = np.maximum(_arc_lengths(curves, start, start + step), 1e-12)
    p = start + step * np.clip(wanted / span, 0.0, 1.0)
    for _ in range(3):
        missing = wanted - _arc_lengths(curves, start, p)
        p = p + missing / np.maximum(_speed(curves, p), 1e-9)
    return p
