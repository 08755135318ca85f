"""Shapes the carriageways and pavements of each level in plan."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import cut, length_of
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.overlays import made_valid, polygons_of
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.borders import Borders
from autosim.world.levels.lane_spans import LaneSpan
from autosim.world.levels.level_division import GROUND, LevelPiece, Levels, LevelTransition
from autosim.world.streets.street_finding import Street

OVERLAP = 1.0
"""Length [m] by which the level that owns a transition reaches under the one that begins there. A
body that slides over plain edges that abut jumps; over this overlap with its ramp it does not."""

KERB_RADIUS = 5.0
"""Radius [m] of the inner corners of junctions: usual in cities, where lorries turn slowly."""

_ROOM_HALF_WIDTHS = (1.25, 1.9)
"""Least and greatest half width [m] of the carriageway that each lane needs: a lorry is 2.5 m wide,
and lanes wider than 3.8 m are wide streets whose own carriageway counts."""

_TRACK_HALF_WIDTH = 0.9
"""Half the width [m] of the strip on which the wheels of a car roll: half its track, and a tyre."""

_QUARTER_SEGMENTS = 6
"""Number of straight segments in a quarter of a circle: an arc of 5 m radius is within 5 cm."""

_HEAD_SEGMENTS = 12
"""Number of straight segments in a quarter of a turning head, whose radius is larger."""

_DECK_EDGE = 0.6
"""Width [m] of the strip beside a deck's carriageway, on which its parapets stand."""

_SAME_POINT = 1e-6
"""Distance [m] within which two points are one up to rounding."""

_NEAR_END = 1.5
"""Length along a street, as a multiple of the distance from its node, that belongs to its end even
where the street bends."""

_SMALLEST_POCKET = 0.5
"""Area [m²] up to which a hole in a carriageway is filled: nothing fits into it."""

_EDGE_SPACING = 0.75
"""Greatest distance [m] between the vertices of the edge at which a deck ends under another one."""

_AT_TRANSITION = 0.5
"""Distance [m] from a transition or a node within which the end of a line lies at it: axes are cut
to some centimetres."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Size of the rectangle that cuts a level off behind a transition."""

    beside: float = 4.0
    """Distance [m] to which it extends beside the carriageway: past every pavement."""

    behind: float = 6.0
    """Distance [m] to which it extends behind the transition: past the rounded ends of buffers."""


_CUT = _Cut()


@dataclass(frozen=True, slots=True)
class _LaneProbes:
    """Search for lanes of other levels at the same height."""

    spacing: float = 1.0
    """Distance [m] between the probes along a lane."""

    same_height: float = 1.0
    """Difference in height [m] below which two levels are at the same height: vehicles would
    meet."""

    half_width: float = 2.5
    """Half the width [m] of the strip along a lane in which no kerb may stand."""

    at_joint: float = 0.1
    """Distance [m] within which the ends of lanes of two levels are one place."""

    from_joint: float = 3.0
    """Distance [m] from such a place within which a lane passes beside no other level."""

    under: float = 0.3
    """Depth [m] below a point to which a lane counts as passing beside it."""


_PROBES = _LaneProbes()


@dataclass(frozen=True, slots=True)
class StreetMap:
    """The streets, lanes and levels from which the shapes are made.

    `borders`: as `find_borders` returns them; `cliffs` (n, 2) [m]: as in `AdjacentStreets`.
    """

    streets: Sequence[Street]
    plan: LanePlan
    """Lanes and connectors."""
    levels: Levels
    spans: Sequence[LaneSpan]
    """Lanes between their ends at junctions."""
    borders: Borders
    cliffs: Floats

    def half_widths(self, pieces: Sequence[LevelPiece]) -> Floats:
        """Half the width [m] (n,) of each piece's carriageway."""
        return np.array([self.streets[piece.street].profile.width / 2.0 for piece in pieces])


