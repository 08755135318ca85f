"""Leads a convoy: one program drives three cars.

The first car follows the streets as in driver.py; each further one follows the trail of the car
before it, at a distance that grows with its speed. One program may drive any number of robots: it
reads and sets their devices by name. docs/tutorials/convoy.md explains it.
"""

from collections import deque

import numpy as np
from driver import (
    PERIOD,
    REPLAN_DISTANCE,
    Car,
    Locator,
    Path,
    free_distance,
    pedals,
    steering_angle,
)

from autosim.userprogram import describe, get_roads, set_data, wait

STANDING_GAP = 5.0  # m between two cars that stand
HEADWAY = 1.0  # s more of gap for each m/s
LEADER_SPEED = 7.0  # m/s
SPACING = 0.5  # m between two points of a trail


class Leader:
    """Follows a route along the streets."""

    def __init__(self, robot, roads, seed):
        self.car = Car(robot)
        self.locator = Locator(self.car.part)
        self.roads, self.seed = roads, seed
        self.path = Path(roads, self.locator.pose, seed)

    def drive(self):
        """Sets the actuator for the next period."""
        pose = self.locator.update(PERIOD)
        self.path.advance(pose.position)
        if self.path.left < REPLAN_DISTANCE:
            self.seed += 1
            self.path = Path(self.roads, pose, self.seed)
        room = min(free_distance(self.car, pose, self.path) - 4.0, self.path.left)
        goal = min(self.path.speed, LEADER_SPEED, np.sqrt(4.0 * max(room, 0.0)))
        steering = steering_angle(self.car, pose, self.path)
        set_data(self.car.drive, [steering, *pedals(self.car, pose.speed, goal)])


class Trail:
    """Where a car has been: the path of the one behind it."""

    def __init__(self, start, end):
        steps = max(2, round(np.hypot(*(end - start)) / SPACING))
        self.points = deque(np.linspace(start, end, steps))

    def extend(self, position):
        """The car before has come to `position`."""
        if np.hypot(*(position - self.points[-1])) > SPACING:
            self.points.append(position)

    def advance(self, position):
        """Forgets what lies behind the car at `position`; returns the metres that are left."""
        points = np.array(self.points)
        behind = int(np.argmin(np.hypot(*(points[:40] - position).T)))
        for _ in range(behind):
            self.points.popleft()
        return np.hypot(*np.diff(points[behind:], axis=0).T).sum()

    def ahead(self, metres):
        """The point that many metres ahead."""
        return self.points[min(round(metres / SPACING), len(self.points) - 1)]


class Follower:
    """Follows the trail of the car before it."""

    def __init__(self, robot, before):
        self.car = Car(robot)
        self.before = before
        self.length = describe(before.car.part).size[0]
        self.locator = Locator(self.car.part)
        self.trail = Trail(self.locator.pose.position, before.locator.pose.position)

    def drive(self):
        """Sets the actuator for the next period."""
        pose = self.locator.update(PERIOD)
        before = self.before.locator.pose
        self.trail.extend(before.position)
        gap = self.trail.advance(pose.position) - self.length
        goal = before.speed + 0.5 * (gap - STANDING_GAP - HEADWAY * pose.speed)
        push, brake = pedals(self.car, pose.speed, max(goal, 0.0))
        if gap < STANDING_GAP / 2 and pose.speed < 0.5:
            push, brake = 0.0, 1.0
        steering = steering_angle(self.car, pose, self.trail)
        set_data(self.car.drive, [steering, push, brake])


def main(argv):
    """Drives the cars `argv`, the first one ahead; `argv[0]` is the robot of the program."""
    cars = [Leader(argv[0], get_roads(), seed=0)]
    for robot in argv[1:]:
        cars.append(Follower(robot, cars[-1]))
    while True:
        for car in cars:
            car.drive()
        wait(PERIOD)
