"""Observations as data: the values that an environment returns of its car after each step."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import gymnasium
import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats
from autosim.config.semantic_classes import CLASSES
from autosim.environments.situation import Situation
from autosim.model.commands import find_device
from autosim.model.state import State
from autosim.model.tree import WORD, FieldType, SimulationTree
from autosim.tracks import lane_view
from autosim.userprogram.session.node_records import find_camera

Numbers = npt.NDArray[np.float32]


class ObservationSource(NamedTuple):
    """Sources of observations: the state, the view of the lane, and the situation."""

    state: State
    view: Floats
    situation: Situation


class NumberWriter(Protocol):
    """Writes an observation's numbers into its own array."""

    def __call__(self, look: ObservationSource, out: Numbers) -> None:
        """Writes them."""


class NumericObservation(Protocol):
    """Some numbers of an observation. `reader` finds its devices once, in a new state."""

    def bounds(self, state: State, robot: str) -> tuple[Numbers, Numbers]:
        """The least and the greatest value (n,) of each number."""

    def reader(self, state: State, robot: str) -> NumberWriter:
        """The reader of the numbers from then on."""


@dataclass(frozen=True, slots=True)
class LaneView:
    """The lane ahead as `lane_view.WIDTH` numbers, see `autosim.tracks.lane_view`."""

    def bounds(self, state: State, robot: str) -> tuple[Numbers, Numbers]:
        """Of each number."""
        most = np.ones(lane_view.WIDTH, dtype=np.float32)
        most[lane_view.OFFSET] = 2.0
        most[lane_view.SPEED] = most[lane_view.LIMIT] = 5.0
        return -most, most

    def reader(self, state: State, robot: str) -> NumberWriter:
        """Copies the view."""

        def read(look: ObservationSource, out: Numbers) -> None:
            np.clip(look.view, -5.0, 5.0, out=out, casting="unsafe")

        return read


@dataclass(frozen=True, slots=True)
class DeviceValues:
    """The values of a device, divided by `unit` and held to [`low`, `high`].

    `device` without the robot's name: `chassis.lidar`. Of a device with several fields `field` is
    one of them; else all of its numbers count. Where a device tells `missing`, as a lidar tells 0,
    nothing is there, and it counts as `high`.
    """

    device: str
    unit: float = 1.0
    low: float = -1.0
    high: float = 1.0
    field: str = ""
    missing: float = np.nan

    def __post_init__(self) -> None:
        if not (self.unit and np.isfinite(self.unit) and self.low < self.high):
            given = f"unit={self.unit:g}, low={self.low:g}, high={self.high:g}"
            raise ValueError(f"'{self.device}' has a unit, and low is below high: not {given}")

    def bounds(self, state: State, robot: str) -> tuple[Numbers, Numbers]:
        """The same for all its numbers."""
        count = len(self._words(state, robot))
        low = np.full(count, self.low, dtype=np.float32)
        return low, np.full(count, self.high, dtype=np.float32)

    def reader(self, state: State, robot: str) -> NumberWriter:
        """Reads the device; NaN and infinity count as the greatest value.

        Raises:
            DeviceError: there is no such device.
        """
        words, low, high = self._words(state, robot), self.low, self.high
        scale, missing = 1.0 / self.unit, self.missing

        def read(look: ObservationSource, out: Numbers) -> None:
            told = look.state.floats[words]
            values = told * scale
            values[np.isnan(told) | (told == missing)] = high
            np.clip(values, low, high, out=out, casting="unsafe")

        return read

    def _words(self, state: State, robot: str) -> npt.NDArray[np.int64]:
        node = find_device(state.tree, f"{robot}.{self.device}")
        fields = [each for each in node.fields if each.type is FieldType.FLOAT]
        if self.field:
            fields = [each for each in fields if each.name == self.field]
        if not fields:
            known = ", ".join(each.name for each in node.fields)
            raise ValueError(f"'{node.name}' has no numbers '{self.field}' (fields: {known})")
        return np.concatenate(
            [node.field_offset(each.name) // WORD + np.arange(each.size // WORD) for each in fields]
        )


@dataclass(frozen=True, slots=True)
class GoalPose:
    """The goal in the car's frame: x and y in `unit` [m], sine and cosine of its yaw."""

    unit: float = 20.0

    def bounds(self, state: State, robot: str) -> tuple[Numbers, Numbers]:
        """Of each number."""
        most = np.array([5.0, 5.0, 1.0, 1.0], dtype=np.float32)
        return -most, most

    def reader(self, state: State, robot: str) -> NumberWriter:
        """Reads them from the situation."""

        def read(look: ObservationSource, out: Numbers) -> None:
            x, y, yaw = look.situation.goal
            out[0] = min(max(x / self.unit, -5.0), 5.0)
            out[1] = min(max(y / self.unit, -5.0), 5.0)
            out[2], out[3] = np.sin(yaw), np.cos(yaw)

        return read


@dataclass(frozen=True, slots=True)
class CameraPicture:
    """The picture of a camera, drawn as in windows; no graphics card is needed.

    `device` without the robot's name: `chassis.front_view`. `kind`: rgb, (height, width, 3) bytes;
    semantic, (height, width, 1) bytes, the number of what is there; depth, (height, width, 1)
    float32 [m] up to `farthest`. `width` and `height` [pixels], whatever the robot's file says.
    """

    device: str
    kind: str = "rgb"
    width: int = 84
    height: int = 84
    farthest: float = 100.0

    def __post_init__(self) -> None:
        if self.kind not in _CHANNELS or min(self.width, self.height) < 1:
            raise ValueError(
                f"expected a picture of {', '.join(_CHANNELS)} with pixels, "
                f"not {self.kind!r} of {self.width} x {self.height}"
            )

    @property
    def name(self) -> str:
        """Of the picture among others."""
        return self.device if self.kind == "rgb" else f"{self.device}.{self.kind}"

    def space(self, tree: SimulationTree, robot: str) -> gymnasium.spaces.Box:
        """All pictures.

        Raises:
            DeviceError: there is no such camera.
        """
        find_camera(tree, f"{robot}.{self.device}")
        shape = (self.height, self.width, _CHANNELS[self.kind])
        if self.kind == "depth":
            return gymnasium.spaces.Box(0.0, self.farthest, shape)
        most = 255 if self.kind == "rgb" else CLASSES[-1].number
        return gymnasium.spaces.Box(0, most, shape, dtype=np.uint8)

    def shown(self, picture: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The observation from a rendered picture."""
        if self.kind == "rgb":
            return np.ascontiguousarray(picture[..., :3])
        if self.kind == "depth":
            picture = np.minimum(picture, np.float32(self.farthest))
        return picture[..., None].copy()


_CHANNELS = {"rgb": 3, "depth": 1, "semantic": 1}
"""Numbers of a pixel, by the kind of picture."""


@runtime_checkable
class RasterObservation(Protocol):
    """A picture that is drawn from the situation, not by a camera."""

    @property
    def name(self) -> str:
        """Name among other pictures."""

    def space(self, tree: SimulationTree, robot: str) -> gymnasium.spaces.Box:
        """All pictures."""

    def raster(self, look: ObservationSource) -> Bytes:
        """The picture (height, width, channels) of the present situation."""


Observation = NumericObservation | CameraPicture | RasterObservation
"""The observations of an environment."""