def carriageway_shape(
    town: StreetMap, level: int, beside: Sequence[BaseGeometry] = ()
) -> BaseGeometry:
    """Drivable area of a level: streets, the room that lanes need, and kerb radii.

    Including the areas `beside` them.
    """
    pieces = town.levels.on(level)
    lines = Polylines.of([piece.line for piece in pieces]).shapes()
    whole = overlays.buffer(lines, town.half_widths(pieces), quad_segs=_QUARTER_SEGMENTS)
    transitions = _Transitions(town.levels.transitions, level)
    bodies = _cut_bodies(town, transitions, pieces, whole)
    corners = _kerb_radii(town, pieces, bodies)
    shapes = [*bodies, *corners, *_rooms(town, transitions), *_heads(town, level), *beside]
    return without_pockets(polygons_of(overlays.union_all(shapes)))


def without_pockets(shape: BaseGeometry) -> BaseGeometry:
    """A shape without holes that are too small to hold anything.

    Kerb radii and streets leave such holes where they touch. A hole as narrow as a hand would be
    divided into slivers.
    """
    pockets = [
        pocket
        for polygon in shapely.get_parts(shape)
        for pocket in map(shapely.Polygon, polygon.interiors)
        if pocket.area < _SMALLEST_POCKET
    ]
    return polygons_of(overlays.union_all([shape, *pockets])) if pockets else shape


@dataclass(frozen=True, slots=True)
class _Transitions:
    """The transitions of a level, and the shapes that lie beyond them."""

    transitions: Sequence[LevelTransition]
    level: int

    def of_piece(self, piece: LevelPiece) -> list[LevelTransition]:
        """The transitions at which a piece of the level ends."""
        if not self.transitions:
            return []
        places = np.array([transition.place for transition in self.transitions])
        ends = piece.line[[0, -1], None]
        is_at_end = (np.linalg.norm(ends - places, axis=2) < _AT_TRANSITION).any(axis=0)
        return [
            transition
            for transition, is_near in zip(self.transitions, is_at_end.tolist(), strict=True)
            if (transition.level == self.level and transition.street == piece.street)
            or (transition.owner == self.level and is_near)
        ]

    def of_streets(self, streets: set[int]) -> list[LevelTransition]:
        """The transitions of some streets that touch the level."""
        return [
            transition
            for transition in self.transitions
            if transition.street in streets and self.level in (transition.level, transition.owner)
        ]

    def cut(self, shape: BaseGeometry, transitions: Sequence[LevelTransition]) -> BaseGeometry:
        """A shape without the parts that lie beyond some transitions."""
        for transition in transitions:
            is_owner = transition.owner == self.level
            shape = overlays.difference(shape, beyond(transition, to_deck=is_owner))
        return shape


def beyond(transition: LevelTransition, *, to_deck: bool) -> BaseGeometry:
    """A rectangle on one side of a transition.

    With `to_deck` it lies on the deck's side and begins `OVERLAP` past the transition; else it lies
    on the owner's side.
    """
    ahead = transition.ahead if to_deck else -transition.ahead
    start = transition.place + (OVERLAP if to_deck else 0.0) * ahead
    aside = (transition.half + _CUT.beside) * np.array([-ahead[1], ahead[0]])
    end = start + (transition.half + _CUT.behind) * ahead
    edge = [start + aside, start - aside]
    if to_deck and transition.owner != GROUND:
        # Another street of the owner may climb beside: no edge leads from its height across a lane.
        count = math.ceil(2.0 * float(portable.length(aside)) / _EDGE_SPACING)
        edge = [start + share * aside for share in np.linspace(1.0, -1.0, count + 1)]
    return shapely.Polygon([*edge, end - aside, end + aside])


