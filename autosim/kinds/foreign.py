"""Devices of kinds that are not known here, as described by the server.

User programs, and clients without the plug-ins of a server, get a robot's devices without the code
that made them. Names, values, units and meanings are sent along; code never is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from autosim.config.descriptions import Device, RobotDescription
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Access, Field, KindSchema

_UNKNOWN = KindSchema(Element("", ""))


@dataclass(frozen=True)
class ForeignDevice(Device):
    """A device of a kind that this process has no code for.

    `record` names its kind's record; `values` are the fields of that record, which can also be read
    as attributes: `device.max_thrust`. `schema` says how files describe its kind; `fields` are
    those of its node, and `access` says who may set them.
    """

    record: str = ""
    values: tuple[tuple[str, object], ...] = ()
    schema: KindSchema = _UNKNOWN
    fields: tuple[Field, ...] = ()
    access: Access = Access.READ

    @property
    def kind(self) -> "ForeignKind":
        """Its kind, as far as it is known here; other devices have theirs by their class."""
        return _kind(self, {})

    def __getattr__(self, name: str) -> object:
        """The field of the record that is called `name`."""
        for own, value in object.__getattribute__(self, "values"):
            if own == name:
                return value
        known = ", ".join(own for own, _ in object.__getattribute__(self, "values"))
        raise AttributeError(f"a {self.record} has no '{name}'; it has {known or 'nothing more'}")


_Told = Mapping[tuple[str, str], ForeignDevice]
"""Devices of one robot, by part and name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ForeignKind(DeviceKind[ForeignDevice]):
    """A kind without its code. From a file it reads the devices that were `told` of, no others."""

    told: _Told = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Leaves the class of the record alone: foreign devices of all kinds share it."""

    def read(self, block: Block) -> ForeignDevice:
        """The device as the server described it."""
        return self.told[block.text("Part"), block.name]


def foreign_kinds(robot: RobotDescription) -> tuple[ForeignKind, ...]:
    """The kinds of the foreign devices of `robot`, which read these devices from its file."""
    told: dict[str, dict[tuple[str, str], ForeignDevice]] = {}
    for device in robot.devices:
        if isinstance(device, ForeignDevice):
            told.setdefault(device.schema.element.name, {})[device.part, device.name] = device
    return tuple(_kind(next(iter(each.values())), each) for each in told.values())


def _kind(device: ForeignDevice, told: _Told) -> ForeignKind:
    return ForeignKind(
        element=device.schema.element,
        names=dict(device.schema.names),
        record=ForeignDevice,
        fields=lambda own: own.fields,
        access=device.access,
        check=_check_of(told),
        told=told,
    )


def _check_of(told: _Told) -> Callable[[Block, RobotBlocks, Faults], None]:
    def check(device: Block, robot: RobotBlocks, faults: Faults) -> None:
        if (device.text("Part"), device.name) not in told:
            message = f"the server does not describe {device.title}: its world has just changed"
            faults.error(device, f"{message}; try again")

    return check
