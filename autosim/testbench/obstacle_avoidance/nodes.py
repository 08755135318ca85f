"""The nodes around the planner: a virtual rover in virtual surroundings, and what lies between."""

import csv
from collections.abc import Sequence
from typing import Any

import numpy as np

from autosim.testbench.figures.plane import Layer, draw_plane
from autosim.testbench.messages.kinds import Detection, PlanarPose, WheelCommand
from autosim.testbench.messages.serial_object import Field, SerialObject
from autosim.testbench.nodes.clock import NANOSECONDS
from autosim.testbench.nodes.node import Node
from autosim.testbench.nodes.parameters import number_of, whole_number_of
from autosim.testbench.nodes.reality import Combiner, SingleValued, Splitter
from autosim.testbench.obstacle_avoidance.rover import RoverModel, sabertooth_bytes
from autosim.testbench.obstacle_avoidance.surroundings import Surroundings, room


class SabertoothBytes(SerialObject):
    """What a Sabertooth motor controller is told: a byte for each of its motors."""

    motors = Field("uint8", shape=(2,))


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

    Parameters: `pose`, `detection` (topics); `reach` [m] and `half_view` [rad] of its perception;
    those of `surroundings_of`.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Makes the surroundings and connects."""
        self._surroundings = surroundings_of(self)
        self._reach = number_of(self, "reach", 0.2)
        self._half_view = number_of(self, "half_view", np.radians(30.0))
        self.pose, self.detection = PlanarPose(), Detection()
        name = self.find_topic_name("pose")
        self.subscribe(name, self.pose)
        self.advertise(self.find_topic_name("detection"), self.detection)
        self.register_input_function(name, self._perceive)

    def _perceive(self) -> None:
        found = self._surroundings.perceive(
            *(self.pose.x, self.pose.y, self.pose.yaw),
            reach=self._reach,
            half_view=self._half_view,
        )
        self.detection.obstacle, self.detection.distance = found.obstacle, found.distance
        self.detection.x, self.detection.y = found.x, found.y
        self.detection.stamp_ns, self.detection.flagged = self.pose.stamp_ns, True


class VirtualRover(Node):
    """Moves as its wheels turn, and publishes its pose.

    Parameters: `wheels`, `pose` (topics); `x`, `y` [m], `yaw` [rad] at the start; `rate` [Hz] of
    the poses.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        self._model = RoverModel()
        self._period_ns = round(NANOSECONDS / number_of(self, "rate", 50.0))
        self._moved_ns = self._published_ns = self.now_ns()
        start = {each: number_of(self, each, 0.0) for each in ("x", "y", "yaw")}
        self.wheels, self.pose = WheelCommand(), PlanarPose(**start)
        self.subscribe(self.find_topic_name("wheels"), self.wheels)
        self.advertise(self.find_topic_name("pose"), self.pose)
        self.register_core_function(self._move)

    def _move(self) -> None:
        now = self.now_ns()
        seconds = (now - self._moved_ns) / NANOSECONDS
        self._moved_ns = now
        here = (self.pose.x, self.pose.y, self.pose.yaw)
        self.pose.x, self.pose.y, self.pose.yaw = self._model.move(
            here, self.wheels.left, self.wheels.right, seconds
        )
        if now >= self._published_ns + self._period_ns:
            self._published_ns = now
            self.pose.stamp_ns, self.pose.flagged = now, True


class DetectionModel(Combiner[Detection]):
    """What the rover perceives: the nearer of a physical and a virtual detection."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.physical, self.virtual, self.output = Detection(), Detection(), Detection()

    def combine(self, physical: Detection | None, virtual: Detection | None) -> None:
        """The nearer detection."""
        sides = [each for each in (physical, virtual) if each]
        nearest = min(sides, key=lambda each: each.distance)
        self.output.record[()] = nearest.record


class RoverPoseModel(SingleValued[PlanarPose, PlanarPose]):
    """Where the rover is: what localises it, passed on."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.output = PlanarPose(), PlanarPose()


class WheelSplitter(Splitter[WheelCommand]):
    """The planner's command goes to the physical rover, the virtual one, or both."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.physical, self.virtual = WheelCommand(), WheelCommand(), WheelCommand()


class Sabertooth(SingleValued[WheelCommand, SabertoothBytes]):
    """Turns a command for the wheels into what the motor controller of a real rover is told."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.output = WheelCommand(), SabertoothBytes()

    def convert(self) -> None:
        """A byte for each motor."""
        self.output.motors = list(sabertooth_bytes(self.input.left, self.input.right))


class Visualisation(Node):
    """Watches a rover: writes its path, and counts how often it has left the room.

    Parameters: `pose` (topic); those of `surroundings_of`.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        self._surroundings = surroundings_of(self)
        self._limit = number_of(self, "half_side", 1.0)
        self._path: list[tuple[float, float, float, float]] = []
        self._crossed, self._is_outside = 0, False
        self.pose = PlanarPose()
        name = self.find_topic_name("pose")
        self.subscribe(name, self.pose)
        self.register_input_function(name, self._watch)
        self.register_exit_function(self._write)

    def report(self) -> dict[str, Any]:
        """How far the rover went, how often it left, and how near it came to an obstacle [m]."""
        path = np.array(self._path)[:, 1:3] if self._path else np.zeros((1, 2))
        gaps = path[:, None] - self._surroundings.obstacles[None]
        return {
            "boundary_crossed": self._crossed,
            "distance": round(float(np.hypot(*np.diff(path, axis=0).T).sum()), 3),
            "nearest_obstacle": round(float(np.hypot(gaps[..., 0], gaps[..., 1]).min()), 3),
        }

    def _watch(self) -> None:
        pose = self.pose
        stamp = (pose.stamp_ns or 0) / NANOSECONDS
        self._path.append((stamp, pose.x, pose.y, pose.yaw))
        is_outside = max(abs(pose.x), abs(pose.y)) > self._limit
        self._crossed += is_outside and not self._is_outside
        self._is_outside = is_outside

    def _write(self) -> None:
        folder = self.setting.folder
        if folder:
            with (folder / f"{self.name}_path.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(("time", "x", "y", "yaw"))
                writer.writerows(self._path)
            (folder / f"{self.name}_path.svg").write_text(self._picture())

    def _picture(self) -> str:
        begins = self._surroundings.boundaries[:, 0]
        layers = (
            Layer(np.concatenate([begins, begins[:1]]), "outline"),
            Layer(self._surroundings.obstacles, "thing"),
            Layer(np.array([each[1:3] for each in self._path]), "path"),
        )
        half_side = 1.1 * self._limit
        return draw_plane("The rover's path among obstacles [m]", layers, half_side=half_side)
