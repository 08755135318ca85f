"""Splits an OSM XML file into objects as bytes, and joins them again in order.

Objects keep their text with all attributes and tags, also those that this program does not know.
Only attributes that readers of version 0.6 require are changed. Ways of version 0.4, which are made
of segments, are converted to nodes.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO

from lxml import etree

from autosim.tools.osm_manipulator.manipulator_errors import ManipulatorError
from autosim.world.osm.osm_data import OsmWay
from autosim.world.osm.osm_segments import SegmentedWay, Segments

GENERATOR = "AutoSim OSM Manipulator"
MAX_ID = 2**63 - 2
"""Largest number that readers accept as an id: libosmium rejects 2^63 - 1."""

_KINDS = ("node", "way", "relation")
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to add: `latitude` and `longitude` [deg], and its tags in the order of writing."""

    latitude: float
    longitude: float
    tags: Mapping[str, str]


@dataclass(slots=True)
class OsmDocument:
    """A map as text.

    Attributes:
        root: the attributes of its element `<osm>`.
        before: comments and processing instructions before that element.
        header: bounds, notes and comments inside it.
        objects: (id, text) of the objects of each kind.
    """

    root: dict[str, str] = field(default_factory=dict)
    before: list[bytes] = field(default_factory=list)
    header: list[bytes] = field(default_factory=list)
    objects: dict[str, list[tuple[int, bytes]]] = field(
        default_factory=lambda: {kind: [] for kind in _KINDS}
    )

    def add_nodes(self, nodes: list[NewNode]) -> list[int]:
        """Adds nodes with ids above the highest one, at least 1, and returns the ids.

        Raises:
            ManipulatorError: too few ids are left.
        """
        first = max([number for number, _ in self.objects["node"]] + [0]) + 1
        if first + len(nodes) > MAX_ID:
            raise ManipulatorError(
                f"the map has a node {first - 1}: there are no ids above it for new houses"
            )
        ids = list(range(first, first + len(nodes)))
        texts = (_node_text(number, node) for number, node in zip(ids, nodes, strict=True))
        self.objects["node"].extend(zip(ids, texts, strict=True))
        return ids

    def remove_nodes(self, ids: Collection[int]) -> None:
        """Removes nodes."""
        self.objects["node"] = [each for each in self.objects["node"] if each[0] not in ids]

    def chunks(self) -> Iterator[bytes]:
        """The file's text: nodes, ways and relations, each with ascending ids.

        Negative ids come first, ordered by their absolute value, as libosmium requires.
        """
        yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
        for text in self.before:
            yield text + b"\n"
        yield _opening_tag(self.root)
        for text in self.header:
            yield b"  " + text + b"\n"
        for kind in _KINDS:
            for _, text in sorted(self.objects[kind], key=lambda each: _order(each[0])):
                yield b"  " + text + b"\n"
        yield b"</osm>\n"


def _order(number: int) -> tuple[bool, int]:
    return (number > 0, abs(number))


def read_document(stream: BinaryIO) -> OsmDocument:
    """Splits a file of OSM 0.4 to 0.6, which the reader of maps has already checked.

    Raises:
        ManipulatorError: it is not well-formed XML.
    """
    document = OsmDocument()
    try:
        _read(stream, document)
    except etree.XMLSyntaxError as fault:
        raise ManipulatorError(f"not well-formed XML: {fault.msg}") from fault
    _complete_root(document)
    return document


def _read(stream: BinaryIO, document: OsmDocument) -> None:
    events = etree.iterparse(
        stream,
        events=("start", "end", "comment", "pi"),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
    )
    depth, segments = 0, Segments()
    for event, element in events:
        if event == "start":
            depth += 1
            if depth == 1:
                document.root = {str(k): str(v) for k, v in element.attrib.items()}
            continue
        depth -= event == "end"
        if depth == 1:
            if document.root.get("version") != "0.4" or not _gather(element, segments):
                _keep(element, document)
            _forget(element)
        elif depth == 0 and event != "end" and not document.root:
            document.before.append(etree.tostring(element, encoding="utf-8", with_tail=False))
    document.objects["way"] += [(way.id, _way_text(way)) for way in segments.as_ways()]


def _gather(element: etree._Element, segments: Segments) -> bool:
    """Gathers a segment, or a way that is made of segments; tells whether it is one of these."""
    if element.tag == "segment":
        ends = _number(element, "from"), _number(element, "to")
        segments.nodes[_number(element, "id")] = ends
    elif element.tag == "way":
        parts = tuple(_number(each, "id") for each in element.iterchildren("seg"))
        tags = {each.get("k", ""): each.get("v", "") for each in element.iterchildren("tag")}
        segments.ways.append(SegmentedWay(_number(element, "id"), parts, tags, 0))
    return element.tag in ("segment", "way")


def _number(element: etree._Element, name: str) -> int:
    return int(element.get(name) or "")


def _way_text(way: OsmWay) -> bytes:
    element = etree.Element("way", {"id": str(way.id)})
    for ref in way.refs:
        etree.SubElement(element, "nd", ref=str(ref))
    for key, value in way.tags.items():
        etree.SubElement(element, "tag", k=key, v=value)
    _complete(element, way.id)
    return _text(element)


def _keep(element: etree._Element, document: OsmDocument) -> None:
    """Keeps a child of the root, after completing its attributes."""
    kind = element.tag
    if kind in _KINDS:
        number = _number(element, "id")
        _complete(element, number)
        document.objects[kind].append((number, _text(element)))
    else:
        document.header.append(_text(element))


def _text(element: etree._Element) -> bytes:
    return bytes(etree.tostring(element, encoding="utf-8", with_tail=False))


def _forget(element: etree._Element) -> None:
    """Frees the memory of an element after its text is kept."""
    if isinstance(element.tag, str):
        element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _complete(element: etree._Element, number: int) -> None:
    """Adds the attributes of version 0.6; JOSM rejects objects of the server without a version."""
    if number > 0 and element.get("version") is None:
        element.set("version", "1")
    stamp = element.get("timestamp")
    if stamp is not None and not _UTC.fullmatch(stamp):
        _replace(element, "timestamp", _as_utc(stamp))


def _replace(element: etree._Element, name: str, value: str | None) -> None:
    if value is None:
        del element.attrib[name]
    else:
        element.set(name, value)


def _as_utc(stamp: str) -> str | None:
    """Converts a time of version 0.5, in any zone, to the form of 0.6; None if it is not a time."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _complete_root(document: OsmDocument) -> None:
    """Sets the version and the generator, and forbids uploads, since the houses are invented."""
    root = document.root
    root["version"] = "0.6"
    writers = root.get("generator", "")
    if GENERATOR not in writers:
        root["generator"] = f"{writers}; {GENERATOR}" if writers else GENERATOR
    root["upload"] = "never"


def _opening_tag(attributes: Mapping[str, str]) -> bytes:
    element = etree.Element("osm", dict(attributes))
    return _text(element).removesuffix(b"/>") + b">\n"


def _node_text(number: int, node: NewNode) -> bytes:
    element = etree.Element(
        "node",
        {
            "id": str(number),
            "version": "1",
            "lat": f"{node.latitude:.7f}",
            "lon": f"{node.longitude:.7f}",
        },
    )
    for key, value in node.tags.items():
        tag = etree.SubElement(element, "tag", {"k": key, "v": value})
        tag.tail = "\n    "
    element.text = "\n    "
    element[-1].tail = "\n  "
    return _text(element)
