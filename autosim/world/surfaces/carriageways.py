"""The shapes of carriageways and pavements on each sheet, in plan."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.levels.borders import Borders
from autosim.world.levels.lane_spans import LaneSpan
from autosim.world.levels.levels import Joint, Levels, Piece
from autosim.world.osm.areas import made_valid, polygons_of
from autosim.world.streets.streets import Street

OVERLAP = 1.0
"""How far [m] the sheet that owns a joint reaches under the one that begins there."""

KERB_RADIUS = 5.0
"""Radius [m] of the inner corners of junctions."""

_VEHICLE_HALF_SPACE = (1.25, 1.9)
_QUARTER = 6
_DECK_EDGE, _SAME_POINT = 0.6, 1e-6
_SMALLEST_POCKET = 0.5
_BESIDE_JOINT, _BEHIND_JOINT = 4.0, 6.0
_AT_JOINT = 0.5
_PROBE_SPACING, _AT_HEIGHT, _LANE_HALF = 1.0, 1.0, 2.5


@dataclass(frozen=True, slots=True)
class StreetMap:
    """All that the shapes are made of.

    `borders` as of `find_borders`; `cliffs` as of `Flanks`.
    """

    streets: Sequence[Street]
    plan: LanePlan
    levels: Levels
    spans: Sequence[LaneSpan]
    borders: Borders
    cliffs: Floats

    def half_widths(self, pieces: Sequence[Piece]) -> Floats:
        """Half the width [m] (n,) of each piece's carriageway."""
        return np.array([self.streets[piece.street].profile.width / 2.0 for piece in pieces])


def carriageway_shape(town: StreetMap, sheet: int) -> BaseGeometry:
    """Where vehicles may drive on a sheet: streets, the room of lanes, kerb radii."""
    pieces = town.levels.on(sheet)
    lines = Polylines.of([piece.line for piece in pieces]).shapes()
    whole = shapely.buffer(lines, town.half_widths(pieces), quad_segs=_QUARTER)
    joints = _Joints(town.levels.joints, sheet)
    bodies = _cut_bodies(town, joints, pieces, whole)
    corners = _kerb_radii(town, pieces, bodies)
    shapes = [*bodies, *corners, *_rooms(town, joints), *_heads(town, sheet)]
    return without_pockets(polygons_of(shapely.union_all(shapes)))


def without_pockets(shape: BaseGeometry) -> BaseGeometry:
    """A shape without holes too small for anything to be in them.

    Kerb radii and streets leave such between them where they touch; of one that is as wide as a
    hand triangles are made that are thinner than a wheel feels.
    """
    pockets = [
        pocket
        for polygon in shapely.get_parts(shape)
        for pocket in map(shapely.Polygon, polygon.interiors)
        if pocket.area < _SMALLEST_POCKET
    ]
    return polygons_of(shapely.union_all([shape, *pockets])) if pockets else shape


@dataclass(frozen=True, slots=True)
class _Joints:
    """The joints at which a sheet ends, with what lies beyond them for it."""

    joints: Sequence[Joint]
    sheet: int

    def of_piece(self, piece: Piece) -> list[Joint]:
        """Those at which a piece of the sheet ends."""
        if not self.joints:
            return []
        places = np.array([joint.place for joint in self.joints])
        ends = piece.line[[0, -1], None]
        is_at_end = (np.linalg.norm(ends - places, axis=2) < _AT_JOINT).any(axis=0)
        return [
            joint
            for joint, is_near in zip(self.joints, is_at_end.tolist(), strict=True)
            if (joint.sheet == self.sheet and joint.street == piece.street)
            or (joint.owner == self.sheet and is_near)
        ]

    def of_streets(self, streets: set[int]) -> list[Joint]:
        """Those of streets that touch the sheet."""
        return [
            joint
            for joint in self.joints
            if joint.street in streets and self.sheet in (joint.sheet, joint.owner)
        ]

    def cut(self, shape: BaseGeometry, joints: Sequence[Joint]) -> BaseGeometry:
        """A shape without what lies beyond some joints."""
        for joint in joints:
            is_owner = joint.owner == self.sheet
            shape = shapely.difference(shape, beyond(joint, to_deck=is_owner))
        return shape


