"""Plans roofs from above: the footprint in triangles, and each corner's height over the eaves.

Walls stand under the border of the plan, so every roof makes a closed solid.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import mapbox_earcut
import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Floats, Integers, Integers32
from autosim.world.buildings.roofs import Roof, RoofShape, longer_side
from autosim.world.geometry.curves import to_left

Triangles = Integers32

_RIDGE_SNAP = 0.02
"""Distance [m] from the ridge within which a corner lies on it, so that cutting makes no
slivers."""

_SEEN = 1e-3
"""Doubled area [m²] of the triangle of a side and the centroid above which the side faces it."""

_SHARPEST = 0.05
"""Least divisor of a mitre, a ratio: mitres stay finite at corners sharper than about 25°."""

_TINY = 1e-9
"""Length [m] below which a side has none, up to rounding."""


@dataclass(frozen=True, slots=True)
class _Inset:
    """Inset of the slopes of a hipped roof."""

    share: float = 0.97
    """Share of the way to the first event of the straight skeleton: before it, all sides remain."""

    least: float = 0.8
    """Least inset [m]: a roof with narrower slopes is built flat."""

    tries: int = 3
    """Number of insets that are tried where the top is not sound."""

    shorter: float = 0.6
    """Factor from one tried inset to the next."""


_INSET = _Inset()


@dataclass(frozen=True, slots=True)
class RoofPlan:
    """A footprint in triangles.

    Attributes:
        vertices: (n, 2) [m] in W.
        triangles: (m, 3), counter-clockwise.
        rises: (n,) [m] above the eaves.
        across: (n,) [m] signed distance from the ridge, along which `cut_at_ridges` must cut the
            triangles; 1 everywhere for a roof without a ridge.
        ridge_rise: height [m] of the ridge above the eaves.
    """

    vertices: Floats
    triangles: Triangles
    rises: Floats
    across: Floats
    ridge_rise: float = 0.0


def plan_of(polygon: shapely.Polygon, roof: Roof, rectangle: BaseGeometry) -> RoofPlan:
    """The plan of a roof over a footprint; flat where its shape does not fit the footprint.

    Args:
        polygon: the footprint, its rings with the inside on their left.
        roof: its roof.
        rectangle: the smallest rectangle around the footprint.
    """
    rings = [np.asarray(ring.coords)[:-1] for ring in (polygon.exterior, *polygon.interiors)]
    if roof.shape is RoofShape.HIPPED:
        plan = _hipped(rings, roof)
        if plan is not None:
            return plan
    if roof.shape is RoofShape.PYRAMIDAL and len(rings) == 1:
        plan = _pyramidal(rings[0], roof.rise)
        if plan is not None:
            return plan
    outline = np.vstack(rings)
    triangles = _triangulated(rings)
    flat = np.zeros(len(outline))
    if roof.shape not in (RoofShape.GABLED, RoofShape.SKILLION):
        return RoofPlan(outline, triangles, flat, flat + 1.0)
    across = _across(outline, roof, rectangle)
    half = max(float(np.abs(across).max()), 1e-6)
    if roof.shape is RoofShape.SKILLION:
        rises = roof.rise * (across - across.min()) / max(float(np.ptp(across)), 1e-6)
        return RoofPlan(outline, triangles, rises, flat + 1.0)
    across = np.where(np.abs(across) < _RIDGE_SNAP, 0.0, across)
    return RoofPlan(
        outline, triangles, roof.rise * (1.0 - np.abs(across) / half), across, roof.rise
    )


def _across(points: Floats, roof: Roof, rectangle: BaseGeometry) -> Floats:
    """Signed distance (n,) [m] from the middle line of a rectangle in the ridge's direction."""
    ridge = longer_side(rectangle) if roof.ridge is None else roof.ridge
    middle = shapely.get_coordinates(rectangle.centroid)[0]
    distance = portable.dot(points - middle, np.array([-portable.sin(ridge), portable.cos(ridge)]))
    return np.asarray(distance, dtype=np.float64)


def _triangulated(rings: list[Floats]) -> Triangles:
    """Triangles of rings, counter-clockwise."""
    points = np.vstack(rings)
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    triangles = mapbox_earcut.triangulate_float64(points, ends).reshape(-1, 3).astype(np.int32)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    return np.asarray(np.where((area < 0.0)[:, None], triangles[:, ::-1], triangles))


def _pyramidal(ring: Floats, rise: float) -> RoofPlan | None:
    """A fan around the centroid; None where a side cannot be seen from there."""
    count = len(ring)
    first = np.arange(count, dtype=np.int32)
    second = np.roll(first, -1)
    centre = shapely.get_coordinates(shapely.Polygon(ring).centroid)[0]
    u, v = ring - centre, ring[second] - centre
    if (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).min() <= _SEEN:
        return None
    fan = np.column_stack([first, second, np.full(count, count, dtype=np.int32)])
    rises = np.append(np.zeros(count), rise)
    return RoofPlan(np.vstack([ring, centre]), fan, rises, np.ones(count + 1))


