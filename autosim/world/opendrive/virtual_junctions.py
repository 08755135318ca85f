"""Divides lane sections where roads of virtual junctions leave a road or lead into it.

Such a road names the station of the other one at which it meets it. There the lane section of that
one becomes two, and the lanes of both are linked as before; so the way off it begins at an end of
lanes, like any other.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from autosim.arrays import Floats
from autosim.world.opendrive.cubics import Cubics
from autosim.world.opendrive.xodr_records import XodrFile, XodrLane, XodrRoad, XodrSection

_SAME = 0.2
"""Distance [m] up to which a station is that of a border of lane sections."""


def divided_at_links(content: XodrFile) -> XodrFile:
    """The file with a border of lane sections at each station that a link of a road names."""
    stations: dict[str, list[float]] = {}
    for road in content.roads.values():
        for link in (road.predecessor, road.successor):
            if link is not None and link.station is not None and link.element in content.roads:
                stations.setdefault(link.element, []).append(link.station)
    if not stations:
        return content
    roads = dict(content.roads)
    for id_, places in stations.items():
        for station in sorted(places):
            roads[id_] = _divided(roads[id_], station)
    return replace(content, roads=roads)


def section_after(road: XodrRoad, station: float) -> int:
    """The number of the lane section that begins at a station of `divided_at_links`, else of 0."""
    starts = [each.start for each in road.sections]
    number = bisect_right(starts, station + _SAME) - 1
    return number if number > 0 and abs(starts[number] - station) <= _SAME else 0


def _divided(road: XodrRoad, station: float) -> XodrRoad:
    number = bisect_right([each.start for each in road.sections], station) - 1
    section = road.sections[max(number, 0)]
    if min(station - section.start, section.end - station) <= _SAME:
        return road
    first = replace(section, end=station, lanes=_linked(section.lanes, before=False))
    shift = station - section.start
    later = {id_: _from(lane, shift) for id_, lane in section.lanes.items()}
    second = XodrSection(station, section.end, _linked(later, before=True))
    sections = (*road.sections[:number], first, second, *road.sections[number + 1 :])
    return replace(road, sections=sections)


def _linked(lanes: Mapping[int, XodrLane], *, before: bool) -> dict[int, XodrLane]:
    """The lanes with links to those of the same ids before or behind them."""
    return {
        id_: replace(lane, predecessors=(id_,)) if before else replace(lane, successors=(id_,))
        for id_, lane in lanes.items()
    }


def _from(lane: XodrLane, shift: float) -> XodrLane:
    """A lane whose section begins `shift` [m] later."""
    speeds = [(max(offset - shift, 0.0), limit) for offset, limit in lane.speeds]
    marks = [replace(each, offset=max(each.offset - shift, 0.0)) for each in lane.marks]
    heights = lane.heights.copy()
    heights[:, 0] -= shift
    return replace(
        lane,
        widths=_moved(lane.widths, shift),
        borders=_moved(lane.borders, shift),
        heights=heights,
        speeds=tuple({offset: (offset, limit) for offset, limit in speeds}.values()),
        marks=tuple({each.offset: each for each in marks}.values()),
    )


def _moved(function: Cubics, shift: float) -> Cubics:
    starts: Floats = np.asarray(function.starts - shift)
    return Cubics(starts, function.coefficients)
