"""The nodes around the planner: rovers in virtual surroundings, and what lies between."""

import math
from collections.abc import Sequence

import numpy as np

from autosim_testbench.messages.kinds import Detection, PlanarPose, WheelCommand
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import number_of, whole_number_of
from autosim_testbench.nodes.reality import Combiner, Splitter
from autosim_testbench.obstacle_avoidance.motor_controller import SabertoothBytes, wheels_of
from autosim_testbench.obstacle_avoidance.rover import RoverModel
from autosim_testbench.obstacle_avoidance.surroundings import Surroundings, room


def surroundings_of(node: Node) -> Surroundings:
    """The room that a node's parameters describe; the same for all nodes of a bench.

    Parameters: `half_side`, `radius` [m], `obstacles`: see `room`.
    """
    return room(
        number_of(node, "half_side", 1.0),
        whole_number_of(node, "obstacles", 10),
        number_of(node, "radius", 0.6),
        np.random.default_rng(node.setting.seed),
    )


class VirtualSurroundings(Node):
    """Tells what a rover perceives at each pose that comes.

    Parameters: `pose`, `detection` (topics); `other` (topic of another rover's pose, which is one
    more obstacle; may be missing); `reach` [m] and `half_view` [rad] of its perception; those of
    `surroundings_of`.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Makes the surroundings and connects."""
        self._surroundings = surroundings_of(self)
        self._reach = number_of(self, "reach", 0.2)
        self._half_view = number_of(self, "half_view", math.radians(30.0))
        self.pose, self.detection = PlanarPose(), Detection()
        self.other = PlanarPose(x=math.inf, y=math.inf)
        if "other" in self.parameters:
            self.subscribe(self.find_topic_name("other"), self.other)
        name = self.find_topic_name("pose")
        self.subscribe(name, self.pose)
        self.advertise(self.find_topic_name("detection"), self.detection)
        self.register_input_function(name, self._perceive)

    def _perceive(self) -> None:
        found = self._surroundings.with_obstacle(self.other.x, self.other.y).perceive(
            *(self.pose.x, self.pose.y, self.pose.yaw),
            reach=self._reach,
            half_view=self._half_view,
        )
        self.detection.obstacle, self.detection.distance = found.obstacle, found.distance
        self.detection.x, self.detection.y = found.x, found.y
        self.detection.stamp_ns, self.detection.flagged = self.pose.stamp_ns, True


class _Rover(Node):
    """Moves as its wheels turn, and publishes its pose."""

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        own = RoverModel()
        self._model = RoverModel(
            turn_rate=number_of(self, "turn_rate", own.turn_rate),
            speed=number_of(self, "speed", own.speed),
            axis=number_of(self, "axis", own.axis),
        )
        self._period_ns = round(NANOSECONDS / number_of(self, "rate", 50.0))
        self._moved_ns = self._published_ns = self.now_ns()
        start = {each: number_of(self, each, 0.0) for each in ("x", "y", "yaw")}
        self.pose = PlanarPose(**start)
        self.listen()
        self.advertise(self.find_topic_name("pose"), self.pose)
        self.register_core_function(self._move)

    def listen(self) -> None:
        """Subscribes to what turns the wheels."""
        raise NotImplementedError

    def turning(self) -> tuple[int, int]:
        """Directions of the left and the right wheels: -1, 0 or 1."""
        raise NotImplementedError

    def _move(self) -> None:
        now = self.now_ns()
        seconds = (now - self._moved_ns) / NANOSECONDS
        self._moved_ns = now
        here = (self.pose.x, self.pose.y, self.pose.yaw)
        self.pose.x, self.pose.y, self.pose.yaw = self._model.move(here, *self.turning(), seconds)
        if now >= self._published_ns + self._period_ns:
            self._published_ns = now
            self.pose.stamp_ns, self.pose.flagged = now, True


class VirtualRover(_Rover):
    """A rover that takes commands for its wheels.

    Parameters: `wheels`, `pose` (topics); `x`, `y` [m], `yaw` [rad] at the start; `rate` [Hz] of
    the poses; `speed` [m/s], `turn_rate` [rad/s], `axis` [m]: see `RoverModel`.
    """

    def listen(self) -> None:
        """To commands."""
        self.wheels = WheelCommand()
        self.subscribe(self.find_topic_name("wheels"), self.wheels)

    def turning(self) -> tuple[int, int]:
        """As the newest command says."""
        return self.wheels.left, self.wheels.right


class MotorRover(_Rover):
    """Stand-in for a real rover: it turns by its motor controller's bytes, and is localised.

    Parameters: `motors` (topic, `SabertoothBytes`), `pose`; else those of `VirtualRover`.
    """

    def listen(self) -> None:
        """Subscribes to the bytes of the motor controller."""
        self.motors = SabertoothBytes()
        self.subscribe(self.find_topic_name("motors"), self.motors)

    def turning(self) -> tuple[int, int]:
        """As the newest bytes say."""
        return wheels_of(*self.motors.motors.tolist())


class DetectionModel(Combiner[Detection]):
    """The rover's detection: the nearer of a physical and a virtual one."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.physical, self.virtual, self.output = Detection(), Detection(), Detection()

    def combine(self, physical: Detection | None, virtual: Detection | None) -> None:
        """The nearer detection."""
        sides = [each for each in (physical, virtual) if each]
        nearest = min(sides, key=lambda each: each.distance)
        self.output.record[()] = nearest.record


class RoverPoseModel(Combiner[PlanarPose]):
    """The rover's pose; in augmented reality, that of the real one."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.physical, self.virtual, self.output = PlanarPose(), PlanarPose(), PlanarPose()

    def combine(self, physical: PlanarPose | None, virtual: PlanarPose | None) -> None:
        """The real rover's pose, else the virtual one's."""
        found = physical or virtual
        assert found is not None
        self.output.record[()] = found.record


class WheelSplitter(Splitter[WheelCommand]):
    """The planner's command goes to the physical rover, the virtual one, or both."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.physical, self.virtual = WheelCommand(), WheelCommand(), WheelCommand()
