"""Follows its route by the Intelligent Driver Model, and knows everything exactly.

It reads its own true motion, and where vehicles and people are; no sensor is involved. The leader
is the nearest of them on its route, or the next stop line at which it has to wait. It is a baseline
of the benchmark: it follows and stops well, and foresees nothing.

    autosim benchmark run town --agent idm

The arguments are those of `userprograms/driver.py`. The world has to let programs read the true
motion of the car, as the benchmark's track `state` does.

Source: Treiber, Hennecke, Helbing: Congested Traffic States in Empirical Observations and
Microscopic Simulations, Physical Review E 62, 2000.
"""

import sys

import numpy as np
from driver import Car, Path, Pose, Rules, lanes_of, steering_angle

from autosim.portable import arctan2, cos, hypot, sin
from autosim.userprogram import (
    get_people,
    get_roads,
    get_state_truth,
    get_vehicles,
    set_data,
    wait,
)

PERIOD = 0.05  # s between two decisions
MAX_ACCELERATION, BRAKING = 1.4, 2.0  # m/s^2: a and b of the model
MIN_GAP, TIME_GAP = 2.5, 1.4  # m and s: s0 and T
HARDEST = 6.0  # m/s^2
SIGHT = 60.0  # m of route ahead that are searched for leaders
SIDE_ROOM = 0.4  # m beside the car within which others are in the way
PERSON_RADIUS = 0.4  # m
SAME_LEVEL = 3.0  # m of height within which others are on the same street


def pose_of(robot):
    """The true pose of the robot."""
    truth = get_state_truth(robot)
    qx, qy, qz, qw = truth.orientation
    yaw = arctan2(2.0 * (qx * qy + qw * qz), 1.0 - 2.0 * (qy * qy + qz * qz))
    vx, vy = truth.velocity[:2]
    speed = cos(yaw) * vx + sin(yaw) * vy
    return Pose(np.array(truth.position[:2]), float(yaw), float(speed))


def idm(speed, wanted, gap, closing):
    """Acceleration [m/s^2] at a `gap` [m] to a leader that it approaches by `closing` [m/s]."""
    free = 1.0 - (speed / max(wanted, 0.1)) ** 4
    desired = MIN_GAP + max(
        0.0, speed * TIME_GAP + speed * closing / (2.0 * np.sqrt(MAX_ACCELERATION * BRAKING))
    )
    return MAX_ACCELERATION * (free - (desired / max(gap, 0.1)) ** 2)


def leaders(car, pose, path):
    """Gap [m] and speed along the route [m/s] of each road user that is on the route ahead."""
    points, stations = path.near(0.0, SIGHT)
    if len(points) < 2:
        return
    ahead = np.gradient(points[:, :2], axis=0)
    for each in [*get_vehicles(), *get_people()]:
        if hypot(*(each.position[:2] - pose.position)) > SIGHT:
            continue
        half_length = 0.5 * getattr(each, "length", 2.0 * PERSON_RADIUS)
        half_width = 0.5 * getattr(each, "width", 2.0 * PERSON_RADIUS)
        c, s = cos(each.yaw), sin(each.yaw)
        # Its corners and its middle: whichever is on the route first.
        places = [
            each.position[:2] + np.array([c * x - s * y, s * x + c * y])
            for x, y in (
                (0.0, 0.0),
                *((i * half_length, j * half_width) for i in (-1, 1) for j in (-1, 1)),
            )
        ]
        gaps = hypot(*(np.array(places)[:, None] - points[None, :, :2]).transpose(2, 0, 1))
        on_route = (gaps < car.half_width + SIDE_ROOM).any(axis=0)
        on_route &= np.abs(points[:, 2] - each.position[2]) < SAME_LEVEL
        rows = np.flatnonzero(on_route & (stations > car.front))
        if len(rows):
            row = rows[0]
            along = float(ahead[row, 0] * c + ahead[row, 1] * s) * each.speed
            yield float(stations[row] - car.front), max(along, 0.0)


def acceleration_of(car, pose, path, rules):
    """Acceleration [m/s^2] by the Intelligent Driver Model, and the speed wanted [m/s]."""
    wanted = max(float(min(path.speed, rules.speed(path.lines(car.front), pose.speed))), 0.0)
    acceleration = 1.5 * (wanted - pose.speed)
    for gap, speed in leaders(car, pose, path):
        closing = pose.speed - speed
        acceleration = min(acceleration, idm(pose.speed, max(wanted, 0.1), gap, closing))
    acceleration = float(np.clip(acceleration, -HARDEST, MAX_ACCELERATION))
    if wanted < 0.1 and pose.speed < 0.5:
        acceleration = -HARDEST
    return acceleration, wanted


def drive(robot, lanes, seed=0):
    """Drives `robot` along `lanes`, or along a route of `seed` where they are None."""
    car, roads, rules = Car(robot), get_roads(), Rules()
    path = Path(roads, pose_of(robot), seed, lanes)
    while True:
        pose = pose_of(robot)
        path.advance(pose.position)
        acceleration, _ = acceleration_of(car, pose, path, rules)
        push = max(acceleration, 0.0) / car.vehicle.acceleration
        brake = max(-acceleration, 0.0) / car.vehicle.deceleration
        set_data(car.drive, [steering_angle(car, pose, path), push, brake])
        wait(PERIOD)


def main(argv):
    """Drives the robot `argv[0]` along the route or by the seed that the last argument states."""
    robot, *others = argv
    if others and others[-1].startswith("route="):
        drive(robot, lanes_of(others[-1]))
    else:
        drive(robot, None, int(others[0]) if others else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
