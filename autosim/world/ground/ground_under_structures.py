"""Makes room in the ground for bridges and tunnels.

The ground stays below the deck of a bridge. Where the roof of a tunnel would stick out of the
ground, the ground has a hole whose rim ends inside the tunnel's walls.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import arc_lengths, cut, points_at, tangents, to_left
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.overlays import made_valid, polygons_of
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.level_division import GROUND, Levels, LevelTransition
from autosim.world.streets.street_finding import Street
from autosim.world.structures.decks import HEADROOM, RAMP, ROOF, WALL, Deck
from autosim.world.surfaces.carriageway_shapes import OVERLAP, StreetMap


@dataclass(frozen=True, slots=True)
class _UnderBridges:
    """Room for bridges."""

    depth: float = 1.3
    """Depth [m] of the ground below a deck: the slab of 0.9 m and some air."""

    full_depth_at: float = 3.0
    """Distance [m] past a transition at which the ground reaches that depth."""

    inner_margin: float = 0.2
    """Distance [m] beside a deck up to which the ground is fully lowered: past the deck's walls."""

    outer_margin: float = 0.6
    """Distance [m] beside a deck from which the ground is unchanged: past the deck's walls."""

    carriageway_margin: float = 0.4
    """Distance [m] beside a carriageway at which the lowered ground begins, to leave a slope."""

    low: float = 2.5
    """Height [m] of a bridge above the ground below which the ground needs borders of its own: its
    slab and the depth of the ground below it fit within."""


@dataclass(frozen=True, slots=True)
class _OverTunnels:
    """Room for tunnels."""

    cover: float = 0.1
    """Thickness [m] of the ground over a tunnel's roof below which the ground is opened."""

    smallest_hole: float = 0.5
    """Area [m²] of the smallest hole: nothing fits through a smaller one."""

    crack: float = 0.1
    """Half the width [m] of the cracks between a hole and a street beside it that are closed."""

    corner: float = 4.0
    """Radius [m] by which the open area is closed where tunnels part: their carriageway fills the
    corner between them, rounded by its kerb radius."""

    mouth: float = 3.0
    """Distance [m] from a transition to a bridge within which a tunnel is open."""

    at_rim: float = 0.06
    """Distance [m] from a hole's border within which a vertex is on it: cleaning moves it by 5
    cm."""

    covered: float = 1.0
    """Depth [m] of a roof below a rim from which on the tunnel has no part in that hole."""

    below_floor: float = 0.2
    """Depth [m] below a tunnel's floor to which a rim may reach: within its slab."""

    into_roof: float = 0.7
    """Share of the roof's thickness up to which a rim may reach, so that it ends inside the
    roof."""


@dataclass(frozen=True, slots=True)
class _AtTransitions:
    """Distances at the places where a street goes from the ground onto a deck."""

    beside: float = 4.0
    """Distance [m] beside its carriageway to which a transition lowers the ground: past
    pavements."""

    near: float = 16.0
    """Distance [m] along the street within which a point belongs to a transition: a deck may begin
    a wide street's width before or behind it."""

    same_place: float = 0.5
    """Distance [m] within which the end of an axis lies at a transition."""

    edge: float = 0.05
    """Distance [m] from a carriageway's edge within which a point counts as on it, because of
    rounding and cleaning."""

    same_height: float = 0.5
    """Difference in height [m] from a deck below which a carriageway belongs to the deck's
    street."""

    own_strip: float = 0.5
    """Distance [m] beside its carriageway within which a street surely goes onto the deck."""

    past_overlap: float = 0.2
    """Distance [m] past the overlap of two levels to which the ground's carriageway is lowered."""


_BRIDGES, _TUNNELS, _TRANSITIONS = _UnderBridges(), _OverTunnels(), _AtTransitions()

_STATION_SPACING = 1.0
"""Distance [m] between the places along an axis at which heights are compared."""

_ROOM_BESIDE = 1.5
"""Width [m] beside carriageway and pavement that belongs to a deck: its parapets and walls."""


