"""Drives a kinematic vehicle along the streets, by the devices of an Autoware planner.

It looks where the robot believes to be, pursues a point ahead on a route of lanes, and sets the
acceleration and the steering angle that lead there. Each command says when it was made: one that
came late would be braked for.

    autosim server worlds/kinematic.xml
"""

import numpy as np

from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.portable import arctan2, cos, hypot, sin
from autosim.userprogram import describe, get_roads, get_state_estimate, get_time, set_data, wait
from autosim.world.lanes.routing import route

PERIOD = 0.05  # s between two commands
TOP_SPEED = 10.0  # m/s
LATERAL_ACCELERATION = 1.5  # m/s^2 in curves
HARDEST = 2.5  # m/s^2 of brakes
HORIZON = 2000.0  # m of route planned at a time
STEP = 1.0  # m between two points of the route


def line_of(roads, place, yaw, seed):
    """A route from `place` on: its points (n, 2), `STEP` apart."""
    lane, start, _ = roads.nearest_lane(place, yaw)
    lanes = route(roads, lane, length=HORIZON, seed=seed)
    points = np.vstack([roads.lanes[index].centre_line[:, :2] for index in lanes])
    stations = np.append(0.0, np.cumsum(hypot(*np.diff(points, axis=0).T)))
    stations, first = np.unique(stations, return_index=True)
    s = np.arange(start, stations[-1], STEP)
    return np.column_stack([np.interp(s, stations, points[first, k]) for k in range(2)])


def speeds_of(points):
    """The speeds (n,) [m/s] that curves and brakes allow; the last is 0."""
    ahead = np.gradient(points, STEP, axis=0)
    heading = np.unwrap(arctan2(ahead[:, 1], ahead[:, 0]))
    curvature = np.abs(np.convolve(np.gradient(heading, STEP), np.full(5, 0.2), "same"))
    speeds = np.minimum(TOP_SPEED, np.sqrt(LATERAL_ACCELERATION / np.maximum(curvature, 1e-4)))
    speeds[-1] = 0.0
    braking = 2.0 * 0.5 * HARDEST * STEP * np.arange(len(points))
    least = np.minimum.accumulate((speeds**2 + braking)[::-1])[::-1]
    return np.sqrt(np.maximum(least - braking, 0.0))


class Car:
    """Where a kinematic vehicle is, and what it is told."""

    def __init__(self, robot):
        device = next(d for d in describe(robot).devices if isinstance(d, KinematicVehicle))
        self._robot, self._device = robot, f"{robot}.{device.part}.{device.name}"
        self.wheelbase = device.number("wheelbase")
        self._rear = device.reference_offset
        self.look()

    def look(self):
        """Takes place (2,) [m] of the rear axle, yaw [rad] and speed [m/s] from the belief."""
        belief = get_state_estimate(self._robot)
        x, y, z, w = belief.orientation
        self.yaw = arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        forward = np.array([cos(self.yaw), sin(self.yaw)])
        self.place = belief.position[:2] + self._rear * forward
        self.height = belief.position[2]
        self.speed = float((belief.velocity[:2] * forward).sum())

    def command(self, acceleration, steering):
        """Sets acceleration [m/s^2] and steering angle [rad]; the velocity is of no effect."""
        set_data(self._device, [acceleration, 0.0, steering, 0.0, get_time()])


def drive(robot, seed=0):
    """Drives `robot` for ever along routes of `seed`."""
    car, roads = Car(robot), get_roads()
    points = np.zeros((0, 2))
    while True:
        car.look()
        if at_end(points):
            points = line_of(roads, np.append(car.place, car.height), car.yaw, seed)
            speeds, seed = speeds_of(points), seed + 1
        nearest = int(np.argmin(hypot(*(points[:30] - car.place).T)))
        points, speeds = points[nearest:], speeds[nearest:]
        ahead = points[min(round((3.0 + 0.5 * car.speed) / STEP), len(points) - 1)] - car.place
        bearing = arctan2(ahead[1], ahead[0]) - car.yaw
        steering = arctan2(2.0 * car.wheelbase * sin(bearing), hypot(*ahead))
        goal = speeds[min(round(0.5 * car.speed / STEP) + 1, len(speeds) - 1)]
        car.command(float(np.clip(goal - car.speed, -HARDEST, 1.5)), steering)
        wait(PERIOD)


def at_end(points):
    """Whether a route is so short that a new one is due."""
    return len(points) < 60.0 / STEP


def main(argv):
    """Drives the robot `argv[0]` for ever; `argv[1]` is the seed of the route (default 0)."""
    drive(argv[0], int(argv[1]) if len(argv) > 1 else 0)
