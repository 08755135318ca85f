"""The virtual side of the range finder: its environment, the model of its sensor, its compass."""

import math
from collections import deque
from collections.abc import Callable, Sequence

from autosim.errors import UserError
from autosim_testbench.messages.kinds import Heading, Range
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import file_of, number_of
from autosim_testbench.nodes.reality import SingleValued
from autosim_testbench.range_finding.error_models import read_error_model
from autosim_testbench.range_finding.plane_shapes import distance
from autosim_testbench.range_finding.scene_file import load_scene


def angle_of_compass(heading: float) -> float:
    """Angle [rad] anticlockwise from east of a compass heading [rad], clockwise from north."""
    return math.remainder(math.pi / 2 - heading, math.tau)


def error_source(node: Node) -> Callable[[], float]:
    """A source of errors [m] by a node's parameter `error`; zeros without it.

    Raises:
        UserError: the parameter is not a distribution.
    """
    if "error" not in node.parameters:
        return lambda: 0.0
    try:
        model = read_error_model(node.parameters["error"])
    except UserError as error:
        raise UserError(f"node {node.name}: parameter error: {error}") from None
    return lambda: model.draw(node.random)


class VirtualEnvironment(Node):
    """Computes the true distance in the direction of the compass, for each heading that comes.

    Parameters: `heading` and `range` (topics), `scene` (file).
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Reads the scene and connects."""
        self._shapes = load_scene(file_of(self, "scene"))
        self.heading, self.range = Heading(), Range()
        name = self.find_topic_name("heading")
        self.subscribe(name, self.heading)
        self.advertise(self.find_topic_name("range"), self.range)
        self.register_input_function(name, self._detect)

    def _detect(self) -> None:
        self.range.distance = distance(self._shapes, angle_of_compass(self.heading.angle))
        self.range.stamp_ns, self.range.flagged = self.heading.stamp_ns, True


class VirtualRangeFinder(Node):
    """Makes of a true distance what the sensor would have said, and when.

    Parameters: `input` and `output` (topics); `error`: the distribution of the sensor's error, none
    without it, such as `normal -0.006 0.004` (see `error_models.py`; `autosim testbench fit` finds
    it); `delay` [s] until its answer is there.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Reads the model and connects."""
        self._error = error_source(self)
        self._delay_ns = round(number_of(self, "delay", 0.0) * NANOSECONDS)
        self._answers: deque[tuple[int, int | None, float]] = deque()
        self.input, self.output = Range(), Range()
        name = self.find_topic_name("input")
        self.subscribe(name, self.input)
        self.advertise(self.find_topic_name("output"), self.output)
        self.register_input_function(name, self._measure)
        self.register_core_function(self._answer)

    def _measure(self) -> None:
        answer = max(0.0, self.input.distance + self._error())  # where nothing is, infinity stays
        self._answers.append((self.now_ns() + self._delay_ns, self.input.stamp_ns, answer))

    def _answer(self) -> None:
        if self._answers and self._answers[0][0] <= self.now_ns():
            _, self.output.stamp_ns, self.output.distance = self._answers.popleft()
            self.output.flagged = True


class HeadingConversion(SingleValued[Heading, Heading]):
    """Turns a compass heading into the angle that the robot's software uses.

    Parameters: `input` and `output` (topics).
    """

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.output = Heading(), Heading()

    def convert(self) -> None:
        """From clockwise from north to anticlockwise from east."""
        self.output.angle = angle_of_compass(self.input.angle)
