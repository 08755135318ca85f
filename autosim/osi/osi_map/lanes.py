"""Lanes and their boundaries as messages of OSI."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import shapely
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_lane_pb2 import Lane as OsiLane
from osi3.osi_lane_pb2 import LaneBoundary

from autosim.arrays import Floats
from autosim.osi.osi_map.lane_edges import (
    PaintedLine,
    PaintFinder,
    lane_edge,
    points_on,
    stations_of,
)
from autosim.osi.osi_map.lane_layout import LaneLayout
from autosim.osi.osi_values import IdKind, identifier, vector
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.export.carriageway_graph import CarriagewayLink
from autosim.world.lanes.roads import Lane

_LINE_WIDTH = 0.12
"""Width [m] of painted lines."""

_MOUTH = 0.4
"""Distance [m] around the ends of lanes within which a junction has no boundary."""

_LEAST_LENGTH = 0.5
"""Length [m] of the shortest part of a junction's outline that becomes a boundary."""

_Kind = LaneBoundary.Classification
_Point: TypeAlias = LaneBoundary.BoundaryPoint


def add_lanes(truth: GroundTruth, world: CompiledWorld, layout: LaneLayout) -> None:
    """Adds the lanes and lane boundaries of a world to a message."""
    writer = _LaneWriter(truth, world, layout)
    for lanes in layout.carriageways:
        writer.add_carriageway([world.roads.lanes[each] for each in lanes])
    for number, links in layout.junctions.items():
        writer.add_junction(number, links)


