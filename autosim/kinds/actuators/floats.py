"""Floats: what carries a robot on water."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Element, Interval
from autosim.config.schemas.common import NOT_NEGATIVE, POSITIVE_LENGTH, vector
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.elements import ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.reading import extent
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class Float(Device):
    """A box of `size` [m] along B's axes, whose middle is at `position` [m] in B from the part's.

    `drag_coefficients` and `linear_drag` [N s/m] are those along B's axes, of the whole box.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    size: Vector3 = (1.0, 1.0, 1.0)
    drag_coefficients: Vector3 = (0.3, 1.0, 1.0)
    linear_drag: Vector3 = (0.0, 0.0, 0.0)


def _make_bank(devices: Sequence[Mounted[Float]], context: BankContext) -> object:
    # Its kernel takes numba, which programs and clients do without.
    from autosim.kinds.actuators.float_bank import FloatBank

    return FloatBank(devices, context)


def _along_axes(
    name: str, description: str, *, unit: str, default: Vector3, interval: Interval
) -> Element:
    """A number for each axis, whose sign does not matter."""
    return vector(name, description, unit=unit, default=default, interval=interval)


KIND = DeviceKind(
    record=Float,
    element=device_element(
        "Float",
        "A box that displaces water, which carries the part (Archimedes) and brakes it. It turns "
        "nothing of the part's shape into a float: the box is where the water acts. A robot with "
        "a Float passes through the surface of water, which bears all others as a ford does.",
        vector("Position", "Its middle, relative to the part's centre.", default=ORIGIN),
        vector(
            "Size",
            "Its full extents.",
            required=True,
            interval=POSITIVE_LENGTH,
        ),
        _along_axes(
            "DragCoefficients",
            "Drag along each axis relative to the dynamic pressure of the water on that side of "
            "the whole box: it grows with the square of the speed.",
            unit="1",
            default=(1.0, 1.0, 0.3),
            interval=Interval(0.0, 100.0),
        ),
        _along_axes(
            "LinearDrag",
            "Drag along each axis that grows with the speed, of the whole box.",
            unit="N s/m",
            default=(0.0, 0.0, 0.0),
            interval=NOT_NEGATIVE,
        ),
    ),
    fields=(
        Field(
            "submerged",
            limits=Interval(0.0, 1.0),
            meaning="Share of the box that is below the water.",
        ),
    ),
    codecs={"Size": extent, "DragCoefficients": extent, "LinearDrag": extent},
    make_bank=_make_bank,
)
