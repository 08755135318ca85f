"""Addresses of attributes in XML files: `steps onto the street/When/Gap/@max`."""

from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.reading.attribute_values import InvalidValueError, read_value, suggestion
from autosim.config.schema import Attribute, Element
from autosim.errors import UserError

_MARK = "@"
_DEFAULT = "value"


class AttributePathError(UserError):
    """An address leads nowhere, or to what does not take a value."""


@dataclass(frozen=True, slots=True)
class _Place:
    """An element of a file, with its rule; None where the schema does not know it."""

    node: etree._Element
    rule: Element | None


def set_attribute_at(root: etree._Element, rule: Element, address: str, text: str) -> None:
    """Writes an attribute of all elements that an address leads to.

    Args:
        root: of the file; changed.
        rule: what the file may hold.
        address: steps from the root with `/` between them, each a tag or a name, and behind `@` the
            attribute, `value` when not given. A tag stands for all elements with it. An element
            that the file leaves out is added where the rule has it.
        text: the value.

    Raises:
        AddressError: there is nothing of that name; the message tells the nearest. Or it does not
            take the value.
    """
    *steps, attribute = _split(address)
    places = [_Place(root, rule)]
    for step in steps:
        places = [found for place in places for found in _step(place, step, address)]
    for place in places:
        _check(place, attribute, text, address)
        place.node.set(attribute, text)


def _split(address: str) -> list[str]:
    steps = [each.strip() for each in address.split("/")]
    attribute = steps.pop().removeprefix(_MARK) if steps[-1].startswith(_MARK) else _DEFAULT
    if not all(steps) or not attribute:
        raise AttributePathError(
            f"'{printable(address)}' is not an address: expected steps separated by /, such as "
            "Physics/Dynamics/Gravity/@value"
        )
    return [*steps, attribute]


def _step(place: _Place, step: str, address: str) -> list[_Place]:
    children = list(place.node)
    named = [each for each in children if each.get("name") == step]
    found = named or [each for each in children if each.tag == step]
    if found:
        return [_Place(each, _rule_of(place.rule, str(each.tag))) for each in found]
    rule = _rule_of(place.rule, step)
    if rule is None:
        known = [name for each in children for name in (each.get("name"), str(each.tag)) if name]
        raise _nothing(step, f"<{place.node.tag}>", [*known, *_tags(place.rule)], address)
    return [_Place(etree.SubElement(place.node, step), rule)]


def _rule_of(rule: Element | None, tag: str) -> Element | None:
    if rule is None:
        return None
    found = next((each for each in rule.children if each.name == tag), None)
    if found is None and rule.open_children and tag in rule.open_children.known:
        return rule.open_children.element
    return found


def _tags(rule: Element | None) -> list[str]:
    return [each.name for each in rule.children] if rule else []


def _check(place: _Place, name: str, text: str, address: str) -> None:
    title = f"<{place.node.tag}>"
    if place.rule is None:
        if name not in place.node.attrib:
            known = [str(each) for each in place.node.attrib]
            raise _nothing(f"{_MARK}{name}", title, [f"{_MARK}{each}" for each in known], address)
        return
    rules: dict[str, Attribute] = {each.name: each for each in place.rule.attributes}
    if name not in rules:
        raise _nothing(f"{_MARK}{name}", title, [f"{_MARK}{each}" for each in rules], address)
    try:
        read_value(rules[name], text)
    except InvalidValueError as fault:
        raise AttributePathError(f"'{printable(address)}': {fault}") from fault


def _nothing(step: str, where: str, known: Iterable[str], address: str) -> AttributePathError:
    names = list(dict.fromkeys(known))
    hint = suggestion(step, names)
    if not hint:
        hint = f"; there is {', '.join(names[:8])}" if names else "; there is nothing"
    return AttributePathError(
        f"'{printable(address)}': there is no '{printable(step)}' in {where}{hint}"
    )
