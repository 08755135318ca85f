"""Drives to a free place between parked cars and parks in it.

It follows its route by the Intelligent Driver Model, as `userprograms/idm_driver.py` does, to where
a manoeuvre into the place begins. The manoeuvre consists of arcs, forwards and backwards; it is
planned while the car drives, from the place into the lane, so that the car comes by its end. It
reads its own true motion; that the place is free is a part of its route. It is a baseline of the
benchmark:

    autosim benchmark run parking --agent parking

The argument is the route: `route=`, its lanes, its length [m], the station [m] of the start and the
place: x, y [m], yaw [rad], length and width [m].
"""

import itertools
import sys

import numpy as np
from driver import Car, Path, Rules, lanes_of, steering_angle
from idm_driver import acceleration_of, pose_of
from scipy.ndimage import binary_erosion

from autosim.control.manoeuvres import (
    CarOutline,
    CarPose,
    FreeSpace,
    ManoeuvreSearch,
    reversed_way,
)
from autosim.kinds.kind import body_of
from autosim.portable import arctan, arctan2, cos, hypot, sin, wrapped
from autosim.userprogram import describe, get_people, get_roads, get_vehicles, set_data, wait

PERIOD = 0.05  # s between two decisions
EXPANSIONS = 50  # poses that the search looks at between two decisions
STEERING = 0.92  # share of the steering angle that plans use; the rest corrects
REACH, CELL = 16.0, 0.1  # m around the place that is searched, and of a cell of its raster
LANE_MARGIN = 0.1  # m within the edge of the lanes that stay free of the car
BETWEEN_LANES = 0.2  # m: half the greatest gap between two lanes side by side
MARGIN = 0.08  # m around the car
INTO_LANE = 0.5  # m by which the room of the place reaches into the lane beside it
NEAR_MIDDLE, STRAIGHT = 0.12, 0.05  # m and rad to the lane, at which the manoeuvre begins
BRAKING = 1.0  # m/s^2 towards the beginning of the manoeuvre
FASTEST, SLOWEST, EASE = 0.9, 0.12, 0.4  # m/s and m/s^2 in the manoeuvre
STANDING = 0.03  # m/s
ARRIVED = 0.03  # m to the end of a part of the manoeuvre
OFFSET_GAIN, ANGLE_GAIN = 1.2, 2.2  # curvature [1/m] per m and per rad beside the manoeuvre
ROOM = 1.5  # m around the car within which it waits for others


def place_of(argument):
    """The place of a route that an argument states: x, y, yaw, length, width; None without one."""
    parts = argument.removeprefix("route=").split(";")
    return tuple(map(float, parts[3].split(","))) if len(parts) > 3 else None


def shape_of(car, robot):
    """The outline of the car about the middle of its rear axle, and its curvature."""
    body = body_of(describe(robot).parts[0])
    curvature = np.tan(STEERING * car.vehicle.max_steering_angle) / car.vehicle.wheelbase
    rear = car.vehicle.rear_axle
    return CarOutline(
        float(body.low[0]) - rear - MARGIN,
        float(body.high[0]) - rear + MARGIN,
        float(max(-body.low[1], body.high[1])) + MARGIN,
        float(curvature),
    )


