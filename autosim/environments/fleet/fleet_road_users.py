"""Road users around the cars of a fleet: the other cars of its town, and vehicles of traffic.

Cars of a fleet share copies of one town. In each copy a few cars and vehicles see, follow and hit
one another; copies do not know of each other. Vehicles of traffic follow paths by the Intelligent
Driver Model and give way to the right.

Source: Treiber, Hennecke, Helbing: Congested Traffic States in Empirical Observations and
Microscopic Simulations, Physical Review E 62, 2000.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.environments.fleet.fleet_kernels import Cars, start_episode
from autosim.jit import compiled_nogil, inlined
from autosim.model.noise import uniform
from autosim.rays.batch import RayBatch
from autosim.tracks.conflict_view import (
    HALF_CAR,
    HALF_LENGTH,
    first_row_within,
    observe_conflicts_of,
)
from autosim.tracks.conflict_view import WIDTH as CONFLICTS_WIDTH
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.lane_view import STATION
from autosim.tracks.neighbour_view import NEIGHBOUR_WIDTH, observe_neighbours_of
from autosim.traffic.vehicles.box_overlap import do_overlap

GOAL_UNIT = 100.0
"""Distance [m] to the goal that counts as 1 in observations; five of them are the most."""

WAITING_UNIT = 10.0
"""Time [s] without motion that counts as 1 in observations; five of them are the most."""

GOAL, WAITING, CONFLICTS = range(3)
"""Columns of the view of others: distance to the goal, time without motion, conflicts ahead."""

NEIGHBOURS = CONFLICTS + CONFLICTS_WIDTH
"""First column of the neighbours in it."""

_BOX_COLUMNS = 10
"""Columns of a box: those of `autosim.traffic.road_users.B`, then cosine and sine of the yaw."""

_X, _Y, _Z, _YAW, _HALF_LENGTH, _HALF_WIDTH, _SPEED_X, _SPEED_Y, _COS, _SIN = range(10)

_AWAY = 1e9
"""x [m] of a road user that is nowhere."""

_TRIES = 12
"""Number of places that are drawn for a road user until one is free: more would take long where a
town is full."""

_FREE_DISTANCE, _FREE_TIME = 9.0, 1.5
"""Distance [m] to others at a start, and time [s] of their motion that adds to it."""

_SAME_LEVEL = 3.0
"""Difference in height [m] from which others are on another level."""

ACCELERATION, BRAKING, HARDEST = 1.4, 2.0, 7.0
"""[m/s²] of the model (a and b), and the most that it brakes."""

MIN_GAP, TIME_GAP = 2.0, 1.3
"""Gap [m] of standing vehicles (s0), and time gap [s] (T)."""

_LOOK_AHEAD = 45.0
"""Distance [m] of path ahead that is searched for leaders."""

_FORESIGHT = (0.8, 1.6, 2.4)
"""Times [s] at which the place of others from the right is foreseen."""

_CROSSING = 0.6
"""Sine of the angle of two headings from which they cross."""

_LATERAL = 2.0
"""Lateral acceleration [m/s²] at which vehicles of traffic take bends."""

_PATIENCE = 10.0
"""Time [s] of standing after which a vehicle of traffic begins elsewhere."""

_FIRST_SPEED = 5.0
"""Speed [m/s] at which a vehicle of traffic begins, where the path allows it."""

_STANDING = 0.2
"""Speed [m/s] below which a vehicle stands."""


@dataclass(frozen=True, slots=True)
class SharedTown:
    """The road users of each copy of a fleet's town.

    `cars` of the fleet and vehicles of `traffic` share a copy; a car observes its distance to the
    goal and the nearest `observed` of them.
    """

    cars: int = 16
    traffic: int = 8
    observed: int = 6

    def __post_init__(self) -> None:
        if self.cars < 1 or min(self.traffic, self.observed) < 0:
            given = f"cars={self.cars}, traffic={self.traffic}, observed={self.observed}"
            raise ValueError(f"a town is shared by one car or more, and no others or more: {given}")

    @property
    def width(self) -> int:
        """Number of observed values: goal, waiting time, conflicts ahead, then the neighbours."""
        return NEIGHBOURS + self.observed * NEIGHBOUR_WIDTH


class FleetUsers(NamedTuple):
    """All road users of a fleet.

    `boxes` (copies, users, 10), see `_BOX_COLUMNS`: in each copy first the `cars` of the fleet,
    then `traffic`. Of the m vehicles of traffic: `path` (m,), `stations` (m,) [m] on it, `motion`
    (m, 3): speed [m/s], acceleration [m/s²], time of standing [s]; `begun` (m,): starts so far, and
    `streams` (m,) of random numbers. `pace` (n,) [m/s]: speed of traffic at the points of all
    paths.
    """

    boxes: Floats
    path: Integers
    stations: Floats
    motion: Floats
    begun: Integers
    streams: npt.NDArray[np.uint64]
    pace: Floats
    cars: int
    traffic: int

    @classmethod
    def of(cls, paths: PathArrays, town: SharedTown, cars: int) -> "FleetUsers":
        """Road users of `cars` cars, all of them nowhere."""
        copies = -(-cars // town.cars)
        boxes = np.zeros((copies, town.cars + town.traffic, _BOX_COLUMNS))
        boxes[..., _X] = _AWAY
        boxes[..., _HALF_LENGTH], boxes[..., _HALF_WIDTH] = HALF_LENGTH, HALF_CAR
        count = copies * town.traffic
        return cls(
            boxes,
            np.zeros(count, dtype=np.int64),
            np.zeros(count),
            np.zeros((count, 3)),
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.uint64),
            _pace_of(paths),
            town.cars,
            town.traffic,
        )


def _pace_of(paths: PathArrays) -> Floats:
    """Speed [m/s] of traffic at each point: limits, bends, and braking ahead of both."""
    pace = paths.limits.copy()
    for first, last in zip(paths.starts[:-1], paths.starts[1:], strict=True):
        turned = np.zeros(last - first)
        turned[:-1] = np.abs(portable.wrapped(np.diff(paths.headings[first:last]))) / SPACING
        turned[1:] = np.maximum(turned[1:], turned[:-1])
        pace[first:last] = np.minimum(pace[first:last], np.sqrt(_LATERAL / (turned + 1e-6)))
        for row in range(last - 2, first - 1, -1):
            most = np.sqrt(pace[row + 1] ** 2 + 2.0 * BRAKING * SPACING)
            pace[row] = min(pace[row], most)
    return pace


@inlined
def _put(boxes: Floats, x: float, y: float, z: float, yaw: float, speed: float) -> None:
    """Writes one row of boxes."""
    sin, cos = portable.sin_cos(yaw)
    boxes[_X], boxes[_Y], boxes[_Z], boxes[_YAW] = x, y, z, yaw
    boxes[_SPEED_X], boxes[_SPEED_Y] = speed * cos, speed * sin
    boxes[_COS], boxes[_SIN] = cos, sin


@inlined
def _is_free(boxes: Floats, own: int, x: float, y: float, z: float) -> bool:
    """Whether a place of a copy is far enough from all users but `own`."""
    is_free = True
    for other in range(len(boxes)):
        dx, dy = boxes[other, _X] - x, boxes[other, _Y] - y
        vx, vy = boxes[other, _SPEED_X], boxes[other, _SPEED_Y]
        room = _FREE_DISTANCE + _FREE_TIME * np.sqrt(vx * vx + vy * vy)
        near = dx * dx + dy * dy < room * room and abs(boxes[other, _Z] - z) < _SAME_LEVEL
        is_free &= other == own or not near
    return is_free


@compiled_nogil
def begin_apart(
    paths: PathArrays,
    cars: Cars,
    users: FleetUsers,
    streams: npt.NDArray[np.uint64],
    offset: float,
    turn: float,
    chosen: Integers,
) -> None:
    """Draws new starts for the `chosen` cars, apart from others where a place is free.

    The first draw is that of `begin_episodes`.
    """
    for car in chosen:
        copy, slot = car // users.cars, car % users.cars
        stream = streams[car]
        boxes = users.boxes[copy]
        path, row, side, angle = 0, 0, 0.0, 0.0
        for attempt in range(_TRIES):
            counter = np.uint64(4 * cars.episodes[car]) + (np.uint64(attempt) << np.uint64(40))
            path = int(uniform(stream, counter) * (len(paths.starts) - 1))
            begin, end = paths.starts[path], paths.starts[path + 1]
            row = begin + int(uniform(stream, counter + np.uint64(1)) * max(1, (end - begin) // 2))
            side = (2.0 * uniform(stream, counter + np.uint64(2)) - 1.0) * offset
            angle = (2.0 * uniform(stream, counter + np.uint64(3)) - 1.0) * turn
            point = paths.points[row]
            if _is_free(boxes, slot, point[0], point[1], point[2]):
                break
        start_episode(paths, cars, car, path, row, side * paths.half_widths[row], angle)
        pose = cars.poses[car]
        _put(boxes[slot], pose[0], pose[1], paths.points[row, 2], pose[2], pose[3])


@compiled_nogil
def place_cars(paths: PathArrays, cars: Cars, users: FleetUsers, chosen: Integers) -> None:
    """Writes the boxes of the `chosen` cars."""
    for car in chosen:
        pose, height = cars.poses[car], paths.points[cars.rows[car], 2]
        box = users.boxes[car // users.cars, car % users.cars]
        _put(box, pose[0], pose[1], height, pose[2], pose[3])


def take_away(users: FleetUsers, chosen: Integers) -> None:
    """Puts the `chosen` cars nowhere until they are placed."""
    users.boxes[chosen // users.cars, chosen % users.cars, _X] = _AWAY


@compiled_nogil
def begin_traffic(paths: PathArrays, users: FleetUsers, copies: Integers) -> None:
    """Begins the traffic of `copies`, apart from the cars that are there."""
    for copy in copies:
        users.boxes[copy, users.cars :, _X] = _AWAY
        for vehicle in range(copy * users.traffic, (copy + 1) * users.traffic):
            users.begun[vehicle] = 0
            _begin_vehicle(paths, users, vehicle)


@inlined
def _begin_vehicle(paths: PathArrays, users: FleetUsers, vehicle: int) -> None:
    """Puts a vehicle of traffic on a free place of a path; nowhere, if it finds none."""
    copy = vehicle // users.traffic
    slot = users.cars + vehicle % users.traffic
    boxes, stream = users.boxes[copy], users.streams[vehicle]
    boxes[slot, _X] = _AWAY
    boxes[slot, _SPEED_X] = boxes[slot, _SPEED_Y] = 0.0
    users.motion[vehicle] = 0.0
    for _ in range(_TRIES):
        counter = np.uint64(2 * users.begun[vehicle])
        users.begun[vehicle] += 1
        path = int(uniform(stream, counter) * (len(paths.starts) - 1))
        begin, end = paths.starts[path], paths.starts[path + 1]
        row = begin + int(
            uniform(stream, counter + np.uint64(1)) * max(1, (3 * (end - begin)) // 4)
        )
        point = paths.points[row]
        if _is_free(boxes, slot, point[0], point[1], point[2]):
            speed = min(_FIRST_SPEED, users.pace[row])
            users.path[vehicle], users.stations[vehicle] = path, (row - begin) * SPACING
            users.motion[vehicle, 0] = speed
            _put(boxes[slot], point[0], point[1], point[2], paths.headings[row], speed)
            break


@compiled_nogil
def step_traffic(paths: PathArrays, users: FleetUsers, seconds: float, copies: Integers) -> None:
    """Moves the traffic of `copies` by a step."""
    for copy in copies:
        first, last = copy * users.traffic, (copy + 1) * users.traffic
        boxes = users.boxes[copy]
        for vehicle in range(first, last):
            if boxes[users.cars + vehicle - first, _X] < _AWAY:
                users.motion[vehicle, 1] = _acceleration_of(paths, users, boxes, vehicle)
        for vehicle in range(first, last):
            _move(paths, users, boxes[users.cars + vehicle - first], vehicle, seconds)


@inlined
def _move(paths: PathArrays, users: FleetUsers, box: Floats, vehicle: int, seconds: float) -> None:
    """Moves a vehicle of traffic along its path; begins it elsewhere at the path's end."""
    motion, path = users.motion[vehicle], users.path[vehicle]
    begin, end = paths.starts[path], paths.starts[path + 1]
    speed = max(0.0, motion[0] + motion[1] * seconds)
    users.stations[vehicle] += 0.5 * (motion[0] + speed) * seconds
    motion[0] = speed
    motion[2] = 0.0 if speed > _STANDING else motion[2] + seconds
    station = users.stations[vehicle]
    is_over = station >= (end - begin - 1) * SPACING or motion[2] > _PATIENCE
    if is_over or box[_X] >= _AWAY:
        _begin_vehicle(paths, users, vehicle)
    else:
        row = begin + int(station / SPACING)
        share = station / SPACING - (row - begin)
        here, there = paths.points[row], paths.points[row + 1]
        turned = portable.wrapped(paths.headings[row + 1] - paths.headings[row])
        _put(
            box,
            here[0] + share * (there[0] - here[0]),
            here[1] + share * (there[1] - here[1]),
            here[2] + share * (there[2] - here[2]),
            paths.headings[row] + share * turned,
            speed,
        )


