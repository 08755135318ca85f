"""Elements of OpenSCENARIO XML with parameters replaced, and a list of what has been read of them.

What no reader asks for is not executed: `refuse_unread` names each such element and its line.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lxml import etree

from autosim.config.diagnostics import printable
from autosim.config.reading.xml_reader import line_of
from autosim.openscenario.reading.catalog_folder import CatalogFolder
from autosim.openscenario.reading.expressions import ExpressionError, resolve, resolve_label

Read = TypeVar("Read")

_TRUE = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fault of a file, or an element of it that is not executed.

    `element` is the name of the element, `is_fault` whether the file is wrong, `is_markup` whether
    it is an element of XML.
    """

    file: Path
    line: int
    """Line of the file."""
    element: str
    reason: str
    """The fault, or why it is not executed."""
    is_fault: bool
    is_markup: bool = True

    @property
    def title(self) -> str:
        """The name of the element as it is written."""
        return f"<{self.element}>" if self.is_markup else f"'{self.element}'"

    def __str__(self) -> str:
        """The refusal as a line of a report."""
        word = "error" if self.is_fault else "not executed"
        return f"{self.file}:{self.line}: {word}: {self.title}: {self.reason}"


class ElementError(Exception):
    """An element that cannot be read; its refusal is already in the list."""


@dataclass
class Findings:
    """Refusals of a file, and its parts without effect as element and line."""

    refusals: list[Refusal] = field(default_factory=list)
    """All refusals so far."""
    without_effect: list[tuple[str, int]] = field(default_factory=list)
    """Elements without effect: name and line."""
    read: set[etree._Element] = field(default_factory=set)
    """The elements that a reader has asked for."""
    catalogs: CatalogFolder = field(default_factory=CatalogFolder)
    """The catalogs of the scenario."""
    search: Path | None = None
    """Folder in which files are looked for that are not where the scenario states them."""
    imports: list[Path] = field(default_factory=list)
    """Files that a file of OpenSCENARIO DSL imports."""