class Street:
    """The lanes around a place, and the place, as a raster; the route's lane, as points."""

    def __init__(self, roads, points, place):
        x, y, _yaw, _length, _width = place
        self.place = place
        ahead = np.gradient(points[:, :2], axis=0)
        near = hypot(*(points[:, :2] - [x, y]).T) < REACH
        self.points = points[near, :2]
        self.headings = arctan2(ahead[near, 1], ahead[near, 0])
        corner = np.array([x - REACH, y - REACH])
        steps = (np.arange(int(2.0 * REACH / CELL)) + 0.5) * CELL
        cells = np.stack(np.meshgrid(corner[0] + steps, corner[1] + steps), axis=-1)
        lanes, coordinates = roads.nearest_lanes(cells.reshape(-1, 2))
        on_lanes = np.abs(coordinates[:, 1]) < 0.5 * roads.widths[lanes] + BETWEEN_LANES
        # Without the edge, but with the line between two lanes.
        edge = round((BETWEEN_LANES + LANE_MARGIN) / CELL)
        inside = binary_erosion(on_lanes.reshape(cells.shape[:2]), iterations=edge, border_value=1)
        free = inside | self._is_in_place(cells)
        self.space = FreeSpace(tuple(corner.tolist()), CELL, free)

    def _is_in_place(self, cells):
        """Whether cells (..., 2) are in the place, or between it and the lane."""
        x, y, yaw, length, width = self.place
        dx, dy = cells[..., 0] - x, cells[..., 1] - y
        along = cos(yaw) * dx + sin(yaw) * dy
        aside = cos(yaw) * dy - sin(yaw) * dx
        # The side on which the lane is.
        lane = self.points[np.argmin(hypot(*(self.points - [x, y]).T))] - [x, y]
        to_lane = (cos(yaw) * lane[0] + sin(yaw) * lane[1], cos(yaw) * lane[1] - sin(yaw) * lane[0])
        room = INTO_LANE * np.sign(np.round(to_lane, 1))
        return (
            (along > -0.5 * length + min(room[0], 0.0))
            & (along < 0.5 * length + max(room[0], 0.0))
            & (aside > -0.5 * width + min(room[1], 0.0))
            & (aside < 0.5 * width + max(room[1], 0.0))
        )

    def to_lane(self, x, y, yaw):
        """Offset [m] and angle [rad] of a pose to the lane of the route, to the left."""
        row = int(np.argmin(hypot(self.points[:, 0] - x, self.points[:, 1] - y)))
        heading = self.headings[row]
        dx, dy = x - self.points[row, 0], y - self.points[row, 1]
        return cos(heading) * dy - sin(heading) * dx, float(wrapped(yaw - heading))


def ways_into(car, shape, street):
    """The way into the place, as a search that is continued at each turn; None meanwhile."""
    x, y, yaw, *_ = street.place
    rear = car.vehicle.rear_axle
    turned = abs(street.to_lane(x, y, yaw)[1])
    yaws = [yaw] if turned < 0.5 else [yaw, yaw + np.pi]
    starts = [CarPose(x + rear * cos(a), y + rear * sin(a), a) for a in yaws]

    def remaining(x, y, yaw):
        offset, angle = street.to_lane(x, y, yaw)
        away, turn = max(abs(offset) - NEAR_MIDDLE, 0.0), max(abs(angle) - STRAIGHT, 0.0)
        return max(away, turn / shape.max_curvature) + 0.5 * min(away, turn / shape.max_curvature)

    for way in ManoeuvreSearch(shape, street.space, starts, remaining).run(EXPANSIONS):
        yield reversed_way(way) if way else None


def drive_to(robot, car, path, rules, street, ways):
    """Drives along the route to where the manoeuvre begins; returns the manoeuvre."""
    way = None
    place = np.array(street.place[:2])
    while True:
        pose = pose_of(robot)
        path.advance(pose.position)
        way = way or next(ways, None)
        acceleration, _ = acceleration_of(car, pose, path, rules)
        if way:
            left = distance_to(path, pose, car, way[0])
        else:
            # Whichever way is found begins within the reach of the place.
            left = max(hypot(*(place - pose.position)) - REACH, 0.0)
        allowed = np.sqrt(2.0 * BRAKING * max(left, 0.0))
        acceleration = min(acceleration, 1.5 * (allowed - pose.speed))
        push = max(acceleration, 0.0) / car.vehicle.acceleration
        brake = max(-acceleration, 0.0) / car.vehicle.deceleration
        if way and left < ARRIVED:
            push, brake = 0.0, 1.0
        set_data(car.drive, [steering_angle(car, pose, path, 3.0), push, brake])
        wait(PERIOD)
        if way and left < ARRIVED and abs(pose.speed) < STANDING:
            return way


