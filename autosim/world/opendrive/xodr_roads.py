"""Reads the roads of an OpenDRIVE file with their profiles and lanes."""

import numpy as np

from autosim.config.diagnostics import printable
from autosim.world.opendrive.cubics import Cubics
from autosim.world.opendrive.xodr_elements import XodrElement
from autosim.world.opendrive.xodr_furniture import read_objects, read_signals
from autosim.world.opendrive.xodr_records import (
    PlanPieces,
    PlanShape,
    XodrLane,
    XodrLink,
    XodrMark,
    XodrRoad,
    XodrSection,
)

_LONGEST = 1e6
"""Greatest length [m] of a road: longer ones are errors of units."""

_SHORTEST = 1e-6
"""Length [m] up to which a piece of a road is left out: rounding."""

_MOST_TURN = 1000.0
"""Greatest turn [rad] of an arc or a clothoid: more than a hundred circles are an error."""

_HIGHEST_LANE = 100.0
"""Greatest height [m] of a lane above its road."""

_SHAPES = ("line", "arc", "spiral", "poly3", "paramPoly3")


def read_road(element: XodrElement) -> XodrRoad:
    """Reads a <road>; faults are noted."""
    id_ = element.required_text("id")
    road = element.named(f"road {printable(id_, 40)}")
    length = road.number("length")
    if not 0.0 < length <= _LONGEST:
        road.error(f"its length is {length:g} m: expected more than 0, at most {_LONGEST:g}")
    junction = road.text("junction", "-1")
    kinds = list(road.children("type"))
    speeds = [
        (each.number("s", 0.0), limit)
        for each in kinds
        for speed in each.children("speed")
        for limit in [speed.speed()]
        if limit is not None
    ]
    return XodrRoad(
        id=id_,
        length=max(length, _SHORTEST),
        junction="" if junction in ("-1", "") else junction,
        is_left_hand=road.text("rule", "RHT") == "LHT",
        predecessor=_link(road, "predecessor"),
        successor=_link(road, "successor"),
        kinds=tuple((each.number("s", 0.0), each.text("type", "unknown")) for each in kinds),
        speeds=tuple(sorted(speeds)),
        plan=_plan(road),
        elevation=_profile(road, "elevationProfile", "elevation"),
        superelevation=_profile(road, "lateralProfile", "superelevation"),
        crossfalls=_crossfalls(road),
        shapes=_shapes(road),
        lane_offset=_profile(road, "lanes", "laneOffset"),
        sections=_sections(road, length),
        objects=read_objects(road),
        signals=read_signals(road),
        bridges=_ranges(road, "bridge"),
        tunnels=_ranges(road, "tunnel"),
        line=road.line,
    )


def _link(road: XodrElement, name: str) -> XodrLink | None:
    for each in road.below("link", name):
        kind = each.text("elementType", "road")
        if kind not in ("road", "junction"):
            each.error(f"elementType of <{name}> is neither road nor junction")
        contact = each.text("contactPoint")
        station = each.number("elementS", 0.0) if each.node.get("elementS") else None
        at_start = {"start": True, "end": False}.get(contact)
        is_junction = kind == "junction"
        if not is_junction and at_start is None and station is None:
            each.error(f"<{name}> to a road has no contactPoint (start or end)")
        element = each.required_text("elementId")
        # At an end, a station says nothing more.
        between = station if at_start is None and not is_junction else None
        return XodrLink(element, is_junction, at_start, each.line, between)
    return None


def _profile(road: XodrElement, *path: str) -> Cubics:
    return Cubics.of([each.cubic() for each in road.below(*path)])


def _crossfalls(road: XodrElement) -> tuple[Cubics, Cubics]:
    rows = [
        (each.text("side", "both"), each.cubic())
        for each in road.below("lateralProfile", "crossfall")
    ]
    left, right = (
        Cubics.of([row for side, row in rows if side in (own, "both")]) for own in ("left", "right")
    )
    return left, right


def _shapes(road: XodrElement) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rows = [
        (each.number("s"), each.number("t"), *(each.number(name) for name in "abcd"))
        for each in road.below("lateralProfile", "shape")
    ]
    return np.array(sorted(rows), dtype=np.float64).reshape(-1, 6)


def _ranges(road: XodrElement, name: str) -> tuple[tuple[float, float], ...]:
    return tuple((each.number("s"), each.number("length")) for each in road.below("objects", name))


def _plan(road: XodrElement) -> PlanPieces:
    pieces = []
    for each in road.below("planView", "geometry"):
        length = each.number("length")
        if length < 0.0:
            each.error(f"<geometry> has a negative length: {length:g} m")
        pose = each.number("s"), length, *(each.number(name) for name in ("x", "y", "hdg"))
        shape = next((child for child in each.children(*_SHAPES)), None)
        if shape is None:
            each.error(f"<geometry> holds none of {', '.join(_SHAPES)}")
            continue
        parameters = _parameters(shape)
        turn = max(abs(curvature) for curvature in parameters[:2]) * length
        if shape.tag in ("arc", "spiral") and turn > _MOST_TURN:
            each.error(f"<{shape.tag}> turns by more than {_MOST_TURN:g} rad")
        if length > _SHORTEST:
            normalized = shape.text("pRange", "normalized") != "arcLength"
            pieces.append((pose, _SHAPES.index(shape.tag), normalized, parameters))
    if not pieces:
        road.error("it has no reference line: <planView> holds no <geometry> with a length")
        pieces = [((0.0, 1.0, 0.0, 0.0, 0.0), int(PlanShape.LINE), True, (0.0,) * 8)]
    pieces.sort(key=lambda piece: piece[0][0])
    poses = np.array([piece[0] for piece in pieces], dtype=np.float64)
    return PlanPieces(
        starts=poses[:, 0].copy(),
        lengths=poses[:, 1].copy(),
        poses=poses[:, 2:].copy(),
        shapes=np.array([piece[1] for piece in pieces], dtype=np.int64),
        parameters=np.array([piece[3] for piece in pieces], dtype=np.float64),
        normalized=np.array([piece[2] for piece in pieces], dtype=np.int64),
    )


