"""How the ground makes room for bridges and tunnels.

Under a bridge the ground keeps below the deck; where a tunnel's roof would come out of the ground,
the ground has a hole, whose rim ends inside the tunnel's walls.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import arc_lengths, cut, tangents, to_left
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.levels.levels import GROUND, Levels, LevelTransition
from autosim.world.osm.areas import made_valid, polygons_of
from autosim.world.streets.streets import Street
from autosim.world.structures.decks import HEADROOM, RAMP, ROOF, WALL, Deck
from autosim.world.surfaces.carriageways import OVERLAP, StreetMap

_DEPTH, _DEPTH_AT = 1.3, 3.0
_UNDER, _BESIDE, _WALL = 0.2, 0.6, 0.4
_BESIDE_TRANSITION, _NEAR_TRANSITION = 4.0, 16.0
_LOW = 2.5
_STEP = 1.0
_ROOM_BESIDE = 1.5
_SMALLEST_HOLE, _CORNER, _MOUTH = 0.5, 4.0, 3.0
_AT_RIM = 0.06
_COVERED = 1.0
_AT_TRANSITION, _AT_EDGE = 0.5, 0.05
_SAME_STREET, _OWN_STRIP = 0.5, 0.5


@dataclass(frozen=True, slots=True)
class GroundRoom:
    """What the ground does for the decks.

    `holes`: where there is none; `low`: where it lies close under bridges and needs borders of its
    own, the inner ones first: where one bridge lies over another; where the ground is lowered,
    beside carriageways, which are not; all where it is lowered; and around that, where it is as
    high as it would be without a bridge. So what is steep lies between these, and not under one.
    """

    holes: BaseGeometry
    low: tuple[BaseGeometry, ...]


def ground_room(decks: Sequence[Deck], carriageway: BaseGeometry) -> GroundRoom:
    """Finds where the ground makes room for bridges and tunnels.

    `carriageway` is the ground's, which has no holes.
    """
    holes: list[BaseGeometry] = []
    low: tuple[list[BaseGeometry], list[BaseGeometry]] = ([], [])
    for deck in decks:
        if deck.sign < 0:
            walls = deck.outline.buffer(0.5 * WALL, join_style="mitre", mitre_limit=2)
            holes.append(shapely.intersection(deck.near_ground, made_valid(walls)))
        else:
            for shapes, beside in zip(low, (_UNDER, _BESIDE), strict=True):
                around = deck.outline.buffer(beside, quad_segs=2)
                shapes.append(shapely.intersection(deck.near_ground, around))
    free = shapely.difference(shapely.union_all(holes), carriageway)
    inner, outer = (polygons_of(shapely.union_all(shapes)) for shapes in low)
    clear = polygons_of(shapely.difference(inner, carriageway.buffer(_WALL, quad_segs=2)))
    pairs = itertools.combinations(low[0], 2)
    twice = polygons_of(shapely.union_all([shapely.intersection(*pair) for pair in pairs]))
    both = polygons_of(shapely.intersection(twice, clear))
    return GroundRoom(_without_crumbs(free), (both, twice, clear, inner, outer))


def _without_crumbs(shape: BaseGeometry) -> BaseGeometry:
    # Opened by a hand's breadth: no cracks between a hole and a street beside it.
    opened = polygons_of(made_valid(shape.buffer(-0.1).buffer(0.1, join_style="mitre")))
    parts = shapely.get_parts(opened)
    return shapely.MultiPolygon(parts[shapely.area(parts) > _SMALLEST_HOLE].tolist())


def near_ground(town: StreetMap, level: int, heights: Sequence[HeightFunction]) -> BaseGeometry:
    """Where a bridge lies little over the ground or in it, or a tunnel's roof sticks out of it.

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
    is_marked = above > -(HEADROOM + ROOF + 0.1) if is_tunnel else above < _LOW
    ends = np.cumsum([3 * each.shape[1] for each in across])
    marks = np.split(is_marked, ends[:-1]) if across else []
    shapes: list[BaseGeometry] = []
    mouths = _mouths_at_bridges(town.levels, level) if is_tunnel else np.zeros((0, 2))
    for piece, half, mark in zip(pieces, halves, marks, strict=True):
        if len(mouths):
            gaps, _ = cKDTree(mouths).query(_across(piece.line, half)[1])
            mark = mark.reshape(3, -1) | (gaps < _MOUTH)
        width = half + _ROOM_BESIDE + max(town.streets[piece.street].profile.pavement)
        for part in _marked_parts(piece.line, np.any(mark.reshape(3, -1), axis=0)):
            shapes.append(shapely.buffer(part, width, cap_style="flat", quad_segs=4))
    whole = shapely.union_all(shapes)
    # Where tunnels part, their carriageway reaches farther into the corner than either of them.
    return polygons_of(whole.buffer(_CORNER).buffer(-_CORNER) if is_tunnel else whole)


