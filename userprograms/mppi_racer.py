"""Races between cones, or along streets, at the limit of its tyres: plans tried by the thousand.

What it sees and measures comes late, and so do its wheels. It projects where it will be when a
command takes effect, draws the line ahead into a table, and there tries thousands of plans (MPPI).

    autosim server worlds/cone_track.xml
    autosim run userprograms/mppi_racer.py --robot racer -- streets

Arguments: `cones` (between cones, by lidar, without a map) or `streets` (along the lanes, by GPS
and compass); the speed wanted [m/s]; `projected`, or `stale` to plan from where it was seen last
instead; and what it takes of the tyres to the side and in braking [m/s²].
docs/tutorials/race_with_mppi.md explains it.
"""

from contextlib import suppress

import numpy as np
from cones import deskewed, find_cones, middle_line

from autosim.config.noise_records import Delay
from autosim.control.car_models import slipless_model
from autosim.control.controller_warm_up import warm_up_controller
from autosim.control.costs import Costs
from autosim.control.mppi import MPPI
from autosim.control.obstacle_grid import obstacle_grid
from autosim.estimation.slipless import SliplessCar, SliplessModel, saturating_torque
from autosim.estimation.state_estimator import StateEstimator
from autosim.estimation.state_projector import StateProjector
from autosim.kinds.nmea import read_rmc
from autosim.userprogram import (
    DeviceError,
    describe,
    get_data,
    get_points,
    get_roads,
    get_time,
    get_vehicle_info,
    set_data,
    set_state_estimate,
    to_local,
)
from autosim.world.lanes.routing import route

PERIOD = 0.05  # s between two commands, and of a step of a plan
STEPS, SAMPLES = 30, 2048  # of a plan; tried for each command
CONE_HALF_WIDTH = 1.75  # m from the line to the cones
MARGIN = 0.85  # m: half the width of the car, and what the line and the drive are off
OBSTACLE = 0.65  # m from the line of the car's middle to the middle of a cone that it touches
AHEAD, BEHIND = 50.0, 12.0  # m of a street that are drawn into a table
ROUTE = 1000.0  # m of streets planned at a time
SLOW = 1.0  # m/s below which it plans no braking
NO_CONES = np.zeros((0, 2))

warm_up_controller()  # here, where no turn is timed: what is not compiled yet takes seconds


def car_of(robot, grip, braking):
    """The model's measures of a robot whose tyres hold `grip` to the side and `braking` [m/s^2]."""
    vehicle, description = get_vehicle_info(robot), describe(robot)
    part = description.parts[0]
    middle = part.centre_of_mass[0]
    rear = middle - vehicle.rear_axle
    force = vehicle.mass * vehicle.acceleration
    drag = 0.0485 * 9.81 * vehicle.mass  # N, what rolling takes
    return SliplessCar(
        front=vehicle.wheelbase - rear,
        rear=rear,
        nose=part.size[0] / 2 - middle,
        mass=vehicle.mass,
        wheel_radius=vehicle.wheel_radius,
        drag=drag,
        longitudinal_acceleration=(force - drag) / vehicle.mass,
        braking_force=vehicle.mass * min(braking, vehicle.deceleration),
        lateral_acceleration=grip,
        steering_limit=vehicle.max_steering_angle,
    )


def delay_of(device):
    """Seconds by which the values of a device, or its commands, are late."""
    return sum(each.seconds for each in describe(device).noises if isinstance(each, Delay))


def samples(table, room):
    """At most `room` places (n, 2) of a table, evenly, and (n, 3) distance, offset and heading."""
    square, is_known = table.square, table.values[..., 4] > 0.0
    stride = int(np.ceil(np.sqrt(is_known.sum() / room))) + 1
    rows, columns = np.nonzero(is_known[::stride, ::stride])
    rows, columns = rows[:room] * stride, columns[:room] * stride
    x, y = (np.column_stack([columns, rows]) + 0.5).T / square.per_metre
    distance, offset, cosine, sine, _ = table.values[rows, columns].T
    places = np.column_stack([square.west + x, square.south + y])
    return places, np.column_stack([distance, offset, np.arctan2(sine, cosine)])


