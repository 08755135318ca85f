"""Start poses of robots."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import PlacedObject, PlacedRobot
from autosim.engine.engine_errors import PlacementError
from autosim.kinds.kind import body_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import height_at, is_inside_solid
from autosim.world.compiled.paths import PathKind
from autosim.world.lanes.roads import Lane
from autosim.world.lanes.routing import best_start, route

SPACING = 15.0
"""Distance [m] along the road between robots that the world file does not place."""

LEAST_DISTANCE = 8.0
"""Two such robots are never closer than this [m], also where the road crosses itself."""

_HALF_CAR = 2.0
"""Half the length [m] of a car, over which the slope below a robot is measured."""

_CHEST = 0.5
"""Height [m] above the ground at which a robot must not be inside a building."""

ROUTE_SHARE = 4.0
"""Factor by which the examined road is longer than the robots need."""


@dataclass(frozen=True, slots=True)
class SpawnPose:
    """`position` p_WR (3,) [m] of a robot's origin and its `yaw` [rad] from east to north.

    `pitch` [rad] is how much its nose points up: the slope of the street that it stands on.
    """

    position: Floats
    yaw: float
    pitch: float = 0.0

    def of_point(self, point: Sequence[float]) -> Floats:
        """Place (3,) in W of `point` (3,) [m] in the robot's frame."""
        c, s = portable.cos(self.yaw), portable.sin(self.yaw)
        rise, run = portable.sin(self.pitch), portable.cos(self.pitch)
        ahead, y, up = point
        x, z = run * ahead - rise * up, rise * ahead + run * up
        place: Floats = self.position + np.array([c * x - s * y, s * x + c * y, z])
        return place

    @property
    def orientation(self) -> tuple[float, float, float, float]:
        """The quaternion x, y, z, w of R_WR = R_z(yaw) R_y(-pitch)."""
        s, c = float(portable.sin(self.yaw / 2)), float(portable.cos(self.yaw / 2))
        up, level = float(portable.sin(self.pitch / 2)), float(portable.cos(self.pitch / 2))
        return (s * up, -c * up, s * level, c * level)


def spawn_poses(
    robots: Sequence[PlacedRobot], world: CompiledWorld, *, rest_heights: Sequence[float]
) -> list[SpawnPose]:
    """The poses of all robots.

    Those that the world file does not place stand one behind the other on the lane where the
    longest drive begins, the first one foremost; in a world without lanes, on its longest paths.

    Args:
        robots: as in the world file.
        world: the ground and the lanes.
        rest_heights: of each robot's origin above the ground that it stands on [m].

    Raises:
        PlacementError: the lanes hold fewer robots, or one is to be placed where no ground is.
    """
    waiting = sum(robot.position is None for robot in robots)
    given = _given_poses(robots, world)
    find_places = _lane_places if len(world.roads.lanes) else _path_places
    places = reversed(list(find_places(world, waiting, [pose.position for pose in given])))
    standing = iter(given)
    poses = []
    for robot, rest_height in zip(robots, rest_heights, strict=True):
        pose = next(places if robot.position is None else standing)
        is_lifted = robot.position is None or robot.position[2] is None
        above = np.array([0.0, 0.0, rest_height if is_lifted else 0.0])
        poses.append(replace(pose, position=pose.position + above))
    return poses


def object_poses(objects: Sequence[PlacedObject], world: CompiledWorld) -> list[SpawnPose]:
    """The poses of the bodies of objects.

    Raises:
        PlacementError: one is to be placed where there is no ground.
    """
    plan = np.array([each.position[:2] for each in objects]).reshape(-1, 2)
    heights = height_at(world, plan) if len(plan) else np.zeros(0)
    poses = []
    for each, ground in zip(objects, heights.tolist(), strict=True):
        x, y, z = each.position
        if z is None and np.isnan(ground):
            raise PlacementError(
                f"object '{each.name}': no ground of '{world.name}' at x={x:g} m (east), "
                f"z={y:g} m (north): {_extent(world)}"
            )
        height = ground - body_of(each.body).low[2] if z is None else z
        poses.append(SpawnPose(np.array([x, y, height]), each.yaw))
    return poses


def pose_at(
    world: CompiledWorld, place: Sequence[float], *, yaw: float, rest_height: float
) -> SpawnPose:
    """Pose of a robot at `place` (x, y, z) [m] in W, on the level nearest to z.

    Args:
        world: the ground and the buildings.
        place: on the map.
        yaw: [rad] from east to north; the robot is tilted as the ground rises along it.
        rest_height: of its origin above the ground that it stands on [m].

    Raises:
        PlacementError: no ground is there, or a building is.
    """
    x, y, _ = place
    along = _HALF_CAR * np.array([portable.cos(yaw), portable.sin(yaw), 0.0])
    behind, ground, ahead = height_at(world, place + np.outer((-1.0, 0.0, 1.0), along)).tolist()
    if np.isnan(ground):
        raise PlacementError(f"no ground at x={x:g} m, y={y:g} m: {_extent(world)}")
    if is_inside_solid(world, (x, y, ground + _CHEST)):
        raise PlacementError(f"a building stands at x={x:g} m, y={y:g} m")
    rise = 0.0 if np.isnan(ahead - behind) else ahead - behind
    pitch = float(portable.arctan2(rise, 2.0 * _HALF_CAR))
    return SpawnPose(np.array([x, y, ground + rest_height]), yaw, pitch)


