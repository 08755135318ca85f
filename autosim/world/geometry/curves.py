"""Plane curves that a vehicle can follow: rounded corners, offsets, transitions between two poses.

A polyline is an (n, 2) float64 array of points [m]. Angles are counter-clockwise from east [rad].
"""

import itertools
import math

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers

REPEAT_DISTANCE = 0.02
"""Distance [m] below which a point repeats the one before: the direction between them is noise."""

_ARC_STEP = math.radians(6.0)
"""Largest angle [rad] between points of an arc. Chosen: at 10 m radius the chord misses the arc by
14 mm."""

_MAX_ARC_SPACING = 2.0
"""Largest distance [m] between points of an arc: that of the samples of heights along streets."""

_LARGEST_CORNER_RADIUS = 60.0
"""Radius [m] that no rounded corner exceeds: cars take it at 50 km/h, with 0.33 g."""

_REACH = 12.0
"""Largest distance [m] from a corner at which its arc begins. Chosen: the arc of a right angle then
passes the map's corner at 5 m."""

_SHARE = 0.4
"""Largest share of a side that the arc of one of its corners takes: a fifth stays straight."""

_STRAIGHT = 1e-3
"""Largest turn [rad] at a corner that needs no arc: it would move no point by more than 3 mm."""

_HAIRPIN = math.radians(175.0)
"""Least turn [rad] of a way that doubles back: no arc fits into it."""

_SHORTEST_TANGENT = 0.05
"""Least distance [m] from a corner to its arc's beginning: a shorter arc is a corner to a wheel."""

_ALMOST_PARALLEL = math.radians(2.0)
"""Least turn [rad] between two poses whose lines cross at a place that is worth computing."""

_SHARPEST_ARC = math.radians(160.0)
"""Largest turn [rad] between two poses that one arc joins: a sharper one would lie far away."""

_GENTLE = 1.0
"""Largest turn [rad] of a Bézier curve with handles of `_GENTLE_HANDLE`."""

_GENTLE_HANDLE = 0.4
"""Length of the handles of a gentle Bézier curve, as a share of the distance of its ends: a shift
to the side without a bend at its ends."""


def arc_lengths(points: Floats) -> Floats:
    """Arc length [m] (n,) from the first point to each point of (n, 2) or (n, 3)."""
    steps = points[1:] - points[:-1]
    s = np.zeros(max(len(points), 1))
    np.sqrt((steps * steps).sum(axis=1)).cumsum(out=s[1:])
    return s


def points_at(points: Floats, stations: Floats, s: Floats) -> Floats:
    """Points (m, d) of a polyline (n, d) at arc lengths (m,), if its own are at `stations` (n,)."""
    found = np.empty((len(s), points.shape[1]))
    for k, column in enumerate(points.T):
        found[:, k] = np.interp(s, stations, column)
    return found


def point_along(points: Floats, distance: float) -> Floats:
    """The point (2,) of a polyline (n, 2) at a `distance` [m] from its beginning, or its last one.

    For one place near the beginning it takes a tenth of the time of `points_at`.
    """
    left = distance
    for start, end in itertools.pairwise(points):
        span = math.hypot(end[0] - start[0], end[1] - start[1])
        if span > left:
            return np.asarray(start + left / span * (end - start))
        left -= span
    return np.asarray(points[-1])


def tangents(points: Floats) -> Floats:
    """Unit vectors (n, 2) along a polyline at its points (n, 2), n > 1, by central differences."""
    steps = np.empty(points.shape)
    steps[0], steps[-1] = points[1] - points[0], points[-1] - points[-2]
    steps[1:-1] = (points[2:] - points[:-2]) / 2.0
    return np.asarray(steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9))


def tangents_of_each(points: Floats, counts: Integers) -> Floats:
    """As `tangents`, of polylines of `counts` (m,) points, one after another in (n, 2)."""
    steps = np.empty(points.shape)
    steps[1:-1] = (points[2:] - points[:-2]) / 2.0
    behind = np.cumsum(counts)
    first, last = behind - counts, behind - 1
    steps[first] = points[first + 1] - points[first]
    steps[last] = points[last] - points[last - 1]
    return np.asarray(steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9))


