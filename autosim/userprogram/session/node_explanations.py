"""Documentation of a node of the tree and its values, for users: also without its code."""

from collections.abc import Iterator
from dataclasses import dataclass

from autosim.config.descriptions import RobotDescription
from autosim.config.schema import Attribute, Element
from autosim.kinds.element_reader import field_name
from autosim.kinds.elements import is_noise
from autosim.model.tree import Access, Field, KindSchema, SimulationTree, TreeNode
from autosim.traffic.traffic_node import NAME as TRAFFIC
from autosim.userprogram.session.node_records import describe


@dataclass(frozen=True, slots=True)
class ExplainedParameter:
    """A parameter that a file gives a node: its name and value in the record, `unit` and `text`.

    The unit is one of SI, "" where there is none; the text says what the parameter means.
    """

    name: str
    value: object
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of the node `name` (`kind`, `text`) and its values.

    `parameters` are those of its file; `fields` its fields in the state, each with unit,
    limits and meaning; `access` is who may set them.
    """

    name: str
    kind: str
    text: str
    parameters: tuple[ExplainedParameter, ...]
    fields: tuple[Field, ...]
    access: Access


_TRAFFIC = "What moves by itself in this world, and its signals."


def explain(tree: SimulationTree, name: str) -> Explanation:
    """Documentation of the robot, part, link, device, publication or object called `name` is.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE.
    """
    node = tree.find(name)
    if node is not None and _owner(node) is tree.find(TRAFFIC):
        return Explanation(name, node.kind, _TRAFFIC, (), node.fields, node.access)
    record = describe(tree, name)
    assert node is not None
    schema = node.schema
    parameters = _parameters(record, schema) if schema else ()
    # An object's record has no place: it stands where its fields say.
    told = (each for each in parameters if name not in tree.objects or each.name != "position")
    return Explanation(
        name=name,
        kind=node.kind,
        text=schema.element.description if schema else _text_of(record),
        parameters=tuple(told),
        fields=node.fields,
        access=node.access,
    )


def _owner(node: TreeNode) -> TreeNode:
    """The robot or the like to which a node belongs: that next to the root."""
    while node.parent is not None and node.parent.name:
        node = node.parent
    return node


def _text_of(record: object) -> str:
    if not isinstance(record, RobotDescription):
        return ""
    counts = f"{len(record.parts)} parts, {len(record.links)} links, {len(record.devices)} devices"
    plugins = "".join(
        f"; plug-in '{each.name}', version {each.version[:12]}" for each in record.plugins
    )
    return f"A robot, as '{record.source.name}' describes it: {counts}{plugins}."


def _parameters(record: object, schema: KindSchema) -> tuple[ExplainedParameter, ...]:
    """The attributes and children of an element that the record has, each once."""
    found: dict[str, ExplainedParameter] = {}
    for name, unit, text in _described(schema.element, dict(schema.names)):
        if name not in found and hasattr(record, name):
            found[name] = ExplainedParameter(name, getattr(record, name), unit, text)
    return tuple(found.values())


def _described(element: Element, names: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Name in the record, unit and text of each parameter."""
    for attribute in element.attributes:
        if attribute.name != "name":
            yield attribute.name, attribute.unit, attribute.description
    for child in element.children:
        if is_noise(child):
            yield "noises", "", "What is added to its values, in the order of the file."
        else:
            yield field_name(child.name, names), _unit(child.attributes), child.description


def _unit(attributes: tuple[Attribute, ...]) -> str:
    """The units of an element's numbers, each once."""
    return ", ".join(dict.fromkeys(each.unit for each in attributes if each.unit))
