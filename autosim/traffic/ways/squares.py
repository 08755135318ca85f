"""Ways over squares: straight from one entrance to another, and through their middle.

People who go anywhere on a square come to places spread over it, and to all that lead onto it. Of
all straight ways between two of them those stay without which people would walk a detour.
"""

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.traffic.ways.pavement_strips import clear_segments
from autosim.traffic.ways.walk_network import WayKind
from autosim.traffic.ways.way_draft import StandaloneWay, WayDraft, pose_at_station
from autosim.world.compiled.paths import Paths
from autosim.world.geometry.meshes import Surface

_APART = 16.0
"""Distance [m] between the places of a square to which people go: stalls, benches, a fountain."""

_MOST = 30
"""Number of these places, at most; on larger squares they are farther apart."""

_ENTRANCE = 4.0
"""Distance [m] from the edge of a square up to which a way leads onto it."""

_DETOUR = 1.2
"""Ratio of a walk over a square to the straight line, at most."""

_REACH = 2.6
"""Length of a straight way, at most, as a ratio to the distance of the places."""

_HALF, _NARROW = 1.5, 0.4
"""Half the width [m] of ways over squares, and where walls stand near."""


def add_squares(draft: WayDraft, paths: Paths) -> None:
    """Adds ways over all squares of a world."""
    count = int(paths.ring_squares.max()) + 1 if len(paths.ring_squares) else 0
    for square in range(count):
        rings = [
            paths.ring_points[paths.ring_starts[ring] : paths.ring_starts[ring + 1]]
            for ring in np.flatnonzero(paths.ring_squares == square).tolist()
        ]
        _add_square(draft, rings)


def _add_square(draft: WayDraft, rings: list[Floats]) -> None:
    corners = np.concatenate(rings)
    low, high = corners.min(axis=0), corners.max(axis=0)
    apart = max(_APART, float(np.sqrt(np.prod(high - low) / _MOST)))
    first = np.concatenate(rings)
    second = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    own = _places_within(draft, first, second, apart)
    entrances = _entrances(draft, first, second, own, apart)
    nodes = [*entrances, *(draft.node(place) for place in own)]
    places = np.array([draft.nodes[node] for node in nodes]).reshape(-1, 3)
    for a, b, half in _straight_ways(draft, places, _REACH * apart):
        line = StandaloneWay(places[[a, b]], nodes[a], nodes[b], half, WayKind.PAVEMENT)
        draft.lines.append(line)


def _places_within(draft: WayDraft, first: Floats, second: Floats, apart: float) -> Floats:
    """Places (n, 3) spread over a square, with room to its edge."""
    low, high = first.min(axis=0), first.max(axis=0)
    rows = np.arange(0.5 * apart, max(high[1] - low[1], apart), 0.866 * apart)
    grid = [
        (low[0] + x, low[1] + y)
        for k, y in enumerate(rows.tolist())
        for x in np.arange(0.5 * apart * (1 + k % 2), max(high[0] - low[0], apart), apart).tolist()
    ]
    places = np.array(grid).reshape(-1, 2)
    inside = _is_inside(places, first, second) & (_to_edge(places, first, second) > _HALF)
    places = places[inside]
    return _walkable(draft, places)


def _walkable(draft: WayDraft, places: Floats) -> Floats:
    """The walkable ones of `places` (n, 2), with their heights: (m, 3)."""
    heights = draft.ground.heights_at(places)
    raised = np.column_stack([places, np.where(np.isfinite(heights), heights, 0.0)])
    is_road = draft.ground.surfaces_at(raised) == Surface.CARRIAGEWAY
    around = raised + np.array([[_HALF, 0.0, 0.0]])
    is_clear = clear_segments(draft.walls, raised, around, np.full(len(raised), _HALF))
    return np.asarray(raised[~is_road & draft.is_open(raised) & is_clear])


def _is_inside(places: Floats, first: Floats, second: Floats) -> Booleans:
    """Whether places (n, 2) lie within rings with sides (s, 2) from `first` to `second`."""
    y = places[:, 1:2]
    meets = (first[:, 1] > y) != (second[:, 1] > y)
    rise = second[:, 1] - first[:, 1]
    share = (y - first[:, 1]) / np.where(rise == 0.0, 1.0, rise)
    x = first[:, 0] + share * (second[:, 0] - first[:, 0])
    return np.asarray((meets & (places[:, :1] < x)).sum(axis=1) % 2 == 1)


