"""Writes a record as the element that its fields declare (see `xml_parameters.py`)."""

from collections.abc import Iterator

from autosim.config.schema import Value
from autosim.config.xml_parameters import XmlParameter, parameters_by_tag, parameters_of


def written_children(record: object) -> Iterator[str]:
    """The child elements of a record, a line each.

    Attributes whose fields are None are left out, and elements that lack a required one.
    """
    for tag, group in parameters_by_tag(type(record)).items():
        stated = [each for each in group if getattr(record, each.field) is not None]
        if all(each in stated for each in group if each.declared.is_required) and stated:
            texts = [tag.name, *(_attribute(record, each) for each in stated)]
            yield f"<{' '.join(texts)}/>"


def written_attributes(record: object, *, with_usual: bool = True) -> list[str]:
    """The attributes of a record's own element; those whose fields are None are left out.

    Args:
        record: a dataclass.
        with_usual: whether those with the default of their field are written.
    """
    return [
        _attribute(record, each)
        for each in parameters_of(type(record))
        if each.declared.tag is None
        and (value := getattr(record, each.field)) is not None
        and (with_usual or value != each.usual)
    ]


def quoted(text: str) -> str:
    """A text as the value of an attribute, with its quotation marks."""
    # With this import come urllib, http and ssl, which simulations do without.
    from xml.sax.saxutils import quoteattr

    return quoteattr(text)


def _attribute(record: object, parameter: XmlParameter) -> str:
    value = parameter.to_file(getattr(record, parameter.field))
    return f"{parameter.declared.name}={quoted(_text(value))}"


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
