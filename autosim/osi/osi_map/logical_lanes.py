"""Reference lines and logical lanes: each lane and each way through a junction on its own."""

from collections import defaultdict

from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_logicallane_pb2 import LogicalLane, LogicalLaneBoundary
from osi3.osi_trafficsign_pb2 import TrafficSignValue

from autosim.arrays import Floats
from autosim.osi.osi_map.lane_edges import lane_edge
from autosim.osi.osi_map.lane_layout import LaneLayout
from autosim.osi.osi_values import IdKind, identifier, vector
from autosim.world.lanes.roads import Lane, RoadNetwork

_KMH = 3.6
"""[km/h] of 1 m/s."""


def add_logical_lanes(truth: GroundTruth, roads: RoadNetwork, layout: LaneLayout) -> None:
    """Adds a reference line, two boundaries and a logical lane for each lane of a network."""
    neighbours = _neighbours(layout)
    before: dict[int, list[int]] = defaultdict(list)
    for lane in roads.lanes:
        for after in lane.successors:
            before[after].append(lane.index)
    for lane in roads.lanes:
        _add_reference_line(truth, lane)
        for side in (1, -1):
            _add_boundary(truth, lane, side, can_pass=lane.index in neighbours)
        logical = _add_lane(truth, lane, layout)
        left, right = neighbours.get(lane.index, (None, None))
        for other, relations in (
            (left, logical.left_adjacent_lane),
            (right, logical.right_adjacent_lane),
        ):
            if other is not None:
                end = roads.lanes[other].length
                _add_relation(relations.add(), other, (0.0, lane.length), (0.0, end))
        for index in before[lane.index]:
            _add_connection(logical.predecessor_lane.add(), index, at_begin=False)
        for index in lane.successors:
            _add_connection(logical.successor_lane.add(), index, at_begin=True)
    _add_overlaps(truth, roads)


def _neighbours(layout: LaneLayout) -> dict[int, tuple[int | None, int | None]]:
    """The lanes to the left and to the right of each lane of a street."""
    found: dict[int, tuple[int | None, int | None]] = {}
    for lanes in layout.carriageways:
        sides = (None, *lanes, None)
        for lane, left, right in zip(lanes, sides, sides[2:], strict=False):
            found[lane] = (left, right)
    return found


def _add_reference_line(truth: GroundTruth, lane: Lane) -> None:
    line = truth.reference_line.add()
    line.id.value = identifier(IdKind.REFERENCE_LINE, lane.index)
    line.type = line.TYPE_POLYLINE
    for point, station in zip(lane.centre_line, lane.stations, strict=True):
        line.poly_line.add(world_position=vector(point), s_position=float(station))


def _boundary_id(lane: int, side: int) -> int:
    return identifier(IdKind.LOGICAL_BOUNDARY, 2 * lane + (side < 0))


def _add_boundary(truth: GroundTruth, lane: Lane, side: int, *, can_pass: bool) -> None:
    boundary = truth.logical_lane_boundary.add()
    boundary.id.value = _boundary_id(lane.index, side)
    boundary.reference_line_id.value = identifier(IdKind.REFERENCE_LINE, lane.index)
    rule = LogicalLaneBoundary
    boundary.passing_rule = (
        rule.PASSING_RULE_BOTH_ALLOWED if can_pass else rule.PASSING_RULE_NONE_ALLOWED
    )
    offset = side * lane.width / 2.0
    edge: Floats = lane_edge(lane, offset)
    for point, station in zip(edge, lane.stations, strict=True):
        boundary.boundary_line.add(
            position=vector(point), s_position=float(station), t_position=offset
        )


def _add_lane(truth: GroundTruth, lane: Lane, layout: LaneLayout) -> LogicalLane:
    logical: LogicalLane = truth.logical_lane.add()
    logical.id.value = identifier(IdKind.LOGICAL_LANE, lane.index)
    logical.type = LogicalLane.TYPE_NORMAL
    logical.reference_line_id.value = identifier(IdKind.REFERENCE_LINE, lane.index)
    logical.start_s, logical.end_s = 0.0, lane.length
    logical.move_direction = LogicalLane.MOVE_DIRECTION_INCREASING_S
    physical = logical.physical_lane_reference.add(start_s=0.0, end_s=lane.length)
    physical.physical_lane_id.value = layout.lane_ids[lane.index]
    logical.left_boundary_id.add().value = _boundary_id(lane.index, 1)
    logical.right_boundary_id.add().value = _boundary_id(lane.index, -1)
    rule = logical.traffic_rule.add()
    rule.traffic_rule_type = LogicalLane.TrafficRule.TRAFFIC_RULE_TYPE_SPEED_LIMIT
    rule.traffic_rule_validity.start_s = 0.0
    rule.traffic_rule_validity.end_s = lane.length
    limit = rule.speed_limit.speed_limit_value
    limit.value, limit.value_unit = (
        lane.speed_limit * _KMH,
        TrafficSignValue.UNIT_KILOMETER_PER_HOUR,
    )
    return logical


def _add_relation(
    relation: LogicalLane.LaneRelation,
    other: int,
    own_span: tuple[float, float],
    other_span: tuple[float, float],
) -> None:
    relation.other_lane_id.value = identifier(IdKind.LOGICAL_LANE, other)
    relation.start_s, relation.end_s = own_span
    relation.start_s_other, relation.end_s_other = other_span


def _add_connection(connection: LogicalLane.LaneConnection, other: int, *, at_begin: bool) -> None:
    connection.other_lane_id.value = identifier(IdKind.LOGICAL_LANE, other)
    connection.at_begin_of_other_lane = at_begin


def _add_overlaps(truth: GroundTruth, roads: RoadNetwork) -> None:
    """Adds the places where ways through a junction cross."""
    rules = roads.traffic
    for lanes, spans in zip(rules.conflict_lanes, rules.conflict_spans, strict=True):
        for own in (0, 1):
            relation = truth.logical_lane[int(lanes[own])].overlapping_lane.add()
            own_span = (float(spans[own, 0]), float(spans[own, 1]))
            other_span = (float(spans[1 - own, 0]), float(spans[1 - own, 1]))
            _add_relation(relation, int(lanes[1 - own]), own_span, other_span)