@dataclass(frozen=True, slots=True)
class GroundRoom:
    """The room that the ground leaves to the decks.

    Attributes:
        holes: where there is no ground.
        low: areas close under bridges that need borders of their own, inner areas first: where one
            bridge lies over another, also away from carriageways; where the ground is lowered away
            from carriageways; where it is lowered at all; and around that, where it has the height
            that it would have without a bridge. Steep ground then lies only between two borders.
    """

    holes: BaseGeometry
    low: tuple[BaseGeometry, ...]


def ground_room(decks: Sequence[Deck], carriageway: BaseGeometry) -> GroundRoom:
    """Finds where the ground makes room for bridges and tunnels.

    `carriageway` is the ground's; it gets no holes.
    """
    holes: list[BaseGeometry] = []
    low: tuple[list[BaseGeometry], list[BaseGeometry]] = ([], [])
    for deck in decks:
        if deck.sign < 0:
            walls = overlays.buffer(
                deck.outline, 0.5 * WALL, quad_segs=16, join_style="mitre", mitre_limit=2
            )
            holes.append(overlays.intersection(deck.near_ground, made_valid(walls)))
        else:
            for shapes, beside in zip(
                low, (_BRIDGES.inner_margin, _BRIDGES.outer_margin), strict=True
            ):
                around = overlays.buffer(deck.outline, beside, quad_segs=2)
                shapes.append(overlays.intersection(deck.near_ground, around))
    free = overlays.difference(overlays.union_all(holes), carriageway)
    inner, outer = (polygons_of(overlays.union_all(shapes)) for shapes in low)
    clear = polygons_of(
        overlays.difference(
            inner, overlays.buffer(carriageway, _BRIDGES.carriageway_margin, quad_segs=2)
        )
    )
    pairs = itertools.combinations(low[0], 2)
    twice = polygons_of(overlays.union_all([overlays.intersection(*pair) for pair in pairs]))
    both = polygons_of(overlays.intersection(twice, clear))
    return GroundRoom(_without_crumbs(free), (both, twice, clear, inner, outer))


def _without_crumbs(shape: BaseGeometry) -> BaseGeometry:
    # Shrinking and growing removes cracks between a hole and a street beside it.
    shrunk = overlays.buffer(shape, -_TUNNELS.crack, quad_segs=16)
    grown = overlays.buffer(shrunk, _TUNNELS.crack, quad_segs=16, join_style="mitre")
    opened = polygons_of(made_valid(grown))
    parts = shapely.get_parts(opened)
    return shapely.MultiPolygon(parts[shapely.area(parts) > _TUNNELS.smallest_hole].tolist())


def near_ground(town: StreetMap, level: int, heights: Sequence[HeightFunction]) -> BaseGeometry:
    """Area where a bridge lies close above the ground or in it, or a tunnel's roof sticks out.

    Args:
        town: streets.
        level: the number of the bridges' or tunnels' level.
        heights: of all levels.
    """
    pieces, is_tunnel = town.levels.on(level), town.levels.signs[level] < 0
    halves = town.half_widths(pieces)
    across = [_across(piece.line, half) for piece, half in zip(pieces, halves, strict=True)]
    probes = np.vstack([np.zeros((0, 2)), *(each.reshape(-1, 2) for each in across)])
    above = heights[level](probes) - heights[GROUND](probes)
    is_marked = above > -(HEADROOM + ROOF + _TUNNELS.cover) if is_tunnel else above < _BRIDGES.low
    ends = np.cumsum([3 * each.shape[1] for each in across])
    marks = np.split(is_marked, ends[:-1]) if across else []
    shapes: list[BaseGeometry] = []
    mouths = _mouths_at_bridges(town.levels, level) if is_tunnel else np.zeros((0, 2))
    for piece, half, mark in zip(pieces, halves, marks, strict=True):
        if len(mouths):
            gaps, _ = cKDTree(mouths).query(_across(piece.line, half)[1])
            mark = mark.reshape(3, -1) | (gaps < _TUNNELS.mouth)
        width = half + _ROOM_BESIDE + max(town.streets[piece.street].profile.pavement)
        for part in _marked_parts(piece.line, np.any(mark.reshape(3, -1), axis=0)):
            shapes.append(overlays.buffer(part, width, cap_style="flat", quad_segs=4))
    whole = overlays.union_all(shapes)
    # Where tunnels part, their common carriageway reaches farther into the corner than either.
    corner = _TUNNELS.corner
    if is_tunnel:
        grown = overlays.buffer(whole, corner, quad_segs=16)
        whole = overlays.buffer(grown, -corner, quad_segs=16)
    return polygons_of(whole)


