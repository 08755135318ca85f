"""Distance sensors: how far it is to the nearest surface along a ray."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import direction, parameter, vector
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.elements import FORWARD, NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class PSDSensor(Device):
    """Distance to the nearest body or surface along a ray, at most `range` [m]."""

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    range: float = 10.0


def _make_bank(devices: Sequence[Mounted[PSDSensor]], context: BankContext) -> object:
    # Its kernels take numba, which programs and clients do without.
    from autosim.kinds.sensors.ranging.psd_bank import PSDBank

    return PSDBank(devices, context)


KIND = DeviceKind(
    record=PSDSensor,
    element=device_element(
        "PSDSensor",
        "Position sensitive device: the distance to the nearest body or surface along a ray.",
        vector(
            "Position", "Where the ray begins, relative to the centre of the part.", default=ORIGIN
        ),
        direction("Direction", "Where it points.", default=FORWARD),
        parameter(
            "Range",
            "Greatest distance; also the value when nothing is hit.",
            unit="m",
            default=10.0,
            interval=Interval(0.001, 1e5),
        ),
        *NOISES,
    ),
    fields=(
        Field(
            "distance",
            unit="m",
            meaning="To the nearest surface along the ray; Range where there is none.",
        ),
    ),
    make_bank=_make_bank,
    is_momentary=True,
)
