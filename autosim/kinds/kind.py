"""A kind: all that AutoSim has to know of one sort of part, link or device."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Generic, TypeAlias, TypeVar, cast

from autosim.config.descriptions import Device, Link, Part
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.element_reader import Codec, field_name, record_from_block
from autosim.kinds.element_writer import Writer, write_children
from autosim.kinds.elements import ORIGIN, is_noise
from autosim.model.rigid_bodies.joints import Joint
from autosim.model.rigid_bodies.mass import mass_properties
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.model.rigid_bodies.shapes import PlacedShape
from autosim.model.tree import Access, Field, KindSchema, TreeNode

RecordT = TypeVar("RecordT")
DeviceT = TypeVar("DeviceT", bound=Device)
PartT = TypeVar("PartT", bound=Part)
LinkT = TypeVar("LinkT", bound=Link)

PLACE = "Position"
"""The child of a part that says where it stands; objects have one of another form."""

Rest = tuple[float | None, ...]
"""A number for each field of an actuator, None for one that stays as it is."""

POSE = (
    Field("position", shape=(3,), unit="m", meaning="Of its centre: east, north, up."),
    Field(
        "orientation",
        shape=(4,),
        meaning="Quaternion x, y, z, w: turns from forward, left, up to east, north, up.",
    ),
    Field("velocity", shape=(3,), unit="m/s", meaning="Of its centre: east, north, up."),
    Field(
        "angular_velocity",
        shape=(3,),
        unit="rad/s",
        meaning="About the axes that point east, north and up.",
    ),
)
"""The fields of every part: place and velocities in W; the quaternion (x, y, z, w) of R_WB."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind(Generic[RecordT]):
    """A kind of part, link or device in robot files.

    Args:
        element: its XML element; the name of the element is that of the kind.
        record: the frozen dataclass that describes one thing. It has a field for each child of
            `element`: of `<UpVector>`, a field `up_vector`.
        fields: of its node in the state; a function where they depend on the record.
        names: of fields that are called otherwise, by the child's name.
        codecs: how children are read that are not a number, switch, text, name, vector, direction,
            colour or model, by the child's name.
        check: notes what is wrong with a block of this kind beyond its elements; it is given the
            block, those of the whole robot, and the faults.
    """

    element: Element
    record: type[RecordT]
    fields: tuple[Field, ...] | Callable[[RecordT], tuple[Field, ...]] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    codecs: Mapping[str, Codec] = field(default_factory=dict)
    check: Callable[[Block, RobotBlocks, Faults], None] | None = None

    def __post_init__(self) -> None:
        """Holds the element against the record.

        Raises:
            TypeError: the record is not a dataclass or lacks a field for a child of the element.
        """
        if not is_dataclass(self.record):
            raise TypeError(f"{self.record.__name__} is not a dataclass")
        own = {each.name for each in fields(self.record)}
        for child in self.element.children:
            name = "noises" if is_noise(child) else field_name(child.name, self.names)
            if name not in own:
                raise TypeError(
                    f"{self.record.__name__} has no field '{name}' for <{child.name}> of "
                    f"<{self.name}>"
                )

    @property
    def name(self) -> str:
        """Of its element, and of the nodes of this kind."""
        return self.element.name

    @property
    def schema(self) -> KindSchema:
        """The description in files that its nodes carry."""
        return KindSchema(self.element, tuple(sorted(self.names.items())))

    def read(self, block: Block) -> RecordT:
        """The record of a block without errors."""
        return record_from_block(self.record, block, names=self.names, codecs=self.codecs)

    def fields_of(self, record: RecordT) -> tuple[Field, ...]:
        """Fields of the node of `record`."""
        return self.fields(record) if callable(self.fields) else self.fields

    def node(self, name: str, record: RecordT) -> TreeNode:
        """The node of `record`, called `name`."""
        return TreeNode(name, self.name, self.fields_of(record), schema=self.schema)


