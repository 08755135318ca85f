"""Drives along lanes as it has learned to, with a small network instead of rules.

It knows the map, and where it is as `userprograms/driver.py` does. What lies ahead on its lane
become sixteen numbers, two layers of a network make steering and pedal of them ten times a second.
`examples/learn_to_drive.py` has trained it in some five minutes, in cars without forces; it has
learned nothing about signals, signs and others on the road.

Policies that `autosim train` has written also see the distance to the goal, and the road users
ahead and near, as the traffic of the world reports them; nothing about signals and signs. Where
traffic keeps to the left, they see and steer as in a mirror.

    autosim server worlds/learned_driver.xml

An argument after the robot's name is another file of weights, made by either of them.
"""

import sys
from pathlib import Path

import numpy as np
from driver import Car, Locator, lanes_of

from autosim.portable import cos, sin
from autosim.robots import DriveActuator
from autosim.tracks import conflict_view, lane_view, neighbour_view
from autosim.tracks.lane_paths import make_paths, path_through
from autosim.tracks.mirrored_view import lane_signs, neighbour_signs
from autosim.userprogram import describe, get_people, get_roads, get_vehicles, set_data, wait
from autosim.world.lanes.traffic_side import keeps_left

PERIOD = 0.1  # s between two decisions, as in training
HORIZON = 2000.0  # m of route planned at a time
REPLAN_DISTANCE = 100.0  # m of route left when it is planned anew

# What actions stand for, as in training: autosim/environments/action_mapping.py.
MOST_STEERING = 0.5  # rad, at 1
SWIFTEST, HARDEST_BRAKING = 3.0, 6.0  # m/s^2, at 1 and -1
CREEP_ACCELERATION, CREEP_SPEED = 0.6, 2.0  # m/s^2 and m/s, at 0

# Units of what is seen, as in training; five of them are the most.
GOAL_UNIT = 100.0  # m to the goal
WAITING_UNIT = 10.0  # s without motion
MOVING = 0.2  # m/s

PERSON = 0.3  # m, half the width of a person


class Network:
    """Layers of tanh or softsign, and one of sums.

    `observed`: how many road users it sees; None, if it sees the lane alone.
    """

    def __init__(self, file):
        with np.load(file) as arrays:
            count = sum(each.startswith("weight_") for each in arrays.files)
            self._layers = [(arrays[f"weight_{k}"], arrays[f"bias_{k}"]) for k in range(count)]
            self.observed = int(arrays["observed"]) if "has_goal" in arrays.files else None
            is_softsign = str(arrays.get("activation", "")) == "softsign"
        self._bend = softsign if is_softsign else np.tanh

    def __call__(self, seen):
        """The action for what is seen."""
        *inner, (weight, bias) = self._layers
        for inner_weight, inner_bias in inner:
            seen = self._bend(inner_weight @ seen + inner_bias)
        return np.clip(weight @ seen + bias, -1.0, 1.0)


def softsign(x):
    """Numbers bent into -1 to 1."""
    return x / (1.0 + np.abs(x))


def boxes_around():
    """Place, heading, half length, half width and velocity of all road users."""
    users = [*get_vehicles(), *get_people()]
    boxes = np.zeros((len(users), 8))
    for box, user in zip(boxes, users, strict=True):
        box[:3], box[3] = user.position, user.yaw
        box[4] = 0.5 * getattr(user, "length", 2.0 * PERSON)
        box[5] = 0.5 * getattr(user, "width", 2.0 * PERSON)
        box[6:] = user.speed * cos(user.yaw), user.speed * sin(user.yaw)
    return boxes


