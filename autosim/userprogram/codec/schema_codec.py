"""Schemas of kinds of nodes as messages: `describe` works where none of their code is."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from autosim.config.schema import Attribute, Element, Interval, Occurs, Value, ValueType
from autosim.model.tree import KindSchema, SimulationTree, TreeNode
from autosim.v1 import tree_pb2 as pb

_OCCURS = {
    Occurs.ONCE: pb.Element.ONCE,
    Occurs.OPTIONAL: pb.Element.OPTIONAL,
    Occurs.ANY: pb.Element.ANY,
    Occurs.SOME: pb.Element.SOME,
}
_OCCURS_READ = {number: occurs for occurs, number in _OCCURS.items()}
_TYPES = {
    ValueType.REAL: pb.Attribute.REAL,
    ValueType.INTEGER: pb.Attribute.INTEGER,
    ValueType.BOOLEAN: pb.Attribute.BOOLEAN,
    ValueType.TEXT: pb.Attribute.TEXT,
    ValueType.NAME: pb.Attribute.NAME,
    ValueType.PATH: pb.Attribute.PATH,
}
_TYPES_READ = {number: type_ for type_, number in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class DescribedKind:
    """The received description of a kind of node: its schema, and the meanings of its fields."""

    schema: KindSchema | None
    meanings: Mapping[str, str]


NO_DESCRIPTION = DescribedKind(None, MappingProxyType({}))


def kinds_to_messages(tree: SimulationTree) -> Iterator[pb.Kind]:
    """The known kinds of node in `tree`, each once."""
    kinds: dict[str, list[TreeNode]] = {}
    for node in tree.walk():
        kinds.setdefault(node.kind, []).append(node)
    for kind, nodes in kinds.items():
        schema = nodes[0].schema
        meanings = {each.name: each.meaning for node in nodes for each in node.fields}
        yield pb.Kind(
            name=kind,
            element=_element(schema.element) if schema else None,
            names=dict(schema.names) if schema else {},
            fields=[pb.Meaning(field=name, text=text) for name, text in meanings.items() if text],
        )


def kinds_from_messages(messages: Iterable[pb.Kind]) -> dict[str, DescribedKind]:
    """The received descriptions of kinds, by their names.

    Raises:
        KeyError: an enumeration has an unknown value.
        ValueError: a default is not a plain value.
    """
    return {each.name: _read_kind(each) for each in messages}


def _read_kind(message: pb.Kind) -> DescribedKind:
    names = tuple(sorted(message.names.items()))
    has_schema = message.HasField("element")
    return DescribedKind(
        KindSchema(_read_element(message.element), names) if has_schema else None,
        {each.field: each.text for each in message.fields},
    )


def _element(element: Element) -> pb.Element:
    return pb.Element(
        name=element.name,
        description=element.description,
        attributes=map(_attribute, element.attributes),
        children=map(_element, element.children),
        occurs=_OCCURS[element.occurs],
        is_direction=element.is_direction,
    )


def _attribute(attribute: Attribute) -> pb.Attribute:
    interval = attribute.interval
    return pb.Attribute(
        name=attribute.name,
        description=attribute.description,
        type=_TYPES[attribute.type],
        unit=attribute.unit,
        default=_value(attribute.default),
        required=attribute.required,
        interval=pb.Limits(low=interval.low, high=interval.high),
        low_open=interval.low_open,
        may_be_zero=attribute.may_be_zero,
        allowed=attribute.allowed,
    )


def _value(value: Value | None) -> pb.Value | None:
    match value:
        case None:
            return None
        case bool():
            return pb.Value(truth=value)
        case int():
            return pb.Value(integer=value)
        case float():
            return pb.Value(number=value)
    return pb.Value(text=value)


def _read_element(message: pb.Element) -> Element:
    return Element(
        message.name,
        message.description,
        tuple(map(_read_attribute, message.attributes)),
        tuple(map(_read_element, message.children)),
        _OCCURS_READ[message.occurs],
        is_direction=message.is_direction,
    )


def _read_attribute(message: pb.Attribute) -> Attribute:
    kind = message.default.WhichOneof("kind")
    if kind in ("list", "record"):
        raise ValueError(f"the default of '{message.name}' is a {kind}")
    default: Value | None = getattr(message.default, kind) if kind else None
    interval = Interval(message.interval.low, message.interval.high, message.low_open)
    return Attribute(
        message.name,
        message.description,
        _TYPES_READ[message.type],
        message.unit,
        default,
        message.required,
        interval,
        tuple(message.allowed),
        message.may_be_zero,
    )