def beyond(joint: Joint, *, to_deck: bool) -> BaseGeometry:
    """A rectangle on one side of a joint: the deck's from `OVERLAP` on, or the owner's."""
    ahead = joint.ahead if to_deck else -joint.ahead
    start = joint.place + (OVERLAP if to_deck else 0.0) * ahead
    aside = (joint.half + _BESIDE_JOINT) * np.array([-ahead[1], ahead[0]])
    end = start + (joint.half + _BEHIND_JOINT) * ahead
    return shapely.Polygon([start + aside, start - aside, end - aside, end + aside])


def _cut_bodies(
    town: StreetMap, joints: _Joints, pieces: Sequence[Piece], bodies: npt.NDArray[np.object_]
) -> list[BaseGeometry]:
    if not joints.joints and not town.borders:
        return list(bodies)
    return [
        _within_borders(
            town, {piece.street}, joints.sheet, joints.cut(body, joints.of_piece(piece))
        )
        for piece, body in zip(pieces, bodies, strict=True)
    ]


def _within_borders(
    town: StreetMap, streets: set[int], sheet: int, shape: BaseGeometry
) -> BaseGeometry:
    """A shape of some streets without what is beyond their borders with other sheets."""
    for street in sorted(streets):
        beyond = town.borders.get((street, sheet))
        if beyond is not None:
            shape = shapely.difference(shape, beyond)
    return shape


def _rooms(town: StreetMap, joints: _Joints) -> list[BaseGeometry]:
    """The room of lanes and connectors on the sheet."""
    spans = [span for span in town.spans if span.sheet == joints.sheet]
    lines = Polylines.of([span.points for span in spans]).shapes()
    drafts = [town.plan.drafts[span.draft] for span in spans]
    halves = np.clip([draft.width / 2.0 for draft in drafts], *_VEHICLE_HALF_SPACE)
    rooms = shapely.buffer(lines, halves, quad_segs=_QUARTER)
    jointed = {joint.street for joint in joints.joints}
    shapes = [
        joints.cut(room, joints.of_streets({draft.origin, draft.street}))
        if {draft.origin, draft.street} & jointed
        else room
        for room, draft in zip(rooms, drafts, strict=True)
    ]
    return [
        _room_within_borders(town, {draft.origin, draft.street}, joints.sheet, shape, line)
        for shape, line, draft in zip(shapes, lines, drafts, strict=True)
    ]


def _room_within_borders(
    town: StreetMap, streets: set[int], sheet: int, shape: BaseGeometry, line: shapely.LineString
) -> BaseGeometry:
    """The room of a lane of some streets without what is beyond their borders.

    A turn may lead across a border: there it keeps what a vehicle needs, for a floor beside
    another one is better than none.
    """
    within = _within_borders(town, streets, sheet, shape)
    if within is shape or shapely.covers(within, line):
        return within
    across = shapely.buffer(shapely.difference(line, within), _VEHICLE_HALF_SPACE[0])
    return shapely.union(within, shapely.intersection(across, shape))


def _heads(town: StreetMap, sheet: int) -> list[BaseGeometry]:
    return [
        shapely.Point(head.centre).buffer(head.radius, quad_segs=12)
        for head in town.plan.turning_heads
        if town.levels.sheet_at(head.street, head.centre) == sheet
    ]


def _kerb_radii(
    town: StreetMap, pieces: Sequence[Piece], bodies: Sequence[BaseGeometry]
) -> list[BaseGeometry]:
    """What rounds the inner corners of junctions: only of streets that meet there.

    Closing the whole sheet would weld streets that pass near by, perhaps at another height.
    """
    arms = _arms(town, pieces)
    chosen = [node for node, rows in arms.items() if len(rows) > 1]
    corners: list[BaseGeometry] = []
    zones: list[BaseGeometry] = []
    for node in chosen:
        rows = [row for row, _ in arms[node]]
        widest = max(town.streets[pieces[row].street].profile.width for row in rows)
        zone = shapely.Point(arms[node][0][1]).buffer(0.5 * widest + KERB_RADIUS + 2.0)
        around = zone.buffer(2.0 * KERB_RADIUS, quad_segs=2)
        corners.append(shapely.intersection(shapely.union_all([bodies[r] for r in rows]), around))
        streets = {pieces[row].street for row in rows}
        zones.append(_within_borders(town, streets, pieces[rows[0]].sheet, zone))
    grown = shapely.buffer(corners, KERB_RADIUS, quad_segs=_QUARTER)
    closed = shapely.buffer(grown, -KERB_RADIUS, quad_segs=_QUARTER)
    return list(shapely.intersection(closed, zones))


