"""A simulation tree as a message: so that others have it without the files it came from.

`proto/autosim/v1/tree.proto` specifies the message; `docs/bitstream.md` tells how to read a state
with it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from google.protobuf.message import DecodeError

from autosim.config.descriptions import RobotDescription
from autosim.config.schema import Element, Interval
from autosim.kinds.foreign import ForeignDevice
from autosim.model.tree import (
    Access,
    Column,
    Field,
    FieldType,
    KindSchema,
    SimulationTree,
    TreeError,
    TreeNode,
)
from autosim.userprogram.codec.robot_codec import (
    object_from_record,
    object_to_record,
    robot_from_record,
    robot_to_record,
)
from autosim.userprogram.codec.schema_codec import (
    NO_DESCRIPTION,
    DescribedKind,
    kinds_from_messages,
    kinds_to_messages,
)
from autosim.v1 import tree_pb2 as pb

_DescribedT = TypeVar("_DescribedT")

MOST_BYTES = 1 << 30
"""Number of bytes of a state. A larger one is an attack: it would have to be in memory."""

_TYPES = {
    FieldType.FLOAT: pb.Field.FLOAT64,
    FieldType.INT: pb.Field.INT64,
    FieldType.TEXT: pb.Field.TEXT,
}
_ACCESSES = {
    Access.READ: pb.Node.READ,
    Access.SET: pb.Node.SET,
    Access.DRIVE: pb.Node.DRIVE,
}
_NODE_ACCESSES = {number: access for access, number in _ACCESSES.items()}
_FIELD_TYPES = {number: type_ for type_, number in _TYPES.items()}


def tree_to_message(tree: SimulationTree) -> pb.Tree:
    """The laid-out tree with the descriptions of its robots: equal ones are sent once."""
    return pb.Tree(
        digest=tree.digest,
        size=tree.stop,
        root=_to_message(tree),
        robots=_records(tree.descriptions, robot_to_record),
        objects=_records(tree.objects, object_to_record),
        kinds=kinds_to_messages(tree),
        plugins=[pb.Plugin(name=name, version=version) for name, version in tree.plugins],
    )


def _records(
    descriptions: Mapping[str, _DescribedT], to_record: Callable[[_DescribedT], pb.Record]
) -> list[pb.NodeRecord]:
    names: dict[_DescribedT, list[str]] = {}
    for name, each in descriptions.items():
        names.setdefault(each, []).append(name)
    return [pb.NodeRecord(nodes=own, record=to_record(each)) for each, own in names.items()]


def tree_from_message(message: pb.Tree) -> SimulationTree:
    """The tree that `tree_to_message` described, laid out.

    Raises:
        TreeError: the message describes no tree, or another layout than the nodes have.
    """
    tree = SimulationTree()
    try:
        kinds = kinds_from_messages(message.kinds)
        _register(tree, message.root.children, kinds)
        for each in message.robots:
            robot = _completed(robot_from_record(each.record), tree, each.nodes)
            tree.descriptions.update(dict.fromkeys(each.nodes, robot))
        for each in message.objects:
            tree.objects.update(dict.fromkeys(each.nodes, object_from_record(each.record)))
    except (KeyError, ValueError) as error:
        raise TreeError(f"not a tree: {error}") from error
    tree.lay_out()
    if tree.stop > MOST_BYTES:
        raise TreeError(f"the state has {tree.stop} bytes, more than {MOST_BYTES}")
    if tree.digest != message.digest:
        raise TreeError(f"the tree has the layout {tree.digest}, written was {message.digest}")
    return tree


def tree_to_bytes(tree: SimulationTree) -> bytes:
    """The message of `tree_to_message`, serialized."""
    data: bytes = tree_to_message(tree).SerializeToString()
    return data


def tree_from_bytes(data: bytes) -> SimulationTree:
    """The tree that `tree_to_bytes` wrote.

    Raises:
        TreeError: as `tree_from_message`, or the bytes are not a message.
    """
    try:
        message = pb.Tree.FromString(data)
    except DecodeError as error:
        raise TreeError(f"not a tree: {error}") from error
    return tree_from_message(message)


def _to_message(node: TreeNode) -> pb.Node:
    return pb.Node(
        name=node.name.rsplit(".", 1)[-1],
        kind=node.kind,
        offset=node.start,
        size=node.stop - node.start,
        fields=[_to_field(node, field) for field in node.fields],
        children=[_to_message(child) for child in node.children],
        access=_ACCESSES[node.access],
    )


def _to_field(node: TreeNode, field: Field) -> pb.Field:
    return pb.Field(
        name=field.name,
        type=_TYPES[field.type],
        unit=field.unit,
        offset=node.field_offset(field.name),
        size=field.size,
        shape=field.shape,
        columns=[pb.Column(name=each.name, unit=each.unit) for each in field.columns],
        limits=pb.Limits(low=field.limits.low, high=field.limits.high) if field.limits else None,
        may_lack=field.is_optional,
    )


def _completed(
    robot: RobotDescription, tree: SimulationTree, names: Sequence[str]
) -> RobotDescription:
    """`robot`, whose foreign devices know what the nodes of the first of these names are."""
    if not any(isinstance(each, ForeignDevice) for each in robot.devices):
        return robot
    devices = (
        _completed_device(each, tree, names[0]) if isinstance(each, ForeignDevice) else each
        for each in robot.devices
    )
    return replace(robot, devices=tuple(devices))


def _completed_device(device: ForeignDevice, tree: SimulationTree, robot: str) -> ForeignDevice:
    node = tree.find(f"{robot}.{device.part}.{device.name}")
    if node is None:
        raise ValueError(f"there is no node of '{robot}.{device.part}.{device.name}'")
    schema = node.schema or KindSchema(Element(node.kind, ""))
    return replace(device, schema=schema, fields=node.fields, access=node.access)


def _register(
    parent: TreeNode, messages: Iterable[pb.Node], kinds: Mapping[str, DescribedKind]
) -> None:
    """Registers nodes and all below them. One that lies where a sibling lies is its twin."""
    at: dict[tuple[int, int], TreeNode] = {}
    for message in messages:
        kind = kinds.get(message.kind, NO_DESCRIPTION)
        fields = [_from_field(each, kind.meanings.get(each.name, "")) for each in message.fields]
        node = TreeNode(
            message.name,
            message.kind,
            fields,
            access=_NODE_ACCESSES[message.access],
            schema=kind.schema,
            twin=at.get((message.offset, message.size)) if message.size else None,
        )
        at.setdefault((message.offset, message.size), parent.register(node))
        _register(node, message.children, kinds)


def _from_field(message: pb.Field, meaning: str) -> Field:
    columns = tuple(Column(each.name, each.unit) for each in message.columns)
    type_ = _FIELD_TYPES[message.type]
    limits = message.limits if message.HasField("limits") else None
    return Field(
        message.name,
        type_,
        tuple(message.shape),
        message.unit,
        columns,
        Interval(limits.low, limits.high) if limits else None,
        message.may_lack,
        meaning,
    )