@inlined
def _acceleration_of(paths: PathArrays, users: FleetUsers, boxes: Floats, vehicle: int) -> float:
    """Acceleration [m/s²] of a vehicle of traffic by the Intelligent Driver Model."""
    own = users.cars + vehicle % users.traffic
    path, station, speed = users.path[vehicle], users.stations[vehicle], users.motion[vehicle, 0]
    begin, end = paths.starts[path], paths.starts[path + 1]
    row = begin + int(station / SPACING)
    wanted = max(users.pace[min(row + 1, end - 1)], 0.5)
    ratio = speed / wanted
    least = ACCELERATION * (1.0 - ratio * ratio * ratio * ratio)
    if speed > wanted:
        least = max(BRAKING * (wanted - speed), -BRAKING)
    free = least
    last = min(end - 1, row + int(_LOOK_AHEAD / SPACING))
    for other in range(len(boxes)):
        dx, dy = boxes[other, _X] - boxes[own, _X], boxes[other, _Y] - boxes[own, _Y]
        reach = _LOOK_AHEAD + HALF_LENGTH
        if other == own or dx * dx + dy * dy > reach * reach:
            continue
        cos, sin = boxes[own, _COS], boxes[own, _SIN]
        crossing = abs(cos * boxes[other, _SIN] - sin * boxes[other, _COS])
        is_right = cos * dy - sin * dx < 0.0 and crossing > _CROSSING
        for look in range(1 + len(_FORESIGHT)):
            if look and not is_right:
                break
            time = 0.0 if look == 0 else _FORESIGHT[look - 1]
            x = boxes[other, _X] + time * boxes[other, _SPEED_X]
            y = boxes[other, _Y] + time * boxes[other, _SPEED_Y]
            found = first_row_within(
                paths, row + 1, last, boxes[other], boxes[other, _SIN], boxes[other, _COS], x, y
            )
            if found < 0:
                continue
            gap = max((found - begin) * SPACING - station - HALF_LENGTH - 0.5, 0.1)
            along = 0.0
            if look == 0:
                ahead_sin, ahead_cos = portable.sin_cos(paths.headings[found])
                along = ahead_cos * boxes[other, _SPEED_X] + ahead_sin * boxes[other, _SPEED_Y]
                along = max(along, 0.0)
            closing = speed * (speed - along) / (2.0 * np.sqrt(ACCELERATION * BRAKING))
            desired = MIN_GAP + max(0.0, speed * TIME_GAP + closing)
            least = min(least, free - ACCELERATION * (desired / gap) * (desired / gap))
            break
    held: float = max(least, -HARDEST)
    return held


