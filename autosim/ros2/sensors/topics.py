"""Descriptions of published topics: name, type, quality, rate, and the making of a message."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.config.descriptions import Device
from autosim.model.state import State
from autosim.model.tree import WORD, FieldType, TreeNode
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import header_of
from autosim.ros2.ros_graph import Quality, ros_name

DeviceT = TypeVar("DeviceT", bound=Device)


@dataclass(frozen=True, slots=True)
class RosTopic:
    """Something that is published.

    `name` of the topic; `kind` of its messages; `period` [s] of simulated time between two of them,
    0: one for each state. `make` gives the fields of a message at a simulated time [ns], None while
    there is nothing to tell.
    """

    name: str
    kind: str
    make: Callable[[int], Fields | None]
    quality: Quality = Quality.SENSOR
    """Quality of service that subscribers see."""
    period: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviceOf(Generic[DeviceT]):
    """A device of a robot, with where its values are.

    `robot`: its name; `node`: of the tree; `record`: its description; `frame`: of its values;
    `state`: whose buffer holds them.
    """

    robot: str
    node: TreeNode
    record: DeviceT
    frame: str
    state: State

    def topic(self, *last: str) -> str:
        """The name of a topic of the device: ROBOT/DEVICE/LAST, or ROBOT/LAST of the robot."""
        parts = (self.robot, self.node.name.rpartition(".")[2], *last)
        return "/" + "/".join(map(ros_name, parts))

    def numbers(self) -> Floats:
        """All numbers (n,) of the device: a view of the state's floats."""
        first = self.node.start // WORD
        return self.state.floats[first : self.node.own_stop // WORD]

    def header(self, nanoseconds: int) -> Fields:
        """A header with that time and the device's frame."""
        return header_of(nanoseconds, self.frame)

    @property
    def period(self) -> float:
        """Time [s] between two values; 0: there is one in each step."""
        rate = float(getattr(self.record, "update_rate", 0.0) or 0.0)
        return 1.0 / rate if rate > 0.0 else 0.0

    def field_names(self) -> list[str]:
        """A name for each of `numbers`, such as acceleration[0]."""
        names: list[str] = []
        for field in self.node.fields:
            count = field.size // WORD
            names += [field.name] if count == 1 else [f"{field.name}[{k}]" for k in range(count)]
        return names

    @property
    def has_numbers(self) -> bool:
        """Whether all its values are real numbers, and none a list."""
        fields = self.node.fields
        is_real = all(each.type is FieldType.FLOAT and not each.is_list for each in fields)
        return bool(fields) and is_real


AnyDevice: TypeAlias = DeviceOf[Any]
"""A device of any kind."""

CLOUD_TYPES = {"float64": 8, "float32": 7, "uint32": 6, "uint16": 4, "uint8": 2}
"""Numbers of the types of fields of a PointCloud2."""


def cloud(header: Fields, points: npt.NDArray[np.void]) -> Fields:
    """The fields of a PointCloud2 with the rows (n,) of a structured array as its points."""
    layout = points.dtype
    assert layout.names is not None
    assert layout.fields is not None
    fields = [
        {
            "name": name,
            "offset": layout.fields[name][1],
            "datatype": CLOUD_TYPES[layout.fields[name][0].name],
            "count": 1,
        }
        for name in layout.names
    ]
    return {
        "header": header,
        "height": 1,
        "width": len(points),
        "fields": fields,
        "is_bigendian": False,
        "point_step": layout.itemsize,
        "row_step": layout.itemsize * len(points),
        "data": points.view(np.uint8),
        "is_dense": True,
    }
