"""Distances between entities and positions: euclidean, in axes of entities, along roads."""

import math
from collections.abc import Sequence

from autosim import portable
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.scenario_placement import Placed
from autosim.openscenario.engine.scenario_world import ScenarioWorld
from autosim.openscenario.records.condition_records import DistanceMeasure
from autosim.openscenario.road_map.ways import shortest_way, signed_distance

MAX_DISTANCE = 1000.0
"""Greatest distance [m] along roads that is searched."""

Corners = Sequence[tuple[float, float]]


def distance(
    world: ScenarioWorld,
    first: EntityState,
    second: EntityState | Placed,
    measure: DistanceMeasure,
) -> float | None:
    """The distance [m] from an entity to another one or to a position.

    Longitudinal and lateral ones have a sign: ahead and to the left are positive. None where there
    is no way along roads.
    """
    if measure.kind == "euclidean":
        if measure.is_free and isinstance(second, EntityState):
            return box_gap(first.corners(), second.corners())
        dx, dy = second.pose.x - first.pose.x, second.pose.y - first.pose.y
        return float(portable.hypot(dx, dy))
    if measure.system in ("road", "lane"):
        return _on_road(world, first, second, measure)
    return _in_axes(first, second, measure)


def _in_axes(first: EntityState, second: EntityState | Placed, measure: DistanceMeasure) -> float:
    sine, cosine = portable.sin_cos(first.pose.heading)

    def shares(points: Corners) -> list[float]:
        if measure.kind == "lateral":
            return [-(x - first.pose.x) * sine + (y - first.pose.y) * cosine for x, y in points]
        return [(x - first.pose.x) * cosine + (y - first.pose.y) * sine for x, y in points]

    if not measure.is_free:
        return shares([(second.pose.x, second.pose.y)])[0]
    own = shares(first.corners())
    if isinstance(second, EntityState):
        other = shares(second.corners())
    else:
        other = shares([(second.pose.x, second.pose.y)])
    return _gap_between(own, other)


def _gap_between(own: list[float], other: list[float]) -> float:
    """The signed gap of two ranges; 0 where they overlap."""
    if min(other) > max(own):
        return min(other) - max(own)
    if max(other) < min(own):
        return max(other) - min(own)
    return 0.0


def _on_road(
    world: ScenarioWorld,
    first: EntityState,
    second: EntityState | Placed,
    measure: DistanceMeasure,
) -> float | None:
    if world.roads is None or first.place is None or second.place is None:
        return _in_axes(first, second, measure)
    if measure.kind == "lateral":
        sign = 1.0 if first.forward else -1.0
        t = second.place.t * relative_direction(world, first, second)
        found = (t - first.place.t) * sign
        if measure.is_free and isinstance(second, EntityState):
            half = 0.5 * (first.record.box.width + second.record.box.width)
            return max(abs(found) - half, 0.0) * (1.0 if found >= 0.0 else -1.0)
        return found
    along = signed_distance(world.roads, first.place, second.place, first.forward, MAX_DISTANCE)
    if along is None or not measure.is_free:
        return along
    front = first.record.box.center[0] + 0.5 * first.record.box.length
    back = first.record.box.center[0] - 0.5 * first.record.box.length
    low = high = along
    if isinstance(second, EntityState):
        box = second.record.box
        same = second.forward == first.forward or first.place.road != second.place.road
        center = box.center[0] if same else -box.center[0]
        low, high = along + center - 0.5 * box.length, along + center + 0.5 * box.length
    return _gap_between([back, front], [low, high])


def relative_direction(
    world: ScenarioWorld, first: EntityState, second: EntityState | Placed
) -> float:
    """1 where the reference line of the second one's road leads on from the first one's, else -1.

    1, too, where no way leads from one to the other.
    """
    if first.place is None or second.place is None or world.roads is None:
        return 1.0
    if first.place.road == second.place.road:
        return 1.0
    found = shortest_way(world.roads, first.place, second.place, None, MAX_DISTANCE)
    if found is None:
        return 1.0
    legs, _ = found
    return 1.0 if legs[0].forward == legs[-1].forward else -1.0


def box_gap(first: Corners, second: Corners) -> float:
    """The distance [m] of two boxes in plan; 0 where they overlap."""
    if overlaps(first, second):
        return 0.0
    best = math.inf
    for points, edges in ((first, second), (second, first)):
        for x, y in points:
            for k in range(4):
                best = min(best, _to_edge(x, y, edges[k], edges[(k + 1) % 4]))
    return best


def _to_edge(x: float, y: float, start: tuple[float, float], end: tuple[float, float]) -> float:
    dx, dy = end[0] - start[0], end[1] - start[1]
    square = dx * dx + dy * dy
    u = ((x - start[0]) * dx + (y - start[1]) * dy) / square if square > 0.0 else 0.0
    u = min(max(u, 0.0), 1.0)
    return float(portable.hypot(x - start[0] - u * dx, y - start[1] - u * dy))


def overlaps(first: Corners, second: Corners) -> bool:
    """Whether two boxes in plan overlap (separating axes)."""
    for box in (first, second):
        for k in range(2):
            ax, ay = box[k + 1][0] - box[k][0], box[k + 1][1] - box[k][1]
            own = [x * ax + y * ay for x, y in first]
            other = [x * ax + y * ay for x, y in second]
            if max(own) < min(other) or max(other) < min(own):
                return False
    return True


def speed_along(entity: EntityState, direction: str) -> float:
    """The speed [m/s] of an entity in a direction of its axes; "" for all of it."""
    if not direction or direction == "longitudinal":
        return entity.speed
    sine, cosine = portable.sin_cos(entity.pose.heading)
    if direction == "lateral":
        return -entity.velocity[0] * sine + entity.velocity[1] * cosine
    return 0.0


def acceleration_along(entity: EntityState, direction: str) -> float:
    """The acceleration [m/s²] of an entity in a direction of its axes; "" for all of it."""
    ax, ay = entity.acceleration
    if not direction:
        return float(portable.hypot(ax, ay))
    sine, cosine = portable.sin_cos(entity.pose.heading)
    if direction == "longitudinal":
        return ax * cosine + ay * sine
    return -ax * sine + ay * cosine if direction == "lateral" else 0.0
