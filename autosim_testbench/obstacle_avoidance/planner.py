"""The software under test: it goes forward, and turns away from what it perceives for a time."""

import math
from collections.abc import Sequence
from enum import Enum

from autosim_testbench.messages.kinds import Detection, PlanarPose, WheelCommand
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import number_of
from autosim_testbench.obstacle_avoidance.surroundings import NOTHING


class Action(Enum):
    """Action of the rover, as the directions of its left and right wheels."""

    FORWARD = (1, 1)
    TURN_LEFT = (-1, 1)
    TURN_RIGHT = (1, -1)


class Planner(Node):
    """Decides what the wheels do, from the newest detection and the newest pose.

    Parameters: `detection`, `pose`, `wheels` (topics); `turn_time` [s] of one turn. A rover that
    perceives an obstacle again at the end of a turn keeps turning the same way: in a corner it
    would oscillate otherwise.

    Attributes:
        action: the rover's current action.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        self._turn_ns = round(number_of(self, "turn_time", 1.0) * NANOSECONDS)
        self._until_ns = 0
        self._has_detection = False
        self.action, self._avoided = Action.FORWARD, 0
        self.detection, self.pose = Detection(obstacle=NOTHING), PlanarPose()
        self.wheels = WheelCommand()
        name = self.find_topic_name("detection")
        self.subscribe(name, self.detection)
        self.subscribe(self.find_topic_name("pose"), self.pose)
        self.advertise(self.find_topic_name("wheels"), self.wheels)
        self.register_init_function(self._go)
        self.register_input_function(name, self._detected)
        self.register_core_function(self._decide)

    def report(self) -> dict[str, object]:
        """Number of turns away from obstacles."""
        return {"obstacles_avoided": self._avoided}

    def _detected(self) -> None:
        self._has_detection = self.detection.obstacle != NOTHING

    def _decide(self) -> None:
        if self.action is not Action.FORWARD and self.now_ns() < self._until_ns:
            return
        action = Action.FORWARD
        if self._has_detection:
            is_new = self.action is Action.FORWARD
            action = self._away() if is_new else self.action
            self._avoided += is_new
            self._until_ns = self.now_ns() + self._turn_ns
        if action is not self.action:
            self.action = action
            self._go()

    def _away(self) -> Action:
        bearing = math.atan2(self.detection.y - self.pose.y, self.detection.x - self.pose.x)
        is_left = math.remainder(bearing - self.pose.yaw, math.tau) > 0.0
        return Action.TURN_RIGHT if is_left else Action.TURN_LEFT

    def _go(self) -> None:
        self.wheels.left, self.wheels.right = self.action.value
        self.wheels.flagged = True