def _cut_bodies(
    town: StreetMap,
    transitions: _Transitions,
    pieces: Sequence[LevelPiece],
    bodies: npt.NDArray[np.object_],
) -> list[BaseGeometry]:
    if not transitions.transitions and not town.borders:
        return list(bodies)
    return [
        _within_borders(
            town,
            {piece.street},
            transitions.level,
            transitions.cut(body, transitions.of_piece(piece)),
        )
        for piece, body in zip(pieces, bodies, strict=True)
    ]


def _within_borders(
    town: StreetMap, streets: set[int], level: int, shape: BaseGeometry
) -> BaseGeometry:
    """A shape of some streets without the parts beyond their borders with other levels."""
    for street in sorted(streets):
        beyond = town.borders.get((street, level))
        if beyond is not None:
            shape = overlays.difference(shape, beyond)
    return shape


def _rooms(town: StreetMap, transitions: _Transitions) -> list[BaseGeometry]:
    """The room that lanes and connectors need on the level."""
    spans = [span for span in town.spans if span.level == transitions.level]
    lines = Polylines.of([span.points for span in spans]).shapes()
    drafts = [town.plan.drafts[span.draft] for span in spans]
    halves = np.clip([draft.width / 2.0 for draft in drafts], *_ROOM_HALF_WIDTHS)
    rooms = overlays.buffer(lines, halves, quad_segs=_QUARTER_SEGMENTS)
    with_transitions = {transition.street for transition in transitions.transitions}
    shapes = [
        transitions.cut(room, transitions.of_streets({draft.origin, draft.street}))
        if {draft.origin, draft.street} & with_transitions
        else room
        for room, draft in zip(rooms, drafts, strict=True)
    ]
    return [
        _room_within_borders(town, draft, transitions.level, shape, line)
        for shape, line, draft in zip(shapes, lines, drafts, strict=True)
    ]


def _room_within_borders(
    town: StreetMap, draft: LaneDraft, level: int, shape: BaseGeometry, line: shapely.LineString
) -> BaseGeometry:
    """The room of a lane without the parts beyond its streets' borders.

    A turn may lead across a border, or with its wheels. There it keeps the room that a vehicle
    needs, because a floor next to another floor is better than none.
    """
    within = _within_borders(town, {draft.origin, draft.street}, level, shape)
    if within is shape:
        return within
    driven = overlays.buffer(line, _TRACK_HALF_WIDTH) if draft.is_connector else line
    if shapely.covers(within, driven):
        return within
    reach = _ROOM_HALF_WIDTHS[0] - (_TRACK_HALF_WIDTH if draft.is_connector else 0.0)
    across = overlays.buffer(overlays.difference(driven, within), reach)
    return overlays.union(within, overlays.intersection(across, shape))


def _heads(town: StreetMap, level: int) -> list[BaseGeometry]:
    return [
        overlays.buffer(shapely.Point(head.centre), head.radius, quad_segs=_HEAD_SEGMENTS)
        for head in town.plan.turning_heads
        if town.levels.level_at(head.street, head.centre) == level
    ]


def _kerb_radii(
    town: StreetMap, pieces: Sequence[LevelPiece], bodies: Sequence[BaseGeometry]
) -> list[BaseGeometry]:
    """Rounds the inner corners of junctions, each from the streets that meet there alone.

    Closing the shape of the whole level would weld streets that only pass close by, perhaps at
    another height.
    """
    arms = _arms(town, pieces)
    chosen = [node for node, rows in arms.items() if len(rows) > 1]
    corners: list[BaseGeometry] = []
    zones: list[BaseGeometry] = []
    for node in chosen:
        rows = [row for row, _ in arms[node]]
        widest = max(town.streets[pieces[row].street].profile.width for row in rows)
        reach = 0.5 * widest + KERB_RADIUS + 2.0
        zone = overlays.buffer(shapely.Point(arms[node][0][1]), reach, quad_segs=16)
        around = overlays.buffer(zone, 2.0 * KERB_RADIUS, quad_segs=2)
        ends = [
            _near_end(town, pieces[row], bodies[row], place, reach + 2.0 * KERB_RADIUS)
            for row, place in arms[node]
        ]
        corners.append(overlays.intersection(overlays.union_all(ends), around))
        streets = {pieces[row].street for row in rows}
        zones.append(_within_borders(town, streets, pieces[rows[0]].level, zone))
    grown = overlays.buffer(corners, KERB_RADIUS, quad_segs=_QUARTER_SEGMENTS)
    closed = overlays.buffer(grown, -KERB_RADIUS, quad_segs=_QUARTER_SEGMENTS)
    return list(overlays.intersection(closed, zones))