def _mouths_at_bridges(levels: Levels, level: int) -> Floats:
    """The places (n, 2) at which tunnels of a level begin at a bridge.

    The ground is lowered under the bridge but not over the tunnel. It must be open between the two,
    where it would stand in the way.
    """
    places = [
        transition.place
        for transition in levels.transitions
        if level in (transition.level, transition.owner)
        and max(levels.signs[transition.level], levels.signs[transition.owner]) > 0
    ]
    return np.array(places).reshape(-1, 2)


def _stations(line: Floats) -> Floats:
    """Arc lengths [m] of places along a line at equal distances, both ends included."""
    length = float(arc_lengths(line)[-1])
    return np.linspace(0.0, length, max(2, int(np.ceil(length / _STATION_SPACING)) + 1))


def _across(line: Floats, half: float) -> Floats:
    """Points (3, n, 2) at the `_stations` of a line: `half` [m] right of it, on it, left of it."""
    axis = shapely.LineString(line)
    places = shapely.get_coordinates(shapely.line_interpolate_point(axis, _stations(line)))
    ahead = tangents(places)
    left = to_left(ahead)
    return np.stack([places + offset * left for offset in (-half, 0.0, half)])


def _marked_parts(line: Floats, is_marked: Booleans) -> list[BaseGeometry]:
    """The parts of a line around those of its `_stations` (n,) that are marked."""
    s = _stations(line)
    return [
        shapely.LineString(
            cut(
                line,
                max(float(s[start]) - _STATION_SPACING, 0.0),
                min(float(s[end]) + _STATION_SPACING, float(s[-1])),
            )
        )
        for start, end in _runs(is_marked)
    ]


def _runs(flags: Booleans) -> list[tuple[int, int]]:
    """First and last index of each run of true."""
    steps = np.diff(np.concatenate([[0], flags.astype(np.int64), [0]]))
    return list(zip(np.flatnonzero(steps > 0), np.flatnonzero(steps < 0) - 1, strict=True))


