"""Evaluates reference lines in plan: lines, arcs, clothoids and polynomials, many stations at once.

A clothoid is the integral of (cos, sin) of a heading that is quadratic in the arc length. It is
taken by Gauss-Legendre quadrature over parts that turn by little, exact to rounding: closed forms
by Fresnel integrals differ in the last bits from processor to processor. Polynomials are curves of
a parameter; the station on them is their arc length, scaled to the length that the file states.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
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
"""Greatest turn [rad] of one part of the quadrature: its error is then below 1e-16."""

_MOST_PARTS = 4000
"""Number of parts at most: a clothoid that turns by more is an error of the file."""

_STEPS = 64
"""Number of steps in which the arc length of a polynomial is tabulated."""

_STRAIGHT = 1e-12
"""Curvature [1/m] below which an arc is a line."""


@dataclass(frozen=True, slots=True)
class PlanPoints:
    """Points (n, 2) [m] of a reference line, its headings (n,) [rad] and curvatures (n,) [1/m]."""

    points: Floats
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
    for each in np.unique(piece[~smooth]).tolist():
        rows = np.flatnonzero(piece == each)
        local[rows], turned[rows], curvatures[rows] = _polynomial(plan, each, inside[rows])
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
    parts = int(min(max(np.ceil(turn.max() / _TURN), 1.0), _MOST_PARTS))
    total = np.zeros((len(s), 2))
    step = s / parts
    for part in range(parts):
        at = step[:, None] * (part + 0.5 * (1.0 + _NODES))
        sine, cosine = portable.sin_cos(at * (start[:, None] + 0.5 * rate[:, None] * at))
        total[:, 0] += 0.5 * step * (cosine * _WEIGHTS).sum(axis=1)
        total[:, 1] += 0.5 * step * (sine * _WEIGHTS).sum(axis=1)
    return total


def _polynomial(plan: PlanPieces, piece: int, s: Floats) -> tuple[Floats, Floats, Floats]:
    """As `clothoid`, for a piece that is a polynomial."""
    length = float(plan.lengths[piece])
    u, v = plan.parameters[piece].reshape(2, 4)
    is_unit = plan.shapes[piece] == PlanShape.PARAM_POLY3 and plan.normalized[piece]
    last = 1.0 if is_unit else length
    grid = np.linspace(0.0, last, _STEPS + 1)
    lengths = _arc_lengths(u, v, grid)
    # The parameter of `poly3` is the local x axis: the curve is longer than its projection.
    scale = 1.0 if plan.shapes[piece] == PlanShape.POLY3 else lengths[-1] / length
    p = _refined(u, v, np.interp(s * scale, lengths, grid), s * scale, grid, lengths)
    (x, dx, ddx), (y, dy, ddy) = (_derivatives(each, p) for each in (u, v))
    speed = np.maximum(portable.hypot(dx, dy), 1e-12)
    curvature = (dx * ddy - dy * ddx) / (speed * speed * speed)
    return np.column_stack([x, y]), portable.arctan2(dy, dx), curvature


def _derivatives(c: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """A cubic polynomial with coefficients (4,) at p (n,), and its first two derivatives."""
    value = c[0] + p * (c[1] + p * (c[2] + p * c[3]))
    slope = c[1] + p * (2.0 * c[2] + 3.0 * p * c[3])
    return value, slope, 2.0 * c[2] + 6.0 * p * c[3]


def _speed(u: Floats, v: Floats, p: Floats) -> Floats:
    shape = p.shape
    flat = p.reshape(-1)
    speed = portable.hypot(_derivatives(u, flat)[1], _derivatives(v, flat)[1])
    return np.asarray(speed).reshape(shape)


def _arc_lengths(u: Floats, v: Floats, grid: Floats) -> Floats:
    """The arc length (n,) of a curve up to each parameter of an ascending grid (n,)."""
    half = 0.5 * np.diff(grid)
    at = grid[:-1, None] + half[:, None] * (1.0 + _NODES)
    parts = half * (_speed(u, v, at) * _WEIGHTS).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(parts)])


def _refined(
    u: Floats, v: Floats, p: Floats, wanted: Floats, grid: Floats, lengths: Floats
) -> Floats:
    """Parameters (n,) at which a curve has the arc lengths `wanted` (n,), from near ones p."""
    for _ in range(3):
        cell = np.clip(np.searchsorted(grid, p, side="right") - 1, 0, len(grid) - 2)
        half = 0.5 * (p - grid[cell])
        at = grid[cell][:, None] + half[:, None] * (1.0 + _NODES)
        found = lengths[cell] + half * (_speed(u, v, at) * _WEIGHTS).sum(axis=1)
        p = np.clip(p + (wanted - found) / np.maximum(_speed(u, v, p), 1e-9), grid[0], grid[-1])
    return p