@dataclass(frozen=True, kw_only=True, eq=False)
class PartKind(Kind[PartT]):
    """A kind of parts.

    Args:
        shapes: of a part, each at its position in B.
        writers: of children whose `codecs` read their own form, by the child's name.
    """

    shapes: Callable[[PartT], tuple[PlacedShape, ...]]
    fields: tuple[Field, ...] = POSE
    """Values of a part's node in the state."""
    writers: Mapping[str, Writer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Gives each record of this kind a reference to its kind."""
        super().__post_init__()
        self.record.kind = self

    def read_object(self, block: Block) -> PartT:
        """The body of an object: a block without errors, whose place is not in a robot."""
        codecs = {**self.codecs, PLACE: lambda block, tag: ORIGIN}
        return record_from_block(
            self.record, block, names=self.names, codecs=codecs, element=self.element
        )

    def write_object(self, body: PartT) -> Iterator[str]:
        """The children of the element that `read_object` reads as `body`, but for its place."""
        children = [each for each in self.element.children if each.name != PLACE]
        return write_children(body, children, names=self.names, writers=self.writers)


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkKind(Kind[LinkT]):
    """A sort of link.

    Args:
        joint: that a link makes between its parts, in the robot's frame.
    """

    joint: Callable[[LinkT], Joint]

    def __post_init__(self) -> None:
        """Gives each record of this kind a reference to its kind."""
        super().__post_init__()
        self.record.kind = self


def _one_channel(device: object, step_seconds: float) -> tuple[str, ...]:
    return ("",)


@dataclass(frozen=True, kw_only=True, eq=False)
class DeviceKind(Kind[DeviceT]):
    """A sort of device.

    Args:
        access: whether its values are read, may be set, or drive the robot.
        rest: the value of an actuator until it is commanded, and again when the program that drove
            it has failed: a number for each field, None for one that stays as it is. A function
            where that depends on the record.
        complete: of a record as it is read, the one that also has what it takes from the links of
            its robot, which are given by their names.
        make_bank: makes a bank of all devices of this kind in a world, which computes them in each
            step (see `banks`); None for what does nothing in the step.
        state_access: who keeps the robot's belief, `robot.state`, up to date where the robot has
            such a device: READ for the bank of this kind, SET for user programs; None for a device
            that does not own the belief.
        channels: of the values of a device that have noise, a name each, unique within the device:
            "" for the only one, ".x" for the one that `field="x"` means in a file. It is given the
            device and the length of a step [s].
        stamps: those of the channels on which a source of noise acts only if it names them: they
            are in other units, or tell when something was measured. They arrive late with the rest.
        is_late_whole: whether a delay is one of all values at once, as of a scan
            (`delayed_values`).
        is_momentary: whether the values of its devices depend only on the step in which they sense,
        so that they need not sense in steps that are not observed.
    """

    access: Access = Access.READ
    rest: Rest | Callable[[DeviceT], Rest] = ()
    released: Rest = ()
    """Of an actuator that is driven by some of its numbers: those by which it else is held."""
    complete: Callable[[DeviceT, Mapping[str, Link]], DeviceT] = lambda device, links: device
    make_bank: Callable[[Sequence[MountedDevice[DeviceT]], BankContext], object] | None = None
    state_access: Access | None = None
    channels: Callable[[DeviceT, float], Sequence[str]] = _one_channel
    stamps: tuple[str, ...] = ()
    is_late_whole: bool = False
    is_momentary: bool = False

    def __post_init__(self) -> None:
        """Gives each record of this kind a reference to its kind."""
        super().__post_init__()
        self.record.kind = self

    def rest_of(self, record: DeviceT) -> Rest:
        """Value of the device of `record` at rest."""
        return self.rest(record) if callable(self.rest) else self.rest

    def node(self, name: str, record: DeviceT) -> TreeNode:
        """The node of `record`, called `name`."""
        fields = self.fields_of(record)
        return TreeNode(name, self.name, fields, access=self.access, schema=self.schema)


AnyPartKind: TypeAlias = PartKind[Any]
"""A kind of parts of any class."""

AnyLinkKind: TypeAlias = LinkKind[Any]
"""A kind of links of any class."""

AnyDeviceKind: TypeAlias = DeviceKind[Any]
"""A kind of devices of any class."""


def kind_of(device: DeviceT) -> DeviceKind[DeviceT]:
    """The kind that `device` belongs to."""
    return cast(DeviceKind[DeviceT], device.kind)


def part_kind_of(part: PartT) -> PartKind[PartT]:
    """The kind that `part` belongs to."""
    return cast(PartKind[PartT], part.kind)


def link_kind_of(link: LinkT) -> LinkKind[LinkT]:
    """The kind that `link` belongs to."""
    return cast(LinkKind[LinkT], link.kind)


def belief_access(devices: Iterable[Device]) -> Access | None:
    """Access to the belief of a robot with `devices`, by its owner; None: it is the truth."""
    return next((kind_of(each).state_access for each in devices if owns_state(each)), None)


def owns_state(device: Device) -> bool:
    """Whether `device` owns the belief of its robot; not known of a foreign one."""
    kind = getattr(device, "kind", None)
    return isinstance(kind, DeviceKind) and kind.state_access is not None


@cache
def body_of(part: Part) -> RigidBody:
    """The rigid body of `part`, for physics, rays and pictures."""
    shapes = part_kind_of(part).shapes(part)
    properties = mass_properties(
        shapes, part.mass, centre_of_mass=part.centre_of_mass, moments=part.inertia
    )
    return RigidBody(shapes, properties, part.friction, part.restitution, part.motion)


def joint_of(link: Link) -> Joint:
    """The joint that `link` makes, in its robot's frame."""
    return link_kind_of(link).joint(link)
