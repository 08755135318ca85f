"""Drives a car along the streets: the user program of the demo.

It knows the map of the streets and the measures of its car. Its sensors are a GPS receiver, a
compass, a velocimeter, an inclinometer and PSD distance sensors that look ahead. Of traffic it is
given what a complete perception would find: where vehicles and people are, and how fast they move.

It follows a route lane after lane, slows down in time for curves, and stops at red signals, at stop
signs, and before whatever is in its way or will be: for some seconds it foresees where vehicles
drive along their lanes and where people walk. Nose to nose with a vehicle, it backs away.

Run it by naming it in a world file, or on a client:

    autosim client --program userprograms/driver.py --robot impreza
"""

from dataclasses import dataclass

import numpy as np

from autosim.kinds.kinematic.kinematic_vehicle import HOLD
from autosim.portable import arctan2, cos, hypot, sin
from autosim.robots import DriveActuator, KinematicVehicle, PSDSensor
from autosim.traffic.vehicle_kinds import Light
from autosim.userprogram import (
    Control,
    SignalState,
    describe,
    get_data,
    get_people,
    get_roads,
    get_vehicle_info,
    get_vehicles,
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

SIGHT = 60.0  # m within which it heeds traffic
SECONDS = np.arange(0.0, 4.01, 0.5)  # s ahead for which it foresees where others are
MARGIN_SECONDS = 1.0  # s between the car and others at one place
CROSSING_DISTANCE = 2.0  # m from the bumper to the way of others
VEHICLE_ROOM, PERSON_ROOM, STANDING_ROOM = 0.25, 0.5, 0.2  # m beside vehicles and people
PERSON_RADIUS = 0.35  # m
NEAR_PERSON, NEAR_PERSON_SPEED = 2.6, 5.0  # m beside the path; m/s at which it passes people there
BODY_BESIDE_TRACK = 0.15  # m by which the body reaches beyond the middles of the wheels
SAME_WAY = 0.7  # cosine of the angle between two that drive the same way
SAME_LEVEL = 3.0  # m of height within which others are on the same street, not under a bridge
PULL_OFF = 0.8  # m/s^2 of others that have begun to move

FACED_SECONDS = 4.0  # s of standing nose to nose after which it backs away
FACED_DISTANCE = 12.0  # m to a vehicle that it stands nose to nose with
BACKING_SPEED, BACKING_METRES = 1.5, 30.0  # how it backs away, and how far at most
BACKWARDS = -8.0  # m ahead of the car to the point that it steers by in doing so
BEHIND_ROOM = 6.0  # m to others behind it, below which it does not back


class Car:
    """What the robot's description says of the car.

    `part` is the qualified name of the part that carries all, `drive` that of its actuator, which
    may be a kinematic vehicle (`is_kinematic`) whose steering follows after a `delay` [s],
    `vehicle` the measures, `beams` the names and records of the PSD sensors that look ahead,
    `trailers` the actuators of the other parts, which only brake, `front` how far [m] it reaches
    ahead of its middle.
    """

    def __init__(self, robot):
        self.vehicle = get_vehicle_info(robot)
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
        self.half_width = self.vehicle.track / 2.0 + BODY_BESIDE_TRACK
        self.trailers = [name for name in names if name != self.drive]

    @property
    def can_back(self):
        """Whether it can drive backwards: trailers would jackknife, kinematic models may not."""
        return not self.is_kinematic and not self.trailers

    def back(self, steering, speed, goal):
        """Steers [rad], and brings `speed`, negative backwards, to `goal` [m/s], negative."""
        acceleration = np.clip(1.5 * (goal - speed), -2.0, 2.0)
        push = min(acceleration, 0.0) / self.vehicle.acceleration
        set_data(self.drive, [steering, push, max(acceleration, 0.0) / self.vehicle.deceleration])

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

    def __init__(self, roads, pose, seed, lanes=None):
        lane, start, _ = roads.nearest_lane(pose.position, pose.yaw)
        if lanes is None:
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
        """Moves to the place nearest to `position`, near the last one."""
        first = max(self._index - 10, 0)
        window = self.points[first : self._index + 20, :2]
        self._index = first + int(np.argmin(hypot(*(window - position).T)))

    def ahead(self, metres):
        """The point (3,) that many metres ahead."""
        index = self._index + round(metres / self.STEP)
        index = min(max(index, 0), len(self.points) - 1)
        return self.points[index]

    def lines(self, front):
        """The stop lines ahead of the bumper: metres to each, and its lane."""
        bumper = self._s[self._index] + front
        return [(at - bumper, lane) for at, lane in self._lines if at > bumper]

    @property
    def speed(self):
        """Speed [m/s] to have here."""
        return self._speeds[min(self._index + 1, len(self._speeds) - 1)]

    def near(self, behind, ahead):
        """The points (n, 3) from some metres behind to some metres ahead, and metres to each."""
        first = max(self._index - round(behind / self.STEP), 0)
        last = min(self._index + round(ahead / self.STEP), len(self.points))
        return self.points[first:last], self._s[first:last] - self._s[self._index]

    def obstacle(self, place):
        """Metres along the path to `place` (2,), None if it is beside the path."""
        window = self.points[self._index : self._index + 60, :2]
        distances = hypot(*(window - place).T)
        nearest = int(np.argmin(distances))
        return nearest * self.STEP if distances[nearest] < LANE_MARGIN else None


def steering_angle(car, pose, path, metres=None):
    """Pure pursuit: the circle from the rear axle through a point of the path, `metres` ahead.

    Source: Coulter, Implementation of the Pure Pursuit Path Tracking Algorithm, CMU, 1992.
    """
    rear = pose.point(car.vehicle.rear_axle)
    if metres is None:
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


@dataclass
class Other:
    """A vehicle or a person of traffic.

    `places` (t, 2) [m] in W: its middle at each of `SECONDS` from now, with its `yaws` (t,) [rad].
    It is a rectangle of `length` and `width` [m], a person a square; `room` [m] is to be left
    beside it; `velocity` (2,) [m/s] now.
    """

    places: np.ndarray
    yaws: np.ndarray
    length: float
    width: float
    room: float
    velocity: np.ndarray
    is_person: bool

    @property
    def stands(self):
        """Whether it does not move."""
        return hypot(*self.velocity) < 0.3

    def gaps(self, points):
        """Distances (n, t) [m] of points (n, 2) from its outline at each of `SECONDS`."""
        x, y = np.moveaxis(points[:, np.newaxis] - self.places, -1, 0)
        c, s = cos(self.yaws), sin(self.yaws)
        beyond = np.maximum(np.abs(c * x + s * y) - self.length / 2.0, 0.0)
        beside = np.maximum(np.abs(c * y - s * x) - self.width / 2.0, 0.0)
        return hypot(beyond, beside)


class Traffic:
    """What moves around the car."""

    def __init__(self, roads):
        self._roads = roads

    def around(self, pose, height):
        """All vehicles and people near the car, at the `height` [m] of its street."""
        return [
            foresee(each)
            for each_kind, foresee in (
                (get_vehicles(), self._vehicle),
                (get_people(), self._person),
            )
            for each in each_kind
            if hypot(*(each.position[:2] - pose.position)) < SIGHT
            and abs(each.position[2] - height) < SAME_LEVEL
        ]

    def _person(self, person):
        velocity = person.speed * np.array([cos(person.yaw), sin(person.yaw)])
        places = person.position[:2] + SECONDS[:, np.newaxis] * velocity
        yaws = np.full(len(places), person.yaw)
        room = PERSON_ROOM if person.speed > 0.3 else STANDING_ROOM
        return Other(places, yaws, 2 * PERSON_RADIUS, 2 * PERSON_RADIUS, room, velocity, True)

    def _vehicle(self, vehicle):
        velocity = vehicle.speed * np.array([cos(vehicle.yaw), sin(vehicle.yaw)])
        places, yaws = self._follow(vehicle)
        return Other(places, yaws, vehicle.length, vehicle.width, VEHICLE_ROOM, velocity, False)

    def _follow(self, vehicle):
        """Where the middle of a vehicle will be, (t, 2) [m], and its yaws (t,) [rad]."""
        lane, station, across = self._roads.nearest_lane(vehicle.position[:2], vehicle.yaw)
        view = self._roads.lanes[lane]
        pull = PULL_OFF if vehicle.speed > 0.3 and Light.BRAKE not in vehicle.lights else 0.0
        ways = vehicle.speed * SECONDS + 0.5 * pull * SECONDS**2
        is_on_lane = abs(across) < view.width / 2.0
        if not is_on_lane or cos(view.heading(station) - vehicle.yaw) < SAME_WAY:
            direction = np.array([cos(vehicle.yaw), sin(vehicle.yaw)])
            middles = vehicle.position[:2] + ways[:, np.newaxis] * direction
            return middles, np.full(len(ways), vehicle.yaw)
        lanes = self._lanes_ahead(vehicle, view, station, ways[-1])
        places, yaws = [], []
        for way in np.minimum(ways, red_ahead(vehicle, lanes)):
            begin, view = next(each for each in reversed(lanes) if each[0] <= way)
            at = min(way - begin, view.length)
            heading = view.heading(at)
            places.append(view.position(at)[:2] + across * np.array([-sin(heading), cos(heading)]))
            yaws.append(heading)
        return np.array(places), np.array(yaws)

    def _lanes_ahead(self, vehicle, view, station, farthest):
        """The lanes that a vehicle takes, and metres from its middle to where each begins."""
        found = [(-station, view)]
        while True:
            begin, view = found[-1]
            end = begin + view.length
            if end > farthest or not view.successors:
                return found
            ways = [self._roads.lanes[each] for each in view.successors]
            found.append((end, min(ways, key=lambda way: abs(way.turn - turn_of(vehicle)))))


def turn_of(vehicle):
    """The angle [rad] by which a vehicle is about to turn, as its indicators say."""
    is_left = Light.LEFT_INDICATOR in vehicle.lights
    is_right = Light.RIGHT_INDICATOR in vehicle.lights
    return np.pi / 2 * (float(is_left) - float(is_right))


def red_ahead(vehicle, lanes):
    """Metres until a vehicle has to stand before a red light; infinite for none."""
    for begin, view in lanes:
        if view.signal in (SignalState.RED, SignalState.RED_AMBER):
            at = begin + view.stop_line - vehicle.length / 2.0
            if at > -1.0:
                return max(at, 0.0)
    return np.inf


def speed_among(others, car, pose, path):
    """The highest speed [m/s] at which the car gives way to others in time."""
    points, ways = path.near(0.0, SIGHT)
    ahead = np.gradient(points[:, :2], axis=0) if len(points) > 1 else np.zeros((len(points), 2))
    reach, speed = ways - car.front, max(pose.speed, 0.0)
    first = (np.sqrt(speed**2 + 2 * DECELERATION * np.maximum(reach, 0.0)) - speed) / DECELERATION
    last = (ways + car.front) / max(speed, 1.5)
    is_time = first[:, np.newaxis] - MARGIN_SECONDS < SECONDS
    is_time &= last[:, np.newaxis] + MARGIN_SECONDS > SECONDS
    allowed = np.inf
    for other in others:
        if is_follower(other, pose):
            continue
        gaps = other.gaps(points[:, :2])
        meets = (gaps < car.half_width + other.room) & (is_time | other.stands)
        allowed = min(allowed, speed_before(other, meets.any(axis=1), reach, ahead, speed))
        if other.is_person:
            is_near = (gaps[:, 0] < NEAR_PERSON) & (reach > 0.0)
            room = reach[is_near].min(initial=np.inf)
            allowed = min(allowed, np.sqrt(NEAR_PERSON_SPEED**2 + 2 * DECELERATION * room))
    return allowed


def speed_before(other, meets, reach, ahead, speed):
    """The highest speed [m/s] before the first place at which the car `meets` another."""
    places = np.flatnonzero(meets & (reach > -0.5))
    if not len(places):
        return np.inf
    place = places[0]
    along = float((ahead[place] * other.velocity).sum())
    if along < SAME_WAY * hypot(*other.velocity):
        along = 0.0
    distance = STOP_DISTANCE if other.stands and not other.is_person else CROSSING_DISTANCE
    room = reach[place] - distance - LAG * max(speed - along, 0.0)
    return np.sqrt(max(along**2 + 2 * DECELERATION * room, 0.0))


def from_car(other, pose):
    """Where another one is: metres ahead of the car's middle and to its left, and which way round.

    The last is the cosine of the angle between both: 1 the same way, -1 towards the car.
    """
    x, y = other.places[0] - pose.position
    c, s = cos(pose.yaw), sin(pose.yaw)
    return c * x + s * y, c * y - s * x, cos(other.yaws[0] - pose.yaw)


def is_follower(other, pose):
    """Whether another one drives behind the car, and has to heed it."""
    x, y, way = from_car(other, pose)
    return x < 0.0 and abs(y) < 2.0 and way > SAME_WAY


class Standoff:
    """Backs away from a vehicle that the car stands nose to nose with."""

    def __init__(self):
        self._seconds, self._metres = 0.0, 0.0

    def is_on(self, car, pose, others):
        """Whether the car backs now."""
        faced = any(self._is_faced(each, pose) for each in others)
        stands = abs(pose.speed) < HALT_SPEED
        self._seconds = self._seconds + PERIOD if faced and stands else 0.0
        if self._seconds > FACED_SECONDS and car.can_back:
            self._seconds, self._metres = 0.0, BACKING_METRES
        self._metres -= PERIOD * BACKING_SPEED
        if not faced or any(self._is_behind(each, car, pose) for each in others):
            self._metres = 0.0
        return self._metres > 0.0

    def _is_faced(self, other, pose):
        x, y, way = from_car(other, pose)
        return not other.is_person and 0.0 < x < FACED_DISTANCE and abs(y) < 2.0 and way < -0.5

    def _is_behind(self, other, car, pose):
        x, y, _ = from_car(other, pose)
        return -car.front - BEHIND_ROOM - other.width / 2.0 < x < 0.0 and abs(y) < 2.0


def pedals(car, speed, goal):
    """Shares of motor force and brake force that bring `speed` to `goal` [m/s]."""
    acceleration = acceleration_to(speed, goal)
    if acceleration >= -0.2:
        return max(acceleration, 0.0) / car.vehicle.acceleration, 0.0
    return 0.0, -acceleration / car.vehicle.deceleration


def lanes_of(argument):
    """The lanes of a route that an argument states: `route=`, their numbers, `;` and its length."""
    return [int(each) for each in argument.removeprefix("route=").split(";")[0].split(",")]


def drive(robot, seed=0, look=lambda car, path: None, lanes=None):
    """Drives `robot` for ever along routes of `seed`; calls `look` with the car and its path.

    With `lanes` it drives along them, and stops at the end of the last one.
    """
    car, roads = Car(robot), get_roads()
    locator, rules = Locator(car.part), Rules()
    traffic, standoff = Traffic(roads), Standoff()
    path = Path(roads, locator.pose, seed, lanes)
    while True:
        pose = locator.update(PERIOD)
        path.advance(pose.position)
        if lanes is None and path.left < REPLAN_DISTANCE:
            seed += 1
            path = Path(roads, pose, seed)
        gap = free_distance(car, pose, path) - STOP_DISTANCE
        goal = min(path.speed, np.sqrt(2 * DECELERATION * max(gap, 0.0)))
        goal = min(goal, rules.speed(path.lines(car.front), pose.speed))
        others = traffic.around(pose, path.ahead(0.0)[2])
        goal = min(goal, speed_among(others, car, pose, path))
        if standoff.is_on(car, pose, others):
            car.back(steering_angle(car, pose, path, BACKWARDS), pose.speed, -BACKING_SPEED)
        else:
            car.command(steering_angle(car, pose, path), pose.speed, goal)
        look(car, path)
        wait(PERIOD)


def main(argv):
    """Drives the robot `argv[0]` for ever.

    `argv[1]` is the seed of its route (default 0), or the route itself; see `lanes_of`.
    """
    robot, *others = argv
    if others and others[-1].startswith("route="):
        drive(robot, lanes=lanes_of(others[-1]))
    else:
        drive(robot, int(others[0]) if others else 0)
