"""The fastest lap: the line between limits that takes least time, and the speeds to drive it with.

The speeds are quasi-steady: in each place the tyres hold an acceleration within an ellipse
(the friction circle), bends bound the speed, and from each bend on, forward and backward, so do the
motor and the brakes. The search for the line begins at the one whose curvature, squared and summed
along it, is least (F. Braghin et al., "Race driver model", Computers & Structures 86, 2008), and
goes downhill in lap time from there. It is what a driver without errors could do whose car has no
inertia in yaw; a controller comes near it from above.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.jit import compiled, jitable
from autosim.tracks.cone_track import ConeTrack
from autosim.tracks.curve import Curve

_KNOT_DISTANCE = 3.0
"""Distance [m] between the places at which the offset of the line is chosen: a car's length."""

_NUDGES = (1e-2, 1e-3, 1e-4)
"""Distances [m] by which a place of the line is moved to see what that does to the lap time. Where
the car goes over from driving to braking the time has an edge, and a coarse look sees past it."""

_LOOKS = 100
"""Number of times that all places are moved for each of those distances, at most."""


@dataclass(frozen=True, slots=True)
class CarLimits:
    """Limits of a car: accelerations [m/s²] and the greatest speed [m/s], all above 0.

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


def fastest_lap(track: ConeTrack, limits: CarLimits, *, margin: float) -> ReferenceLap:
    """The flying lap of a closed track that takes least time.

    Args:
        track: its centre line and its limits.
        limits: of the car.
        margin: distance [m] that the middle of the car keeps from the limits: half its width.

    Raises:
        ValueError: the track is narrower than twice the margin somewhere, or as narrow.
    """
    from scipy.optimize import Bounds, minimize

    lines = _Lines.between(track, margin)
    bounds = Bounds(lines.low, lines.high)
    offsets = lines.straightest()
    numbers = (limits.lateral, limits.forward, limits.braking, limits.top_speed)
    for nudge in _NUDGES:

        def seconds_and_slopes(offsets: Floats, nudge: float = nudge) -> tuple[float, Floats]:
            slopes = np.empty(len(offsets))
            points = lines.points(offsets)
            seconds = _slopes(points, lines.normals, lines.weights, nudge, numbers, slopes)
            return seconds, slopes

        offsets = minimize(
            seconds_and_slopes,
            offsets,
            jac=True,
            bounds=bounds,
            method="L-BFGS-B",
            options={"maxfun": _LOOKS, "maxiter": _LOOKS},
        ).x
    line = Curve.through(lines.points(offsets), is_closed=True)
    speeds = speed_profile(line, limits)
    return ReferenceLap(line, speeds, seconds_along(line, speeds))


def racing_line(track: ConeTrack, *, margin: float) -> Curve:
    """The closed line of least curvature, `margin` [m] inside the limits.

    Raises:
        ValueError: the track is narrower than twice the margin somewhere, or as narrow.
    """
    lines = _Lines.between(track, margin)
    return Curve.through(lines.points(lines.straightest()), is_closed=True)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines between limits, each told by m offsets from the centre line.

    centre, normals: (n, 2) its points [m] and unit vectors to the left; weights: (n, m) of the
    offsets at each point; low, high: (m,) their limits [m].
    """

    centre: Floats
    normals: Floats
    weights: Floats
    low: Floats
    high: Floats

    @classmethod
    def between(cls, track: ConeTrack, margin: float) -> "_Lines":
        low, high = margin - track.right, track.left - margin
        if (low >= high).any():
            narrow = float((track.left + track.right).min())
            raise ValueError(
                f"the track is {narrow:.2f} m wide: no room for {margin} m on both sides"
            )
        points, tangents = track.centre.points, track.centre.tangents
        knots = max(4, round(track.centre.length / _KNOT_DISTANCE))
        weights = _spline_weights(len(points), knots)
        # Between its coefficients a B-spline never leaves their range: where they keep to the
        # limits around their knot, it does.
        reach = weights > 0.0
        return cls(
            points,
            np.column_stack([-tangents[:, 1], tangents[:, 0]]),
            weights,
            np.where(reach, low[:, None], -np.inf).max(axis=0),
            np.where(reach, high[:, None], np.inf).min(axis=0),
        )

    def points(self, offsets: Floats) -> Floats:
        """The points (n, 2) [m] of a line."""
        return np.asarray(self.centre + (self.weights @ offsets)[:, None] * self.normals)

    def straightest(self) -> Floats:
        """The offsets of the line of least curvature."""
        from scipy.optimize import Bounds, minimize

        axes = [self.normals[:, k, None] for k in (0, 1)]
        matrix = np.concatenate([_bends(self.weights * axis) for axis in axes])
        centre = np.concatenate([_bends(self.centre[:, k]) for k in (0, 1)])

        def squares_and_slopes(offsets: Floats) -> tuple[float, Floats]:
            left = centre + matrix @ offsets
            return float(0.5 * np.square(left).sum()), matrix.T @ left

        bounds = Bounds(self.low, self.high)
        # A quadratic problem: steps as exact as the numbers are.
        middle = 0.5 * (self.low + self.high)
        return np.asarray(
            minimize(
                squares_and_slopes,
                middle,
                jac=True,
                bounds=bounds,
                method="L-BFGS-B",
                options={"maxiter": 5000, "maxfun": 5000, "ftol": 1e-15, "gtol": 1e-10},
            ).x
        )


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
    """Time for a curve [s], with constant acceleration between its points.

    Args:
        curve: that is driven.
        speeds: (n,) [m/s] at its points, of which no two in a row are 0.
    """
    after = np.roll(speeds, -1)
    means = 0.5 * (speeds + after)[: len(curve.lengths)]
    return float((curve.lengths / means).sum())


