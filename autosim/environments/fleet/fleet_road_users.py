"""Road users around the cars of a fleet: the other cars of its town, and vehicles of traffic.

Cars of a fleet share copies of one town. In each copy a few cars and vehicles see, follow and hit
one another; copies do not know of each other. Vehicles of traffic follow paths by the Intelligent
Driver Model and give way to the right.

Source: Treiber, Hennecke, Helbing: Congested Traffic States in Empirical Observations and
Microscopic Simulations, Physical Review E 62, 2000.
"""

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.environments.fleet.fleet_kernels import Cars, start_episode
from autosim.environments.fleet.fleet_signals import acceleration_for_signal, see_signal
from autosim.environments.fleet.shared_town import (
    ACCELERATION,
    AWAY,
    BRAKING,
    CONFLICTS,
    COS,
    FIXED,
    GOAL,
    HARDEST,
    LONG,
    LOOK_AHEAD,
    MIN_GAP,
    NEIGHBOURS,
    PERSON,
    SAME_LEVEL,
    SIGNAL_WIDTH,
    SIN,
    SPEED_X,
    SPEED_Y,
    TIME_GAP,
    VEHICLE,
    WAITING,
    WIDE,
    FleetUsers,
    X,
    Y,
    Z,
    put,
)
from autosim.jit import compiled_nogil, inlined
from autosim.model.noise import uniform
from autosim.rays.batch import RayBatch
from autosim.tracks.conflict_view import HALF_LENGTH, first_row_within, observe_conflicts_of
from autosim.tracks.conflict_view import WIDTH as CONFLICTS_WIDTH
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.lane_view import STATION
from autosim.tracks.neighbour_view import observe_neighbours_of
from autosim.traffic.vehicles.box_overlap import do_overlap

GOAL_UNIT = 100.0
"""Distance [m] to the goal that counts as 1 in observations; five of them are the most."""

WAITING_UNIT = 10.0
"""Time [s] without motion that counts as 1 in observations; five of them are the most."""

_TRIES = 12
"""Number of places that are drawn for a road user until one is free: more would take long where a
town is full."""

_FREE_DISTANCE, _FREE_TIME = 9.0, 1.5
"""Distance [m] to others at a start, and time [s] of their motion that adds to it."""

_FORESIGHT = (0.8, 1.6, 2.4)
"""Times [s] at which the place of others from the right is foreseen."""

_CROSSING = 0.6
"""Sine of the angle of two headings from which they cross."""

_PATIENCE = 10.0
"""Time [s] of standing after which a vehicle of traffic begins elsewhere."""

_FIRST_SPEED = 5.0
"""Speed [m/s] at which a vehicle of traffic begins, where the path allows it."""

_PATIENCE_AT_SIGNALS = 60.0
"""Time [s] of standing after which it begins elsewhere in a town with signals: more than a red
phase, in which vehicles queue."""

_STANDING = 0.2
"""Speed [m/s] below which a vehicle stands."""


@inlined
def _is_free(boxes: Floats, own: int, x: float, y: float, z: float) -> bool:
    """Whether a place of a copy is far enough from all users but `own`."""
    is_free = True
    for other in range(len(boxes)):
        dx, dy = boxes[other, X] - x, boxes[other, Y] - y
        vx, vy = boxes[other, SPEED_X], boxes[other, SPEED_Y]
        room = _FREE_DISTANCE + _FREE_TIME * np.sqrt(vx * vx + vy * vy)
        near = dx * dx + dy * dy < room * room and abs(boxes[other, Z] - z) < SAME_LEVEL
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
        put(boxes[slot], pose[0], pose[1], paths.points[row, 2], pose[2], pose[3])


