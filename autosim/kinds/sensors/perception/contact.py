"""Contact sensors: a list of the places at which a part touches something, and how hard."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, parameter
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import BankContext, MountedDevice, body_indices
from autosim.kinds.elements import LIST_NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.lists import ListWriter
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Column, list_field
from autosim.model.vector_kernels import read_vector, to_body, vec_sub

WORLD = -1
"""The number of the partner that stands for the ground and all that stands on it."""

COLUMNS = (
    *(Column("partner"), Column("x", "m"), Column("y", "m"), Column("z", "m")),
    Column("impulse", "N s"),
)
_NOISY = COLUMNS[1:]
"""The columns that have noise: the number of a partner has none."""


@dataclass(frozen=True, slots=True)
class ContactSensor(Device):
    """The `capacity` hardest contacts of its part with at least `min_impulse` [N s]."""

    capacity: int = 8
    min_impulse: float = 0.0


class ContactBank:
    """All contact sensors.

    Args:
        devices: the sensors.
        context: has the touches of a step, and the robot of each body.
    """

    def __init__(
        self, devices: Sequence[MountedDevice[ContactSensor]], context: BankContext
    ) -> None:
        self._body = body_indices(devices)
        self._capacity = np.array([each.device.capacity for each in devices], dtype=np.int64)
        self._least = np.array([each.device.min_impulse for each in devices])
        self._lists = ListWriter(devices, self._capacity, len(COLUMNS))
        self._values = np.full((int(self._capacity.sum()), len(COLUMNS)), np.nan)
        self._all = np.arange(len(devices))
        self._touches, self._robots = context.touches, context.rays.robots

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the contacts of the step that has ended."""
        touches = self._touches()
        _list_contacts(
            touches.bodies,
            touches.places,
            touches.impulses,
            self._robots,
            bodies.positions,
            bodies.rotations,
            self._body,
            self._capacity,
            self._least,
            self._values,
        )
        if not noise.is_silent:
            noisy = noise(self._values[:, 1:].reshape(-1).copy())
            self._values[:, 1:] = noisy.reshape(-1, len(_NOISY))
        self._lists.write(state, self._all, self._values)


@compiled_without_refcounts
def _list_contacts(
    pairs: Integers,
    places: Floats,
    impulses: Floats,
    robots: Integers,
    positions: Floats,
    rotations: Floats,
    body: Integers,
    capacity: Integers,
    least: Floats,
    values: Floats,
) -> None:
    """Writes into `values` the contacts of each sensor, the hardest first, NaN where none is."""
    values[:] = np.nan
    first = 0
    for i in range(body.size):
        last = first + capacity[i] - 1
        for k in range(len(pairs)):
            side = 0 if pairs[k, 0] == body[i] else 1
            impulse = impulses[k]
            if pairs[k, side] != body[i] or impulse < least[i] or impulse <= values[last, 4]:
                continue
            row = last
            while row > first and not values[row - 1, 4] >= impulse:
                for column in range(values.shape[1]):
                    values[row, column] = values[row - 1, column]
                row -= 1
            other = pairs[k, 1 - side]
            place = to_body(
                rotations[body[i]], vec_sub(read_vector(places[k]), read_vector(positions[body[i]]))
            )
            values[row, 0] = robots[other] if other >= 0 else WORLD
            values[row, 1], values[row, 2], values[row, 3] = place[0], place[1], place[2]
            values[row, 4] = impulse
        first += capacity[i]


def _channels(sensor: ContactSensor, step_seconds: float) -> tuple[str, ...]:
    return tuple(f".{each.name}.{number}" for number in range(sensor.capacity) for each in _NOISY)


KIND = DeviceKind(
    record=ContactSensor,
    element=device_element(
        "ContactSensor",
        "A list of the places at which a part has touched something in the step, the hardest "
        "first: the partner, which is the number of another robot in the order of the world file, "
        "objects after robots, or -1 for the world; the place [m] in the axes of the part (x "
        "forward, y left, z up); and the impulse [N s] along the normal. Wheels make no contacts. "
        "Noise acts on place and impulse.",
        parameter(
            "Capacity",
            "Most contacts of the list.",
            default=8,
            interval=Interval(1, 256),
            type=ValueType.INTEGER,
        ),
        parameter(
            "MinImpulse",
            "Contacts with a smaller impulse are not listed.",
            unit="N s",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        *LIST_NOISES,
    ),
    fields=lambda sensor: (list_field("contacts", COLUMNS, sensor.capacity),),
    channels=_channels,
    is_late_whole=True,
    make_bank=ContactBank,
)
