"""The fastest lap: the line of least curvature between the limits, and the speeds to drive it with.

The line is the one whose curvature, squared and summed along it, is least (F. Braghin et al., "Race
driver model", Computers & Structures 86, 2008): a quadratic problem in the offsets from the centre
line. The speeds are quasi-steady: in each place the tyres hold an acceleration within an ellipse
(the friction circle), bends bound the speed, and from each bend on, forward and backward, so do the
motor and the brakes. It is what a driver without errors could do whose car has no inertia in yaw; a
controller comes near it from above.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.jit import compiled
from autosim.tracks.cone_track import Track
from autosim.tracks.curve import Curve

_KNOT_DISTANCE = 3.0
"""Distance [m] between the places at which the offset of the line is chosen: a car's length."""


@dataclass(frozen=True, slots=True)
class CarLimits:
    """What a car can do: accelerations [m/s²] and the greatest speed [m/s], all above 0.

    lateral: in a bend at even speed; forward: straight ahead; braking: likewise; top_speed: of it.
    """

    lateral: float
    forward: float
    braking: float
    top_speed: float


@dataclass(frozen=True, slots=True)
class ReferenceLap:
    """A lap as fast as it goes.

    line: that is driven; speeds: (n,) [m/s] at its points; seconds: that the lap takes.
    """

    line: Curve
    speeds: Floats
    seconds: float


def fastest_lap(track: Track, limits: CarLimits, *, margin: float) -> ReferenceLap:
    """The flying lap of a closed track that is driven with the least curvature.

    Args:
        track: its centre line and its limits.
        limits: of the car.
        margin: distance [m] that the middle of the car keeps from the limits: half its width.
    """
    line = racing_line(track, margin=margin)
    speeds = speed_profile(line, limits)
    return ReferenceLap(line, speeds, seconds_along(line, speeds))


def racing_line(track: Track, *, margin: float) -> Curve:
    """The closed line of least curvature, `margin` [m] inside the limits.

    Raises:
        ValueError: somewhere the track is no wider than twice the margin.
    """
    from scipy.optimize import lsq_linear

    low, high = margin - track.right, track.left - margin
    if (low >= high).any():
        narrow = float((track.left + track.right).min())
        raise ValueError(f"the track is {narrow:.2f} m wide: no room for {margin} m on both sides")
    points = track.centre.points
    normals = np.column_stack([-track.centre.tangents[:, 1], track.centre.tangents[:, 0]])
    weights = _spline_weights(len(points), max(4, round(track.centre.length / _KNOT_DISTANCE)))
    matrix = np.concatenate([_bends(weights * normals[:, k, None]) for k in (0, 1)])
    wanted = -np.concatenate([_bends(points[:, k]) for k in (0, 1)])
    # Between its coefficients a B-spline never leaves their range: where they keep to the limits
    # around their knot, it does.
    reach = weights > 0.0
    bounds = (
        np.where(reach, low[:, None], -np.inf).max(axis=0),
        np.where(reach, high[:, None], np.inf).min(axis=0),
    )
    offsets = weights @ lsq_linear(matrix, wanted, bounds, method="bvls").x
    return Curve.through(points + offsets[:, None] * normals, is_closed=True)


def _bends(values: Floats) -> Floats:
    """Second differences along the first axis, all around."""
    return np.asarray(np.roll(values, 1, axis=0) - 2.0 * values + np.roll(values, -1, axis=0))


def _spline_weights(points: int, knots: int) -> Floats:
    """Weights (points, knots) of a closed uniform cubic B-spline's coefficients."""
    apart = np.arange(points)[:, None] * (knots / points) - np.arange(knots)[None]
    apart = np.abs(apart - knots * np.round(apart / knots))
    near = (4.0 - 6.0 * apart**2 + 3.0 * apart * apart * apart) / 6.0
    far = np.maximum(2.0 - apart, 0.0)
    return np.asarray(np.where(apart < 1.0, near, far * far * far / 6.0))


def speed_profile(curve: Curve, limits: CarLimits, *, start: float = 0.0) -> Floats:
    """The highest speeds (n,) [m/s] at the points of a curve.

    Args:
        curve: a closed one is driven flying, an open one from `start` on.
        limits: of the car.
        start: speed [m/s] at the first point of an open curve.
    """
    bends = np.abs(curvatures(curve))
    fastest = np.minimum(limits.top_speed, np.sqrt(limits.lateral / np.maximum(bends, 1e-12)))
    speeds = fastest.copy()
    if not curve.is_closed:
        speeds[0] = min(start, speeds[0])
    _accelerate(speeds, fastest, bends, curve.lengths, limits.lateral, limits.forward)
    backward = speeds[::-1].copy()
    lengths = curve.lengths[::-1]
    if curve.is_closed:
        # Backward, the segment after the last point is the one before it.
        lengths = np.roll(lengths, -1)
    _accelerate(backward, backward.copy(), bends[::-1], lengths, limits.lateral, limits.braking)
    return np.ascontiguousarray(backward[::-1])


def curvatures(curve: Curve) -> Floats:
    """One over the radius (n,) [1/m] at the points of a curve, positive where it turns left."""
    before, after = np.roll(curve.directions, 1, axis=0), curve.directions
    lengths = 0.5 * (curve.lengths + np.roll(curve.lengths, 1))
    sines = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turns = portable.arctan2(sines, (before * after).sum(axis=1)) / lengths
    if curve.is_closed:
        return np.asarray(turns)
    turns[0] = 0.0
    return np.append(turns, 0.0)


def seconds_along(curve: Curve, speeds: Floats) -> float:
    """How long a curve takes [s], with even acceleration between its points.

    Args:
        curve: that is driven.
        speeds: (n,) [m/s] at its points, of which no two in a row are 0.
    """
    after = np.roll(speeds, -1)
    means = 0.5 * (speeds + after)[: len(curve.lengths)]
    return float((curve.lengths / means).sum())


@compiled
def _accelerate(
    speeds: Floats,
    fastest: Floats,
    bends: Floats,
    lengths: Floats,
    lateral: float,
    forward: float,
) -> None:
    """Lowers `speeds` to what can be reached from point to point, around twice if closed."""
    count = len(speeds)
    rounds = 2 * len(lengths) if len(lengths) == count else len(lengths)
    for k in range(rounds):
        i, j = k % count, (k + 1) % count
        share = min(1.0, speeds[i] * speeds[i] * bends[i] / lateral)
        spare = forward * np.sqrt(1.0 - share * share)
        reached = np.sqrt(speeds[i] * speeds[i] + 2.0 * spare * lengths[i])
        speeds[j] = min(speeds[j], fastest[j], reached)