@compiled_nogil
def place_cars(paths: PathArrays, cars: Cars, users: FleetUsers, chosen: Integers) -> None:
    """Writes the boxes of the `chosen` cars."""
    for car in chosen:
        pose, height = cars.poses[car], paths.points[cars.rows[car], 2]
        box = users.boxes[car // users.cars, car % users.cars]
        put(box, pose[0], pose[1], height, pose[2], pose[3])


def take_away(users: FleetUsers, chosen: Integers) -> None:
    """Puts the `chosen` cars nowhere until they are placed."""
    users.boxes[chosen // users.cars, chosen % users.cars, X] = AWAY


@compiled_nogil
def begin_traffic(paths: PathArrays, users: FleetUsers, copies: Integers) -> None:
    """Begins the traffic of `copies`, apart from the cars that are there."""
    for copy in copies:
        users.boxes[copy, users.cars :, X] = AWAY
        for vehicle in range(copy * users.traffic, (copy + 1) * users.traffic):
            users.begun[vehicle] = 0
            _begin_vehicle(paths, users, vehicle)


@inlined
def _begin_vehicle(paths: PathArrays, users: FleetUsers, vehicle: int) -> None:
    """Puts a vehicle of traffic on a free place of a path; nowhere, if it finds none."""
    copy = vehicle // users.traffic
    slot = users.cars + vehicle % users.traffic
    boxes, stream = users.boxes[copy], users.streams[vehicle]
    boxes[slot, X] = AWAY
    boxes[slot, SPEED_X] = boxes[slot, SPEED_Y] = 0.0
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
            put(boxes[slot], point[0], point[1], point[2], paths.headings[row], speed)
            break


@compiled_nogil
def step_traffic(paths: PathArrays, users: FleetUsers, seconds: float, copies: Integers) -> None:
    """Moves the traffic of `copies` by a step."""
    for copy in copies:
        users.clocks[copy] += seconds
        first, last = copy * users.traffic, (copy + 1) * users.traffic
        boxes = users.boxes[copy]
        for vehicle in range(first, last):
            if boxes[users.cars + vehicle - first, X] < AWAY:
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
    patience = _PATIENCE_AT_SIGNALS if len(users.following) > 0 else _PATIENCE
    is_over = station >= (end - begin - 1) * SPACING or motion[2] > patience
    if is_over or box[X] >= AWAY:
        _begin_vehicle(paths, users, vehicle)
    else:
        row = begin + int(station / SPACING)
        share = station / SPACING - (row - begin)
        here, there = paths.points[row], paths.points[row + 1]
        turned = portable.wrapped(paths.headings[row + 1] - paths.headings[row])
        put(
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
    if len(users.following) > 0:
        copy = vehicle // users.traffic
        least = min(least, acceleration_for_signal(users, copy, row, end, station, speed))
    last = min(end - 1, row + int(LOOK_AHEAD / SPACING))
    for other in range(len(boxes)):
        dx, dy = boxes[other, X] - boxes[own, X], boxes[other, Y] - boxes[own, Y]
        reach = LOOK_AHEAD + HALF_LENGTH
        if other == own or dx * dx + dy * dy > reach * reach:
            continue
        cos, sin = boxes[own, COS], boxes[own, SIN]
        crossing = abs(cos * boxes[other, SIN] - sin * boxes[other, COS])
        is_right = cos * dy - sin * dx < 0.0 and crossing > _CROSSING
        for look in range(1 + len(_FORESIGHT)):
            if look and not is_right:
                break
            time = 0.0 if look == 0 else _FORESIGHT[look - 1]
            x = boxes[other, X] + time * boxes[other, SPEED_X]
            y = boxes[other, Y] + time * boxes[other, SPEED_Y]
            found = first_row_within(
                paths, row + 1, last, boxes[other], boxes[other, SIN], boxes[other, COS], x, y
            )
            if found < 0:
                continue
            gap = max((found - begin) * SPACING - station - HALF_LENGTH - 0.5, 0.1)
            along = 0.0
            if look == 0:
                ahead_sin, ahead_cos = portable.sin_cos(paths.headings[found])
                along = ahead_cos * boxes[other, SPEED_X] + ahead_sin * boxes[other, SPEED_Y]
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
        partner = FIXED
        for other in range(len(boxes)):
            dx, dy = boxes[other, X] - own[X], boxes[other, Y] - own[Y]
            if other == slot or dx * dx + dy * dy > 30.0:
                continue
            is_behind = own[COS] * dx + own[SIN] * dy < -HALF_LENGTH
            if not is_behind and do_overlap(own, boxes[other]):
                is_hit = True
                partner = max(partner, PERSON if other >= users.cars + users.traffic else VEHICLE)
        cars.touches[car] = is_hit
        users.partners[car] = partner


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
        z = boxes[own, Z]
        for other in range(len(boxes)):
            dx, dy = boxes[other, X] - x, boxes[other, Y] - y
            long, wide = boxes[other, LONG], boxes[other, WIDE]
            radius = np.sqrt(long * long + wide * wide)
            distance = np.sqrt(dx * dx + dy * dy)
            is_far = distance > reach + radius or abs(boxes[other, Z] - z) > SAME_LEVEL
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
    cos, sin = box[COS], box[SIN]
    begin_x, begin_y = -(cos * dx + sin * dy), -(cos * dy - sin * dx)
    along, across = cos * way_x + sin * way_y, cos * way_y - sin * way_x
    along = along if abs(along) > 1e-9 else 1e-9
    across = across if abs(across) > 1e-9 else 1e-9
    a, b = (-box[LONG] - begin_x) / along, (box[LONG] - begin_x) / along
    c, d = (-box[WIDE] - begin_y) / across, (box[WIDE] - begin_y) / across
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
    signal = SIGNAL_WIDTH if len(users.following) > 0 else 0
    conflicts, view = np.zeros(CONFLICTS_WIDTH), np.zeros(width - NEIGHBOURS - signal)
    for car in chosen:
        path, row = cars.path[car], cars.rows[car]
        station = cars.told[car, STATION]
        left = (paths.starts[path + 1] - paths.starts[path] - 1) * SPACING - station
        seen[car, first + GOAL] = min(max(left / GOAL_UNIT, 0.0), 5.0)
        seen[car, first + WAITING] = min(cars.since[car, 1] / WAITING_UNIT, 5.0)
        boxes, own = users.boxes[car // users.cars], car % users.cars
        z, speed = boxes[own, Z], cars.poses[car, 3]
        observe_conflicts_of(paths, path, row, station, z, speed, boxes, own, conflicts)
        for number in range(CONFLICTS_WIDTH):
            seen[car, first + CONFLICTS + number] = min(max(conflicts[number], -5.0), 5.0)
        if signal:
            see_signal(
                users,
                car,
                row,
                paths.starts[path + 1],
                station,
                seen[car, first + width - SIGNAL_WIDTH :],
            )
        if len(view) == 0:
            continue
        observe_neighbours_of(
            cars.poses[car, 0], cars.poses[car, 1], z, cars.poses[car, 2], speed, boxes, own, view
        )
        for number in range(len(view)):
            seen[car, first + NEIGHBOURS + number] = min(max(view[number], -5.0), 5.0)
