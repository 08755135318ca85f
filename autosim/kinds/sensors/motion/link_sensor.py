"""Sensors of how far a hinge is turned or a slide is out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim.config.descriptions import Device, Link
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import reference
from autosim.kinds.banks import BankContext, MountedDevice, word_indices
from autosim.kinds.bodies.axis_links import check_axis_link
from autosim.kinds.bodies.prismatic_link import PrismaticLink
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import WORD, Field

_FIELDS = ("position", "velocity")


@dataclass(frozen=True, slots=True)
class LinkSensor(Device):
    """Position and velocity of a `link`, which `is_slide` or a hinge."""

    link: str = ""
    is_slide: bool = False


class LinkSensorBank:
    """Reads what links hold in the state."""

    def __init__(self, devices: Sequence[MountedDevice[LinkSensor]], context: BankContext) -> None:
        self._words = word_indices(devices)[:, None] + np.arange(len(_FIELDS))
        nodes = [context.joint_of(mounted, mounted.device.link).node for mounted in devices]
        offsets = [[node.field_offset(name) for name in _FIELDS] for node in nodes]
        self._measured = np.array(offsets, dtype=np.int64) // WORD

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the values."""
        values = noise(state.floats[self._measured].reshape(-1))
        state.floats[self._words] = values.reshape(self._words.shape)


def _fields(sensor: LinkSensor) -> tuple[Field, ...]:
    units = ("m", "m/s") if sensor.is_slide else ("rad", "rad/s")
    return tuple(Field(name, unit=unit) for name, unit in zip(_FIELDS, units, strict=True))


def _of_its_link(sensor: LinkSensor, links: Mapping[str, Link]) -> LinkSensor:
    return replace(sensor, is_slide=isinstance(links.get(sensor.link), PrismaticLink))


def _check(sensor: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axis_link(sensor, robot, faults)


KIND = DeviceKind(
    record=LinkSensor,
    element=device_element(
        "LinkSensor",
        "How far a RevoluteLink is turned [rad] or a PrismaticLink is out [m], and how fast. The "
        "Part is one of the link's two.",
        reference("Link", "The link that it measures."),
        *NOISES,
    ),
    fields=_fields,
    channels=lambda sensor, step_seconds: tuple(f".{name}" for name in _FIELDS),
    complete=_of_its_link,
    make_bank=LinkSensorBank,
    check=_check,
)