class View:
    """What lies ahead on the route, from where the car is."""

    def __init__(self, roads, pose, seed, lanes=None):
        if lanes is None:
            lane, _, _ = roads.nearest_lane(pose.position, pose.yaw)
            self._paths = make_paths(roads, count=1, length=HORIZON, seed=seed, lanes=[lane])
        else:
            self._paths = path_through(roads, lanes, length=np.inf)
        self._path, self._rows = np.zeros(1, dtype=np.int64), np.full(1, -1)
        self._views, self._told = np.zeros((1, lane_view.WIDTH)), np.zeros((1, lane_view.PLACES))
        self._waited = 0.0
        self._length = (len(self._paths.points) - 1) * lane_view.SPACING

    def look(self, pose, steering):
        """The sixteen numbers."""
        poses = np.array([[*pose.position, pose.yaw, pose.speed]])
        lane_view.observe_lane(
            *(self._paths, self._path, self._rows, poses),
            *(np.array([steering]), self._views, self._told),
        )
        return self._views[0]

    def look_around(self, pose, steering, observed):
        """The sixteen numbers, goal, time without motion, conflicts ahead and near road users."""
        lane = np.clip(self.look(pose, steering), -5.0, 5.0)
        self._waited = 0.0 if abs(pose.speed) > MOVING else self._waited + PERIOD
        goal = min(max(self.left / GOAL_UNIT, 0.0), 5.0)
        row = self._rows[0]
        car = np.array([*pose.position, self._paths.points[row, 2], pose.yaw, pose.speed])
        boxes = boxes_around()
        conflicts = np.zeros(conflict_view.WIDTH)
        station = self._told[0, lane_view.STATION]
        conflict_view.observe_conflicts(self._paths, 0, row, station, car, boxes, -1, conflicts)
        near = np.zeros(observed * neighbour_view.NEIGHBOUR_WIDTH)
        neighbour_view.observe_neighbours(car, boxes, -1, near)
        waited = min(self._waited / WAITING_UNIT, 5.0)
        return np.clip(np.concatenate([lane, [goal, waited], conflicts, near]), -5.0, 5.0)

    @property
    def left(self):
        """Metres to the end of the route."""
        return self._length - self._told[0, lane_view.STATION]


def mirror(observed):
    """Signs of what is seen, in the order of `View.look_around`, in a mirror."""
    same = np.ones(2 + conflict_view.WIDTH)
    return np.concatenate([lane_signs(), same, neighbour_signs(observed)])


def shares(robot):
    """What its actuator is told at actions of 1: steering [rad], acceleration, brake."""
    described = describe(robot)
    (actuator,) = (each for each in described.devices if isinstance(each, DriveActuator))
    strongest = actuator.motor_force / sum(part.mass for part in described.parts)
    return (
        min(MOST_STEERING, actuator.max_steering_angle),
        min(1.0, SWIFTEST / strongest) if strongest else 1.0,
        min(1.0, HARDEST_BRAKING / actuator.brake_force),
    )


def acceleration_of(pedal, speed):
    """The acceleration [m/s^2] that a pedal in [-1, 1] asks for."""
    creep = CREEP_ACCELERATION * max(0.0, 1.0 - abs(speed) / CREEP_SPEED)
    return creep + (SWIFTEST * pedal if pedal > 0.0 else HARDEST_BRAKING * pedal**3)


def main(argv):
    """Drives for ever; the last argument may be a route, as of `userprograms/driver.py`."""
    robot, *files = argv
    is_routed = bool(files) and files[-1].startswith("route=")
    lanes = lanes_of(files.pop()) if is_routed else None
    network = Network(files[0] if files else Path(__file__).with_suffix(".npz"))
    car, (most, swiftest, hardest) = Car(robot), shares(robot)
    locator, seed, steering = Locator(car.part), 0, 0.0
    view = View(get_roads(), locator.pose, seed, lanes)
    observed = network.observed
    is_mirrored = observed is not None and keeps_left(get_roads())
    while True:
        pose = locator.update(PERIOD)
        view.look(pose, steering)
        if lanes is None and view.left < REPLAN_DISTANCE:
            seed += 1
            view = View(get_roads(), pose, seed)
        if observed is None:
            seen = view.look(pose, steering)
        else:
            seen = view.look_around(pose, steering, observed)
        if is_mirrored:
            seen = seen * mirror(observed)
        steering, pedal = network(seen).tolist()
        steering = -steering if is_mirrored else steering
        wanted = acceleration_of(pedal, pose.speed)
        forward, braking = max(wanted, 0.0) / SWIFTEST, max(-wanted, 0.0) / HARDEST_BRAKING
        set_data(car.drive, [steering * most, min(forward, 1.0) * swiftest, braking * hardest])
        wait(PERIOD)


if __name__ == "__main__":
    main(sys.argv[1:])