def slopes_of(values: Floats, at: Floats) -> Floats:
    """Slopes (n,) of values (n,) at the ascending places `at` (n,), n > 1, by parabolas.

    The result of `np.gradient`, in a quarter of the time for a small n.
    """
    spans = at[1:] - at[:-1]
    steps = (values[1:] - values[:-1]) / spans
    slopes = np.empty(len(values))
    slopes[0], slopes[-1] = steps[0], steps[-1]
    before, behind = spans[:-1], spans[1:]
    slopes[1:-1] = (behind * steps[:-1] + before * steps[1:]) / (before + behind)
    return slopes


def to_left(vectors: Floats) -> Floats:
    """Vectors (n, 2) turned to the left by a right angle."""
    return np.column_stack([-vectors[:, 1], vectors[:, 0]])


def length_of(points: Floats) -> float:
    """Length [m] of a polyline."""
    return float(arc_lengths(points)[-1])


def smooth_step(x: Floats) -> Floats:
    """0 up to 0, 1 from 1 on, and level at both."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def unit(heading: float) -> Floats:
    """Unit vector (2,) of an angle [rad]."""
    sine, cosine = portable.sin_cos(heading)
    return np.array([cosine, sine])


def turn_between(first: float, second: float) -> float:
    """Angle [rad] from one heading to another, in (-pi, pi], positive to the left."""
    return math.remainder(second - first, math.tau)


def heading_between(start: Floats, end: Floats) -> float:
    """Heading [rad] from one point to another."""
    return portable.arctan2(float(end[1] - start[1]), float(end[0] - start[0]))


def cut(points: Floats, start: float, end: float) -> Floats:
    """The part of a polyline from arc length `start` to `end` [m]."""
    s = arc_lengths(points)
    inner = (s > start + 1e-6) & (s < end - 1e-6)
    ends = np.array([start, end])
    edge = points_at(points, s, ends)
    return np.vstack([edge[:1], points[inner], edge[1:]])


def resample(points: Floats, spacing: float) -> Floats:
    """The polyline with points added so that none are farther apart than `spacing` [m]."""
    s = arc_lengths(points)
    pieces = np.maximum(np.ceil((s[1:] - s[:-1]) / spacing).astype(int), 1)
    starts = np.repeat(np.arange(len(pieces)), pieces)
    share = (np.arange(len(starts)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[
        starts
    ]
    added = points[starts] + share[:, None] * (points[starts + 1] - points[starts])
    return np.vstack([added, points[-1:]])


def offset(points: Floats, distance: float) -> Floats:
    """The polyline moved `distance` [m] to its left, without the folds of tight bends.

    The ends stay square to the ends of the polyline.
    """
    if abs(distance) < 1e-9 or len(points) < 2:
        return points
    moved = points + distance * _mitre_normals(points)
    directions = np.diff(points, axis=0)
    while len(moved) > 2:
        is_forward = np.einsum("ij,ij->i", np.diff(moved, axis=0), directions) > 0.0
        if is_forward.all():
            break
        keep = np.ones(len(moved), dtype=bool)
        keep[1:-1] = is_forward[:-1] & is_forward[1:]
        if keep.all() or keep.sum() < 2:
            break
        moved, points = moved[keep], points[keep]
        directions = np.diff(points, axis=0)
    return moved


def _mitre_normals(points: Floats) -> Floats:
    """Left normals (n, 2) at each point, lengthened so that parallel edges keep their distance."""
    directions = np.diff(points, axis=0)
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    normals = to_left(directions)
    before = np.vstack([normals[:1], normals])
    after = np.vstack([normals, normals[-1:]])
    dots = np.einsum("ij,ij->i", before, after)
    # A mitre at a hairpin would be endless: no longer than twice the distance.
    normals = (before + after) / np.maximum(1.0 + dots, 0.5)[:, None]
    return np.asarray(normals, dtype=np.float64)


def round_corners(points: Floats, is_fixed: Booleans) -> tuple[Floats, Integers]:
    """Replaces the corners of a polyline by arcs of circles tangent to both sides.

    The arc begins at most 12 m and 0.4 of the shorter side from the corner, so straight parts stay
    where the map has them (an interpolating spline swings metres aside on long segments), and at
    most as far as a radius of 60 m needs. A tangent arc has the largest least radius of all
    curves between the same two points, so it is the easiest to drive.

    Args:
        points: (n, 2) corners [m].
        is_fixed: (n,) corners that must stay, such as junctions; the ends always stay.

    Returns:
        The new points (m, 2) and, for each old point, the row of the new point nearest to it (n,).
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    pieces: list[Floats] = [points[:1]]
    rows = np.zeros(len(points), dtype=np.int64)
    count = 1
    for k in range(1, len(points) - 1):
        piece = points[k : k + 1]
        if not is_fixed[k]:
            reach = min(_SHARE * lengths[k - 1], _SHARE * lengths[k], _REACH)
            piece = _corner(points[k - 1], points[k], points[k + 1], reach)
        rows[k] = count + len(piece) // 2
        count += len(piece)
        pieces.append(piece)
    rows[-1] = count
    return np.vstack([*pieces, points[-1:]]), rows


