"""Drives a car along the streets: the user program of the demo.

It knows the map of the streets, the measures of its car, and of the rest only what its sensors say:
a GPS receiver, a compass, a velocimeter, an inclinometer and PSD distance sensors that look ahead.
It follows a route lane after lane, slows down in time for curves, and stops before what stands in
its way, at red signals and at stop signs. Where it has to give way it comes slowly, so that its
sensors see who goes first.

Run it by naming it in a world file, or on a client:

    autosim client --program userprograms/driver.py --robot impreza
"""

from dataclasses import dataclass

import numpy as np

from autosim.kinds.kinematic.kinematic_vehicle import HOLD
from autosim.portable import arctan2, cos, hypot, sin
from autosim.robots import DriveActuator, KinematicVehicle, PSDSensor
from autosim.userprogram import (
    Control,
    SignalState,
    describe,
    get_data,
    get_roads,
    measure,
    read_rmc,
    route,
    set_data,
    to_local,
    wait,
)

PERIOD = 0.05  # s between two decisions

TOP_SPEED = 14.0  # m/s
LATERAL_ACCELERATION = 1.8  # m/s^2 in curves
DECELERATION = 2.0  # m/s^2 towards curves and obstacles
LAG = 0.5  # s by which its speed follows what it wants: without it the last metre takes full brakes

AMBER_DECELERATION = 3.0  # m/s^2 up to which it stops at amber
LINE_MARGIN = 0.7  # m from the bumper to a stop line
GIVE_WAY_SPEED = 5.0  # m/s at which it comes to where it gives way
HALT_SPEED = 0.2  # m/s below which it stands

STOP_DISTANCE = 4.0  # m from the bumper to an obstacle
LANE_MARGIN = 1.5  # m beside the path within which an obstacle matters
BEAM_HEIGHT = 0.25  # m over the road below which a beam has met the road itself
HORIZON = 2000.0  # m of route planned at a time
REPLAN_DISTANCE = 100.0  # m of route left when it is planned anew
AHEAD = 0.9  # a beam looks ahead whose direction has at least this share forward


class Car:
    """What the robot's description says of the car.

    `part` is the qualified name of the part that carries all, `drive` that of its actuator, which
    may be a kinematic vehicle (`is_kinematic`) whose steering follows after a `delay` [s],
    `vehicle` the measures, `beams` the names and records of the PSD sensors that look ahead,
    `trailers` the actuators of the other parts, which only brake, `front` how far [m] it reaches
    ahead of its middle.
    """

    def __init__(self, robot):
        self.vehicle = measure(robot)
        self.part = f"{robot}.{self.vehicle.part}"
        self.drive = f"{self.part}.{self.vehicle.actuator}"
        devices = describe(robot).devices
        kinematic = next((each for each in devices if isinstance(each, KinematicVehicle)), None)
        self.is_kinematic = kinematic is not None
        self.delay = delay_of(kinematic) if kinematic else 0.0
        self.beams = {
            f"{self.part}.{each.name}": each
            for each in describe(robot).devices
            if isinstance(each, PSDSensor) and each.direction[0] > AHEAD
        }
        axle = self.vehicle.rear_axle + self.vehicle.wheelbase
        self.front = max([axle, *(each.position[0] for each in self.beams.values())])
        drives = [each for each in describe(robot).devices if isinstance(each, DriveActuator)]
        names = [f"{robot}.{each.part}.{each.name}" for each in drives]
        self.trailers = [name for name in names if name != self.drive]

    def command(self, steering, speed, goal):
        """Steers [rad], and brings `speed` to `goal` [m/s]."""
        if self.is_kinematic:
            # Some models take the acceleration, others the velocity.
            is_held = goal < 0.1 and speed < 0.5
            acceleration = HOLD if is_held else acceleration_to(speed, goal)
            set_data(self.drive, [acceleration, goal, steering])
            return
        push, brake = pedals(self, speed, goal)
        if goal < 0.1:
            push, brake = 0.0, 1.0
        set_data(self.drive, [steering, push, brake])
        for trailer in self.trailers:
            set_data(trailer, [0.0, 0.0, brake])


def delay_of(vehicle):
    """Time [s] in which the steering of a kinematic vehicle follows: dead time, and its lag."""
    return sum(
        vehicle.number(each.name)
        for each in vehicle.law.parameters
        if each.name in ("steer_time_delay", "steer_time_constant")
    )


