"""Contacts: the other robots, as one robot sees them."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Element, Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, switch, vector
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.elements import DELAY, ORIGIN, device_element, update_rate
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Column, Field, list_field

COLUMNS = (
    Column("robot"),
    *(Column(name, "m") for name in "xyz"),
    *(Column(f"v{name}", "m/s") for name in "xyz"),
    Column("position_deviation", "m"),
    Column("velocity_deviation", "m/s"),
)


@dataclass(frozen=True, slots=True)
class NoisyContacts(Device):
    """The other robots within `range` [m] of `position` [m] in B that nothing hides.

    They are looked for `update_rate` [Hz] times a second. The nearest `capacity` are told of, each
    where the middle of its first part is, with normal errors: `position_deviation` [m] and
    `velocity_deviation` [m/s] along each axis. Where `is_occluded` is false, nothing hides them.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    range: float = 100.0
    update_rate: float = 10.0
    capacity: int = 16
    position_deviation: float = 1.0
    velocity_deviation: float = 0.5
    is_occluded: bool = True


def _fields(contacts: NoisyContacts) -> tuple[Field, ...]:
    return (list_field("contacts", COLUMNS, contacts.capacity),)


def _make_bank(devices: Sequence[Mounted[NoisyContacts]], context: BankContext) -> object:
    # Its kernels take numba, which programs and clients do without.
    from autosim.kinds.sensors.surroundings.noisy_contacts_bank import NoisyContactsBank

    return NoisyContactsBank(devices, context)


def _deviation(name: str, what: str, unit: str, default: float) -> Element:
    return parameter(
        name,
        f"Standard deviation of the {what} that it tells, along each axis.",
        unit=unit,
        default=default,
        interval=NOT_NEGATIVE,
    )


KIND = DeviceKind(
    record=NoisyContacts,
    element=device_element(
        "NoisyContacts",
        "The other robots, as this one sees them: a list of the nearest, each with its number in "
        "the order of the world file, position and velocity in the world, and how wrong these are.",
        vector("Position", "Where it looks from, relative to the part's centre.", default=ORIGIN),
        parameter(
            "Range",
            "What is farther is not seen.",
            unit="m",
            default=100.0,
            interval=Interval(0.1, 1e4),
        ),
        update_rate("How many times in a second it looks.", default=10.0),
        parameter(
            "Capacity",
            "The most robots that it tells of.",
            default=16,
            interval=Interval(1, 256),
            type=ValueType.INTEGER,
        ),
        _deviation("PositionDeviation", "position", "m", 1.0),
        _deviation("VelocityDeviation", "velocity", "m/s", 0.5),
        switch(
            "Occlusion",
            "Whether the ground, buildings, trees, objects and other robots hide what is behind.",
            default=True,
        ),
        DELAY,
    ),
    names={"Occlusion": "is_occluded"},
    fields=_fields,
    make_bank=_make_bank,
    is_late_whole=True,
    channels=lambda device, step_seconds: (),
)