@compiled
def _slopes(
    points: Floats,
    normals: Floats,
    weights: Floats,
    nudge: float,
    limits: tuple[float, float, float, float],
    slopes: Floats,
) -> float:
    """The seconds of a flying lap along a closed line, and what each offset does to them.

    Args:
        points: (n, 2) of the line [m].
        normals: (n, 2) along which offsets move it.
        weights: (n, m) of the offsets at each point.
        nudge: distance [m] by which each is moved.
        limits: of the car: lateral, forward, braking and top speed.
        slopes: (m,) [s/m], written.
    """
    moved = points.copy()
    for k in range(len(slopes)):
        found = 0.0
        for side in (1.0, -1.0):
            for i in range(len(points)):
                if weights[i, k] > 0.0:
                    for axis in range(2):
                        by = side * nudge * weights[i, k] * normals[i, axis]
                        moved[i, axis] = points[i, axis] + by
            found += side * _lap(moved, limits)
        slopes[k] = found / (2.0 * nudge)
        for i in range(len(points)):
            if weights[i, k] > 0.0:
                moved[i] = points[i]
    return _lap(points, limits)


@jitable
def _lap(points: Floats, limits: tuple[float, float, float, float]) -> float:
    """The seconds of a flying lap along a closed line: `seconds_along` of its `speed_profile`."""
    lateral, forward, braking, top_speed = limits
    count = len(points)
    lengths, bends, fastest = np.empty(count), np.empty(count), np.empty(count)
    for i in range(count):
        step = points[(i + 1) % count] - points[i]
        lengths[i] = portable.hypot(step[0], step[1])
    for i in range(count):
        before, after = points[i] - points[i - 1], points[(i + 1) % count] - points[i]
        across = before[0] * after[1] - before[1] * after[0]
        turn = abs(portable.arctan2(across, before[0] * after[0] + before[1] * after[1]))
        bends[i] = 2.0 * turn / (lengths[i - 1] + lengths[i])
        fastest[i] = min(top_speed, np.sqrt(lateral / max(bends[i], 1e-12)))
    speeds = fastest.copy()
    _spread(speeds, fastest, bends, lengths, lateral, forward)
    backward = speeds[::-1].copy()
    # Backward, the segment after the last point is the one before it.
    _spread(backward, backward.copy(), bends[::-1], np.roll(lengths[::-1], -1), lateral, braking)
    found = 0.0
    for i in range(count):
        j = count - 1 - i
        found += 2.0 * lengths[i] / (backward[j] + backward[j - 1])
    return found


@compiled
def _accelerate(
    speeds: Floats,
    fastest: Floats,
    bends: Floats,
    lengths: Floats,
    lateral: float,
    forward: float,
) -> None:
    """As `_spread`."""
    _spread(speeds, fastest, bends, lengths, lateral, forward)


@jitable
def _spread(
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