def _mouths_at_bridges(levels: Levels, level: int) -> Floats:
    """Where (n, 2) tunnels of a level begin at a bridge.

    Below the bridge the ground is low, over the tunnel it is not: what is between lies in the way.
    """
    places = [
        transition.place
        for transition in levels.transitions
        if level in (transition.level, transition.owner)
        and max(levels.signs[transition.level], levels.signs[transition.owner]) > 0
    ]
    return np.array(places).reshape(-1, 2)


def _stations(line: Floats) -> Floats:
    """Arc lengths [m] about every metre of a line, its ends among them."""
    length = float(arc_lengths(line)[-1])
    return np.linspace(0.0, length, max(2, int(np.ceil(length / _STEP)) + 1))


def _across(line: Floats, half: float) -> Floats:
    """Points (3, n, 2) at the `_stations` of a line: on its right, `half` [m] off, on it, left."""
    axis = shapely.LineString(line)
    places = shapely.get_coordinates(shapely.line_interpolate_point(axis, _stations(line)))
    ahead = tangents(places)
    left = to_left(ahead)
    return np.stack([places + offset * left for offset in (-half, 0.0, half)])


def _marked_parts(line: Floats, is_marked: Booleans) -> list[BaseGeometry]:
    """The parts of a line about those of its `_stations` (n,) that are marked."""
    s = _stations(line)
    return [
        shapely.LineString(
            cut(line, max(float(s[start]) - _STEP, 0.0), min(float(s[end]) + _STEP, float(s[-1])))
        )
        for start, end in _runs(is_marked)
    ]


def _runs(flags: Booleans) -> list[tuple[int, int]]:
    """First and last index of each run of true."""
    steps = np.diff(np.concatenate([[0], flags.astype(np.int64), [0]]))
    return list(zip(np.flatnonzero(steps > 0), np.flatnonzero(steps < 0) - 1, strict=True))


