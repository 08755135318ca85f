"""Makes the records of the road network of a CommonRoad file, in W.

Source: the documentation of the CommonRoad XML format, 2020a.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.config.diagnostics import Diagnostics
from autosim.world.lanelets.commonroad_file import (
    number_of,
    open_commonroad,
    points_of,
    shift_of,
)
from autosim.world.lanelets.lanelet2_tags import PARTS, WIDTHS
from autosim.world.lanelets.lanelet_records import (
    Lanelet,
    LaneletControl,
    LaneletMap,
    LaneletMark,
    LaneletUse,
    PathKey,
)
from autosim.world.lanes.lane_rules import Control
from autosim.world.opendrive.xodr_elements import XodrElement

_USES: Mapping[str, LaneletUse] = {
    "sidewalk": LaneletUse.WALKWAY,
    "crosswalk": LaneletUse.CROSSWALK,
    "busLane": LaneletUse.CARRIAGEWAY,
    "bicycleLane": LaneletUse.CARRIAGEWAY,
    "shoulder": LaneletUse.CARRIAGEWAY,
    "restricted": LaneletUse.CARRIAGEWAY,
    "border": LaneletUse.CARRIAGEWAY,
    "parking": LaneletUse.CARRIAGEWAY,
}
"""Use of types of lanelets; others carry traffic."""

_HIGHWAYS = {
    "interstate": ("motorway", 130.0 / 3.6),
    "highway": ("trunk", 100.0 / 3.6),
    "country": ("secondary", 100.0 / 3.6),
    "urban": ("tertiary", 50.0 / 3.6),
    "driveWay": ("service", 20.0 / 3.6),
}
"""OSM's `highway` and the limit [m/s] without a sign, by the type of a lanelet."""

_LIMIT_SIGNS = frozenset({"274", "R2-1", "s301"})
_CONTROLS = {
    "206": Control.STOP,
    "R1-1": Control.STOP,
    "s2": Control.STOP,
    "205": Control.GIVE_WAY,
    "R1-2": Control.GIVE_WAY,
    "s1": Control.GIVE_WAY,
}
"""Controls of signs of Germany, the United States and Spain."""

_INSET = 0.36
"""Distance [m] of a line at the edge of the carriageway from that edge, which is rounded."""

_VEHICLES = frozenset({"vehicle", "car"})


class _Sign(NamedTuple):
    """A sign: its type and its value, NaN for none."""

    type: str
    value: float


@dataclass(frozen=True, slots=True)
class _Source:
    """An element with its record."""

    element: XodrElement
    record: Lanelet


def read_commonroad_map(path: Path, found: Diagnostics) -> LaneletMap:
    """Reads the road network of a CommonRoad file.

    Raises:
        ConfigError: it cannot be used; each fault has its line.
    """
    root = open_commonroad(path, found)
    shift = np.append(shift_of(root), 0.0)
    signs = dict(_signs(root))
    sources = dict(_lanelets(root, shift, signs))
    if not sources:
        root.error("the file has no lanelet")
    found.raise_if_errors()
    beside, opposite = _neighbours(sources)
    controls = tuple(_controls(sources, shift, signs))
    return LaneletMap(
        origin=_origin(root),
        lanelets={id_: each.record for id_, each in sources.items()},
        successors=_successors(sources),
        beside=tuple(beside),
        opposite=tuple(opposite),
        junctions=frozenset(_junctions(root)),
        marks=tuple(_marks(sources)),
        controls=controls,
        areas=(),
        barriers=(),
        used={"lanelets": len(sources), "signs and lights": len(controls)},
        ignored=dict(_ignored(signs)),
    )


def _origin(root: XodrElement) -> tuple[float, float]:
    place = root.child("location")
    values = []
    for name, most in (("gpsLatitude", 90.0), ("gpsLongitude", 180.0)):
        child = None if place is None else place.child(name)
        value = 0.0 if child is None else number_of(child)
        # 999 stands for an unknown place.
        values.append(value if abs(value) <= most else 0.0)
    return values[0], values[1]


def _id(element: XodrElement, name: str = "id") -> int:
    return element.whole(name)


def _refs(element: XodrElement, name: str) -> list[int]:
    return [_id(each, "ref") for each in element.children(name)]


def _texts(element: XodrElement, name: str) -> list[str]:
    return [(each.node.text or "").strip() for each in element.children(name)]


def _signs(root: XodrElement) -> Iterator[tuple[int, list[_Sign]]]:
    for sign in root.children("trafficSign"):
        parts = []
        for each in sign.children("trafficSignElement"):
            kind = next(iter(_texts(each, "trafficSignID")), "")
            values = [number_of(value) for value in each.children("additionalValue")]
            parts.append(_Sign(kind, values[0] if values else float("nan")))
        yield _id(sign), parts


