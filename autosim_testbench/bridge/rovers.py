"""Adapters between a planner for rovers and a car of AutoSim.

The planner knows a planar pose, the nearest obstacle ahead, and wheels that go ahead, stop or go
back on each side. A car has none of these: these nodes convert between them.
"""

import math
from collections.abc import Sequence

import numpy as np

from autosim.kinds.actuators import drive_actuator
from autosim.kinds.sensors.ranging import lidar
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.model.belief import TRUTH_FIELDS
from autosim.model.tree import STATE
from autosim_testbench.bridge.device_kinds import kind_with
from autosim_testbench.messages.kinds import Detection, PlanarPose, WheelCommand
from autosim_testbench.messages.serial_object import DynamicMessage
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import number_of, whole_number_of
from autosim_testbench.nodes.reality import SingleValued
from autosim_testbench.obstacle_avoidance.surroundings import NOTHING

_STATE = kind_with(STATE, TRUTH_FIELDS)


class PlanarPoseOfState(SingleValued[DynamicMessage, PlanarPose]):
    """The planar pose of a robot's state. Parameters: `input` (`robot.state`), `output`."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.output = _STATE(), PlanarPose()

    def convert(self) -> None:
        """East, north, and the direction of the part's x axis."""
        x, y, z, w = self.input.orientation
        self.output.x, self.output.y = self.input.position[:2]
        self.output.yaw = math.atan2(2.0 * (x * y + z * w), 1.0 - 2.0 * (y * y + z * z))


class LidarDetection(Node):
    """The nearest return of a lidar ahead, as a detection.

    Parameters: `lidar`, `pose`, `detection` (topics); `channels` and `columns` of the lidar, whose
    first column points ahead; `min_elevation` and `max_elevation` [rad]; `height` [m] of the
    lidar above the ground; `reach` [m] and `half_view` [rad]. Returns lower than `kerb` [m] above
    the ground are the road.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        channels, columns = whole_number_of(self, "channels"), whole_number_of(self, "columns")
        fields = lidar.KIND.fields_of(LidarSensor("", "", channels=channels, columns=columns))
        elevations = np.linspace(
            number_of(self, "min_elevation", -math.pi / 12),
            number_of(self, "max_elevation", math.pi / 12),
            channels,
        )
        azimuths = np.arange(columns) * (2.0 * math.pi / columns)
        self._azimuths = np.remainder(azimuths + math.pi, 2.0 * math.pi) - math.pi
        self._level, self._rise = np.cos(elevations)[:, None], np.sin(elevations)[:, None]
        self._height = number_of(self, "height")
        self._kerb = number_of(self, "kerb", 0.3)
        self._reach = number_of(self, "reach")
        self._is_ahead = np.abs(self._azimuths) <= number_of(self, "half_view", math.pi / 6)
        self.scan = kind_with("LidarSensor", fields)()
        self.pose = PlanarPose()
        self.detection = Detection()
        name = self.find_topic_name("lidar")
        self.subscribe(name, self.scan)
        self.subscribe(self.find_topic_name("pose"), self.pose)
        self.advertise(self.find_topic_name("detection"), self.detection)
        self.register_input_function(name, self._detect)

    def _detect(self) -> None:
        ranges = self.scan.ranges
        counts = (
            (ranges > 0.0)
            & (ranges * self._level <= self._reach)
            & (self._height + ranges * self._rise > self._kerb)
            & self._is_ahead
        )
        distances = np.where(counts, ranges * self._level, np.inf)
        column = int(np.argmin(distances.min(axis=0)))
        distance = float(distances[:, column].min())
        bearing = self.pose.yaw + float(self._azimuths[column])
        is_there = math.isfinite(distance)
        self.detection.obstacle = column if is_there else NOTHING
        self.detection.distance = distance
        self.detection.x = self.pose.x + distance * math.cos(bearing) if is_there else 0.0
        self.detection.y = self.pose.y + distance * math.sin(bearing) if is_there else 0.0
        self.detection.stamp_ns, self.detection.flagged = self.scan.stamp_ns, True


class WheelsToDrive(Node):
    """Drives a car as a rover's wheels would turn: ahead, back, or to a side.

    A car cannot turn on the spot: where the sides differ, it drives slowly round a curve. In a
    narrow place it stands before what it cannot turn away from.

    Parameters: `wheels` (a `WheelCommand`), `state` (`robot.state`), `drive` (to the car's
    DriveActuator); `speed` [m/s] ahead and `turn_speed` [m/s] in curves; `steering` [rad].
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        actuator = drive_actuator.DriveActuator("", "")
        self.wheels = WheelCommand()
        self.state = _STATE()
        self.drive = kind_with("DriveActuator", drive_actuator.KIND.fields_of(actuator))()
        self._speed = number_of(self, "speed", 4.0)
        self._turn_speed = number_of(self, "turn_speed", 2.5)
        self._steering = number_of(self, "steering", 0.5)
        state = self.find_topic_name("state")
        self.subscribe(self.find_topic_name("wheels"), self.wheels)
        self.subscribe(state, self.state)
        self.advertise(self.find_topic_name("drive"), self.drive)
        self.register_input_function(state, self._control)

    def _control(self) -> None:
        left, right = self.wheels.left, self.wheels.right
        side = float(np.sign(right - left))
        self.drive.steering = self._steering * side
        wanted = self._turn_speed if side else self._speed * float(np.sign(left + right))
        share = _GAIN * (wanted - self._speed_ahead())
        is_braking = share * wanted <= 0.0
        self.drive.acceleration = 0.0 if is_braking else min(max(share, -1.0), 1.0)
        self.drive.brake = min(abs(share), 1.0) if is_braking else 0.0
        self.drive.hand_brake, self.drive.gear = 0.0, 1.0
        self.drive.stamp_ns, self.drive.flagged = self.state.stamp_ns, True

    def _speed_ahead(self) -> float:
        """Speed [m/s] along the car's own axis, negative backwards."""
        x, y, z, w = self.state.orientation
        ahead = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w))
        return float(np.dot(ahead, self.state.velocity))


_GAIN = 0.3
"""Share of throttle or brake for each metre a second that is lacking [s/m]: gentle at 4 m/s."""