class PassingStreets:
    """Streets on the ground, where they go over into no deck near by."""

    def __init__(self, streets: Sequence[Street], levels: Levels) -> None:
        """Finds them.

        Args:
            streets: all streets.
            levels: their pieces and transitions.
        """
        pieces = levels.on(GROUND) if levels.transitions else []
        counts = np.array([len(piece.line) for piece in pieces], dtype=np.int64)
        points = np.vstack([np.zeros((0, 2)), *(piece.line for piece in pieces)])
        numbers = np.repeat(np.arange(len(counts)), counts)
        self._lines = np.asarray(shapely.linestrings(points, indices=numbers), dtype=object)
        self._halves = np.array([streets[piece.street].profile.width / 2.0 for piece in pieces])
        self._tree = shapely.STRtree(self._lines)
        transitions = shapely.MultiPoint([transition.place for transition in levels.transitions])
        around = transitions.buffer(_AT_TRANSITION, quad_segs=2)
        last = np.cumsum(counts, dtype=np.int64) - 1
        ends = np.column_stack([last - counts + 1, last]).ravel()
        tips = shapely.multipoints(points[ends], indices=np.repeat(np.arange(len(counts)), 2))
        self._transitions = np.array(shapely.intersection(tips, around), dtype=object)

    def hold(self, points: Floats) -> Booleans:
        """Which of points (n, 2) lie on the carriageway of one of them."""
        places = np.asarray(shapely.points(points), dtype=object)
        reach = float(self._halves.max(initial=0.0)) + _AT_EDGE
        rows, others = self._tree.query(places, predicate="dwithin", distance=reach)
        gaps = shapely.distance(places[rows], self._lines[others])
        is_on = gaps < self._halves[others] + _AT_EDGE
        is_on &= ~(shapely.distance(places[rows], self._transitions[others]) < _NEAR_TRANSITION)
        held = np.zeros(len(points), dtype=np.bool_)
        held[rows[is_on]] = True
        return held


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
        heights: (n,) their heights without regard to decks.
        decks: bridges and tunnels.
        transitions: of all levels.
        on_carriageway: (n,) vertices of the ground's carriageway: they keep their heights but
            where they reach under a deck at a transition.
        passing: streets on the ground that a transition leaves alone.
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
    """Keeps the ground below bridges; its carriageway dips under a floor where that begins."""
    rows = _inside(deck.outline.buffer(_BESIDE, quad_segs=2), points)
    ahead = _ahead_of_transitions(points[rows], deck, transitions)
    rows, ahead = rows[ahead >= 0.0], ahead[ahead >= 0.0]
    floor = deck.height(points[rows])
    goes_under = (ahead <= OVERLAP + 0.2) & _is_of_transition(
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
    """The rim of a hole ends between the tunnel's floor and its roof, but for streets over it."""
    rows = _inside(deck.outline.buffer(WALL + _AT_RIM, join_style="mitre"), points)
    rows = rows[~on_carriageway[rows]]
    near = shapely.distance(shapely.points(points[rows]), holes.boundary) < _AT_RIM
    rows = rows[near]
    floor = deck.height(points[rows])
    # A tunnel that lies deep under another one has no part in that one's hole.
    is_own = floor + HEADROOM + ROOF > z[rows] - _COVERED
    rows, floor = rows[is_own], floor[is_own]
    z[rows] = np.clip(z[rows], floor - 0.2, floor + HEADROOM + 0.7 * ROOF)


def _inside(shape: BaseGeometry, points: Floats) -> Integers:
    shapely.prepare(shape)
    return np.flatnonzero(shapely.contains_xy(shape, points[:, 0], points[:, 1]))


def _drop(ahead: Floats) -> Floats:
    """Depth [m] of the ground below a deck `ahead` [m] past the transition: a ramp, then a step."""
    return np.asarray(np.interp(ahead, [0.0, OVERLAP, _DEPTH_AT], [0.0, RAMP * OVERLAP, _DEPTH]))


def _is_of_transition(
    points: Floats,
    gaps: Floats,
    deck: Deck,
    transitions: Sequence[LevelTransition],
    passing: "PassingStreets",
) -> Booleans:
    """Whether points (n, 2) of carriageways belong to a street that goes onto the deck.

    They lie in its strip and not on the carriageway of a street that passes by, or at most a
    little above or below the deck, `gaps` (n,) [m].
    """
    ahead = _ahead_of_transitions(points, deck, transitions, beside=_OWN_STRIP)
    in_strip = np.isfinite(ahead) & ~passing.hold(points)
    return in_strip | (np.abs(gaps) < _SAME_STREET)


def _ahead_of_transitions(
    points: Floats,
    deck: Deck,
    transitions: Sequence[LevelTransition],
    beside: float = _BESIDE_TRANSITION,
) -> Floats:
    """Distance [m] (n,) past the nearest of the deck's transitions with the ground.

    Negative before it, infinite where none is near: `beside` [m] from its street's edge at most.
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
            & (np.abs(along) < _NEAR_TRANSITION)
            & (gaps < nearest)
        )
        ahead, nearest = np.where(is_near, along, ahead), np.where(is_near, gaps, nearest)
    return ahead


def transition_points(transitions: Sequence[LevelTransition]) -> Floats:
    """Points (n, 2) on the lines of the ground's transitions, where two levels must be alike."""
    rows = []
    for transition in transitions:
        if transition.owner == GROUND:
            count = max(2, int(np.ceil(2.0 * transition.half / OVERLAP)))
            aside = np.linspace(-transition.half, transition.half, count + 1)[:, None]
            rows.append(
                transition.place + aside * np.array([-transition.ahead[1], transition.ahead[0]])
            )
    return np.vstack(rows) if rows else np.zeros((0, 2))