@dataclass
class Pose:
    """Where the car believes to be: middle of the car [m] in W, yaw [rad], speed [m/s]."""

    position: np.ndarray
    yaw: float
    speed: float

    def point(self, x, y=0.0):
        """A place `x` ahead and `y` to the left of the middle of the car, in W."""
        c, s = cos(self.yaw), sin(self.yaw)
        return self.position + np.array([c * x - s * y, s * x + c * y])


class Locator:
    """Where the car is: dead reckoning by compass and velocimeter, corrected by each GPS fix."""

    TRUST = 0.3  # weight of a new fix

    def __init__(self, part):
        self._part = part
        self._sentence = ""
        self.pose = Pose(self._fix(), 0.0, 0.0)
        self.update(0.0)

    def _fix(self):
        self._sentence = get_data(f"{self._part}.gps")
        fix = read_rmc(self._sentence)
        return to_local(fix.latitude, fix.longitude)

    def update(self, seconds):
        """The pose `seconds` after the last one."""
        yaw = np.pi / 2 - get_data(f"{self._part}.compass")
        speed = get_data(f"{self._part}.velocimeter")
        position = self.pose.position + seconds * speed * np.array([cos(yaw), sin(yaw)])
        if get_data(f"{self._part}.gps") != self._sentence:
            position += self.TRUST * (self._fix() - position)
        self.pose = Pose(position, yaw, speed)
        return self.pose


class Path:
    """A route as one curve, sampled every metre, with the speed to have at each place."""

    STEP = 1.0  # m

    def __init__(self, roads, pose, seed):
        lane, start, _ = roads.nearest_lane(pose.position, pose.yaw)
        lanes = route(roads, lane, length=HORIZON, seed=seed)
        lines = [roads.lanes[index].centre_line for index in lanes]
        limits = [
            np.full(len(roads.lanes[i].centre_line), roads.lanes[i].speed_limit) for i in lanes
        ]
        points, limits = np.vstack(lines), np.concatenate(limits)
        stations = np.append(0.0, np.cumsum(hypot(*np.diff(points[:, :2], axis=0).T)))
        stations, first = np.unique(stations, return_index=True)
        self._s = np.arange(0.0, stations[-1], self.STEP)
        self.points = np.column_stack(
            [np.interp(self._s, stations, points[first, axis]) for axis in range(3)]
        )
        self._speeds = self._plan_speeds(np.interp(self._s, stations, limits[first]))
        self._index = round(start / self.STEP)
        starts = np.cumsum([0.0, *(roads.lanes[index].length for index in lanes)])
        self._lines = [
            (begin + roads.lanes[index].stop_line, roads.lanes[index])
            for begin, index in zip(starts[:-1], lanes, strict=True)
            if roads.lanes[index].stop_line is not None
        ]

    def _plan_speeds(self, limits):
        """The highest speeds that keep to the limits, to the tyres and to the brakes."""
        ahead = np.gradient(self.points[:, :2], self.STEP, axis=0)
        heading = np.unwrap(arctan2(ahead[:, 1], ahead[:, 0]))
        bends = np.pad(np.gradient(heading, self.STEP), 2)
        curvature = np.abs(np.lib.stride_tricks.sliding_window_view(bends, 5).mean(axis=1))
        curve = np.sqrt(LATERAL_ACCELERATION / np.maximum(curvature, 1e-4))
        speeds = np.minimum(np.minimum(limits, TOP_SPEED), curve)
        speeds[-1] = 0.0
        braking = 2 * DECELERATION * self._s
        least = np.minimum.accumulate((speeds**2 + braking)[::-1])[::-1]
        return np.sqrt(np.maximum(least - braking, 0.0))

    @property
    def left(self):
        """Metres to the end."""
        return self._s[-1] - self._s[self._index]

    def advance(self, position):
        """Moves on to the place nearest to `position`, a little ahead of the last one."""
        window = self.points[self._index : self._index + 20, :2]
        self._index += int(np.argmin(hypot(*(window - position).T)))

    def ahead(self, metres):
        """The point (3,) that many metres ahead."""
        index = min(self._index + round(metres / self.STEP), len(self.points) - 1)
        return self.points[index]

    def lines(self, front):
        """The stop lines ahead of the bumper: metres to each, and its lane."""
        bumper = self._s[self._index] + front
        return [(at - bumper, lane) for at, lane in self._lines if at > bumper]

    @property
    def speed(self):
        """Speed [m/s] to have here."""
        return self._speeds[min(self._index + 1, len(self._speeds) - 1)]

    def obstacle(self, place):
        """Metres along the path to `place` (2,), None if it is beside the path."""
        window = self.points[self._index : self._index + 60, :2]
        distances = hypot(*(window - place).T)
        nearest = int(np.argmin(distances))
        return nearest * self.STEP if distances[nearest] < LANE_MARGIN else None


