"""Contacts: the places where two streets lie so close that their carriageways are one surface."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry import overlays
from autosim.world.streets.street_finding import Street

ALONGSIDE = portable.cos(np.radians(40.0))
"""Least cosine (without unit) of the angle between two streets that lead along one another. Chosen:
up to 40 degrees two carriageways overlap on a long stretch, not in a crossing."""

_CORNER = 1.0
"""Distance [m] by which the rounded corners of a junction reach beyond its carriageways; two axes
that cross nearer to a node than this meet there."""

_ONE_AXIS = 1.5
"""Distance [m] between two axes below which neither street can make room for the other: not even
half a lane fits between them."""


@dataclass(frozen=True, slots=True)
class StreetContacts:
    """Places (n,) where streets lie so close that their carriageways are one surface.

    Each is at `s` [m] of street `street` and at `other_s` [m] of street `other`. `is_crossing`:
    the streets lead across one another there, or share one axis, so neither can make room for the
    other.
    """

    street: Integers
    s: Floats
    other: Integers
    other_s: Floats
    is_crossing: Booleans


def find_street_contacts(
    streets: Sequence[Street], places: Floats, owners: Integers, s: Floats
) -> StreetContacts:
    """All places where streets lie so close that their carriageways are one surface.

    Args:
        streets: of all levels; a pair counts if both are on one level or share a node.
        places: (n, 2) [m] points on the axes of streets.
        owners: (n,) the street of each point.
        s: (n,) [m] the arc length of each point.
    """
    lines = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    points = np.asarray(shapely.points(places), dtype=object)
    reach = halves[owners] + halves.max(initial=0.0) + _CORNER
    rows, others = shapely.STRtree(lines).query(points, predicate="dwithin", distance=reach)
    meets = meet(streets, owners[rows], others)
    levels = np.array([street.layer for street in streets])
    counts = meets | (levels[owners[rows]] == levels[others])
    counts &= owners[rows] != others
    rows, others, meets = rows[counts], others[counts], meets[counts]
    room = halves[owners[rows]] + halves[others] + np.where(meets, _CORNER, 0.0)
    gaps = shapely.distance(points[rows], lines[others])
    touch = gaps < room
    rows, others, gaps, meets = rows[touch], others[touch], gaps[touch], meets[touch]
    at = np.asarray(shapely.line_locate_point(lines[others], points[rows]))
    beside = (owners[rows], s[rows], others, at)
    across = axes_across(streets, lines)
    parts = [np.concatenate(pair) for pair in zip(beside, across, strict=True)]
    is_crossing = np.arange(len(parts[0])) >= len(rows)
    ahead = (ahead_on(lines[street], at) for street, at in (beside[:2], beside[2:]))
    is_aslant = np.abs(np.einsum("ij,ij->i", *ahead)) < ALONGSIDE
    is_crossing[: len(rows)] = (is_aslant & ~meets) | (gaps < _ONE_AXIS)
    return StreetContacts(
        parts[0].astype(np.int64), parts[1], parts[2].astype(np.int64), parts[3], is_crossing
    )


def ahead_on(lines: npt.NDArray[np.object_], s: Floats) -> Floats:
    """Unit vectors (n, 2) along lines (n,) at arc lengths (n,) [m]."""
    ends = (shapely.line_interpolate_point(lines, np.maximum(s + d, 0.0)) for d in (-0.5, 0.5))
    before, behind = (shapely.get_coordinates(points) for points in ends)
    ahead = behind - before
    return np.asarray(ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9))


def meet(streets: Sequence[Street], first: Integers, second: Integers) -> Booleans:
    """Mask of pairs of streets (n,) that share a node."""
    ends = np.array([(street.start, street.end) for street in streets])
    return np.asarray((ends[first][:, :, None] == ends[second][:, None, :]).any(axis=(1, 2)))


def axes_across(
    streets: Sequence[Street], lines: npt.NDArray[np.object_]
) -> tuple[Integers, Floats, Integers, Floats]:
    """Crossings of axes of one level without a node: streets, arc lengths [m], and the others'."""
    first, second = shapely.STRtree(lines).query(lines, predicate="crosses")
    levels = np.array([street.layer for street in streets])
    is_one = (first < second) & (levels[first] == levels[second])
    return crossings_of(lines, first[is_one], second[is_one])


def crossings_of(
    lines: npt.NDArray[np.object_], first: Integers, second: Integers
) -> tuple[Integers, Floats, Integers, Floats]:
    """Crossings of pairs (n,) of axes away from their ends, as `axes_across` gives them."""
    shared, of = shapely.get_parts(
        overlays.intersection(lines[first], lines[second]), return_index=True
    )
    is_point = shapely.get_type_id(shared) == 0
    shared, first, second = shared[is_point], first[of[is_point]], second[of[is_point]]
    s, other_s = (shapely.line_locate_point(lines[k], shared) for k in (first, second))
    lengths = shapely.length(lines)
    # At a node two streets share their height anyway.
    inner = np.minimum(s, lengths[first] - s) > _CORNER
    inner |= np.minimum(other_s, lengths[second] - other_s) > _CORNER
    return first[inner], s[inner], second[inner], other_s[inner]