class PassingStreets:
    """Streets on the ground, away from the places where they go onto a deck."""

    def __init__(
        self,
        streets: Sequence[Street],
        levels: Levels,
        side_clearances: Mapping[int, SideClearance] = MappingProxyType({}),
    ) -> None:
        """Indexes them.

        Args:
            streets: all streets.
            levels: their pieces and transitions.
            side_clearances: of the streets that have less than their width.
        """
        pieces = levels.on(GROUND) if levels.transitions else []
        self._pieces, self._clearances = pieces, side_clearances
        counts = np.array([len(piece.line) for piece in pieces], dtype=np.int64)
        points = np.vstack([np.zeros((0, 2)), *(piece.line for piece in pieces)])
        numbers = np.repeat(np.arange(len(counts)), counts)
        self._lines = np.asarray(shapely.linestrings(points, indices=numbers), dtype=object)
        self._halves = np.array([streets[piece.street].profile.width / 2.0 for piece in pieces])
        self._tree = shapely.STRtree(self._lines)
        transitions = shapely.MultiPoint([transition.place for transition in levels.transitions])
        around = overlays.buffer(transitions, _TRANSITIONS.same_place, quad_segs=2)
        last = np.cumsum(counts, dtype=np.int64) - 1
        ends = np.column_stack([last - counts + 1, last]).ravel()
        tips = shapely.multipoints(points[ends], indices=np.repeat(np.arange(len(counts)), 2))
        self._transitions = np.array(overlays.intersection(tips, around), dtype=object)

    def hold(self, points: Floats) -> Booleans:
        """Mask of points (n, 2) on the carriageway of a passing street."""
        places = np.asarray(shapely.points(points), dtype=object)
        reach = float(self._halves.max(initial=0.0)) + _TRANSITIONS.edge
        rows, others = self._tree.query(places, predicate="dwithin", distance=reach)
        gaps = shapely.distance(places[rows], self._lines[others])
        is_on = gaps < self._reach(points, rows, others) + _TRANSITIONS.edge
        from_transitions = shapely.distance(places[rows], self._transitions[others])
        is_on &= ~(from_transitions < _TRANSITIONS.near)
        held = np.zeros(len(points), dtype=np.bool_)
        held[rows[is_on]] = True
        return held

    def _reach(self, points: Floats, rows: Integers, others: Integers) -> Floats:
        """Reach (n,) [m] of the streets of pieces `others` (n,) towards points `rows` (n,)."""
        reach = self._halves[others]
        for number in np.unique(others).tolist():
            piece = self._pieces[number]
            if piece.street in self._clearances:
                chosen = np.flatnonzero(others == number)
                places = points[rows[chosen]]
                s = shapely.line_locate_point(self._lines[number], shapely.points(places))
                on_axis, ahead = _foot(piece.line, np.asarray(s))
                left, right = self._clearances[piece.street].at(s + piece.start)
                aside = ((places - on_axis) * to_left(ahead)).sum(axis=1)
                reach[chosen] = np.where(aside > 0.0, left, right)
        return reach