def _lane_places(
    world: CompiledWorld, count: int, occupied: Sequence[Floats]
) -> Iterator[SpawnPose]:
    """Poses on the floor of lanes, each at some distance from all others and what is `occupied`.

    Raises:
        PlacementError: the lanes hold fewer.
    """
    if not count:
        return
    lane, s = best_start(world.roads)
    taken = np.array(occupied).reshape(-1, 3)
    wanted = len(taken) + count
    # As long as if all had to stand on it: the first places may be taken.
    for index in route(world.roads, lane, length=s + ROUTE_SHARE * wanted * SPACING, seed=0):
        current = world.roads.lanes[index]
        while s <= current.length:
            point = current.position(s)
            if np.all(np.linalg.norm(taken - point, axis=1) > LEAST_DISTANCE):
                taken = np.vstack([taken, point])
                yield SpawnPose(point, current.heading(s), _slope(current, s))
                if len(taken) == wanted:
                    return
            s += SPACING
        s -= current.length
    raise PlacementError(
        f"the lanes of '{world.name}' hold only {len(taken) - len(occupied)} of {count} robots: "
        "give the others a Position in the world file"
    )


def _path_places(
    world: CompiledWorld, count: int, occupied: Sequence[Floats]
) -> Iterator[SpawnPose]:
    """Poses on the longest paths of a world, each at some distance from all others.

    Raises:
        PlacementError: the paths hold fewer.
    """
    paths, taken, wanted = world.paths, np.array(occupied).reshape(-1, 3), len(occupied) + count
    rows = np.flatnonzero(paths.kinds != PathKind.STEPS)
    sizes = np.diff(paths.starts)[rows]
    for row in rows[np.argsort(-sizes, kind="stable")].tolist():
        points = paths.points[paths.starts[row] : paths.starts[row + 1]]
        for point, following in pairwise(points):
            if len(taken) == wanted:
                return
            if np.all(np.linalg.norm(taken - point, axis=1) > LEAST_DISTANCE):
                taken = np.vstack([taken, point])
                ahead = following - point
                yield SpawnPose(point, float(portable.arctan2(ahead[1], ahead[0])))
    if len(taken) < wanted:
        raise PlacementError(
            f"'{world.name}' has no lanes, and its paths hold only {len(taken) - len(occupied)} "
            f"of {count} robots: give the others a Position in the world file"
        )


def _slope(lane: Lane, s: float) -> float:
    """The angle [rad] by which a lane rises at `s` [m], over the length of a car."""
    behind, ahead = lane.position(s - _HALF_CAR), lane.position(s + _HALF_CAR)
    return float(portable.arctan2(ahead[2] - behind[2], 2.0 * _HALF_CAR))


def _given_poses(robots: Sequence[PlacedRobot], world: CompiledWorld) -> list[SpawnPose]:
    """Of the robots that the world file places; on the ground where it names no height."""
    given = [(robot.position, robot.yaw or 0.0) for robot in robots if robot.position is not None]
    plan = np.array([position[:2] for position, _ in given]).reshape(-1, 2)
    heights = height_at(world, plan) if any(p[2] is None for p, _ in given) else np.zeros(len(plan))
    _require_ground(robots, heights, world)
    return [
        SpawnPose(np.array([x, y, ground if z is None else z]), yaw)
        for ((x, y, z), yaw), ground in zip(given, heights.tolist(), strict=True)
    ]


def _require_ground(robots: Sequence[PlacedRobot], heights: Floats, world: CompiledWorld) -> None:
    """Refuses robots that are to be placed on the ground where there is none.

    Args:
        robots: as in the world file.
        heights: (n,) [m] of the ground under those that have a position.
        world: whose ground it is.
    """
    placed = [(robot.name, *robot.position) for robot in robots if robot.position is not None]
    for (name, x, y, z), height in zip(placed, heights.tolist(), strict=True):
        if z is None and np.isnan(height):
            west, south, east, north = world.bounds
            raise PlacementError(
                f"robot '{name}': no ground of '{world.name}' at x={x:g} m (east), "
                f"z={y:g} m (north): the map goes from x={west:.0f} to {east:.0f} "
                f"and from z={south:.0f} to {north:.0f}"
            )


def _extent(world: CompiledWorld) -> str:
    west, south, east, north = world.bounds
    return f"the map goes from x={west:.0f} to {east:.0f} m and from y={south:.0f} to {north:.0f} m"