def _hipped(rings: list[Floats], roof: Roof) -> RoofPlan | None:
    """Slopes from all eaves inwards until the first of them meet, with a flat top within.

    This is the straight skeleton up to its first event. On a rectangle it is the whole hipped roof
    except for the width of the ridge; on other footprints it is a roof with a flat top.
    """
    outline, mitres = np.vstack(rings), np.vstack([_mitres(ring) for ring in rings])
    reach = min(min(_first_event(ring) for ring in rings) * _INSET.share, roof.inset)
    for _ in range(_INSET.tries):
        if not reach > _INSET.least:
            return None
        inner = outline + reach * mitres
        parts = np.split(inner, np.cumsum([len(ring) for ring in rings])[:-1])
        top = _sound_top(parts)
        if top is not None:
            return _ring_and_top(rings, inner, top, roof.rise)
        reach *= _INSET.shorter
    return None


def _sound_top(parts: list[Floats]) -> Triangles | None:
    """Triangles of the flat top; None where its rings cross."""
    if not shapely.is_valid(shapely.Polygon(parts[0], parts[1:])):
        return None
    triangles = _triangulated(parts)
    expected = sum(len(part) for part in parts) + 2 * (len(parts) - 1) - 2
    return triangles if len(triangles) == expected else None


def _ring_and_top(rings: list[Floats], inner: Floats, top: Triangles, rise: float) -> RoofPlan:
    outline = np.vstack(rings)
    count = len(outline)
    first = np.arange(count, dtype=np.int32)
    second = _following(rings)
    slopes = [
        np.column_stack([first, second, second + count]),
        np.column_stack([first, second + count, first + count]),
    ]
    return RoofPlan(
        np.vstack([outline, inner]),
        np.vstack([*slopes, top + np.int32(count)]).astype(np.int32),
        np.repeat([0.0, rise], count),
        np.ones(2 * count),
    )


def _following(rings: list[Floats]) -> Triangles:
    """For each corner of all rings the next one of its ring."""
    starts = np.cumsum([0, *(len(ring) for ring in rings)])
    parts = [np.roll(np.arange(a, b), -1) for a, b in pairwise(starts)]
    return np.concatenate(parts).astype(np.int32)


def _mitres(ring: Floats) -> Floats:
    """Displacement of corners (n, 2) when all sides move inwards (to their left) by 1 m."""
    steps = np.roll(ring, -1, axis=0) - ring
    steps /= np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), _TINY)
    normals = to_left(steps)
    before = np.roll(normals, 1, axis=0)
    dots = np.einsum("ij,ij->i", before, normals)
    return np.asarray((before + normals) / np.maximum(1.0 + dots, _SHARPEST)[:, None])


def _first_event(ring: Floats) -> float:
    """Largest inset [m] of the sides of a ring until one of them has no length left."""
    sides = np.roll(ring, -1, axis=0) - ring
    lengths = np.maximum(np.linalg.norm(sides, axis=1), _TINY)
    mitres = _mitres(ring)
    growth = np.einsum("ij,ij->i", np.roll(mitres, -1, axis=0) - mitres, sides / lengths[:, None])
    shrinks = growth < -_TINY
    if not shrinks.any():
        return math.inf
    return float((lengths[shrinks] / -growth[shrinks]).min())


def cut_at_ridges(
    vertices: Floats, triangles: Triangles, across: Floats
) -> tuple[Floats, Triangles, Integers]:
    """Cuts triangles where `across` changes sign, for any number of roofs at once.

    Args:
        vertices: (n, k), any values to interpolate along edges.
        triangles: (m, 3).
        across: (n,) signed distances from the ridges.

    Returns:
        The vertices with those on the ridges added, the triangles, and for each of these the row of
        the triangle that it comes from.
    """
    signs = np.sign(across).astype(np.int64)[triangles]
    mixed = (signs.max(axis=1) > 0) & (signs.min(axis=1) < 0)
    rows = np.flatnonzero(mixed)
    has_zero = (signs[rows] == 0).any(axis=1)
    # The first corner is the one that lies alone on its side, or on the ridge itself.
    lone = np.argmax(signs[rows] == -np.sign(signs[rows].sum(axis=1))[:, None], axis=1)
    first = np.where(has_zero, np.argmin(np.abs(signs[rows]), axis=1), lone)
    order = (first[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(triangles[rows], order, axis=1).T
    z = has_zero
    pairs = np.concatenate(
        [
            np.column_stack([b[z], c[z]]),
            np.column_stack([a[~z], b[~z]]),
            np.column_stack([a[~z], c[~z]]),
        ]
    )
    edges, number = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    number = number.reshape(-1) + len(vertices)
    p, q = edges[:, 0], edges[:, 1]
    share = (across[p] / (across[p] - across[q]))[:, None]
    added = vertices[p] + share * (vertices[q] - vertices[p])
    on_bc, on_ab, on_ac = np.split(number, np.cumsum([z.sum(), (~z).sum()]))
    pieces = [
        (np.column_stack([a[z], b[z], on_bc]), rows[z]),
        (np.column_stack([a[z], on_bc, c[z]]), rows[z]),
        (np.column_stack([a[~z], on_ab, on_ac]), rows[~z]),
        (np.column_stack([on_ab, b[~z], c[~z]]), rows[~z]),
        (np.column_stack([on_ab, c[~z], on_ac]), rows[~z]),
    ]
    whole = np.flatnonzero(~mixed)
    all_triangles = np.vstack([triangles[whole], *(piece for piece, _ in pieces)])
    origins = np.concatenate([whole, *(origin for _, origin in pieces)])
    return np.vstack([vertices, added]), all_triangles.astype(np.int32), origins
