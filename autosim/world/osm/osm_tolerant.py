"""The tolerant reader: XML of OSM 0.4 to 0.6 by lxml, with the line of every fault.

It accepts versions 0.4 and 0.5, very large ids and odd numbers, which libosmium refuses, and
reports the faults of the rest. It reads a stream, so memory grows with the map, not with the text.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from lxml import etree

from autosim.config.diagnostics import Diagnostic
from autosim.world.osm.osm_data import (
    MAX_NODES,
    OsmContent,
    OsmNode,
    OsmRelation,
    OsmWay,
    are_members_kept,
)
from autosim.world.osm.osm_segments import SegmentedWay, Segments
from autosim.world.osm.osm_sniff import OsmKind, is_cut, open_xml

_MAX_FINDINGS = 200
"""Number of faults after which reading ends: such a file is not a map, or wholly broken."""

_ID_LIMIT = 1 << 63
"""Ids lie from minus this number up to below it: they are stored in 64 bits with a sign."""

_SILENT = frozenset({"note", "meta", "bounds", "bound", "changeset", "user", "remark"})
_CHILDREN: Mapping[str, frozenset[str]] = {
    "node": frozenset({"tag"}),
    "way": frozenset({"tag", "nd"}),
    "relation": frozenset({"tag", "member"}),
}
_CHILDREN_0_4: Mapping[str, frozenset[str]] = {
    "node": frozenset({"tag"}),
    "segment": frozenset({"tag"}),
    "way": frozenset({"tag", "seg"}),
}


_Adder = Callable[[etree._Element, OsmContent], None]
"""Puts one element into the content."""


class _GivenUpError(Exception):
    """The rest of the file is not worth reading; the message says why."""


class _ElementFaultError(Exception):
    """One element is unusable."""


def read_tolerant(path: Path, kind: OsmKind) -> OsmContent:
    """Reads OSM XML. Faults become findings, and objects with faults are left out."""
    content = OsmContent()
    report = _Report(path, content)
    try:
        with open_xml(path, kind) as stream:
            _read_elements(stream, content, report)
    except etree.XMLSyntaxError as fault:
        cut = "the file ends in the middle; is it whole? " if is_cut(path, kind) else ""
        report.error(fault.lineno or 0, f"{cut}not well-formed XML: {fault.msg}")
    except (OSError, EOFError) as fault:
        report.error(0, f"cannot be read: {fault}")
    except _GivenUpError as fault:
        content.findings.append(Diagnostic(path, 0, "error", str(fault)))
    return content


class _Report:
    def __init__(self, path: Path, content: OsmContent) -> None:
        self._path = path
        self._findings = content.findings

    def error(self, line: int, message: str) -> None:
        self._add(Diagnostic(self._path, line, "error", message))

    def warning(self, line: int, message: str) -> None:
        self._add(Diagnostic(self._path, line, "warning", message))

    def _add(self, finding: Diagnostic) -> None:
        self._findings.append(finding)
        if len(self._findings) >= _MAX_FINDINGS:
            raise _GivenUpError(f"more than {_MAX_FINDINGS} faults; gave up")


def _read_elements(stream: object, content: OsmContent, report: _Report) -> None:
    """Handles each child of the root when it ends, then forgets it."""
    segments = Segments()
    adders, children = _adders(), _CHILDREN
    events = etree.iterparse(
        stream, events=("start", "end"), resolve_entities=False, load_dtd=False, no_network=True
    )
    depth = 0
    for event, element in events:
        depth += 1 if event == "start" else -1
        if event == "start" and depth == 1 and element.get("version") == "0.4":
            adders, children = _adders_0_4(segments), _CHILDREN_0_4
        if event == "start" or depth != 1:
            continue
        name = str(element.tag)
        if name in adders:
            allowed = children.get(name)
            _add_element(element, allowed, adders[name], content, report)
        elif name not in _SILENT:
            _report_unknown(element, name, report)
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    content.ways += segments.as_ways()
    for line, message in segments.findings():
        report.warning(line, message)


def _adders() -> Mapping[str, _Adder]:
    return {
        "node": _add_node,
        "way": _add_way,
        "relation": _add_relation,
        "bounds": _set_bounds,
    }


def _adders_0_4(segments: Segments) -> Mapping[str, _Adder]:
    """Adders of a version that knows no relations, and whose ways are made of `segments`."""

    def add_segment(element: etree._Element, content: OsmContent) -> None:
        ends = _id(element, "from"), _id(element, "to")
        segments.nodes[_id(element, "id")] = ends

    def add_way(element: etree._Element, content: OsmContent) -> None:
        parts = tuple([_id(child, "id") for child in element.iterchildren("seg")])
        line = _line(element)
        segments.ways.append(SegmentedWay(_id(element, "id"), parts, _tags(element), line))

    return {"node": _add_node, "segment": add_segment, "way": add_way, "bounds": _set_bounds}


def _add_element(
    element: etree._Element,
    allowed: frozenset[str] | None,
    add: _Adder,
    content: OsmContent,
    report: _Report,
) -> None:
    name = element.tag
    for child in element:
        if allowed is not None and child.tag not in allowed:
            expected = " or ".join(f"<{tag}>" for tag in sorted(allowed))
            message = (
                f"{name} {element.get('id')}: expected {expected}, found <{child.tag}>; ignored"
            )
            report.warning(_line(child), message)
    if element.get("action") == "delete" or element.get("visible") == "false":
        return
    try:
        add(element, content)
    except _ElementFaultError as fault:
        report.warning(_line(element), f"{name} {element.get('id')}: {fault}; left out")


def _report_unknown(element: etree._Element, name: str, report: _Report) -> None:
    line = _line(element)
    if element.find(".//osm") is not None:
        report.error(line, f"unknown element <{name}> holds another <osm>")
    else:
        report.warning(line, f"unknown element <{name}> is ignored")


def _add_node(element: etree._Element, content: OsmContent) -> None:
    latitude, longitude = _number(element, "lat"), _number(element, "lon")
    if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0):
        raise _ElementFaultError(
            f"latitude {latitude} and longitude {longitude} are not a position"
        )
    if len(content.ids) >= MAX_NODES:
        raise _GivenUpError(f"more than {MAX_NODES} nodes; gave up")
    content.add_node(OsmNode(_id(element, "id"), latitude, longitude, _tags(element)))


def _add_way(element: etree._Element, content: OsmContent) -> None:
    refs = tuple([_id(child, "ref") for child in element.iterchildren("nd")])
    content.ways.append(OsmWay(_id(element, "id"), refs, _tags(element)))


def _add_relation(element: etree._Element, content: OsmContent) -> None:
    members = tuple([_member(child) for child in element.iterchildren("member")])
    number, tags = _id(element, "id"), _tags(element)
    content.relations.append(OsmRelation(number, members if are_members_kept(tags) else (), tags))


def _member(element: etree._Element) -> tuple[str, int, str]:
    kind = element.get("type")
    if kind not in ("node", "way", "relation"):
        raise _ElementFaultError(f"a member's type is node, way or relation, not {kind}")
    return kind, _id(element, "ref"), element.get("role") or ""


def _set_bounds(element: etree._Element, content: OsmContent) -> None:
    names = ("minlat", "minlon", "maxlat", "maxlon")
    south, west, north, east = (_number(element, name) for name in names)
    content.bounds = (south, west, north, east)


def _line(element: etree._Element) -> int:
    """The line of an element in its file, 0 where it is not known."""
    line = element.sourceline
    return line if isinstance(line, int) else 0


def _tags(element: etree._Element) -> dict[str, str]:
    return {tag.get("k", ""): tag.get("v", "") for tag in element.iterchildren("tag")}


def _id(element: etree._Element, name: str) -> int:
    text = element.get(name)
    try:
        value = int(text or "")
    except (TypeError, ValueError):
        raise _ElementFaultError(f"{name} is a whole number, not {text!r}") from None
    if not -_ID_LIMIT <= value < _ID_LIMIT:
        raise _ElementFaultError(f"{name} {text} does not fit into 64 bits")
    return value


def _number(element: etree._Element, name: str) -> float:
    text = element.get(name)
    try:
        return float(text or "")
    except (TypeError, ValueError):
        raise _ElementFaultError(f"{name} is a number, not {text!r}") from None