def _corner(before: Floats, corner: Floats, after: Floats, reach: float) -> Floats:
    first, second = heading_between(before, corner), heading_between(corner, after)
    turn = turn_between(first, second)
    tangent = min(reach, _LARGEST_CORNER_RADIUS * portable.tan(abs(turn) / 2.0))
    if abs(turn) < _STRAIGHT or abs(turn) > _HAIRPIN or tangent < _SHORTEST_TANGENT:
        return corner[None, :]
    return arc(corner - tangent * unit(first), first, turn, tangent / portable.tan(abs(turn) / 2.0))


def arc(start: Floats, heading: float, turn: float, radius: float) -> Floats:
    """Points of an arc that leaves `start` with `heading` and turns by `turn` [rad]."""
    spacing = abs(turn) * radius / _MAX_ARC_SPACING
    pieces = max(2, math.ceil(abs(turn) / _ARC_STEP), math.ceil(spacing))
    side = math.copysign(1.0, turn)
    centre = start + side * radius * unit(heading + math.pi / 2.0)
    angles = np.arange(pieces + 1, dtype=np.float64) * (turn / pieces)
    angles[-1] = turn
    angles += heading - side * math.pi / 2.0
    # One by one: for so few an array takes more time.
    sines, cosines = zip(*map(portable.sin_cos, angles.tolist()), strict=True)
    return centre + radius * np.column_stack([cosines, sines])


def transition(start: Floats, start_heading: float, end: Floats, end_heading: float) -> Floats:
    """A smooth curve (n, 2) from one pose to another, with bends as wide as possible.

    If the lines of the two headings cross between the poses, it is straight, an arc, and straight
    again. Otherwise (a shift to the side, a hairpin) it is a cubic Bézier curve.
    """
    turn = turn_between(start_heading, end_heading)
    ahead = _distances_to_crossing(start, start_heading, end, end_heading)
    if ahead is None or abs(turn) < _ALMOST_PARALLEL or abs(turn) > _SHARPEST_ARC:
        return _bezier(start, start_heading, end, end_heading)
    tangent = min(ahead)
    radius = tangent / portable.tan(abs(turn) / 2.0)
    # `without_repeats` would reduce a narrower arc to its chord.
    if tangent < _SHORTEST_TANGENT or radius * _ARC_STEP < 1.25 * REPEAT_DISTANCE:
        return _bezier(start, start_heading, end, end_heading)
    first = start + (ahead[0] - tangent) * unit(start_heading)
    bend = arc(first, start_heading, turn, radius)
    return without_repeats(np.vstack([start, bend, end]))


