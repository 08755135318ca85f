"""A simulation tree as a message: so that others have it without the files it came from.

`proto/autosim/v1/tree.proto` specifies the message; `docs/bitstream.md` tells how to read a state
with it.
"""

from collections.abc import Iterable

from google.protobuf.message import DecodeError

from autosim.config.schema import Interval
from autosim.simulation.tree import (
    Access,
    Column,
    Field,
    FieldType,
    Node,
    SimulationTree,
    TreeError,
)
from autosim.userprogram.codec.robot_codec import robot_from_record, robot_to_record
from autosim.v1 import tree_pb2 as pb

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
    """The tree, which is laid out, with what its robots are made of: equal ones are said once."""
    robots: dict[object, list[str]] = {}
    for name, robot in tree.descriptions.items():
        robots.setdefault(robot, []).append(name)
    return pb.Tree(
        digest=tree.digest,
        size=tree.stop,
        root=_to_message(tree),
        robots=[
            pb.RobotRecord(robots=names, record=robot_to_record(tree.descriptions[names[0]]))
            for names in robots.values()
        ],
    )


def tree_from_message(message: pb.Tree) -> SimulationTree:
    """The tree that `tree_to_message` told of, laid out.

    Raises:
        TreeError: the message tells of no tree, or of another layout than the nodes have.
    """
    tree = SimulationTree()
    try:
        _register(tree, message.root.children)
        for each in message.robots:
            robot = robot_from_record(each.record)
            tree.descriptions.update(dict.fromkeys(each.robots, robot))
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
        TreeError: as `tree_from_message`, or the bytes are no message.
    """
    try:
        message = pb.Tree.FromString(data)
    except DecodeError as error:
        raise TreeError(f"not a tree: {error}") from error
    return tree_from_message(message)


def _to_message(node: Node) -> pb.Node:
    return pb.Node(
        name=node.name.rsplit(".", 1)[-1],
        kind=node.kind,
        offset=node.start,
        size=node.stop - node.start,
        fields=[_to_field(node, field) for field in node.fields],
        children=[_to_message(child) for child in node.children],
        access=_ACCESSES[node.access],
    )


def _to_field(node: Node, field: Field) -> pb.Field:
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


def _register(parent: Node, messages: Iterable[pb.Node]) -> None:
    """Registers nodes and all below them. One that lies where a sibling lies is its twin."""
    at: dict[tuple[int, int], Node] = {}
    for message in messages:
        node = Node(
            message.name,
            message.kind,
            map(_from_field, message.fields),
            access=_NODE_ACCESSES[message.access],
            twin=at.get((message.offset, message.size)) if message.size else None,
        )
        at.setdefault((message.offset, message.size), parent.register(node))
        _register(node, message.children)


def _from_field(message: pb.Field) -> Field:
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
    )