def _parameters(shape: XodrElement) -> tuple[float, ...]:
    """The eight parameters of a piece, see `PlanPieces`."""
    match shape.tag:
        case "arc":
            curvature = shape.number("curvature")
            return (curvature, curvature, *(0.0,) * 6)
        case "spiral":
            return (shape.number("curvStart"), shape.number("curvEnd"), *(0.0,) * 6)
        case "poly3":
            return (0.0, 1.0, 0.0, 0.0, *(shape.number(name) for name in "abcd"))
        case "paramPoly3":
            return tuple(shape.number(name + axis) for axis in "UV" for name in "abcd")
        case _:
            return (0.0,) * 8


def _sections(road: XodrElement, length: float) -> tuple[XodrSection, ...]:
    elements = sorted(
        ((each.number("s"), each) for each in road.below("lanes", "laneSection")),
        key=lambda pair: pair[0],
    )
    if not elements:
        road.error("it has no <laneSection>")
    starts = [start for start, _ in elements]
    found: list[XodrSection] = []
    for k, (start, each) in enumerate(elements):
        end = starts[k + 1] if k + 1 < len(starts) else length
        if start >= length:
            each.warning(f"its lane section at s={start:g} begins beyond its end; left out")
        elif end > start or not found:
            lanes = _lanes(each)
            found.append(XodrSection(max(start, 0.0), min(end, length), lanes))
    if elements and not found:
        road.error("all its lane sections begin beyond its end")
    return tuple(found)


def _lanes(section: XodrElement) -> dict[int, XodrLane]:
    lanes: dict[int, XodrLane] = {}
    for side, sign in (("left", 1), ("center", 0), ("right", -1)):
        for each in section.below(side, "lane"):
            lane = _lane(each)
            if (lane.id > 0) - (lane.id < 0) != sign:
                each.error(f"lane {lane.id} lies in <{side}>")
            elif lane.id in lanes:
                each.error(f"a second lane {lane.id} in one lane section")
            else:
                lanes[lane.id] = lane
    for sign in (1, -1):
        count = sum(1 for id_ in lanes if id_ * sign > 0)
        missing = [k * sign for k in range(1, count + 1) if k * sign not in lanes]
        if missing:
            section.error(f"its lane section lacks lane {missing[0]}: ids must have no gaps")
    return lanes


def _lane(element: XodrElement) -> XodrLane:
    id_ = element.whole("id")
    lane = element.named(f"{element.where}, lane {id_}")
    widths = Cubics.of([each.cubic("sOffset") for each in lane.children("width")])
    borders = Cubics.of([each.cubic("sOffset") for each in lane.children("border")])
    if id_ and not len(widths.starts) and not len(borders.starts):
        lane.error("it has neither <width> nor <border>")
    heights = [
        (
            each.number("sOffset"),
            *(each.number(name, largest=_HIGHEST_LANE) for name in ("inner", "outer")),
        )
        for each in lane.children("height")
    ]
    speeds = [
        (each.number("sOffset", 0.0), limit)
        for each in lane.children("speed")
        for limit in [each.speed()]
        if limit is not None
    ]
    links = {
        name: tuple(each.whole("id") for each in lane.below("link", name))
        for name in ("predecessor", "successor")
    }
    return XodrLane(
        id=id_,
        type=lane.text("type", "none"),
        widths=widths,
        # Where both are given, the widths count: rule of the standard.
        borders=borders if not len(widths.starts) else Cubics.of([]),
        heights=np.array(sorted(heights), dtype=np.float64).reshape(-1, 3),
        marks=tuple(_mark(each) for each in lane.children("roadMark")),
        speeds=tuple(sorted(speeds)),
        predecessors=links["predecessor"],
        successors=links["successor"],
        direction=lane.text("direction", "standard"),
        denied=_denied(lane),
    )


def _denied(lane: XodrElement) -> frozenset[str]:
    """The road users that may not use a lane."""
    found = set()
    for each in lane.children("access"):
        if each.text("rule", "allow") == "deny":
            found.add(each.text("restriction"))
            found |= {part.text("type") for part in each.children("restriction")}
    return frozenset(found)


def _mark(element: XodrElement) -> XodrMark:
    lines = tuple(
        (
            each.number("length", 0.0),
            each.number("space", 0.0),
            each.number("tOffset", 0.0),
            each.number("sOffset", 0.0),
            each.number("width", 0.0),
        )
        for each in element.below("type", "line")
    )
    width = element.number("width", 0.0)
    return XodrMark(
        offset=element.number("sOffset", 0.0),
        kind=element.text("type", "none"),
        colour=element.text("color", "standard"),
        weight=element.text("weight", "standard"),
        width=max(width, 0.0),
        lines=lines,
    )
