"""A view from above the car as an observation: streets, the route, road users and signals."""

from dataclasses import dataclass
from typing import NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Bytes, Floats
from autosim.environments.observations import ObservationSource
from autosim.jit import compiled, inlined
from autosim.model.tree import SimulationTree
from autosim.traffic.road_users import B
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.lanes.roads import RoadNetwork

STREET, ROUTE, VEHICLES, PEOPLE, SIGNALS = range(5)
"""Channels of the view."""

CHANNELS = 5
"""Number of channels of the view, one for each kind of thing in it."""

_ROUTE_HALF = 1.0
"""Half width [m] of the drawn route."""

_LINE_HALF = 0.6
"""Half width [m] of a drawn stop line."""

_SAME_LEVEL = 4.0
"""Difference in height [m] from which streets and road users are on another level."""

_LIGHTS = {
    SignalState.RED: 255,
    SignalState.RED_AMBER: 255,
    SignalState.AMBER: 170,
    SignalState.GREEN: 85,
}
"""Brightness of a stop line by its signal; others are dark."""


class Strokes(NamedTuple):
    """Lines with a width.

    `ends` (n, 4): x, y [m] in W of both ends; `heights` (n,) [m]; `halves` (n,) [m] of the width.
    """

    ends: Floats
    heights: Floats
    halves: Floats


@dataclass(frozen=True, slots=True)
class ViewFromAbove:
    """A picture (height, width, 5) of bytes from above, with the car's heading upwards.

    Its channels are carriageways, the route, vehicles, people (255 where there are any), and stop
    lines with signals: 255 at red, 170 at amber, 85 at green. The car is in the middle of the
    width, with a `share` of the height ahead of it; it is not drawn. `metres` [m] is the size of a
    pixel. What is on another level, as on a bridge, is left out.
    """

    width: int = 96
    height: int = 96
    metres: float = 0.5
    share: float = 0.75

    def __post_init__(self) -> None:
        is_view = min(self.width, self.height) >= 1 and self.metres > 0.0
        if not (is_view and 0.0 <= self.share <= 1.0):
            raise ValueError(
                f"expected pixels of some size and a share from 0 to 1, not {self.width} x "
                f"{self.height} pixels of {self.metres:g} m with {self.share:g} ahead"
            )

    @property
    def name(self) -> str:
        """Name among other pictures."""
        return "view_from_above"

    def space(self, tree: SimulationTree, robot: str) -> gymnasium.spaces.Box:
        """All pictures."""
        shape = (self.height, self.width, CHANNELS)
        return gymnasium.spaces.Box(0, 255, shape, dtype=np.uint8)

    def raster(self, look: ObservationSource) -> Bytes:
        """The view of the car in its present situation."""
        picture: Bytes = np.zeros((self.height, self.width, CHANNELS), dtype=np.uint8)
        watch = look.situation.traffic
        if watch is None:
            return picture
        roads = watch.compiled.roads
        pose = watch.pose[:4].copy()
        view = np.array([self.metres, self.share * self.height, 0.5 * self.width])
        streets = roads.derived("strokes from above", lambda: _streets(roads))
        draw_strokes(picture, STREET, *streets, np.full(len(streets.ends), 255), pose, view)
        route = look.situation.route
        if len(route) > 1:
            ends = np.column_stack([route[:-1, :2], route[1:, :2]])
            halves = np.full(len(ends), _ROUTE_HALF)
            light = np.full(len(ends), 255)
            draw_strokes(picture, ROUTE, ends, route[1:, 2].copy(), halves, light, pose, view)
        lines, lights = watch.signal_lines()
        if len(lines):
            shown = np.array([_LIGHTS.get(SignalState(int(each)), 0) for each in lights])
            halves = np.full(len(lines), _LINE_HALF)
            ends = np.ascontiguousarray(lines[:, :4])
            draw_strokes(picture, SIGNALS, ends, lines[:, 4].copy(), halves, shown, pose, view)
        boxes, count = watch.boxes()
        draw_boxes(picture, VEHICLES, boxes[:count], pose, view)
        draw_boxes(picture, PEOPLE, boxes[count:], pose, view)
        return picture


