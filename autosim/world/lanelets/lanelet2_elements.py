"""Reads the nodes, ways and relations of a Lanelet2 file, which may be hostile.

Ids are any whole numbers, negative ones too, as editors write them for what is not uploaded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree

from autosim.arrays import Floats, Integers
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.packed_xml import children_of_root, packed_xml
from autosim.config.reading.xml_reader import UnreadableError
from autosim.world.opendrive.xodr_elements import FileFaults, XodrElement

_MOST_BYTES = 512 << 20
"""Largest number of bytes of a file when it is unpacked: that of a large city."""

_ID = re.compile(r"-?\d{1,19}")
"""Ids: whole numbers of 64 bits."""

Tags = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Way:
    """A line of nodes."""

    refs: Integers
    """Rows (n,) of the nodes."""
    tags: Tags
    """Tags by key."""
    line: int
    """Line in the file, from 1 on."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: its members (type, id, role)."""

    members: tuple[tuple[str, int, str], ...]
    tags: Tags
    """Tags by key."""
    line: int
    """Line in the file, from 1 on."""

    def refs(self, kind: str, *roles: str) -> list[int]:
        """Ids of the members of a type (`way` or `relation`) in some roles."""
        return [ref for each, ref, role in self.members if each == kind and role in roles]


@dataclass(frozen=True, slots=True)
class Lanelet2Elements:
    """The elements of a file.

    Attributes:
        places: (n, 2) latitude and longitude [deg] of the nodes; NaN: none is stated.
        local: (n, 2) stated local x and y [m]; NaN: none.
        heights: (n,) [m].
        ways: by id.
        relations: by id.
    """

    places: Floats
    local: Floats
    heights: Floats
    ways: Mapping[int, Way]
    relations: Mapping[int, Relation]


def read_elements(path: Path, found: Diagnostics) -> Lanelet2Elements:
    """Reads a file (`.osm`, also packed by gzip).

    Raises:
        ConfigError: it cannot be used; each fault has its line.
    """
    faults = FileFaults(path, found)
    try:
        collector = _Collector(faults)
        _parse(packed_xml(path, _MOST_BYTES), collector)
    except UnreadableError as error:
        faults.error(error.line, str(error))
        raise ConfigError(found.all) from error
    found.raise_if_errors()
    return collector.elements()


class _Collector:
    """The elements of a file while it is read."""

    def __init__(self, faults: FileFaults) -> None:
        self._faults = faults
        self._rows: dict[int, int] = {}
        self._nodes: list[tuple[float, ...]] = []
        self._ways: dict[int, Way] = {}
        self._relations: dict[int, Relation] = {}

    def take(self, node: etree._Element, name: str) -> None:
        """Reads a <node>, <way> or <relation>; those that editors have deleted do not count."""
        element = XodrElement(node, self._faults, "")
        if node.get("action") == "delete" or node.get("visible") == "false":
            return
        id_ = _id(element, "id")
        named = element.named(f"{name} {id_}")
        if name == "node":
            self._take_node(named, id_)
        elif name == "way":
            self._take_way(named, id_)
        else:
            members = tuple(
                (each.text("type"), _id(each, "ref"), each.text("role"))
                for each in named.children("member")
            )
            self._relations[id_] = Relation(members, _tags(named), element.line)

    def elements(self) -> Lanelet2Elements:
        """All elements that were read."""
        table = np.array(self._nodes, dtype=np.float64).reshape(-1, 5)
        return Lanelet2Elements(
            table[:, :2], table[:, 2:4], table[:, 4], self._ways, self._relations
        )

    def _take_node(self, element: XodrElement, id_: int) -> None:
        tags = _tags(element)
        values = [_stated(element, key) for key in ("lat", "lon")]
        values += [_number(element, tags, key, np.nan) for key in ("local_x", "local_y")]
        values.append(_number(element, tags, "ele", 0.0))
        if np.isnan(values[:2]).any() and np.isnan(values[2:4]).any():
            element.error("it has neither lat and lon nor local_x and local_y")
        elif abs(values[0]) > 90.0 or abs(values[1]) > 180.0:
            element.error("its lat or lon is not a place on Earth")
        self._rows[id_] = len(self._nodes)
        self._nodes.append(tuple(values))

    def _take_way(self, element: XodrElement, id_: int) -> None:
        rows = []
        for each in element.children("nd"):
            row = self._rows.get(_id(each, "ref"), -1)
            if row < 0:
                each.named(element.where).error(
                    f"there is no node {printable(each.text('ref'), 40)}"
                )
            rows.append(row)
        self._ways[id_] = Way(np.array(rows, dtype=np.int64), _tags(element), element.line)


def _id(element: XodrElement, name: str) -> int:
    """An attribute as an id, a whole number of 64 bits; 0 after an error."""
    text = element.text(name).strip()
    if not _ID.fullmatch(text):
        element.error(f"{name} of <{element.tag}> is not an id: '{printable(text, 40)}'")
        return 0
    return int(text)


def _tags(element: XodrElement) -> dict[str, str]:
    return {each.text("k"): each.text("v") for each in element.children("tag")}


def _stated(element: XodrElement, name: str) -> float:
    """An attribute as a number; NaN where it is missing or empty."""
    return element.number(name) if element.text(name).strip() else float("nan")


def _number(element: XodrElement, tags: Tags, key: str, default: float) -> float:
    text = tags.get(key, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not abs(value) < 1e8:
        element.error(f"tag {key} is not a number of at most 1e+08: '{printable(text, 40)}'")
        return default
    return value


def _parse(data: bytes, collector: _Collector) -> None:
    for name, node in children_of_root(data, "osm"):
        if name in ("node", "way", "relation"):
            collector.take(node, name)