def _lanelets(
    root: XodrElement, shift: Floats, signs: Mapping[int, list[_Sign]]
) -> Iterator[tuple[int, _Source]]:
    for element in root.children("lanelet"):
        id_ = _id(element)
        named = element.named(f"lanelet {id_}")
        bounds = []
        for side in ("leftBound", "rightBound"):
            bound = named.child(side)
            points = np.zeros((0, 3)) if bound is None else points_of(bound)
            if len(points) < 2 or not np.ptp(points[:, :2], axis=0).max() > 0.0:
                named.error(f"its <{side}> has fewer than two different points")
            bounds.append(points + shift)
        types = _texts(named, "laneletType")
        highway, limit = next(
            (_HIGHWAYS[each] for each in types if each in _HIGHWAYS), ("tertiary", 50.0 / 3.6)
        )
        use = next((_USES[each] for each in types if each in _USES), LaneletUse.TRAFFIC)
        record = Lanelet(
            id=id_,
            left=bounds[0],
            right=bounds[1],
            use=use,
            highway=highway,
            speed_limit=_limit(named, signs, limit),
            is_two_way=bool(_VEHICLES & set(_texts(named, "userBidirectional"))),
            line=element.line,
        )
        yield id_, _Source(named, record)


def _limit(element: XodrElement, signs: Mapping[int, list[_Sign]], default: float) -> float:
    """The speed limit [m/s] by an element of 2018b or by a sign of 2020a."""
    stated = [number_of(each) for each in element.children("speedLimit")]
    for ref in _refs(element, "trafficSignRef"):
        stated += [each.value for each in signs.get(ref, ()) if each.type in _LIMIT_SIGNS]
    return next((each for each in stated if 0.5 < each < 100.0), default)


def _paths(record: Lanelet) -> list[PathKey]:
    if record.use != LaneletUse.TRAFFIC:
        return []
    return [PathKey(record.id, way) for way in ((True, False) if record.is_two_way else (True,))]


def _successors(sources: Mapping[int, _Source]) -> dict[PathKey, tuple[PathKey, ...]]:
    found: dict[PathKey, tuple[PathKey, ...]] = {}
    for source in sources.values():
        for key in _paths(source.record):
            name = "successor" if key.is_along else "predecessor"
            others = [sources[ref].record for ref in _refs(source.element, name) if ref in sources]
            found[key] = tuple(
                PathKey(each.id, key.is_along)
                for each in others
                if PathKey(each.id, key.is_along) in _paths(each)
            )
    return found


def _neighbours(
    sources: Mapping[int, _Source],
) -> tuple[list[tuple[PathKey, PathKey]], list[tuple[PathKey, PathKey]]]:
    beside: list[tuple[PathKey, PathKey]] = []
    opposite: list[tuple[PathKey, PathKey]] = []
    for source in sources.values():
        keys = _paths(source.record)
        for adjacent in source.element.children("adjacentLeft", "adjacentRight"):
            other = sources.get(_id(adjacent, "ref"))
            if other is None or not keys or not (others := _paths(other.record)):
                continue
            pair = (keys[0], others[0])
            (beside if adjacent.text("drivingDir") != "opposite" else opposite).append(pair)
        if len(keys) > 1:
            opposite.append((keys[0], keys[1]))
    return beside, opposite


def _junctions(root: XodrElement) -> Iterator[int]:
    """The lanelets that lead through intersections."""
    for incoming in root.below("intersection", "incoming"):
        for name in ("successorsRight", "successorsStraight", "successorsLeft"):
            yield from _refs(incoming, name)


def _controls(
    sources: Mapping[int, _Source], shift: Floats, signs: Mapping[int, list[_Sign]]
) -> Iterator[LaneletControl]:
    """The lights and signs; lights come first, as they go before signs."""
    found = []
    for source in sources.values():
        stop = source.element.child("stopLine")
        place = np.zeros((0, 3)) if stop is None else points_of(stop) + shift
        carriers = [source.element] if stop is None else [source.element, stop]
        paths = tuple(_paths(source.record)[:1])
        if not paths:
            continue
        if any(_refs(each, "trafficLightRef") for each in carriers):
            found.append(LaneletControl(Control.SIGNALS, paths, place))
        for ref in (ref for each in carriers for ref in _refs(each, "trafficSignRef")):
            for sign in signs.get(ref, ()):
                if sign.type in _CONTROLS:
                    found.append(LaneletControl(_CONTROLS[sign.type], paths, place))
    yield from sorted(found, key=lambda each: each.control != Control.SIGNALS)


def _marks(sources: Mapping[int, _Source]) -> Iterator[LaneletMark]:
    """The painted borders, each once, and the stop lines."""
    for source in sources.values():
        record = source.record
        if record.use not in (LaneletUse.TRAFFIC, LaneletUse.CARRIAGEWAY):
            continue
        sides = (("leftBound", record.left, -1.0), ("rightBound", record.right, 1.0))
        for name, points, inwards in sides:
            adjacent = source.element.child("adjacentLeft" if inwards < 0.0 else "adjacentRight")
            other = None if adjacent is None else _id(adjacent, "ref")
            if other in sources and other is not None and other < record.id:
                continue
            bound = source.element.child(name)
            kind = "" if bound is None else next(iter(_texts(bound, "lineMarking")), "")
            plain = kind.removeprefix("broad_")
            if plain not in PARTS:
                continue
            width = WIDTHS["line_thick" if kind != plain else "line_thin"]
            shift = 0.0 if other in sources else _INSET * inwards
            yield LaneletMark(points, PARTS[plain], width, is_yellow=False, shift=shift)


def _ignored(signs: Mapping[int, list[_Sign]]) -> Iterator[tuple[str, int]]:
    kinds = Counter(
        f"signs: {each.type}"
        for parts in signs.values()
        for each in parts
        if each.type not in _LIMIT_SIGNS and each.type not in _CONTROLS
    )
    yield from sorted(kinds.items())
