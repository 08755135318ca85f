"""Grade separations: the places where streets of different levels pass over one another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import arc_lengths, resample
from autosim.world.streets.street_finding import Street

_SPACING = 4.0
"""Distance [m] between samples of a street over another one: about a lane's width. Where two axes
cross, the place is exact."""

_JUNCTION_REACH = 60.0
"""Distance [m] along both streets from a node that they share within which an overlap does not
count. Chosen: there they part, and could not be one over the other with any grade."""

_ONE_OVERLAP = 12.0
"""Distance [m] along the upper street up to which two places belong to one overlap: three samples,
so that a missed one does not divide it."""


@dataclass(frozen=True, slots=True)
class GradeSeparations:
    """Places (n,) where street `upper` passes over street `lower`.

    `upper_s`, `lower_s` [m] are the arc lengths of the place along both. `is_beside`: the axis of
    each lies beside the other's carriageway there; only their edges overlap.
    """

    upper: Integers
    upper_s: Floats
    lower: Integers
    lower_s: Floats
    is_beside: Booleans

    def select(self, chosen: Booleans) -> "GradeSeparations":
        """Some of the places."""
        return GradeSeparations(
            self.upper[chosen],
            self.upper_s[chosen],
            self.lower[chosen],
            self.lower_s[chosen],
            self.is_beside[chosen],
        )


_Place = tuple[int, float, int, float, bool]
"""A row of `GradeSeparations`."""


def no_separations() -> GradeSeparations:
    """No places at all."""
    return _separations([])


def find_separations(streets: Sequence[Street]) -> GradeSeparations:
    """All places where the axis of a street lies over or under a carriageway of another level.

    Places near a node of both streets do not count: there one street leads into the other.
    """
    lines = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    raised = np.array([k for k, s in enumerate(streets) if s.layer != 0], dtype=np.int64)
    if not len(raised):
        return no_separations()
    tree = shapely.STRtree(lines)
    reach = halves[raised] + halves.max(initial=0.0)
    pairs = tree.query(lines[raised], predicate="dwithin", distance=reach)
    rows: list[_Place] = []
    for a, b in {_ordered(streets, int(raised[i]), int(j)) for i, j in pairs.T}:
        if streets[a].layer != streets[b].layer:
            # Decks may not even touch with their edges; the ground makes room for a deck.
            on_decks = streets[a].layer * streets[b].layer > 0
            inner = float(max(halves[a], halves[b]))
            outer = float(halves[a] + halves[b]) if on_decks else inner
            overlaps = _overlaps(a, b, lines, (inner, outer))
            rows += _away_from_nodes(streets[a], streets[b], overlaps)
    return _separations(sorted(rows))


def overlaps_of(separations: GradeSeparations) -> Integers:
    """The number (n,) of the overlap to which each place belongs."""
    order = np.lexsort((separations.upper_s, separations.lower, separations.upper))
    columns = np.column_stack([separations.upper, separations.lower])[order]
    is_next = (np.diff(columns, axis=0) == 0).all(axis=1)
    is_next &= np.diff(separations.upper_s[order]) < _ONE_OVERLAP
    numbers = np.zeros(len(order), dtype=np.int64)
    numbers[order] = np.concatenate([[0], np.cumsum(~is_next)]) if len(order) else order
    return numbers


def _ordered(streets: Sequence[Street], a: int, b: int) -> tuple[int, int]:
    """Two streets, the higher one first."""
    return (a, b) if (streets[a].layer, a) > (streets[b].layer, b) else (b, a)


def _away_from_nodes(upper: Street, lower: Street, rows: list[_Place]) -> list[_Place]:
    """The overlaps of two streets without those near a node of both."""
    shared = {upper.start, upper.end} & {lower.start, lower.end}
    if not shared:
        return rows
    first, second = (float(arc_lengths(street.points)[-1]) for street in (upper, lower))
    return [
        row
        for row in rows
        if _to_nodes(upper, row[1], first, shared) > _JUNCTION_REACH
        and _to_nodes(lower, row[3], second, shared) > _JUNCTION_REACH
    ]


def _to_nodes(street: Street, s: float, length: float, nodes: set[int]) -> float:
    """Distance [m] along a street from `s` to the nearest of its ends that is in `nodes`."""
    before = s if street.start in nodes else np.inf
    behind = length - s if street.end in nodes else np.inf
    return float(min(before, behind))


def _overlaps(
    upper: int, lower: int, lines: npt.NDArray[np.object_], reaches: tuple[float, float]
) -> list[_Place]:
    """Samples of the upper street over the lower one; where the axes cross, exactly there too.

    Samples farther from the other's axis than the first of `reaches` [m] lie beside it; those
    farther than the second are left out.
    """
    inner, outer = reaches
    if shapely.distance(lines[upper], lines[lower]) >= outer:
        return []
    samples = resample(shapely.get_coordinates(lines[upper]), _SPACING)
    points = np.asarray(shapely.points(samples), dtype=object)
    near = points[shapely.distance(points, lines[lower]) < outer]
    crossing = shapely.get_parts(overlays.intersection(lines[upper], lines[lower]))
    exact = crossing[shapely.get_type_id(crossing) == 0]
    places = np.concatenate([near, exact])
    at_upper = shapely.line_locate_point(lines[upper], places)
    at_lower = shapely.line_locate_point(lines[lower], places)
    is_beside = shapely.distance(places, lines[lower]) >= inner
    return [
        (upper, float(s), lower, float(t), bool(beside))
        for s, t, beside in zip(at_upper, at_lower, is_beside, strict=True)
    ]


def _separations(rows: Sequence[_Place]) -> GradeSeparations:
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    return GradeSeparations(
        table[:, 0].astype(np.int64),
        table[:, 1],
        table[:, 2].astype(np.int64),
        table[:, 3],
        table[:, 4].astype(np.bool_),
    )
