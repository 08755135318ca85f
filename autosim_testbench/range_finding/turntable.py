"""A simulated board: a range finder and a compass on a turntable.

It stands for the board where none is connected. It measures as the sensors' data sheets say: the
range finder (HC-SR04) has an answer every 60 ms, 38 ms after a trigger where nothing is in reach,
else when the echo is back; the compass (HMC5883L) has 15 values a second at its default rate. Both
reach the bench some time later, over the serial link.
"""

import math
from collections import deque
from collections.abc import Sequence

from autosim_testbench.messages.kinds import Heading, Range
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import file_of, number_of
from autosim_testbench.range_finding.plane_shapes import distance
from autosim_testbench.range_finding.scene_file import load_scene
from autosim_testbench.range_finding.virtual_side import error_source

_RANGE_PERIOD = 0.06
"""Shortest time [s] between two triggers of an HC-SR04, by its data sheet."""

_COMPASS_PERIOD = 1 / 15
"""Time [s] between two values of an HMC5883L at its default rate, by its data sheet."""

_REACH = 4.0
"""[m] as far as an HC-SR04 measures, by its data sheet."""

_LINK_DELAY = 0.01
"""Time [s] for a frame of 12 bytes at 9600 baud, nearly."""


class Turntable(Node):
    """Turns at a steady rate, and publishes what its two sensors measure.

    Parameters: `heading` and `range` (topics), `scene` (file: what is really there), `turn_rate`
    [rad/s, clockwise], `error` of the range finder (see `error_models.py`), `heading_deviation`
    [rad] of the compass, `link_delay` [s].
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Reads the scene and the parameters, and advertises."""
        self._shapes = load_scene(file_of(self, "scene"))
        self._turn_rate = number_of(self, "turn_rate", 0.35)
        self._error = error_source(self)
        self._heading_deviation = number_of(self, "heading_deviation", 0.0)
        self._delay_ns = round(number_of(self, "link_delay", _LINK_DELAY) * NANOSECONDS)
        self.heading, self.range = Heading(), Range()
        self._on_the_way: deque[tuple[int, int, float]] = deque()
        self._headings_on_the_way: deque[tuple[int, int, float]] = deque()
        self.advertise(self.find_topic_name("heading"), self.heading)
        self.advertise(self.find_topic_name("range"), self.range)
        self.register_init_function(self._begin)
        self.register_core_function(self._measure)
        self.register_core_function(self._arrive)

    def true_heading(self, time_ns: int) -> float:
        """Heading [rad], clockwise from north, at a time [ns]; it begins at north."""
        return math.fmod(self._turn_rate * (time_ns - self._begun_ns) / NANOSECONDS, math.tau)

    def _begin(self) -> None:
        self._begun_ns = self._next_range_ns = self._next_heading_ns = self.now_ns()

    def _measure(self) -> None:
        now = self.now_ns()
        if now >= self._next_heading_ns:
            self._next_heading_ns += round(_COMPASS_PERIOD * NANOSECONDS)
            angle = self.true_heading(now) + self.random.normal(0.0, self._heading_deviation)
            self._headings_on_the_way.append((now + self._delay_ns, now, angle % math.tau))
        if now >= self._next_range_ns:
            self._next_range_ns += round(_RANGE_PERIOD * NANOSECONDS)
            self._on_the_way.append((now + self._delay_ns, now, self._echo(now)))

    def _echo(self, now_ns: int) -> float:
        true = distance(self._shapes, math.pi / 2 - self.true_heading(now_ns))
        return max(0.0, true + self._error()) if true <= _REACH else math.inf

    def _arrive(self) -> None:
        now = self.now_ns()
        if self._headings_on_the_way and self._headings_on_the_way[0][0] <= now:
            _, self.heading.stamp_ns, self.heading.angle = self._headings_on_the_way.popleft()
            self.heading.flagged = True
        if self._on_the_way and self._on_the_way[0][0] <= now:
            _, self.range.stamp_ns, self.range.distance = self._on_the_way.popleft()
            self.range.flagged = True