def _near_end(
    town: StreetMap, piece: LevelPiece, body: BaseGeometry, place: Floats, reach: float
) -> BaseGeometry:
    """The carriageway of a piece near a node at its end, without an arm that leads back past it.

    Args:
        town: streets.
        piece: of the street.
        body: its carriageway.
        place: (2,) [m] of the node.
        reach: distance [m] of the node within which kerbs are rounded.
    """
    is_start = np.abs(piece.line[0] - place).max() < _AT_TRANSITION
    line = piece.line if is_start else piece.line[::-1]
    length, near = length_of(line), _NEAR_END * reach
    half = town.streets[piece.street].profile.width / 2.0
    if length <= near:
        return body
    rest = shapely.LineString(cut(line, near, length))
    if shapely.distance(rest, shapely.Point(place)) > reach + half:
        return body
    own = overlays.buffer(shapely.LineString(cut(line, 0.0, near)), half, cap_style="flat")
    return overlays.intersection(body, own)


def _arms(town: StreetMap, pieces: Sequence[LevelPiece]) -> dict[int, list[tuple[int, Floats]]]:
    """For each node the rows of the pieces that end there, each with the node's place (2,) in W."""
    arms: dict[int, list[tuple[int, Floats]]] = {}
    for row, piece in enumerate(pieces):
        street = town.streets[piece.street]
        for node, place, tip in (
            (street.start, street.points[0], piece.line[0]),
            (street.end, street.points[-1], piece.line[-1]),
        ):
            if np.abs(place - tip).max() < _AT_TRANSITION:
                arms.setdefault(node, []).append((row, place))
    return arms


def pavement_shape(
    town: StreetMap, level: int, beside: Sequence[BaseGeometry] = ()
) -> BaseGeometry:
    """The pavements of a level, with the carriageways between them and what is `beside` them."""
    transitions = _Transitions(town.levels.transitions, level)
    shapes = list(beside)
    for piece in town.levels.on(level):
        for shape in _with_pavements(piece, town.streets[piece.street]):
            cut = transitions.cut(shape, transitions.of_piece(piece))
            shapes.append(_within_borders(town, {piece.street}, level, cut))
    return polygons_of(overlays.union_all(shapes))


def _with_pavements(piece: LevelPiece, street: Street) -> list[BaseGeometry]:
    left, right = street.profile.pavement
    half, line = street.profile.width / 2.0, shapely.LineString(piece.line)
    if left == right:
        return (
            [overlays.buffer(line, half + left, quad_segs=_QUARTER_SEGMENTS)] if left > 0.0 else []
        )
    sides = [(half + left) * (left > 0.0), -(half + right) * (right > 0.0)]
    return [overlays.buffer(line, side, single_sided=True) for side in sides if side]


