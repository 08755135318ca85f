"""The software under test: it turns headings and ranges into points of the plane."""

import csv
import math
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence

import numpy as np

from autosim_testbench.figures.plane import Layer, draw_plane
from autosim_testbench.messages.kinds import Heading, Range
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import choice_of

_SHOWN = 1.0
"""Half the side [m] of the plane that is drawn: the boxes of the demonstration lie within 0.8 m."""

_HEADINGS = 200
"""Number of headings that are kept to find the one of a range: 13 s of the compass."""


class Sense(Node):
    """Plots points: the range finder's distance in the compass' direction.

    Parameters: `heading` (an angle anticlockwise from east) and `range` (topics); `pairing`:
    `newest` takes what came last of both, once both have come again, as the thesis did; `stamped`
    takes the heading of the time of which the range tells, between two that came. The figure `lag`
    shows what lies between the two.

    Attributes:
        points: x and y [m] of all points, and the time [s] of which each tells.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Connects."""
        self._paired: dict[str, list[tuple[float, float, float]]] = {"stamped": [], "newest": []}
        self.points = self._paired[choice_of(self, "pairing", ("newest", "stamped"))]
        self.heading, self.range = Heading(), Range()
        self._headings: deque[tuple[int, float]] = deque(maxlen=_HEADINGS)
        self._ranges: deque[tuple[int, float]] = deque(maxlen=_HEADINGS)
        self._has_heading = self._has_range = False
        heading, distance = self.find_topic_name("heading"), self.find_topic_name("range")
        self.subscribe(heading, self.heading)
        self.subscribe(distance, self.range)
        self.register_input_function(heading, self._heading_came)
        self.register_input_function(distance, self._range_came)
        self.register_core_function(self._pair_newest)
        self.register_core_function(self._pair_stamped)
        self.register_exit_function(self._write)

    def report(self) -> dict[str, object]:
        """Number of plotted points."""
        return {"points_plotted": len(self.points)}

    def figures(self) -> dict[str, str]:
        """The points around the range finder at the origin, and what lag does to them."""
        here = Layer(np.zeros((1, 2)), "thing")
        late, right = ([each[:2] for each in self._paired[name]] for name in ("newest", "stamped"))
        both = (here, Layer(np.array(late), "late_point"), Layer(np.array(right), "point"))
        shown = (here, Layer(np.array([each[:2] for each in self.points]), "point"))
        return {
            "points": draw_plane("What Sense has plotted [m]", shown, half_side=_SHOWN),
            "lag": draw_plane(
                "Red: paired by time; blue: as they came [m]", both, half_side=_SHOWN
            ),
        }

    def _heading_came(self) -> None:
        self._has_heading = True
        self._headings.append((self.heading.stamp_ns or 0, self.heading.angle))

    def _range_came(self) -> None:
        self._has_range = True
        self._ranges.append((self.range.stamp_ns or 0, self.range.distance))

    def _pair_newest(self) -> None:
        if self._has_heading and self._has_range:
            self._has_heading = self._has_range = False
            stamp, distance = self.range.stamp_ns or 0, self.range.distance
            self._plot("newest", self.heading.angle, stamp, distance)

    def _pair_stamped(self) -> None:
        while self._ranges and self._headings and self._ranges[0][0] <= self._headings[-1][0]:
            stamp, distance = self._ranges.popleft()
            if stamp >= self._headings[0][0]:
                self._plot("stamped", self._angle_at(stamp), stamp, distance)

    def _angle_at(self, stamp: int) -> float:
        """The angle at a time between two headings, the shorter way round."""
        stamps = [each for each, _ in self._headings]
        after = bisect_left(stamps, stamp)
        (later, end) = self._headings[after]
        (earlier, begin) = self._headings[max(after - 1, 0)]
        share = (stamp - earlier) / (later - earlier) if later > earlier else 0.0
        return begin + share * math.remainder(end - begin, math.tau)

    def _plot(self, pairing: str, angle: float, stamp: int, distance: float) -> None:
        if math.isfinite(distance):
            point = distance * math.cos(angle), distance * math.sin(angle)
            self._paired[pairing].append((*point, stamp * 1e-9))

    def _write(self) -> None:
        folder = self.setting.folder
        if folder is None:
            return
        with (folder / f"{self.name}_points.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("x", "y", "time"))
            writer.writerows(self.points)