@compiled_nogil
def note_collisions(cars: Cars, users: FleetUsers, chosen: Integers) -> None:
    """Adds to `touches` the `chosen` cars that have driven into another road user.

    A car that is hit from behind continues: the collision is that of the other one.
    """
    for car in chosen:
        copy, slot = car // users.cars, car % users.cars
        boxes = users.boxes[copy]
        own = boxes[slot]
        is_hit = cars.touches[car]
        for other in range(len(boxes)):
            dx, dy = boxes[other, _X] - own[_X], boxes[other, _Y] - own[_Y]
            if other == slot or dx * dx + dy * dy > 30.0:
                continue
            is_behind = own[_COS] * dx + own[_SIN] * dy < -HALF_LENGTH
            if not is_behind and do_overlap(own, boxes[other]):
                is_hit = True
        cars.touches[car] = is_hit


@compiled_nogil
def shorten_rays(
    cars: Cars, users: FleetUsers, rays: RayBatch, reach: float, chosen: Integers
) -> None:
    """Ends the rays of the `chosen` cars, as `aim` has pointed them, at other road users."""
    each = cars.shares.shape[1]
    for place in range(len(chosen)):
        car = chosen[place]
        boxes, own = users.boxes[car // users.cars], car % users.cars
        x, y, yaw = cars.poses[car, 0], cars.poses[car, 1], cars.poses[car, 2]
        z = boxes[own, _Z]
        for other in range(len(boxes)):
            dx, dy = boxes[other, _X] - x, boxes[other, _Y] - y
            long, wide = boxes[other, _HALF_LENGTH], boxes[other, _HALF_WIDTH]
            radius = np.sqrt(long * long + wide * wide)
            distance = np.sqrt(dx * dx + dy * dy)
            is_far = distance > reach + radius or abs(boxes[other, _Z] - z) > _SAME_LEVEL
            if other == own or is_far:
                continue
            first, count = 0, each
            if distance > 2.0 * radius:
                # Only the rays in the angle that the box takes up; the sine is 1.05 of it at most.
                spread = 1.05 * radius / distance
                middle = portable.wrapped(portable.arctan2(dy, dx) - yaw)
                step = portable.TAU / each
                first = int(np.floor((middle - spread) / step))
                count = min(each, int(np.ceil((middle + spread) / step)) - first + 1)
            for number in range(first, first + count):
                ray = place * each + number % each
                share = _share_to(boxes[other], dx, dy, rays.ways[ray, 0], rays.ways[ray, 1])
                rays.shares[ray] = min(rays.shares[ray], share)


@inlined
def _share_to(box: Floats, dx: float, dy: float, way_x: float, way_y: float) -> float:
    """Share of a ray at which it meets a box whose middle is at dx, dy [m]; above 1 for none."""
    cos, sin = box[_COS], box[_SIN]
    begin_x, begin_y = -(cos * dx + sin * dy), -(cos * dy - sin * dx)
    along, across = cos * way_x + sin * way_y, cos * way_y - sin * way_x
    along = along if abs(along) > 1e-9 else 1e-9
    across = across if abs(across) > 1e-9 else 1e-9
    a, b = (-box[_HALF_LENGTH] - begin_x) / along, (box[_HALF_LENGTH] - begin_x) / along
    c, d = (-box[_HALF_WIDTH] - begin_y) / across, (box[_HALF_WIDTH] - begin_y) / across
    enters, leaves = max(min(a, b), min(c, d)), min(max(a, b), max(c, d))
    return max(enters, 0.0) if leaves >= max(enters, 0.0) else 2.0


@compiled_nogil
def see_others(
    paths: PathArrays,
    cars: Cars,
    users: FleetUsers,
    seen: npt.NDArray[np.float32],
    first: int,
    width: int,
    chosen: Integers,
) -> None:
    """Writes the goal and others as the `chosen` cars see them, into `width` columns of `seen`."""
    conflicts, view = np.zeros(CONFLICTS_WIDTH), np.zeros(width - NEIGHBOURS)
    for car in chosen:
        path, row = cars.path[car], cars.rows[car]
        station = cars.told[car, STATION]
        left = (paths.starts[path + 1] - paths.starts[path] - 1) * SPACING - station
        seen[car, first + GOAL] = min(max(left / GOAL_UNIT, 0.0), 5.0)
        seen[car, first + WAITING] = min(cars.since[car, 1] / WAITING_UNIT, 5.0)
        boxes, own = users.boxes[car // users.cars], car % users.cars
        z, speed = boxes[own, _Z], cars.poses[car, 3]
        observe_conflicts_of(paths, path, row, station, z, speed, boxes, own, conflicts)
        for number in range(CONFLICTS_WIDTH):
            seen[car, first + CONFLICTS + number] = min(max(conflicts[number], -5.0), 5.0)
        if len(view) == 0:
            continue
        observe_neighbours_of(
            cars.poses[car, 0], cars.poses[car, 1], z, cars.poses[car, 2], speed, boxes, own, view
        )
        for number in range(len(view)):
            seen[car, first + NEIGHBOURS + number] = min(max(view[number], -5.0), 5.0)