class Fixes:
    """Where the car is in W by GPS and compass, projected to now: what the robot believes."""

    pose, stamp = None, None

    def __init__(self, robot, part, model, *, late, delay, middle):
        self.robot, self.part, self.late, self.middle = robot, part, late, middle
        self.projector = StateProjector(
            model, get_time, propagation_delay=delay, computing_time=0.0
        )
        self.sentence = ""

    def look(self, now, speed):
        """Takes what has arrived, and sets what the robot believes."""
        self.projector.record_speed(speed, now - self.late)
        sentence = get_data(f"{self.part}.gps")
        if sentence != self.sentence:
            self.sentence, self.stamp = sentence, now - self.late
            fix = read_rmc(sentence)
            yaw = np.pi / 2 - get_data(f"{self.part}.compass")
            self.pose = np.array([*to_local(fix.latitude, fix.longitude), yaw])
            self.projector.record_pose(self.pose, self.stamp)
        believed = self.projector.project()
        if believed is not None:
            x, y, yaw, speed = believed.motion
            ahead = np.array([np.cos(yaw), np.sin(yaw), 0.0])
            # The model moves the centre of mass; a robot's place is that of its first part.
            place = [x, y, self.middle[2]] - self.middle[0] * ahead
            velocity, heading = speed * ahead, (np.pi / 2 - yaw) % (2.0 * np.pi)
            set_state_estimate(self.robot, position=place, heading=heading, velocity=velocity)


class ByCones:
    """The line between the cones that the lidar sees, in the frame of the car as it stood then."""

    half_width = CONE_HALF_WIDTH - MARGIN
    cones = NO_CONES

    def __init__(self, robot, part, vehicle, middle):
        lidar = next(each for each in describe(robot).devices if each.name == "lidar")
        self.lidar, self.name = lidar, f"{part}.lidar"
        self.height, self.middle = vehicle.height, np.array([middle, 0.0])
        self.late = delay_of(self.name)

    def look(self, estimator, now, speed, turn):
        """Gives the estimator a line when one is ready."""
        stamp = now - self.late
        if stamp < 1.0 / self.lidar.update_rate:
            return  # the first turn has not arrived yet
        motion = {"time": stamp, "rate": self.lidar.update_rate, "speed": speed, "turn": turn}
        points = deskewed(get_points(self.name), self.lidar.position, **motion)
        cones = find_cones(points, self.height) - self.middle
        line = middle_line(cones, CONE_HALF_WIDTH, turn / max(speed, 1.0))
        if len(line) >= 6:
            estimator.on_spline(line, stamp)
            self.cones = cones


class ByStreets:
    """The middle of the lanes ahead, in W; the car knows where it is by GPS and compass."""

    cones = NO_CONES

    half_width = 1.0

    def __init__(self, compass):
        self.roads, self.compass = get_roads(), compass
        self.points, self.seed, self.index, self.stamp = np.zeros((0, 2)), 0, 0, None

    def look(self, estimator, now, speed, turn):
        """Gives the estimator the part of the route around the car, whenever there is a fix."""
        if self.compass.stamp == self.stamp:
            return
        self.stamp, pose = self.compass.stamp, self.compass.pose
        if len(self.points) - self.index < AHEAD + 10.0:
            self._plan(pose)
        window = self.points[self.index : self.index + 40]
        self.index += int(np.argmin(np.linalg.norm(window - pose[:2], axis=1)))
        first = max(self.index - int(BEHIND), 0)
        estimator.on_spline(self.points[first : self.index + int(AHEAD)], self.stamp, pose=pose)

    def _plan(self, pose):
        """A route from where the car is, sampled each metre."""
        lane, along, _ = self.roads.nearest_lane(pose[:2], pose[2])
        lanes = route(self.roads, lane, length=ROUTE, seed=self.seed)
        self.seed += 1
        line = np.vstack([self.roads.lanes[each].centre_line[:, :2] for each in lanes])
        way = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
        way, kept = np.unique(way, return_index=True)
        places = np.arange(0.0, way[-1])
        self.points = np.column_stack(
            [np.interp(places, way, line[kept, axis]) for axis in range(2)]
        )
        self.index = int(along)


