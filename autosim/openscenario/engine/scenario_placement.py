"""Places positions of a scenario in the map."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.errors import UserError
from autosim.openscenario.engine.entity_state import EntityState
from autosim.openscenario.engine.executions.trajectory_curves import TrajectoryCurve
from autosim.openscenario.records.position_records import (
    GeoPoint,
    LanePoint,
    Orientation,
    PathPoint,
    Position,
    RelativePoint,
    RoadPoint,
    RoutePoint,
    TrajectoryPoint,
    WorldPoint,
)
from autosim.openscenario.road_map.path_search import PathStart, counted_lane, find_path
from autosim.openscenario.road_map.road_network import MapPose, RoadPlace, ScenarioRoads
from autosim.openscenario.road_map.ways import advance, shortest_way
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.opendrive.georeference import origin_of

_LANE_WIDTH = 3.5
"""Width [m] of the lanes of a path without a map."""


class UnknownPositionError(UserError):
    """A position that does not exist in the map."""


class Placed(NamedTuple):
    """A position in the map: its pose, and its place on a road where there is one."""

    pose: MapPose
    place: RoadPlace | None
    forward: bool
    """Whether it heads along the reference line."""


class PositionFinder:
    """Finds positions.

    Args:
        roads: of the map, None without one.
        entities: of the scenario, by name.
    """

    def __init__(self, roads: ScenarioRoads | None, entities: Mapping[str, EntityState]) -> None:
        self.roads, self.entities = roads, entities
        self._paths: dict[tuple[int, float], PathStart | None] = {}

    def find(self, position: Position, near: RoadPlace | None = None) -> Placed:
        """The place of a position.

        Raises:
            UnknownPositionError: it names a road, lane or entity that does not exist.
        """
        if isinstance(position, WorldPoint):
            return self._free(position.x, position.y, position.z, position.orientation, near)
        if isinstance(position, GeoPoint):
            return self._geographic(position)
        if isinstance(position, RoadPoint):
            place = self._roads_for("RoadPosition", position.road).place(
                position.road, position.s, position.t
            )
            return self._along_reference(place, position.orientation)
        if isinstance(position, LanePoint):
            return self._lane(position)
        if isinstance(position, RelativePoint):
            return self._relative(position)
        if isinstance(position, RoutePoint):
            return self._route(position)
        if isinstance(position, PathPoint):
            return self._on_path(position)
        return self._trajectory(position)

    def _roads_for(self, what: str, road: str) -> ScenarioRoads:
        if self.roads is None:
            raise UnknownPositionError(f"a {what} needs a map, and the scenario has none")
        if road not in self.roads.content.roads:
            raise UnknownPositionError(f"the map has no road '{road}'")
        return self.roads

    def entity(self, name: str) -> EntityState:
        """The state of an entity.

        Raises:
            UnknownPositionError: there is none of that name.
        """
        found = self.entities.get(name)
        if found is None:
            raise UnknownPositionError(f"there is no entity '{name}'")
        return found

    def on_road(self, place: RoadPlace, orientation: Orientation) -> Placed:
        """The pose at a place on a road; it heads as the traffic of its lane."""
        if self.roads is None:
            raise UnknownPositionError("the scenario has no map")
        curve = self.roads.curve(place.road)
        along = curve.along(place.lane, place.s)
        drift = (
            float(portable.arctan(curve.center_slope(place.lane, place.s))) if place.lane else 0.0
        )
        base = drift + (0.0 if along else math.pi)
        pose = self.roads.pose(place, base)
        return self._oriented(pose, place, along, orientation)

    def _along_reference(self, place: RoadPlace, orientation: Orientation) -> Placed:
        """The pose at (s, t) of a road; it heads along the reference line."""
        if self.roads is None:
            raise UnknownPositionError("the scenario has no map")
        return self._oriented(self.roads.pose(place, 0.0), place, True, orientation)

    def _oriented(
        self, pose: MapPose, place: RoadPlace | None, forward: bool, orientation: Orientation
    ) -> Placed:
        heading = orientation.heading
        if heading is None:
            return Placed(pose, place, forward)
        turned = pose.heading + heading if orientation.is_relative else heading
        ahead = forward
        if not orientation.is_relative and self.roads is not None and place is not None:
            road = self.roads.curve(place.road).reference(place.s).heading
            ahead = bool(portable.cos(turned - road) >= 0.0)
        elif orientation.is_relative:
            ahead = forward == bool(portable.cos(heading) >= 0.0)
        pitch = pose.pitch if orientation.pitch is None else orientation.pitch
        roll = pose.roll if orientation.roll is None else orientation.roll
        return Placed(MapPose(pose.x, pose.y, pose.z, turned, pitch, roll), place, ahead)

    def _free(
        self, x: float, y: float, z: float | None, orientation: Orientation, near: RoadPlace | None
    ) -> Placed:
        place = None if self.roads is None else self.roads.nearest(x, y, near)
        if place is None or self.roads is None:
            pose = MapPose(x, y, z or 0.0, orientation.heading or 0.0)
            return Placed(pose, None, True)
        on = self.on_road(place, Orientation(orientation.heading))
        height = on.pose.z if z is None else z
        heading = on.pose.heading if orientation.heading is None else orientation.heading
        pose = MapPose(x, y, height, heading, on.pose.pitch, on.pose.roll)
        return Placed(pose, place, on.forward)

    def _geographic(self, position: GeoPoint) -> Placed:
        if self.roads is None:
            raise UnknownPositionError("a GeoPosition needs a map, and the scenario has none")
        origin = origin_of(self.roads.content, (0.0, 0.0, 0.0))
        degrees = math.degrees(position.latitude), math.degrees(position.longitude)
        x, y = MapProjection(origin).to_local(np.array([degrees]))[0].tolist()
        return self._free(x, y, None, position.orientation, None)

    def _lane(self, position: LanePoint) -> Placed:
        roads = self._roads_for("LanePosition", position.road)
        curve = roads.curve(position.road)
        if position.lane and curve.lane(position.lane, position.s) is None:
            raise UnknownPositionError(f"road {position.road} has no lane {position.lane} there")
        inside = min(max(position.s, 0.0), curve.length)
        place = roads.lane_place(position.road, position.lane, inside, position.offset)
        if position.s > curve.length:
            # A station behind the end lies on the road that follows; the last one ends the way.
            place = advance(roads, place, True, position.s - curve.length).place
        return self.on_road(place, position.orientation)

    def _relative(self, position: RelativePoint) -> Placed:
        entity = self.entity(position.entity)
        pose = entity.pose
        if position.kind in ("world", "object"):
            dx, dy = position.dx, position.dy
            if position.kind == "object":
                sine, cosine = portable.sin_cos(pose.heading)
                dx, dy = cosine * dx - sine * dy, sine * dx + cosine * dy
            orientation = position.orientation
            heading = orientation.heading or 0.0
            turned = heading + pose.heading if orientation.is_relative else heading
            place = entity.place
            return self._free(
                pose.x + dx, pose.y + dy, pose.z + position.dz, Orientation(turned), place
            )
        if self.roads is None or entity.place is None:
            raise UnknownPositionError(f"'{position.entity}' is not on a road")
        at = entity.place
        if position.kind == "road":
            along = advance(self.roads, at, position.dx >= 0.0, abs(position.dx)).place
            if along.road == at.road:
                place = self.roads.place(at.road, at.s + position.dx, at.t + position.dy)
            else:
                place = self.roads.place(along.road, along.s, at.t + position.dy)
            return self._along_reference(place, position.orientation)
        return self._relative_lane(position, entity, at)

    def _relative_lane(self, position: RelativePoint, entity: EntityState, at: RoadPlace) -> Placed:
        assert self.roads is not None
        ahead = entity.forward if position.is_along_lane else True
        forward = ahead if position.dx >= 0.0 else not ahead
        base = RoadPlace(at.road, at.s, at.t, at.lane, 0.0)
        step = advance(self.roads, base, forward, abs(position.dx), entity.route)
        curve = self.roads.curve(step.place.road)
        heads = step.forward if position.dx >= 0.0 else not step.forward
        heads = heads if position.is_along_lane else entity.forward
        lane = step_lanes(step.place.lane, position.lanes if heads else -position.lanes)
        if curve.lane(lane, step.place.s) is None:
            # Beyond the road, the outermost lane of that side.
            lane = curve.lane_at(step.place.s, math.copysign(1e3, lane))
        place = self.roads.lane_place(step.place.road, lane, step.place.s, position.dy)
        return self._heading_as(place, heads, position.orientation)

    def _heading_as(self, place: RoadPlace, forward: bool, orientation: Orientation) -> Placed:
        """The pose at a place that heads along the reference line, or against it."""
        found = self.on_road(place, Orientation())
        pose = found.pose
        if found.forward != forward:
            pose = pose._replace(heading=pose.heading + math.pi, pitch=-pose.pitch)
        return self._oriented(pose, place, forward, orientation)

    def _route(self, position: RoutePoint) -> Placed:
        if self.roads is None:
            raise UnknownPositionError("a route needs a map, and the scenario has none")
        if position.kind == "entity":
            entity = self.entity(position.entity)
            return Placed(entity.pose, entity.place, entity.forward)
        places = [self.find(each).place for each in position.route.waypoints]
        start = places[0]
        rest = position.s
        for goal in places[1:]:
            if start is None or goal is None:
                break
            way = shortest_way(self.roads, start, goal, None)
            if way is None:
                break
            if rest <= way[1]:
                step = advance(self.roads, start, way[0][0].forward, rest, way[0])
                place = step.place
                lane = place.lane if position.lane is None else position.lane
                if position.kind == "lane" and self.roads.curve(place.road).lane(lane, place.s):
                    place = self.roads.lane_place(place.road, lane, place.s, position.t)
                elif position.kind == "road":
                    place = self.roads.place(place.road, place.s, position.t)
                return self.on_road(place, position.orientation)
            rest -= way[1]
            start = goal
        raise UnknownPositionError(
            f"the route '{position.route.name}' ends before {position.s:g} m"
        )

    def _on_path(self, position: PathPoint) -> Placed:
        """The pose on the path of a scenario, which is a straight one where there is no map."""
        if self.roads is None:
            y = -_LANE_WIDTH * (position.lane - 1)
            return Placed(MapPose(position.distance, y, 0.0, 0.0), None, True)
        wanted = position.lanes, position.length
        if wanted not in self._paths:
            self._paths[wanted] = find_path(self.roads, *wanted)
        path = self._paths[wanted]
        if path is None:
            raise UnknownPositionError(f"the map has no road with {position.lanes} driving lanes")
        step = advance(self.roads, path.place, path.forward, position.distance)
        lane = counted_lane(self.roads, step.place, step.forward, position.lane)
        place = self.roads.lane_place(step.place.road, lane, step.place.s, 0.0)
        return self.on_road(place, position.orientation)

    def _trajectory(self, position: TrajectoryPoint) -> Placed:
        curve = self.curve_of(position)
        x, y, z, heading = curve.at(position.s)
        sine, cosine = portable.sin_cos(heading)
        x, y = x - sine * position.t, y + cosine * position.t
        return self._free(x, y, z, Orientation(heading), None)

    def curve_of(self, position: TrajectoryPoint) -> TrajectoryCurve:
        """The curve of a position on a trajectory."""
        trajectory = position.trajectory
        poses = [self.find(each).pose for each in trajectory.positions]
        starts = [
            None if each.start is None else self.find(each.start).pose
            for each in trajectory.segments
        ]
        return TrajectoryCurve(trajectory, poses, starts)


def step_lanes(lane: int, count: int) -> int:
    """The lane a number of lanes further to the left of the reference line; 0 is left out."""
    found = lane + count
    if lane and (found == 0 or (found > 0) != (lane > 0)):
        found += 1 if count > 0 else -1
    return found