class XoscElement:
    """An element of a file.

    Args:
        node: of the parsed file.
        file: of that element, for messages.
        findings: receives refusals.
        values: of the parameters that hold here, by name.
    """

    def __init__(
        self, node: etree._Element, file: Path, findings: Findings, values: Mapping[str, str]
    ) -> None:
        self.node, self.file, self.findings, self.values = node, file, findings, values
        findings.read.add(node)

    @property
    def tag(self) -> str:
        """Name without a namespace."""
        return _name(self.node)

    @property
    def line(self) -> int:
        """Line of the file at which it begins."""
        return line_of(self.node)

    def fail(self, reason: str) -> ElementError:
        """Adds a fault of the file; the caller raises what is returned."""
        return self._refuse(reason, is_fault=True)

    def refuse(self, reason: str) -> ElementError:
        """Adds an element that is not executed; the caller raises what is returned."""
        return self._refuse(reason, is_fault=False)

    def _refuse(self, reason: str, *, is_fault: bool) -> ElementError:
        refusal = Refusal(self.file, self.line, self.tag, printable(reason, 300), is_fault)
        self.findings.refusals.append(refusal)
        return ElementError(str(refusal))

    def with_values(self, values: Mapping[str, str]) -> "XoscElement":
        """The same element with other values of parameters."""
        return XoscElement(self.node, self.file, self.findings, values)

    # ---- attributes

    def find(self, name: str) -> str | None:
        """The text of an attribute, or None where it is missing or empty."""
        text = self.node.get(name)
        if text is None:
            return None
        try:
            found = resolve(text, self.values).strip()
        except ExpressionError as error:
            raise self.fail(f"{name}: {error}") from error
        return found or None

    def text(self, name: str, default: str | None = None) -> str:
        """The text of an attribute."""
        found = self.find(name)
        if found is not None:
            return found
        if default is None:
            if self.node.get(name) is not None:
                return ""
            raise self.fail(f"the attribute {name} is missing")
        return default

    def label(self, name: str, default: str | None = None) -> str:
        """The text of an attribute that is a name, which may be joined of several texts."""
        text = self.node.get(name)
        if text is None:
            return self.text(name, default)
        try:
            return resolve_label(text, self.values).strip()
        except ExpressionError as error:
            raise self.fail(f"{name}: {error}") from error

    def reference(self, name: str) -> str:
        """The name of a parameter or variable that an attribute states, with or without `$`."""
        text = self.node.get(name)
        if text is None:
            raise self.fail(f"the attribute {name} is missing")
        return text.strip().lstrip("$")

    def number(self, name: str, default: float | None = None) -> float:
        """The number of an attribute; INF and -INF are infinite."""
        found = self.find(name)
        if found is None:
            if default is None:
                raise self.fail(f"the attribute {name} is missing")
            return default
        try:
            value = float(found)
        except ValueError as error:
            raise self.fail(f"{name}='{found}' is not a number") from error
        if math.isnan(value):
            raise self.fail(f"{name} is not a number")
        return value

    def finite(self, name: str, default: float | None = None) -> float:
        """The number of an attribute, which is not infinite."""
        value = self.number(name, default)
        if math.isinf(value):
            raise self.fail(f"{name} is infinite")
        return value

    def maybe(self, name: str) -> float | None:
        """The number of an attribute, or None where it is missing."""
        return None if self.find(name) is None else self.number(name)

    def whole(self, name: str, default: int | None = None) -> int:
        """The whole number of an attribute."""
        value = self.number(name, None if default is None else float(default))
        if not math.isfinite(value) or value != math.floor(value):
            raise self.fail(f"{name} is not a whole number")
        return int(value)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """The Boolean value of an attribute."""
        found = self.find(name)
        if found is None and default is not None:
            return default
        value = _TRUE.get(self.text(name).lower())
        if value is None:
            raise self.fail(f"{name}='{found}' is neither true nor false")
        return value

    def choice(self, name: str, values: Sequence[str], default: str | None = None) -> str:
        """One of several words."""
        found = self.text(name, default)
        if found not in values:
            raise self.fail(f"{name}='{found}': expected {', '.join(values)}")
        return found

    # ---- children

    def child(self, *tags: str) -> "XoscElement | None":
        """The first child with one of these names, or None."""
        for node in self.node:
            if isinstance(node.tag, str) and _name(node) in tags:
                return XoscElement(node, self.file, self.findings, self.values)
        return None

    def need(self, *tags: str) -> "XoscElement":
        """The child with one of these names."""
        found = self.child(*tags)
        if found is None:
            raise self.fail(f"expected a child {' or '.join(f'<{tag}>' for tag in tags)}")
        return found

    def children(self, *tags: str) -> list["XoscElement"]:
        """All children with one of these names."""
        return [
            XoscElement(node, self.file, self.findings, self.values)
            for node in self.node
            if isinstance(node.tag, str) and _name(node) in tags
        ]

    def down(self, *tags: str) -> "XoscElement":
        """The element at the end of a path of children."""
        found = self
        for tag in tags:
            found = found.need(tag)
        return found

    def content(self) -> str:
        """The text between the tags."""
        return (self.node.text or "").strip()

    def accept(self, *tags: str) -> None:
        """Accepts children that have no effect here, as those about looks."""
        for each in self.children(*tags):
            self.findings.without_effect.append((each.tag, each.line))
            self.findings.read.update(each.node.iter())

    def accept_all(self) -> None:
        """Accepts the whole element as one without effect."""
        self.findings.without_effect.append((self.tag, self.line))
        self.findings.read.update(self.node.iter())

    def skip(self) -> None:
        """Marks all of the element as read."""
        self.findings.read.update(self.node.iter())

    def pick(self, readers: Mapping[str, Callable[["XoscElement"], Read]]) -> Read:
        """Reads the first child that one of the readers takes; others are refused by name."""
        found = self.child(*readers)
        if found is not None:
            return readers[found.tag](found)
        for node in self.node:
            if isinstance(node.tag, str):
                other = XoscElement(node, self.file, self.findings, self.values)
                other.skip()
                raise other.refuse(f"is not executed in <{self.tag}>")
        raise self.fail("is empty")

    def refuse_unread(self) -> None:
        """Refuses all elements below this one that no reader asked for."""
        read = self.findings.read
        for node in self.node.iter():
            parent = node.getparent()
            if not isinstance(node.tag, str) or node in read or parent is None:
                continue
            if parent in read:
                other = XoscElement(node, self.file, self.findings, self.values)
                other.refuse(f"is not executed in <{_name(parent)}>")
                other.skip()


def read_each(
    elements: Sequence[XoscElement], reader: Callable[[XoscElement], Read]
) -> tuple[Read, ...]:
    """Reads elements one by one; faulty ones are left out, and their refusals are listed."""
    found = []
    for each in elements:
        try:
            found.append(reader(each))
        except ElementError:
            each.skip()
    return tuple(found)


def _name(node: etree._Element) -> str:
    return str(node.tag).rpartition("}")[2]