def _to_edge(places: Floats, first: Floats, second: Floats) -> Floats:
    """The distance [m] of places (n, 2) from the sides of rings."""
    side = second - first
    gap = places[:, None] - first[None]
    share = (gap * side).sum(axis=2) / np.maximum((side * side).sum(axis=1), 1e-12)
    beside = gap - np.clip(share, 0.0, 1.0)[..., None] * side
    far = portable.hypot(beside[..., 0], beside[..., 1])
    return np.asarray(far.min(axis=1)) if far.shape[1] else np.full(len(places), np.inf)


def _entrances(
    draft: WayDraft, first: Floats, second: Floats, own: Floats, apart: float
) -> list[int]:
    """The nodes of paths on a square and at its edge, and of strips that pass it."""
    nodes = np.array(draft.nodes).reshape(-1, 3)
    low, high = first.min(axis=0) - _ENTRANCE, first.max(axis=0) + _ENTRANCE
    is_near = ((nodes[:, :2] >= low) & (nodes[:, :2] <= high)).all(axis=1)
    candidates = np.flatnonzero(is_near)
    places = nodes[candidates, :2]
    if len(places):
        leads = _is_inside(places, first, second) | (_to_edge(places, first, second) < _ENTRANCE)
        candidates = candidates[leads]
    found: list[int] = []
    for node in candidates.tolist():
        if all(_far(nodes[node], draft.nodes[other]) > 0.25 * apart for other in found):
            found.append(node)
    edge = _along(first, second, 2.0)
    heights = draft.ground.heights_at(edge)
    for place in np.column_stack([edge, np.where(np.isfinite(heights), heights, 0.0)]):
        on_strip = draft.nearest_on_strip(place, _ENTRANCE)
        if on_strip is None:
            continue
        strip = draft.strips[on_strip[0]]
        point, _ = pose_at_station(strip.points, draft.stations[on_strip[0]], on_strip[1])
        if all(_far(point, draft.nodes[other]) > 0.75 * apart for other in found):
            found.append(draft.cut(*on_strip))
    return found


def _along(first: Floats, second: Floats, spacing: float) -> Floats:
    """Places (n, 2) along the sides of rings."""
    length = portable.hypot(*(second - first).T)
    pieces = np.maximum(np.ceil(length / spacing).astype(np.int64), 1)
    of = np.repeat(np.arange(len(pieces)), pieces)
    share = (np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[of]
    return np.asarray(first[of] + share[:, None] * (second - first)[of])


def _far(a: Floats, b: Floats) -> float:
    return portable.length(a[:2] - b[:2])


def _straight_ways(draft: WayDraft, places: Floats, reach: float) -> list[tuple[int, int, float]]:
    """Pairs of places (n, 3) with a straight way between them, and half its width [m]."""
    a, b = np.triu_indices(len(places), 1)
    lengths = portable.hypot(*(places[b, :2] - places[a, :2]).T)
    is_near = (lengths < reach) & (lengths > 0.5)
    a, b, lengths = a[is_near], b[is_near], lengths[is_near]
    if not len(a):
        return []
    walked = _leads_over_ground(draft, places[a], places[b])
    a, b, lengths = a[walked], b[walked], lengths[walked]
    widths = [np.full(len(a), half) for half in (_HALF, _NARROW)]
    wide, narrow = (clear_segments(draft.walls, places[a], places[b], each) for each in widths)
    shortest = np.full((len(places), len(places)), np.inf)
    np.fill_diagonal(shortest, 0.0)
    found = []
    for k in np.argsort(lengths, kind="stable").tolist():
        i, j, length = int(a[k]), int(b[k]), float(lengths[k])
        if not narrow[k] or shortest[i, j] <= _DETOUR * length:
            continue
        found.append((i, j, _HALF if wide[k] else _NARROW))
        for one, other in ((i, j), (j, i)):
            np.minimum(shortest, shortest[:, [one]] + length + shortest[[other]], out=shortest)
    return found


def _leads_over_ground(draft: WayDraft, first: Floats, second: Floats) -> Booleans:
    """Whether straight ways (n,) lead over ground on which people walk, at its height."""
    length = portable.hypot(*(second - first)[:, :2].T)
    counts: Integers = np.maximum(np.ceil(length).astype(np.int64), 2)
    of = np.repeat(np.arange(len(counts)), counts)
    share = (np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)) / (counts[of] - 1)
    places = first[of] + share[:, None] * (second - first)[of]
    is_road = draft.ground.surfaces_at(places) == Surface.CARRIAGEWAY
    is_fine = ~is_road & draft.is_open(places)
    return np.asarray(np.logical_and.reduceat(is_fine, np.cumsum(counts) - counts))
