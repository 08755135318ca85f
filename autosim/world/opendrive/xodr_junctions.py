"""Reads the junctions of an OpenDRIVE file."""

from autosim.config.diagnostics import printable
from autosim.world.opendrive.xodr_elements import XodrElement
from autosim.world.opendrive.xodr_records import XodrConnection, XodrJunction


def read_junction(element: XodrElement) -> XodrJunction:
    """Reads a <junction>; faults are noted."""
    id_ = element.required_text("id")
    junction = element.named(f"junction {printable(id_, 40)}")
    kind = junction.text("type", "default")
    named = [each.named(junction.where) for each in junction.children("controller")]
    numbered = sorted((each.whole("sequence", 0), each.required_text("id")) for each in named)
    return XodrJunction(
        id=id_,
        kind=kind,
        connections=tuple(
            _connection(each)
            for each in junction.children("connection")
            if kind != "crossing" and each.node.get("incomingRoad") is not None
        ),
        priorities=tuple(
            (each.text("high"), each.text("low")) for each in junction.children("priority")
        ),
        controllers=tuple(name for _, name in numbered),
        line=junction.line,
    )


def _connection(element: XodrElement) -> XodrConnection:
    linked = element.node.get("linkedRoad")
    road = linked if linked is not None else element.required_text("connectingRoad")
    contact = element.text("contactPoint", "start")
    if contact not in ("start", "end"):
        element.error(f"contactPoint is neither start nor end: '{printable(contact, 40)}'")
    links = tuple((each.whole("from"), each.whole("to")) for each in element.children("laneLink"))
    return XodrConnection(
        incoming=element.required_text("incomingRoad"),
        road=str(road),
        at_start=contact != "end",
        links=links,
        line=element.line,
    )
