"""Checks a parsed XML tree against the schema of its elements."""

from collections.abc import Container

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.reading.attribute_values import InvalidValueError, read_value, suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.reading.xml_reader import line_of
from autosim.config.schema import Element, Occurs, OpenChildren

_XINCLUDE = "{http://www.w3.org/2001/XInclude}"
_ZERO = 1e-9
"""Number below which each component of a direction must be zero: it has no direction to
normalise."""

_PLUGGABLE = ("Parts", "Devices")
"""The elements whose children plug-ins may define."""

_WAY_OUT = '; a <Plugin> may define it, and <Robot unknown="ignore"> leaves it out'

MAX_ATTRIBUTES = 100
"""Largest number of attributes of an element: lxml takes a time that grows with their square."""


def validate(node: etree._Element, element: Element, faults: Faults) -> Block:
    """Reads `node` and all below it as `element`.

    Faults go to `faults`; the block holds the rest.
    """
    block = Block(element, _tag(node), line_of(node))
    if len(node.attrib) > MAX_ATTRIBUTES:
        faults.error(block, f"{block.title} has more than {MAX_ATTRIBUTES} attributes")
        return block
    for key, text in node.attrib.items():
        _read_attribute(block, str(key), str(text), faults)
    _require_attributes(block, {str(key) for key in node.attrib}, faults)
    _refuse_text(node, block, faults)
    for child in node:
        if faults.are_too_many:
            return block
        _read_child(block, child, faults)
    _check_counts(block, faults)
    return block


def _tag(node: etree._Element) -> str:
    return str(node.tag)


def _read_attribute(block: Block, key: str, text: str, faults: Faults) -> None:
    known = {each.name: each for each in block.element.attributes}
    if key not in known:
        hint = suggestion(key, known)
        message = f"unknown attribute '{printable(key)}' of {block.title} is ignored{hint}"
        faults.warning(block, message)
        return
    try:
        block.values[key] = read_value(known[key], text)
    except InvalidValueError as fault:
        faults.error(block, f"{block.title} {key}: {fault}")


def _require_attributes(block: Block, written: Container[str], faults: Faults) -> None:
    for attribute in block.element.attributes:
        if attribute.required and attribute.name not in written:
            faults.error(block, f"{block.title} needs the attribute '{attribute.name}'")
    if block.element.is_direction and _is_zero(block):
        faults.error(block, f"{block.title} must not be the zero vector")


def _is_zero(block: Block) -> bool:
    numbers = [abs(float(value)) for value in block.values.values()]
    return len(numbers) == len(block.element.attributes) and max(numbers) < _ZERO


def _refuse_text(node: etree._Element, block: Block, faults: Faults) -> None:
    texts = [node.text, *(child.tail for child in node)]
    for text in texts:
        if text and text.strip():
            faults.warning(
                block,
                f"text in {block.title} is ignored: '{printable(text.strip())}'; "
                "values are written as attributes",
            )
            return


def _read_child(block: Block, node: etree._Element, faults: Faults) -> None:
    element = _described(block, node, faults)
    if element is not None:
        block.children.append(validate(node, element, faults))


def _described(block: Block, node: etree._Element, faults: Faults) -> Element | None:
    tag, line = _tag(node), line_of(node)
    known = {each.name: each for each in block.element.children}
    if tag.startswith(_XINCLUDE):
        faults.error(line, "XInclude is not allowed")
    elif tag in known:
        return known[tag]
    elif block.element.open_children and not tag.startswith("{"):
        _check_open_child(block, block.element.open_children, node, faults)
        return block.element.open_children.element
    else:
        _note_unknown(block, tag, line, faults)
    return None


def _note_unknown(block: Block, tag: str, line: int, faults: Faults) -> None:
    hint = suggestion(tag, {each.name for each in block.element.children})
    title = f"unknown element <{printable(tag)}> in {block.title}"
    replaced = dict(block.element.replaced)
    if tag in replaced:
        faults.error(line, f"<{tag}> is no longer: {replaced[tag]}")
    elif block.element.is_strict:
        way_out = _WAY_OUT if block.tag in _PLUGGABLE else ""
        faults.error(line, f"{title}{hint}{way_out}")
    else:
        faults.warning(line, f"{title} is ignored{hint}")


def _check_open_child(
    block: Block, rule: OpenChildren, node: etree._Element, faults: Faults
) -> None:
    tag, line = _tag(node), line_of(node)
    if tag not in rule.known:
        hint = suggestion(tag, rule.known)
        faults.warning(line, f"<{printable(tag)}> is not a known {rule.what}{hint}")


def _check_counts(block: Block, faults: Faults) -> None:
    seen: set[str] = set()
    for child in block.children:
        may_repeat = child.element.occurs in (Occurs.ANY, Occurs.SOME)
        if child.tag in seen and not may_repeat:
            faults.error(child, f"{child.title} stands in {block.title} more than once")
        seen.add(child.tag)
    for element in block.element.children:
        if element.occurs in (Occurs.ONCE, Occurs.SOME) and element.name not in seen:
            faults.error(block, f"{block.title} needs <{element.name}>")