def steering_angle(car, pose, path):
    """Pure pursuit: the circle from the rear axle through a point of the path ahead.

    Source: Coulter, Implementation of the Pure Pursuit Path Tracking Algorithm, CMU, 1992.
    """
    rear = pose.point(car.vehicle.rear_axle)
    metres = 2.5 + (0.4 + car.delay) * abs(pose.speed)
    goal = path.ahead(metres)[:2] - rear
    bearing = arctan2(goal[1], goal[0]) - pose.yaw
    return arctan2(2 * car.vehicle.wheelbase * sin(bearing), hypot(*goal))


def free_distance(car, pose, path):
    """Metres from the bumper to the nearest obstacle on the path, as the PSD sensors see it."""
    free = np.inf
    pitch = get_data(f"{car.part}.inclinometer_pitch")
    for name, beam in car.beams.items():
        distance = get_data(name)
        if distance > beam.range - 0.5:
            continue
        x, y, z = beam.position
        hit = pose.point(x + distance * beam.direction[0], y + distance * beam.direction[1])
        along = path.obstacle(hit)
        if along is None:
            continue
        height = (
            car.vehicle.height
            + z
            + distance * sin(pitch)
            - (path.ahead(along)[2] - path.ahead(0.0)[2])
        )
        if height > BEAM_HEIGHT:
            free = min(free, distance)
    return free


def acceleration_to(speed, goal):
    """Acceleration [m/s^2] that brings `speed` to `goal` [m/s]."""
    return np.clip(1.5 * (goal - speed), -6.0, 2.0)


class Rules:
    """What signals and signs ask of the car."""

    def __init__(self):
        self._halted_at = None

    def speed(self, lines, speed):
        """The highest speed [m/s] that they allow at a speed, of lines as `Path.lines` gives."""
        allowed = np.inf
        for gap, lane in lines:
            room = max(gap - LINE_MARGIN, 0.0)
            if self._has_to_stop(lane, room, speed):
                room = max(room - LAG * speed, 0.0)
                allowed = min(allowed, np.sqrt(2 * DECELERATION * room))
            elif lane.control in (Control.GIVE_WAY, Control.EQUAL):
                allowed = min(allowed, np.sqrt(GIVE_WAY_SPEED**2 + 2 * DECELERATION * room))
        return allowed

    def _has_to_stop(self, lane, room, speed):
        if lane.control in (Control.STOP, Control.ALL_WAY_STOP):
            if room < 1.0 and speed < HALT_SPEED:
                self._halted_at = lane.index
            return self._halted_at != lane.index
        if lane.signal == SignalState.AMBER:
            return speed**2 / (2 * AMBER_DECELERATION) <= room
        return lane.signal in (SignalState.RED, SignalState.RED_AMBER)


def pedals(car, speed, goal):
    """Shares of motor force and brake force that bring `speed` to `goal` [m/s]."""
    acceleration = acceleration_to(speed, goal)
    if acceleration >= -0.2:
        return max(acceleration, 0.0) / car.vehicle.acceleration, 0.0
    return 0.0, -acceleration / car.vehicle.deceleration


def drive(robot, seed=0, look=lambda car, path: None):
    """Drives `robot` for ever along routes of `seed`; calls `look` with the car and its path."""
    car, roads = Car(robot), get_roads()
    locator, rules = Locator(car.part), Rules()
    path = Path(roads, locator.pose, seed)
    while True:
        pose = locator.update(PERIOD)
        path.advance(pose.position)
        if path.left < REPLAN_DISTANCE:
            seed += 1
            path = Path(roads, pose, seed)
        gap = free_distance(car, pose, path) - STOP_DISTANCE
        goal = min(path.speed, np.sqrt(2 * DECELERATION * max(gap, 0.0)))
        goal = min(goal, rules.speed(path.lines(car.front), pose.speed))
        car.command(steering_angle(car, pose, path), pose.speed, goal)
        look(car, path)
        wait(PERIOD)


def main(argv):
    """Drives the robot `argv[0]` for ever; `argv[1]` is the seed of the route (default 0)."""
    drive(argv[0], int(argv[1]) if len(argv) > 1 else 0)