def in_lanes_at_height(
    points: Floats, town: StreetMap, level: int, heights: Sequence[HeightFunction]
) -> Booleans:
    """Mask of points (n, 2) on a level in a lane of another level at about the same height.

    Args:
        points: in W [m].
        town: streets and lanes.
        level: the number of the points' level.
        heights: the height function of each level.
    """
    if not len(points):
        return np.zeros(0, dtype=np.bool_)
    lines = Polylines.of([span.points for span in town.spans]).shapes()
    own = shapely.STRtree(np.asarray(shapely.points(points), dtype=object))
    close = np.unique(own.query(lines, predicate="dwithin", distance=_PROBES.half_width)[0])
    levels = np.array([town.spans[row].level for row in close], dtype=np.int64)
    tree = cKDTree(points)
    shapes: list[BaseGeometry] = []
    for other in np.unique(levels[levels != level]):
        chosen = lines[close[levels == other]]
        probes = shapely.get_coordinates(overlays.segmentize(chosen, _PROBES.spacing))
        gaps, _ = tree.query(probes, distance_upper_bound=_PROBES.half_width)
        near = probes[np.isfinite(gaps)]
        gaps = np.abs(heights[other](near) - heights[level](near))
        taken_probes = shapely.points(near[gaps < _PROBES.same_height])
        shapes += list(overlays.buffer(taken_probes, _PROBES.half_width))
    taken = overlays.union_all(shapes)
    shapely.prepare(taken)
    return np.asarray(shapely.contains_xy(taken, points[:, 0], points[:, 1]))


def lane_heights_near(
    points: Floats, reach: float, town: StreetMap, level: int, heights: Sequence[HeightFunction]
) -> Floats:
    """Heights (n,) [m] in W of the lowest lane of another level near points of a level.

    Lanes deeper than `_PROBES.under` below a point do not count, nor the first metres of those that
    come from the points' level or lead there. Infinite where there is none.

    Args:
        points: (n, 3) in W [m].
        reach: greatest distance [m] in plan from the middle of a lane.
        town: streets and lanes.
        level: the number of the points' level.
        heights: the height function of each level.
    """
    found = np.full(len(points), np.inf)
    if not len(points):
        return found
    lines = Polylines.of([span.points for span in town.spans]).shapes()
    own = shapely.STRtree(np.asarray(shapely.points(points[:, :2]), dtype=object))
    close = np.unique(own.query(lines, predicate="dwithin", distance=reach)[0])
    levels = np.array([town.spans[row].level for row in close], dtype=np.int64)
    ends = [each.points[row, :2] for each in town.spans if each.level == level for row in (0, -1)]
    joints = cKDTree(np.array(ends).reshape(-1, 2))
    for other in np.unique(levels[levels != level]):
        chosen = close[levels == other]
        tips = np.array([town.spans[row].points[k, :2] for row in chosen for k in (0, -1)])
        gaps, _ = joints.query(tips, distance_upper_bound=_PROBES.at_joint)
        shared = overlays.union_all(shapely.points(tips[np.isfinite(gaps)]))
        probes = shapely.get_coordinates(overlays.segmentize(lines[chosen], _PROBES.spacing))
        is_joint = shapely.dwithin(shapely.points(probes), shared, _PROBES.from_joint)
        probes = probes[~is_joint]
        near, rows = own.query(shapely.points(probes), predicate="dwithin", distance=reach)
        tops = heights[other](probes)[near]
        counts = tops > points[rows, 2] - _PROBES.under
        np.minimum.at(found, rows[counts], tops[counts])
    return found


def deck_shape(town: StreetMap, level: int, carriageway: BaseGeometry) -> BaseGeometry:
    """The outline of a level of decks: carriageway, pavements, and a strip for the parapets."""
    # A mitre has no direction between coinciding points.
    distinct = overlays.remove_repeated_points(carriageway, _SAME_POINT)
    edge = overlays.buffer(
        distinct, _DECK_EDGE, quad_segs=_QUARTER_SEGMENTS, join_style="mitre", mitre_limit=2
    )
    strip: BaseGeometry = polygons_of(overlays.union(made_valid(edge), pavement_shape(town, level)))
    transitions = _Transitions(town.levels.transitions, level)
    ends = [
        transition
        for transition in transitions.transitions
        if level in (transition.level, transition.owner)
    ]
    strip = transitions.cut(strip, ends)
    strip = _within_borders(town, {piece.street for piece in town.levels.on(level)}, level, strip)
    return polygons_of(overlays.union(strip, carriageway))
