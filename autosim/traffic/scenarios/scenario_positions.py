"""Places of scenarios on the lanes of a world."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.scenarios import (
    LanePosition,
    Position,
    RelativePosition,
    WorldPosition,
)
from autosim.errors import UserError
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.lanes.routing import shortest_way

_NEAR_LANE = 6.0
"""Distance [m] from the middle of a lane within which a place is on it or beside it: the width of a
lane and of a pavement."""


_SAME_LANE = 0.45
"""Share (without unit) of a lane's width within which a place is on another lane."""


class PositionError(UserError):
    """There is no such place on the lanes."""


class LanePose(NamedTuple):
    """Position on a lane: `lane`, `station` [m], `left` [m] of its middle."""

    lane: int
    station: float
    left: float


class ActorPose(NamedTuple):
    """Pose in W: x, y, z [m], yaw [rad]."""

    x: float
    y: float
    z: float
    yaw: float


class LanePositions:
    """Looks places up on the lanes of a world.

    Args:
        roads: the lanes.
    """

    def __init__(self, roads: RoadNetwork) -> None:
        self.roads = roads
        self._before: dict[int, list[int]] = {}
        for lane in roads.lanes:
            for after in lane.successors:
                self._before.setdefault(after, []).append(lane.index)

    def pose(self, at: LanePose) -> ActorPose:
        """Pose in W of a position on a lane, heading along the lane."""
        lane = self.roads.lanes[at.lane]
        x, y, z = lane.position(at.station, at.left).tolist()
        return ActorPose(x, y, z, lane.heading(at.station))

    def nearest(self, x: float, y: float, yaw: float | None) -> LanePose:
        """The place on the nearest lane that leads the same way, or on the nearest of all."""
        lane, station, left = self.roads.nearest_lane((x, y), yaw)
        if abs(left) > _NEAR_LANE:
            lane, station, left = self.roads.nearest_lane((x, y))
        return LanePose(lane, station, left)

    def moved(self, at: LanePose, metres: float) -> LanePose:
        """The place so far along the lanes; straight on at junctions, also backwards."""
        lane, station = at.lane, at.station + metres
        while station > self.roads.lanes[lane].length:
            after = self._straightest(self.roads.lanes[lane].successors)
            if after is None:
                break
            station, lane = station - self.roads.lanes[lane].length, after
        while station < 0.0:
            before = self._straightest(self._before.get(lane, ()))
            if before is None:
                break
            station, lane = station + self.roads.lanes[before].length, before
        return LanePose(lane, station, at.left)

    def beside(self, at: LanePose, lanes: int) -> LanePose:
        """The position shifted by `lanes` lanes to the left.

        Raises:
            PositionError: there is no such lane.
        """
        for _ in range(abs(lanes)):
            width = self.roads.lanes[at.lane].width
            pose = self.pose(LanePose(at.lane, at.station, np.sign(lanes) * width))
            other = self.nearest(pose.x, pose.y, pose.yaw)
            if abs(other.left) > _SAME_LANE * width or other.lane == at.lane:
                x, y = round(pose.x, 1), round(pose.y, 1)
                raise PositionError(
                    f"there is no lane to the {'left' if lanes > 0 else 'right'} of lane "
                    f"{at.lane} at x={x} m, y={y} m: choose a street that has one"
                )
            at = other
        return LanePose(at.lane, at.station, 0.0) if lanes else at

    def find(
        self, place: Position, pose_of: Callable[[str], ActorPose]
    ) -> tuple[ActorPose, LanePose]:
        """A position in W, and on the lane to which it belongs.

        Args:
            place: any.
            pose_of: returns the pose of a participant.
        """
        if isinstance(place, WorldPosition):
            near = self.nearest(place.x, place.y, place.yaw)
            on_lane = self.pose(near)
            yaw = on_lane.yaw if place.yaw is None else place.yaw
            return ActorPose(place.x, place.y, on_lane.z, yaw), near
        if isinstance(place, LanePosition):
            self._check_lane(place.lane)
            found = LanePose(place.lane, place.station, place.left)
            return self.pose(found), found
        return self._beside(place, pose_of(place.of))

    def _check_lane(self, lane: int) -> None:
        count = len(self.roads.lanes)
        if not 0 <= lane < count:
            raise UserError(f"there is no lane {lane}: this world has lanes 0 to {count - 1}")

    def _beside(self, place: RelativePosition, of: ActorPose) -> tuple[ActorPose, LanePose]:
        near = self.nearest(of.x, of.y, of.yaw)
        is_along = portable.cos(self.pose(near).yaw - of.yaw) > 0.0
        sign = 1.0 if is_along else -1.0
        # A participant on a lane counts as in its middle; one beside it keeps its offset.
        is_on = abs(near.left) < self.roads.lanes[near.lane].width / 2.0
        found = self.moved(near._replace(left=0.0) if is_on else near, sign * place.ahead)
        found = self.beside(found, int(sign) * place.lanes)
        found = found._replace(left=found.left + sign * place.left)
        pose = self.pose(found)
        yaw = pose.yaw if is_along else float(portable.wrapped(pose.yaw + np.pi))
        return pose._replace(yaw=yaw), found

    def way(self, start: int, goal: int) -> tuple[int, ...]:
        """The lanes of the shortest way between two lanes, both included; () where none leads."""
        return shortest_way(self.roads, start, goal)

    def after(self, lane: int) -> int | None:
        """The lane that leads straight on."""
        return self._straightest(self.roads.lanes[lane].successors)

    def before(self, lane: int) -> int | None:
        """The lane from which one comes straight on."""
        return self._straightest(self._before.get(lane, ()))

    def _straightest(self, lanes: "tuple[int, ...] | list[int]") -> int | None:
        return min(lanes, key=lambda each: (abs(self.roads.lanes[each].turn), each), default=None)


def stations_along(points: Floats) -> Floats:
    """Arc length [m] (n,) at points (n, 2 or more)."""
    steps = np.diff(points[:, :2], axis=0)
    return np.concatenate([[0.0], np.cumsum(portable.hypot(steps[:, 0], steps[:, 1]))])