def _arms(town: StreetMap, pieces: Sequence[Piece]) -> dict[int, list[tuple[int, Floats]]]:
    """For each node the rows of the pieces that end there, with its place (2,) in W."""
    arms: dict[int, list[tuple[int, Floats]]] = {}
    for row, piece in enumerate(pieces):
        street = town.streets[piece.street]
        for node, place, tip in (
            (street.start, street.points[0], piece.line[0]),
            (street.end, street.points[-1], piece.line[-1]),
        ):
            if np.abs(place - tip).max() < _AT_JOINT:
                arms.setdefault(node, []).append((row, place))
    return arms


def pavement_shape(town: StreetMap, sheet: int) -> BaseGeometry:
    """The carriageways' surroundings as wide as their pavements (with the carriageways inside)."""
    joints = _Joints(town.levels.joints, sheet)
    shapes: list[BaseGeometry] = []
    for piece in town.levels.on(sheet):
        for shape in _with_pavements(piece, town.streets[piece.street]):
            cut = joints.cut(shape, joints.of_piece(piece))
            shapes.append(_within_borders(town, {piece.street}, sheet, cut))
    return polygons_of(shapely.union_all(shapes))


def _with_pavements(piece: Piece, street: Street) -> list[BaseGeometry]:
    left, right = street.profile.pavement
    half, line = street.profile.width / 2.0, shapely.LineString(piece.line)
    if left == right:
        return [shapely.buffer(line, half + left, quad_segs=_QUARTER)] if left > 0.0 else []
    sides = [(half + left) * (left > 0.0), -(half + right) * (right > 0.0)]
    return [shapely.buffer(line, side, single_sided=True) for side in sides if side]


def in_lanes_at_height(
    points: Floats, town: StreetMap, sheet: int, heights: Sequence[HeightFunction]
) -> Booleans:
    """Which of points (n, 2) on a sheet lie in a lane of another one at about the same height.

    Args:
        points: in W [m].
        town: streets and lanes.
        sheet: the number of the points' sheet.
        heights: the height function of each sheet.
    """
    if not len(points):
        return np.zeros(0, dtype=np.bool_)
    lines = Polylines.of([span.points for span in town.spans]).shapes()
    own = shapely.STRtree(np.asarray(shapely.points(points), dtype=object))
    close = np.unique(own.query(lines, predicate="dwithin", distance=_LANE_HALF)[0])
    sheets = np.array([town.spans[row].sheet for row in close], dtype=np.int64)
    tree = cKDTree(points)
    shapes: list[BaseGeometry] = []
    for other in np.unique(sheets[sheets != sheet]):
        chosen = lines[close[sheets == other]]
        probes = shapely.get_coordinates(shapely.segmentize(chosen, _PROBE_SPACING))
        gaps, _ = tree.query(probes, distance_upper_bound=_LANE_HALF)
        near = probes[np.isfinite(gaps)]
        gaps = np.abs(heights[other](near) - heights[sheet](near))
        shapes += list(shapely.buffer(shapely.points(near[gaps < _AT_HEIGHT]), _LANE_HALF))
    taken = shapely.union_all(shapes)
    shapely.prepare(taken)
    return np.asarray(shapely.contains_xy(taken, points[:, 0], points[:, 1]))


def deck_shape(town: StreetMap, sheet: int, carriageway: BaseGeometry) -> BaseGeometry:
    """The outline of a sheet of decks: carriageway, pavements, and a strip of 0.6 m along them."""
    # Between points next to one another a mitre has no direction.
    distinct = shapely.remove_repeated_points(carriageway, _SAME_POINT)
    edge = distinct.buffer(_DECK_EDGE, quad_segs=_QUARTER, join_style="mitre", mitre_limit=2)
    strip: BaseGeometry = polygons_of(shapely.union(made_valid(edge), pavement_shape(town, sheet)))
    joints = _Joints(town.levels.joints, sheet)
    ends = [joint for joint in joints.joints if sheet in (joint.sheet, joint.owner)]
    strip = joints.cut(strip, ends)
    strip = _within_borders(town, {piece.street for piece in town.levels.on(sheet)}, sheet, strip)
    return polygons_of(shapely.union(strip, carriageway))
