"""Reads the attributes of XML elements, and notes each fault with its line."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from lxml import etree

from autosim.config.diagnostics import Diagnostics, printable

_LARGEST = 1e8
"""Largest magnitude of a number in a file: the Earth's circumference is 4e7 m."""

_LARGEST_COEFFICIENT = 1e300
"""Largest magnitude of a coefficient: on pieces of micrometres writers state some of 1e13."""

_MOST_FAULTS = 200
"""Number of faults after which no more are noted: a terminal shows fewer."""

SPEED_UNITS = {"m/s": 1.0, "km/h": 1.0 / 3.6, "mph": 0.44704}
"""Metres per second of the units of speeds."""


@dataclass(frozen=True, slots=True)
class FileFaults:
    """The faults of a file, as they are found."""

    path: Path
    """The file."""
    found: Diagnostics

    def error(self, line: int, message: str) -> None:
        """Notes an error."""
        if len(self.found.all) < _MOST_FAULTS:
            self.found.error(self.path, line, message)

    def warning(self, line: int, message: str) -> None:
        """Notes a warning."""
        if len(self.found.all) < _MOST_FAULTS:
            self.found.warning(self.path, line, message)


@dataclass(frozen=True, slots=True)
class XodrElement:
    """An element with its place in the file; `where` names it in messages."""

    node: etree._Element
    """The parsed element."""
    faults: FileFaults
    """Collects its faults."""
    where: str

    @property
    def line(self) -> int:
        """The line in which it begins."""
        return cast("int | None", self.node.sourceline) or 0

    @property
    def tag(self) -> str:
        """Its name without a namespace."""
        return local_name(self.node)

    def children(self, *names: str) -> "Iterator[XodrElement]":
        """Its children of these names, in the order of the file."""
        for child in self.node.iterchildren(*("{*}" + name for name in names)):
            yield XodrElement(child, self.faults, self.where)

    def child(self, name: str) -> "XodrElement | None":
        """Its first child of this name."""
        return next(self.children(name), None)

    def below(self, *path: str) -> "Iterator[XodrElement]":
        """All elements that a path of names leads to."""
        if len(path) == 1:
            yield from self.children(path[0])
            return
        for child in self.children(path[0]):
            yield from child.below(*path[1:])

    def named(self, where: str) -> "XodrElement":
        """The same element under another name for messages."""
        return XodrElement(self.node, self.faults, where)

    def error(self, message: str) -> None:
        """Notes an error at its line."""
        self.faults.error(self.line, f"{self.where}: {message}" if self.where else message)

    def warning(self, message: str) -> None:
        """Notes a warning at its line."""
        self.faults.warning(self.line, f"{self.where}: {message}" if self.where else message)

    def text(self, name: str, default: str = "") -> str:
        """An attribute, or the default."""
        return str(self.node.get(name, default))

    def required_text(self, name: str) -> str:
        """An attribute; without it an error is noted."""
        value = self.node.get(name)
        if value is None:
            self.error(f"<{self.tag}> has no attribute {name}")
        return str(value or "")

    def number(
        self, name: str, default: float | None = None, *, largest: float = _LARGEST
    ) -> float:
        """An attribute as a number of at most `largest`; without a default it is required."""
        text = self.node.get(name)
        if text is None or (default is not None and not text.strip()):
            if default is None:
                self.error(f"<{self.tag}> has no attribute {name}")
            return default or 0.0
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not abs(value) <= largest:
            shown = printable(str(text), 40)
            message = f"{name} of <{self.tag}> is not a number of at most {largest:g}: '{shown}'"
            self.error(message)
            return default or 0.0
        return value

    def whole(self, name: str, default: int | None = None) -> int:
        """An attribute as a whole number; without a default it is required."""
        value = self.number(name, None if default is None else float(default))
        if value != int(value):
            self.error(f"{name} of <{self.tag}> is not a whole number: {value:g}")
        return int(value)

    def speed(self) -> float | None:
        """The speed limit [m/s] that its attributes max and unit state; None for none."""
        text = self.text("max").strip()
        if text in ("", "no limit", "undefined"):
            return None
        unit = self.text("unit", "m/s")
        if unit not in SPEED_UNITS:
            self.warning(f"unit of <{self.tag}> is not one of m/s, km/h, mph; m/s is assumed")
        value = self.number("max") * SPEED_UNITS.get(unit, 1.0)
        return value if value > 0.0 else None

    def cubic(self, start: str = "s") -> tuple[float, float, float, float, float]:
        """A row of `Cubics`: a start and the coefficients a, b, c and d."""
        a, b, c, d = (self.number(name, largest=_LARGEST_COEFFICIENT) for name in "abcd")
        return self.number(start), a, b, c, d


def local_name(node: etree._Element) -> str:
    """The name of an element without its namespace."""
    return str(node.tag).rpartition("}")[2]
