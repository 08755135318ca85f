"""Lane sensors: where a part is in its lane, and whether it is over a line."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import direction, parameter, vector
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.elements import FORWARD, NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates, rotate
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.world.lanes.lane_index import find_lanes, lane_headings

NO_LANE = -1
"""The number of the lane where none is near."""

_CHANNELS = (".offset", ".heading_error", ".width", ".lane")


@dataclass(frozen=True, slots=True)
class LaneSensor(Device):
    """Place in the lane nearest to `position` [m in B], of those that lead as `direction` does.

    It sees lanes up to `range` [m] away. `width` [m] is that of the vehicle: with half of it to
    each side it stands in its lane, or on a line.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    range: float = 10.0
    width: float = 1.8


class LaneBank:
    """All lane sensors.

    Args:
        devices: the sensors.
        context: has the lanes.
    """

    def __init__(self, devices: Sequence[MountedDevice[LaneSensor]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._direction = vectors([mounted.device.direction for mounted in devices])
        self._range = np.array([mounted.device.range for mounted in devices])
        self._half = 0.5 * np.array([mounted.device.width for mounted in devices])
        self._roads = context.roads
        self._lanes = np.zeros(len(devices), dtype=np.int64)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes place, lane and line of all sensors."""
        R = bodies.rotations[self._body]
        place = bodies.positions[self._body] + rotate(R, self._position)
        ahead = rotate(R, self._direction)
        heading = np.asarray(portable.arctan2(ahead[:, 1], ahead[:, 0]))
        values = noise(self.measure(place, heading).reshape(-1)).reshape(-1, len(_CHANNELS))
        state.floats[self._word[:, None] + np.arange(4)] = values
        crossed = crossed_line(values[:, 0], values[:, 2], self._half)
        state.floats[self._word + 4] = np.where(values[:, 3] == NO_LANE, 0, crossed)

    def measure(self, places: Floats, headings: Floats) -> Floats:
        """Offset, heading error, width and lane (n, 4) at places (n, 3) [m] and headings [rad]."""
        values = np.zeros((len(places), len(_CHANNELS)))
        values[:, 3] = NO_LANE
        if not len(self._roads.roads):
            return values
        index, lanes = self._roads.lane_index(), self._lanes
        along, leads = np.empty((len(places), 2)), np.empty(len(places))
        find_lanes(index, places, headings, lanes, along)
        lane_headings(index, lanes, along[:, 0], leads)
        near = np.abs(along[:, 1]) <= self._range
        error = portable.wrapped(headings - leads)
        seen = np.column_stack([along[:, 1], error, self._roads.widths[lanes], lanes])
        values[near] = seen[near]
        return values


def crossed_line(offsets: Floats, widths: Floats, halves: Floats) -> Integers:
    """1 for those (n,) over the left line of their lane, -1 for the right one, 0 for neither.

    Args:
        offsets: (n,) m to the left of the lane's middle.
        widths: (n,) m of the lanes.
        halves: (n,) m, half of the vehicles' widths.
    """
    is_over = np.abs(offsets) + halves > 0.5 * widths
    return np.where(is_over, np.where(offsets < 0.0, -1, 1), 0)


KIND = DeviceKind(
    record=LaneSensor,
    element=device_element(
        "LaneSensor",
        "Where a part is in its lane: how far left of the lane's middle, how its heading differs "
        "from the lane's, how wide the lane is, and its number in the world's network; and the "
        "line that the vehicle stands on: 1 left, -1 right, 0 none. The lane is the nearest one "
        "of those that lead within 90 degrees of Direction. Where none is near, its number is -1 "
        "and all else 0.",
        vector("Position", "Place on the part, relative to its centre.", default=ORIGIN),
        direction("Direction", "Where the vehicle drives.", default=FORWARD),
        parameter(
            "Range",
            "Greatest distance of the lane's middle.",
            unit="m",
            default=10.0,
            interval=Interval(0.1, 1000.0),
        ),
        parameter(
            "Width",
            "Of the vehicle: it stands on a line that is within half of it.",
            unit="m",
            default=1.8,
            interval=Interval(0.0, 20.0),
        ),
        *NOISES,
    ),
    fields=(
        Field("offset", unit="m", meaning="To the left of the lane's middle."),
        Field("heading_error", unit="rad", meaning="Of its heading from the lane's."),
        Field("width", unit="m", meaning="Of the lane."),
        Field("lane", meaning="Number of the lane; -1 where none is near."),
        Field(
            "crossed",
            meaning="Line under it: 1 left, -1 right, 0 none.",
        ),
    ),
    channels=lambda sensor, step_seconds: _CHANNELS,
    stamps=(".lane",),
    make_bank=LaneBank,
)