def _streets(roads: RoadNetwork) -> Strokes:
    """The lanes of a map, as strokes as wide as they are."""
    lanes = roads.lane_of_points()
    rows = np.flatnonzero(lanes[1:] == lanes[:-1])
    ends = np.column_stack([roads.points[rows, :2], roads.points[rows + 1, :2]])
    heights = 0.5 * (roads.points[rows, 2] + roads.points[rows + 1, 2])
    return Strokes(np.ascontiguousarray(ends), heights, 0.5 * roads.widths[lanes[rows]])


@inlined
def _pixel_of(dx: float, dy: float, sin: float, cos: float, view: Floats) -> tuple[float, float]:
    """Row and column of a place dx, dy [m] from the car, which heads along (cos, sin)."""
    ahead, left = cos * dx + sin * dy, cos * dy - sin * dx
    return view[1] - ahead / view[0], view[2] - left / view[0]


@compiled
def draw_strokes(
    picture: Bytes,
    channel: int,
    ends: Floats,
    heights: Floats,
    halves: Floats,
    lights: npt.NDArray[np.int64],
    pose: Floats,
    view: Floats,
) -> None:
    """Draws lines with a width into a channel.

    Args:
        picture: (height, width, channels), written.
        channel: its number.
        ends: see `Strokes`.
        heights: see `Strokes`.
        halves: see `Strokes`.
        lights: (n,) brightness of each.
        pose: (4,) x, y, z [m] in W and yaw [rad] of the car.
        view: (3,) size of a pixel [m], and row and column of the car.
    """
    height, width = picture.shape[0], picture.shape[1]
    sin, cos = portable.sin_cos(pose[3])
    reach = view[0] * (height + width)
    for k in range(len(ends)):
        ax, ay = ends[k, 0] - pose[0], ends[k, 1] - pose[1]
        bx, by = ends[k, 2] - pose[0], ends[k, 3] - pose[1]
        is_far = min(abs(ax), abs(bx)) > reach or min(abs(ay), abs(by)) > reach
        if is_far or abs(heights[k] - pose[2]) > _SAME_LEVEL:
            continue
        # In pixels: rows grow backwards, columns to the right.
        half = halves[k] / view[0]
        first, a = _pixel_of(ax, ay, sin, cos, view)
        last, b = _pixel_of(bx, by, sin, cos, view)
        along, across = last - first, b - a
        square = max(along * along + across * across, 1e-9)
        for row in range(
            max(0, int(np.floor(min(first, last) - half))),
            min(height, int(np.ceil(max(first, last) + half)) + 1),
        ):
            for column in range(
                max(0, int(np.floor(min(a, b) - half))),
                min(width, int(np.ceil(max(a, b) + half)) + 1),
            ):
                dr, dc = row + 0.5 - first, column + 0.5 - a
                share = min(max((dr * along + dc * across) / square, 0.0), 1.0)
                dr, dc = dr - share * along, dc - share * across
                if dr * dr + dc * dc <= half * half:
                    picture[row, column, channel] = lights[k]


@compiled
def draw_boxes(picture: Bytes, channel: int, boxes: Floats, pose: Floats, view: Floats) -> None:
    """Draws boxes (n, 8) by `BoxColumns` into a channel; else as `draw_strokes`."""
    height, width = picture.shape[0], picture.shape[1]
    sin, cos = portable.sin_cos(pose[3])
    for k in range(len(boxes)):
        box = boxes[k]
        dx, dy = box[B.x] - pose[0], box[B.y] - pose[1]
        row, column = _pixel_of(dx, dy, sin, cos, view)
        long, wide = box[B.half_length] / view[0], box[B.half_width] / view[0]
        radius = np.sqrt(long * long + wide * wide) + 1.0
        if abs(box[B.z] - pose[2]) > _SAME_LEVEL:
            continue
        turned_sin, turned_cos = portable.sin_cos(box[B.yaw] - pose[3])
        for i in range(max(0, int(row - radius)), min(height, int(row + radius) + 1)):
            for j in range(max(0, int(column - radius)), min(width, int(column + radius) + 1)):
                ahead, left = row - i - 0.5, column - j - 0.5
                along = turned_cos * ahead + turned_sin * left
                across = turned_cos * left - turned_sin * ahead
                # A person is smaller than a pixel: it covers the one in which its middle is.
                if abs(along) <= max(long, 0.5) and abs(across) <= max(wide, 0.5):
                    picture[i, j, channel] = 255
