"""Reads an OpenDRIVE file that may be hostile: bounded size, no declarations, a line in each error.

Roads are read one after another and then dropped from the parsed tree, so that a file of 100 MB
takes little more memory than its records.
"""

from collections.abc import Callable
from pathlib import Path

from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.packed_xml import children_of_root, packed_xml
from autosim.config.reading.xml_reader import UnreadableError
from autosim.world.opendrive.virtual_junctions import divided_at_links
from autosim.world.opendrive.xodr_elements import FileFaults, XodrElement
from autosim.world.opendrive.xodr_junctions import read_junction
from autosim.world.opendrive.xodr_records import XodrFile, XodrJunction, XodrRoad
from autosim.world.opendrive.xodr_roads import read_road

MAX_BYTES = 256 << 20
"""Largest number of bytes of a file when it is unpacked: twice the largest public one."""

_VERSIONS = range(4, 9)
"""Minor versions of OpenDRIVE 1 that are read."""


def read_xodr(path: Path, found: Diagnostics) -> XodrFile:
    """Reads a file (`.xodr`, also packed by gzip).

    Raises:
        ConfigError: it cannot be used; each fault has its line.
    """
    faults = FileFaults(path, found)
    try:
        content = _parse(packed_xml(path, MAX_BYTES), faults)
    except UnreadableError as error:
        faults.error(error.line, str(error))
        raise ConfigError(found.all) from error
    _check_references(content, faults)
    found.raise_if_errors()
    return divided_at_links(content)


class _Collector:
    """The records of a file while it is read."""

    def __init__(self, faults: FileFaults) -> None:
        self.faults = faults
        self.has_header, self.projection = False, ""
        self.offset = (0.0, 0.0, 0.0, 0.0)
        self.data: dict[str, str] = {}
        self.roads: dict[str, XodrRoad] = {}
        self.junctions: dict[str, XodrJunction] = {}
        self.controllers: dict[str, tuple[str, ...]] = {}

    def take_header(self, element: XodrElement) -> None:
        """Reads <header>."""
        self.has_header = True
        major, minor = element.whole("revMajor"), element.whole("revMinor")
        if major != 1 or minor not in _VERSIONS:
            element.error(f"OpenDRIVE {major}.{minor} is not read; expected 1.4 to 1.8")
        reference, offset = element.child("geoReference"), element.child("offset")
        if reference is not None:
            self.projection = (reference.node.text or "").strip()
        if offset is not None:
            x, y, z = (offset.number(name, 0.0) for name in "xyz")
            self.offset = (x, y, z, offset.number("hdg", 0.0))
        for each in element.children("userData"):
            self.data[each.text("code")] = each.text("value")

    def take_road(self, element: XodrElement) -> None:
        """Reads a <road>."""
        road = read_road(element)
        if road.id in self.roads:
            first = self.roads[road.id].line
            element.error(f"the id {printable(road.id, 40)} is that of the road in line {first}")
        self.roads[road.id] = road

    def take_junction(self, element: XodrElement) -> None:
        """Reads a <junction>."""
        junction = read_junction(element)
        if junction.id in self.junctions:
            first = self.junctions[junction.id].line
            name = printable(junction.id, 40)
            element.error(f"the id {name} is that of the junction in line {first}")
        self.junctions[junction.id] = junction

    def take_controller(self, element: XodrElement) -> None:
        """Reads a <controller>."""
        signals = tuple(each.required_text("signalId") for each in element.children("control"))
        self.controllers[element.required_text("id")] = signals


def _parse(data: bytes, faults: FileFaults) -> XodrFile:
    collected = _Collector(faults)
    takes: dict[str, Callable[[XodrElement], None]] = {
        "header": collected.take_header,
        "road": collected.take_road,
        "junction": collected.take_junction,
        "controller": collected.take_controller,
    }
    for name, node in children_of_root(data, "OpenDRIVE"):
        if name in takes:
            takes[name](XodrElement(node, faults, ""))
    if not collected.has_header:
        faults.error(1, "the file has no <header>")
    if not collected.roads:
        faults.error(1, "the file has no <road>")
    return XodrFile(
        projection=collected.projection,
        offset=collected.offset,
        data=collected.data,
        roads=collected.roads,
        junctions=collected.junctions,
        controllers=collected.controllers,
    )


def _check_references(content: XodrFile, faults: FileFaults) -> None:
    """Checks that links lead to roads and junctions of the file; a lost one is a warning."""
    for road in content.roads.values():
        for name, link in (("predecessor", road.predecessor), ("successor", road.successor)):
            if link is None:
                continue
            known = content.junctions if link.is_junction else content.roads
            if link.element not in known:
                kind = "junction" if link.is_junction else "road"
                other = printable(link.element, 40)
                message = f"road {printable(road.id, 40)}: its {name}, {kind} {other}, is missing"
                faults.warning(link.line, f"{message}; the road ends there")
        if road.junction and road.junction not in content.junctions:
            junction_id = printable(road.junction, 40)
            message = f"road {printable(road.id, 40)}: its junction {junction_id} is missing"
            faults.warning(road.line, message)
    for junction in content.junctions.values():
        for each in junction.connections:
            for other in (each.incoming, each.road):
                if other not in content.roads:
                    name, lost = printable(junction.id, 40), printable(other, 40)
                    message = f"junction {name}: there is no road {lost}"
                    faults.warning(each.line, f"{message}; the connection is left out")