class _LaneWriter:
    def __init__(self, truth: GroundTruth, world: CompiledWorld, layout: LaneLayout) -> None:
        self._truth, self._lanes, self._layout = truth, world.roads.lanes, layout
        self._paint = PaintFinder(world)
        self._before: dict[int, list[int]] = defaultdict(list)
        self._after: dict[int, list[int]] = defaultdict(list)
        for number, links in layout.junctions.items():
            for link in links:
                junction = identifier(IdKind.JUNCTION, number)
                self._after[link.start], self._before[link.end] = [junction], [junction]
        for link in layout.joints:
            self._after[link.start].append(layout.lane_ids[link.end])
            self._before[link.end].append(layout.lane_ids[link.start])

    def add_carriageway(self, lanes: list[Lane]) -> None:
        """Adds parallel lanes, from left to right, with the boundaries that they share."""
        edges = [self._edge(lanes[0], 1.0, inward=-1.0)]
        for lane in lanes:
            is_last = lane is lanes[-1]
            edges.append(self._edge(lane, -1.0, inward=1.0 if is_last else 0.0))
        ids = [self._layout.lane_ids[lane.index] for lane in lanes]
        for place, lane in enumerate(lanes):
            found = self._truth.lane.add()
            found.id.value = ids[place]
            kind = found.classification
            kind.type = OsiLane.Classification.TYPE_DRIVING
            kind.subtype = OsiLane.Classification.SUBTYPE_NORMAL
            kind.centerline_is_driving_direction = True
            kind.centerline.extend(vector(point) for point in lane.centre_line)
            for other, adjacent in (
                (place - 1, kind.left_adjacent_lane_id),
                (place + 1, kind.right_adjacent_lane_id),
            ):
                if 0 <= other < len(ids):
                    adjacent.add().value = ids[other]
            kind.left_lane_boundary_id.add().value = edges[place]
            kind.right_lane_boundary_id.add().value = edges[place + 1]
            befores: Sequence[int | None] = self._before[lane.index] or [None]
            afters: Sequence[int | None] = self._after[lane.index] or [None]
            for before in befores:
                for after in afters:
                    _add_pairing(kind, before, after)

    def add_junction(self, number: int, links: tuple[CarriagewayLink, ...]) -> None:
        """Adds a junction as one lane, which pairs the lanes before and after it."""
        found = self._truth.lane.add()
        found.id.value = identifier(IdKind.JUNCTION, number)
        kind = found.classification
        kind.type = OsiLane.Classification.TYPE_INTERSECTION
        for link in links:
            ids = self._layout.lane_ids
            _add_pairing(kind, ids[link.start], ids[link.end])
        for line in self._outline(links):
            boundary = self._add_boundary(_Kind.TYPE_NO_LINE, _Kind.COLOR_NONE)
            boundary.boundary_line.extend(_Point(position=vector(point)) for point in line)
            kind.free_lane_boundary_id.add().value = boundary.id.value

    def _edge(self, lane: Lane, side: float, *, inward: float) -> int:
        """Adds the edge of a lane on its left (1) or right (-1); returns its identifier."""
        line = lane_edge(lane, side * lane.width / 2.0)
        paint = self._paint.along(line, inward)
        if paint is None:
            outer = _Kind.TYPE_ROAD_EDGE if inward > 0.0 else _Kind.TYPE_NO_LINE
            boundary = self._add_boundary(outer, _Kind.COLOR_NONE)
            boundary.boundary_line.extend(_Point(position=vector(point)) for point in line)
            return int(boundary.id.value)
        colour = _Kind.COLOR_YELLOW if paint.is_yellow else _Kind.COLOR_WHITE
        shape = _Kind.TYPE_SOLID_LINE if paint.is_solid else _Kind.TYPE_DASHED_LINE
        boundary = self._add_boundary(shape, colour)
        if paint.is_solid:
            boundary.boundary_line.extend(_Point(position=vector(point)) for point in line)
        else:
            boundary.boundary_line.extend(_dashes(line, paint))
        for point in boundary.boundary_line:
            point.width = _LINE_WIDTH
        return int(boundary.id.value)

    def _add_boundary(self, shape: int, colour: int) -> LaneBoundary:
        number = len(self._truth.lane_boundary)
        boundary = self._truth.lane_boundary.add()
        boundary.id.value = identifier(IdKind.LANE_BOUNDARY, number)
        boundary.classification.type = shape
        boundary.classification.color = colour
        return boundary

    def _outline(self, links: tuple[CarriagewayLink, ...]) -> Iterator[Floats]:
        """Lines (n, 3) [m] around the ways through a junction, open where lanes lead in and out."""
        lanes = [self._lanes[link.connector] for link in links if link.connector is not None]
        strips = [
            shapely.LineString(lane.centre_line[:, :2]).buffer(lane.width / 2.0, cap_style="flat")
            for lane in lanes
        ]
        mouths = [
            shapely.LineString([lane.position(s, t)[:2] for t in (-half, half)]).buffer(_MOUTH)
            for lane in lanes
            for half in (lane.width / 2.0,)
            for s in (0.0, lane.length)
        ]
        outline = shapely.union_all(strips).boundary.difference(shapely.union_all(mouths))
        merged = shapely.line_merge(outline)
        points = np.vstack([lane.centre_line for lane in lanes])
        tree = shapely.STRtree(list(shapely.get_parts(shapely.multipoints(points[:, :2]))))
        for part in shapely.get_parts(merged):
            line = shapely.get_coordinates(part)
            if part.length < _LEAST_LENGTH:
                continue
            near = tree.nearest(shapely.points(line))
            yield np.column_stack([line, points[near, 2]])


def _add_pairing(kind: OsiLane.Classification, before: int | None, after: int | None) -> None:
    if before is None and after is None:
        return
    pairing = kind.lane_pairing.add()
    if before is not None:
        pairing.antecessor_lane_id.value = before
    if after is not None:
        pairing.successor_lane_id.value = after


def _dashes(line: Floats, paint: PaintedLine) -> Iterator[_Point]:
    """The points of a dashed line: those of its edge, and the ends of its dashes."""
    marks: list[tuple[float, int]] = []
    for start, end in paint.spans:
        marks += [(float(start), _Point.DASH_START), (float(end), _Point.DASH_END)]
    for station in stations_of(line):
        inside = (paint.spans[:, 0] < station) & (station < paint.spans[:, 1])
        is_mark = np.isclose(paint.spans, station, atol=1e-6).any()
        if not is_mark:
            marks.append(
                (float(station), _Point.DASH_CONTINUE if inside.any() else _Point.DASH_GAP)
            )
    marks.sort(key=lambda mark: mark[0])
    points = points_on(line, np.array([station for station, _ in marks]))
    for point, (_, dash) in zip(points, marks, strict=True):
        yield _Point(position=vector(point), dash=dash)