class Program:
    """Drives one car."""

    period = PERIOD

    def start(
        self, robot, track="cones", speed="14", projection="projected", grip="6.5", braking="4"
    ):
        """Takes the car's measures, and compiles what the controller needs."""
        vehicle = get_vehicle_info(robot)
        self.robot, self.part = robot, f"{robot}.{vehicle.part}"
        self.drive = f"{self.part}.{vehicle.actuator}"
        self.car = car_of(robot, float(grip), float(braking))
        self.brakes = vehicle.mass * vehicle.deceleration
        self.late = delay_of(f"{self.part}.velocimeter")
        self.height = vehicle.height
        self.middle = describe(robot).parts[0].centre_of_mass[0]
        # A command is worth what it does when the wheels obey, so the plan begins there.
        delay = delay_of(self.drive)
        model = SliplessModel(self.car)
        known = {"late": self.late, "delay": delay, "middle": (self.middle, 0.0, self.height)}
        self.fixes = Fixes(robot, self.part, model, **known)
        self.torque = saturating_torque(self.car)
        if track == "cones":
            self.track = ByCones(robot, self.part, vehicle, self.middle)
        else:
            self.track = ByStreets(self.fixes)
        self.estimator = StateEstimator(
            model,
            get_time,
            propagation_delay=delay,
            computing_time=delay,
            width=7.0,
            size=256,
        )
        self.is_stale = projection == "stale"
        self.lists = {}
        for name in ("plan", "rollouts", "cones", "table"):
            with suppress(DeviceError):
                self.lists[name] = describe(f"{robot}.{name}").capacity
        costs = Costs(
            speed=float(speed),
            half_width=self.track.half_width,
            offset=0.2,  # little: the fastest line cuts bends
            lateral_acceleration=self.car.lateral_acceleration,
        )
        limit = 0.95 * self.car.steering_limit
        # Noise that a limit cuts off pulls the mean away from it. So full throttle and full brakes
        # lie well within the limits; the model and `act` take no more than there is.
        self.mppi = MPPI(
            slipless_model(self.car),
            least=(-limit, -5.0 * self.torque),
            most=(limit, 2.0 * self.torque),
            deviation=(0.03, 6.0),
            correlation=0.9,  # smooth plans: each step's own noise would ask too much of the tyres
            rates=(2.0, 200.0),
            costs=costs,
            samples=SAMPLES,
            steps=STEPS,
            seconds=PERIOD,
            temperature=2.0,
            effort=0.0,
        )

    def step(self, dt):
        """Looks, plans, and acts."""
        now = get_time()
        speed, turn = get_data(f"{self.part}.velocimeter"), get_data(f"{self.part}.gyro_yaw")
        self.estimator.on_twist([max(speed, 0.0)], now - self.late)
        self.fixes.look(now, max(speed, 0.0))
        self.track.look(self.estimator, now, speed, turn)
        estimate = self.estimator.sync()
        if estimate is None:
            return
        motion = self.seen() if self.is_stale else estimate.projection.motion
        grid = obstacle_grid(self.track.cones, OBSTACLE, estimate.table)
        if motion[3] < SLOW:
            # While it stands all braking costs the same: no plan near a braking one would drive on.
            self.mppi.plan[:, 1] = np.maximum(self.mppi.plan[:, 1], 0.0)
        action = self.mppi.command(motion, estimate.table, obstacles=grid)
        self.estimator.record_control_action(action)
        self.fixes.projector.record_action(action)
        self.act(*action)
        self.show(motion, estimate.table)

    def seen(self):
        """Where the car was when its place was seen last, without a projection."""
        records = self.estimator.projector.records
        pose = next(each.values for each in reversed(records) if len(each.values) == 3)
        speed = next(each.values for each in reversed(records) if len(each.values) == 1)
        return (*pose, *speed)

    def act(self, steering, torque):
        """Commands steering [rad] and the motor's torque [N m]; below 0 the brakes help."""
        force = torque * self.car.gear_ratio / self.car.wheel_radius
        most = self.torque * self.car.gear_ratio / self.car.wheel_radius
        push, brake = min(max(force, 0.0) / most, 1.0), max(-force, 0.0) / self.brakes
        set_data(self.drive, [steering, push, min(brake, self.car.braking_force / self.brakes)])

    def show(self, motion, table):
        """Publishes what it goes by, where the world file declares lists for it.

        All is drawn in the frame of the part, as if the car were already where its wheels will
        obey: that is where the plan begins.
        """
        x, y, yaw, _ = motion
        cosine, sine = np.cos(yaw), np.sin(yaw)
        to_car = np.array([[cosine, -sine], [sine, cosine]])
        ground = 0.05 - self.height

        def publish(name, places, values=None):
            room = self.lists.get(name)
            if room is not None:
                rows = (np.asarray(places).reshape(-1, 2) - (x, y)) @ to_car
                rows = np.column_stack([rows, np.full(len(rows), ground)])
                rows[:, 0] += self.middle
                rows = rows if values is None else np.column_stack([rows, values])
                set_data(f"{self.robot}.{name}", rows[:room])

        publish("plan", self.mppi.path())
        publish("rollouts", self.mppi.best(30).reshape(-1, 2))
        publish("cones", self.track.cones)
        if "table" in self.lists:
            publish("table", *samples(table, self.lists["table"]))