def without_repeats(points: Floats, distance: float = REPEAT_DISTANCE) -> Floats:
    """The polyline without points closer than `distance` [m] to the one before; both ends stay."""
    keep = np.ones(len(points), dtype=bool)
    steps = points[1:] - points[:-1]
    keep[1:] = (steps * steps).sum(axis=1) > distance * distance
    keep[-1] = True
    kept = points[keep]
    if len(kept) > 2 and portable.length(kept[-1] - kept[-2]) <= distance:
        kept = np.vstack([kept[:-2], kept[-1:]])
    return kept


def _distances_to_crossing(
    start: Floats, start_heading: float, end: Floats, end_heading: float
) -> tuple[float, float] | None:
    """Distances [m] from both poses to the crossing of their lines, None if it is not between."""
    u, v, gap = unit(start_heading), unit(end_heading), end - start
    cross = float(u[0] * v[1] - u[1] * v[0])
    if abs(cross) < 1e-6:
        return None
    first = float(gap[0] * v[1] - gap[1] * v[0]) / cross
    second = float(u[0] * gap[1] - u[1] * gap[0]) / cross
    return (first, second) if first > 0.0 and second > 0.0 else None


def _bezier(start: Floats, start_heading: float, end: Floats, end_heading: float) -> Floats:
    distance = portable.length(end - start)
    turn = abs(turn_between(start_heading, end_heading))
    # Handles of 4/3 tan(turn/4) of the radius draw a circle.
    handle = distance * (
        _GENTLE_HANDLE
        if turn < _GENTLE
        else 2.0 / 3.0 * portable.tan(turn / 4.0) / portable.sin(turn / 2)
    )
    controls = np.array(
        [start, start + handle * unit(start_heading), end - handle * unit(end_heading), end]
    )
    pieces = max(4, math.ceil(distance), math.ceil(turn / _ARC_STEP))
    t = np.linspace(0.0, 1.0, pieces + 1)[:, None]
    rest = 1.0 - t
    weights = np.hstack([rest * rest * rest, 3.0 * t * rest * rest, 3.0 * t * t * rest, t * t * t])
    return without_repeats((weights[:, :, None] * controls).sum(axis=1))


def turning_loop(start: Floats, end: Floats, *, radius: float, entry: float, side: float) -> Floats:
    """A loop by which a vehicle turns round at the end of a street, a drop on a stem.

    In a frame with x along the street and the loop's centre at the origin: heading +x from `start`,
    straight and by an arc of radius `entry` away from the axis, round the centre, and back by
    another arc and straight to `end`, heading -x.

    Args:
        start: (2,) where the vehicle comes from [m].
        end: (2,) where it goes [m].
        radius: radius [m] of the loop.
        entry: radius [m] of the arcs between stem and loop.
        side: 1 where traffic keeps left, -1 where it keeps right.

    Returns:
        Points (n, 2) [m] from `start` to `end`. The arcs begin and end `loop_stem` metres before
        the centre; a `start` or `end` beyond that shortens them.
    """
    # A lane farther aside than the loop, behind a bend of its street, joins it at an angle.
    shifts = [min(shift, 0.9 * radius) for shift in (side * start[1], -side * end[1])]
    stems = [loop_stem(shift=shift, radius=radius, entry=entry) for shift in shifts]
    swings = [
        portable.arctan2(stem, shift + entry) for stem, shift in zip(stems, shifts, strict=True)
    ]
    away = arc(np.array([-stems[0], shifts[0]]), 0.0, swings[0], entry)
    turn = -(math.pi + swings[0] + swings[1])
    loop = arc(away[-1], swings[0], turn, radius)
    back = arc(loop[-1], swings[0] + turn, swings[1], entry)
    whole = np.vstack([away, loop[1:], back[1:]]) * np.array([1.0, side])
    low = np.full(len(whole), -np.inf)
    low[: len(away)], low[-len(back) :] = start[0], end[0]
    return without_repeats(np.vstack([start, whole[whole[:, 0] > low], end]))


def loop_stem(*, shift: float, radius: float, entry: float) -> float:
    """Distance [m] before the loop's centre at which its arcs leave the lanes."""
    return math.sqrt(max((radius + entry) ** 2 - (shift + entry) ** 2, 0.0))
