"""From a record back to the elements of a file: what `reading` reads is written here."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from autosim.config.schema import Element
from autosim.config.xml_axes import file_extent, file_vector
from autosim.config.xml_record_writer import quoted
from autosim.kinds.element_reader import field_name

Writer = Callable[[str, Any], Iterable[str]]
"""The lines of the child with the given name, of its value in the record."""


def write_children(
    record: object,
    children: Iterable[Element],
    *,
    names: Mapping[str, str],
    writers: Mapping[str, Writer],
) -> Iterator[str]:
    """The lines of `children`, as `read_record` reads them.

    Args:
        record: with a field for each child; a child whose field is None is left out.
        children: of the record's element.
        names: of fields that are called otherwise, by the child's name.
        writers: of children that have their own form, by the child's name.
    """
    for child in children:
        value = getattr(record, field_name(child.name, names))
        if value is not None:
            yield from (writers.get(child.name) or _writer_of(child))(child.name, value)


def element_line(tag: str, **attributes: object) -> str:
    """An element without children."""
    texts = [f"{name}={quoted(_text(value))}" for name, value in attributes.items()]
    return f"<{' '.join([tag, *texts])}/>"


def vector_line(tag: str, value: tuple[float, float, float]) -> Iterator[str]:
    """A point or direction of B."""
    x, y, z = file_vector(value)
    yield element_line(tag, x=x, y=y, z=z)


def extent_line(tag: str, value: tuple[float, float, float]) -> Iterator[str]:
    """Extents along the axes of B."""
    x, y, z = file_extent(value)
    yield element_line(tag, x=x, y=y, z=z)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _writer_of(element: Element) -> Writer:
    names = tuple(each.name for each in element.attributes)
    if names == ("x", "y", "z"):
        return vector_line
    if names == ("path", "type"):
        return lambda tag, model: [element_line(tag, path=model.path, type=model.type)]
    if len(names) == 1:
        return lambda tag, value: [element_line(tag, **{names[0]: value})]
    return lambda tag, values: [element_line(tag, **dict(zip(names, values, strict=True)))]