def _foot(line: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Points (n, 2) of a line at arc lengths (n,) [m], and unit vectors (n, 2) along it there."""
    stations = arc_lengths(line)
    row = np.clip(np.searchsorted(stations, s, side="right") - 1, 0, len(line) - 2)
    ahead = np.diff(line, axis=0)[row]
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    return points_at(line, stations, s), ahead


def lowered_ground(
    points: Floats,
    heights: Floats,
    decks: Sequence[Deck],
    transitions: Sequence[LevelTransition],
    *,
    on_carriageway: Booleans,
    passing: "PassingStreets",
    holes: BaseGeometry,
) -> Floats:
    """Heights (n,) of the ground's vertices with room made for decks.

    Args:
        points: (n, 2) the vertices.
        heights: (n,) their heights [m] without regard to decks.
        decks: bridges and tunnels.
        transitions: of all levels.
        on_carriageway: (n,) which vertices belong to the ground's carriageway. They keep their
            heights except where they reach under a deck at a transition.
        passing: streets on the ground that pass a transition without touching it.
        holes: the holes of the ground.
    """
    z = heights.copy()
    for deck in decks:
        _lower_beside(z, points, deck, transitions, on_carriageway, passing)
        if deck.sign < 0:
            _join_rim(z, points, deck, holes, on_carriageway)
    return z


def _lower_beside(
    z: Floats,
    points: Floats,
    deck: Deck,
    transitions: Sequence[LevelTransition],
    on_carriageway: Booleans,
    passing: "PassingStreets",
) -> None:
    """Keeps the ground below bridges, and its carriageway below a floor that begins there."""
    rows = _inside(overlays.buffer(deck.outline, _BRIDGES.outer_margin, quad_segs=2), points)
    ahead = _ahead_of_transitions(points[rows], deck, transitions)
    rows, ahead = rows[ahead >= 0.0], ahead[ahead >= 0.0]
    floor = deck.height(points[rows])
    goes_under = (ahead <= OVERLAP + _TRANSITIONS.past_overlap) & _is_of_transition(
        points[rows], z[rows] - floor, deck, transitions, passing
    )
    below = floor - _drop(ahead)
    if deck.sign > 0:
        chosen = goes_under | ~on_carriageway[rows]
        below = np.minimum(z[rows], below)
    else:
        chosen = goes_under & on_carriageway[rows]
    z[rows[chosen]] = below[chosen]


def _join_rim(
    z: Floats,
    points: Floats,
    deck: Deck,
    holes: BaseGeometry,
    on_carriageway: Booleans,
) -> None:
    """Ends the rim of a hole between the tunnel's floor and its roof, except on streets over it."""
    around = overlays.buffer(deck.outline, WALL + _TUNNELS.at_rim, quad_segs=16, join_style="mitre")
    rows = _inside(around, points)
    rows = rows[~on_carriageway[rows]]
    near = shapely.distance(shapely.points(points[rows]), holes.boundary) < _TUNNELS.at_rim
    rows = rows[near]
    floor = deck.height(points[rows])
    # A tunnel deep under another one has no part in the other one's hole.
    is_own = floor + HEADROOM + ROOF > z[rows] - _TUNNELS.covered
    rows, floor = rows[is_own], floor[is_own]
    highest = floor + HEADROOM + _TUNNELS.into_roof * ROOF
    z[rows] = np.clip(z[rows], floor - _TUNNELS.below_floor, highest)


def _inside(shape: BaseGeometry, points: Floats) -> Integers:
    shapely.prepare(shape)
    return np.flatnonzero(shapely.contains_xy(shape, points[:, 0], points[:, 1]))


def _drop(ahead: Floats) -> Floats:
    """Depth [m] of the ground below a deck `ahead` [m] past the transition: a ramp, then a step."""
    places = [0.0, OVERLAP, _BRIDGES.full_depth_at]
    return np.asarray(np.interp(ahead, places, [0.0, RAMP * OVERLAP, _BRIDGES.depth]))


def _is_of_transition(
    points: Floats,
    gaps: Floats,
    deck: Deck,
    transitions: Sequence[LevelTransition],
    passing: "PassingStreets",
) -> Booleans:
    """Whether points (n, 2) of carriageways belong to a street that goes onto the deck.

    They lie in the street's strip and not on the carriageway of a passing street, or their height
    above the deck, `gaps` (n,) [m], is small.
    """
    ahead = _ahead_of_transitions(points, deck, transitions, beside=_TRANSITIONS.own_strip)
    in_strip = np.isfinite(ahead) & ~passing.hold(points)
    return in_strip | (np.abs(gaps) < _TRANSITIONS.same_height)


def _ahead_of_transitions(
    points: Floats,
    deck: Deck,
    transitions: Sequence[LevelTransition],
    beside: float = _TRANSITIONS.beside,
) -> Floats:
    """Distance [m] (n,) past the nearest of the deck's transitions with the ground.

    Negative before it; infinite where none is near, at most `beside` [m] from its street's edge.
    """
    ahead = np.full(len(points), np.inf)
    nearest = np.full(len(points), np.inf)
    for transition in transitions:
        if transition.level != deck.level or transition.owner != GROUND:
            continue
        gap = points - transition.place
        along = portable.dot(gap, transition.ahead)
        aside = np.abs(portable.dot(gap, np.array([-transition.ahead[1], transition.ahead[0]])))
        # Squares of distances from the line of the transition, which ends at its street's edges.
        gaps = along**2 + np.maximum(aside - transition.half, 0.0) ** 2
        is_near = (
            (aside < transition.half + beside)
            & (np.abs(along) < _TRANSITIONS.near)
            & (gaps < nearest)
        )
        ahead, nearest = np.where(is_near, along, ahead), np.where(is_near, gaps, nearest)
    return ahead


def transition_points(transitions: Sequence[LevelTransition]) -> Floats:
    """Points (n, 2) on the lines of the ground's transitions, where two levels must agree."""
    rows = []
    for transition in transitions:
        if transition.owner == GROUND:
            count = max(2, int(np.ceil(2.0 * transition.half / OVERLAP)))
            aside = np.linspace(-transition.half, transition.half, count + 1)[:, None]
            rows.append(
                transition.place + aside * np.array([-transition.ahead[1], transition.ahead[0]])
            )
    return np.vstack(rows) if rows else np.zeros((0, 2))
