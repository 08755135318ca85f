"""Reads the objects and signals of a road of an OpenDRIVE file."""

import numpy as np

from autosim.world.opendrive.xodr_elements import XodrElement
from autosim.world.opendrive.xodr_records import (
    XodrObject,
    XodrOutline,
    XodrRepeat,
    XodrSignal,
)


def read_signals(road: XodrElement) -> tuple[XodrSignal, ...]:
    """Reads the signals of a road, and its references to signals of others."""
    return tuple(
        _signal(each)
        for group in road.children("signals")
        for each in group.children("signal", "signalReference")
    )


def _signal(element: XodrElement) -> XodrSignal:
    is_reference = element.tag == "signalReference"
    spans = [
        sorted((each.whole("fromLane"), each.whole("toLane")))
        for each in element.children("validity")
    ]
    has_value = bool(element.text("value").strip())
    return XodrSignal(
        id=element.required_text("id"),
        s=element.number("s"),
        t=element.number("t"),
        orientation=element.text("orientation", "none"),
        type=element.text("type", "none"),
        is_dynamic=element.text("dynamic") == "yes",
        height_offset=element.number("zOffset", 0.0),
        value=element.number("value", 0.0) if has_value else None,
        lanes=tuple((low, high) for low, high in spans),
        line=element.line,
        refers_to=element.text("id") if is_reference else "",
    )


def read_objects(road: XodrElement) -> tuple[XodrObject, ...]:
    """Reads the objects of a road."""
    return tuple(_object(each) for each in road.below("objects", "object"))


def _object(element: XodrElement) -> XodrObject:
    outlines = [*element.children("outline"), *element.below("outlines", "outline")]
    return XodrObject(
        id=element.text("id"),
        type=element.text("type", "none").lower(),
        subtype=element.text("subtype").lower(),
        name=element.text("name"),
        s=element.number("s", 0.0),
        t=element.number("t", 0.0),
        height_offset=element.number("zOffset", 0.0),
        heading=element.number("hdg", 0.0),
        length=element.number("length", 0.0),
        width=element.number("width", 0.0),
        radius=element.number("radius", 0.0),
        height=element.number("height", 0.0),
        outlines=tuple(made for each in outlines for made in [_outline(each)] if made is not None),
        repeats=tuple(_repeat(each) for each in element.children("repeat")),
        line=element.line,
    )


def _outline(element: XodrElement) -> XodrOutline | None:
    local = [
        (each.number("u"), each.number("v"), each.number("z", 0.0), each.number("height", 0.0))
        for each in element.children("cornerLocal")
    ]
    road = [
        (each.number("s"), each.number("t"), each.number("dz", 0.0), each.number("height", 0.0))
        for each in element.children("cornerRoad")
    ]
    if not local and not road:
        return None
    corners = np.array(local or road, dtype=np.float64)
    return XodrOutline(corners, bool(local), element.text("outer") != "false")


def _repeat(element: XodrElement) -> XodrRepeat:
    def both(start: str, end: str) -> tuple[float, float]:
        return element.number(start, 0.0), element.number(end, 0.0)

    return XodrRepeat(
        s=element.number("s", 0.0),
        length=element.number("length", 0.0),
        distance=element.number("distance", 0.0),
        t=both("tStart", "tEnd"),
        height=both("heightStart", "heightEnd"),
        offset=both("zOffsetStart", "zOffsetEnd"),
        width=both("widthStart", "widthEnd"),
    )