def distance_to(path, pose, car, end):
    """Distance [m] to a pose on the lane, negative behind it."""
    rear = pose.point(car.vehicle.rear_axle)
    away = hypot(end.x - rear[0], end.y - rear[1])
    if away > REACH:
        return away
    return cos(end.yaw) * (end.x - rear[0]) + sin(end.yaw) * (end.y - rear[1])


def is_anyone_near(pose, shape):
    """Whether a vehicle or person that moves, or stands in the way, is at the car."""
    reach = shape.front - shape.rear
    for each in [*get_vehicles(), *get_people()]:
        if hypot(*(each.position[:2] - pose.position)) < 0.5 * reach + ROOM:
            return True
    return False


def parts_of(way):
    """The parts of a way, each a list of poses in one direction."""
    parts = []
    for before, pose in itertools.pairwise(way):
        if not parts or parts[-1][-1].direction != pose.direction:
            parts.append([before])
        parts[-1].append(pose)
    return parts


def follow(robot, car, shape, part):
    """Drives one part of a manoeuvre, and stands at its end."""
    direction = part[-1].direction
    points = np.array([[each.x, each.y] for each in part])
    end = part[-1]
    set_data(car.drive, [float(arctan(part[1].curvature * car.vehicle.wheelbase)), 0.0, 1.0])
    wait(0.3)  # the wheels turn while the car stands
    while True:
        pose = pose_of(robot)
        rear = pose.point(car.vehicle.rear_axle)
        row = int(np.argmin(hypot(*(points - rear).T)))
        following = part[min(row + 1, len(part) - 1)]
        dx, dy = rear - points[row]
        yaw = part[row].yaw
        offset = cos(yaw) * dy - sin(yaw) * dx
        along = cos(yaw) * dx + sin(yaw) * dy
        angle = float(wrapped(pose.yaw - yaw - following.curvature * along))
        curvature = following.curvature - OFFSET_GAIN * offset - direction * ANGLE_GAIN * angle
        limit = car.vehicle.max_steering_angle
        steering = float(np.clip(arctan(curvature * car.vehicle.wheelbase), -limit, limit))
        left = direction * (cos(end.yaw) * (end.x - rear[0]) + sin(end.yaw) * (end.y - rear[1]))
        if row < len(part) - 4:
            left = max(left, 1.0)
        if left < ARRIVED:
            set_data(car.drive, [steering, 0.0, 1.0])
            wait(PERIOD)
            if abs(pose.speed) < STANDING:
                return
            continue
        goal = min(FASTEST, SLOWEST + np.sqrt(2.0 * EASE * left))
        if is_anyone_near(pose, shape):
            goal = 0.0
        acceleration = np.clip(2.0 * (goal - direction * pose.speed), -2.0, 1.0)
        push = direction * max(acceleration, 0.0) / car.vehicle.acceleration
        brake = 1.0 if goal == 0.0 else max(-acceleration, 0.0) / car.vehicle.deceleration
        set_data(car.drive, [steering, push, brake])
        wait(PERIOD)


def drive(robot, argument):
    """Drives `robot` along the route that the argument states, and parks."""
    car, roads, rules = Car(robot), get_roads(), Rules()
    place = place_of(argument)
    if place is None:
        raise SystemExit("the route has no place to park in: use a suite with parking")
    path = Path(roads, pose_of(robot), 0, lanes_of(argument))
    shape = shape_of(car, robot)
    street = Street(roads, path.points, place)
    way = drive_to(robot, car, path, rules, street, ways_into(car, shape, street))
    for part in parts_of(way):
        follow(robot, car, shape, part)
    set_data(car.drive, [0.0, 0.0, 1.0])
    while True:
        wait(1.0)


def main(argv):
    """Parks the robot `argv[0]` by the route that the last argument states."""
    robot, *others = argv
    if not others or not others[-1].startswith("route="):
        raise SystemExit("expected a route to a place: autosim benchmark run parking")
    drive(robot, others[-1])


if __name__ == "__main__":
    main(sys.argv[1:])
