"""Deflation of a tyre while a simulation runs."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import reference
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import SHARE, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Access, Field


@dataclass(frozen=True, slots=True)
class FlatTyre(Device):
    """Deflation of the tyre of `wheel`, a wheel of the same part, is to be."""

    wheel: str = ""


def _check(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    name, part = device.text("Wheel"), device.text("Part")
    wheels = [each for each in robot.devices if each.tag == "WheelDevice"]
    names = [each.name for each in wheels if each.text("Part") == part]
    if name and name not in names:
        message = f"<Wheel> of {device.title} names '{name}', which is not a wheel of its part"
        faults.error(device.line_of("Wheel"), message + suggestion(name, names))


KIND = DeviceKind(
    record=FlatTyre,
    element=device_element(
        "FlatTyre",
        "Lets the air out of a wheel's tyre, and in again: `set_data` sets how flat it is, from 0 "
        "to 1, and within a second it is. A flat tyre is lower, holds less and rolls harder "
        "(docs/vehicles.md).",
        reference("Wheel", "A wheel of the same part."),
    ),
    fields=(Field("flatness", limits=SHARE, meaning="0: inflated, 1: without air."),),
    access=Access.SET,
    rest=(0.0,),
    check=_check,
)
"""A tyre has its air at rest."""
