"""Small maps with signals."""

import math

from autosim.world.lanes.lane_rules import Control
from tests.world.maps import CROSSING, build_map

SIGNALS = {"highway": "traffic_signals"}


def signalled_crossing(folder, *, maxspeed="50", with_people=False, tags=SIGNALS):
    """Two streets of 240 m that cross at the origin, with signals; traffic keeps right.

    With people, there is a crossing over the arm to the east.
    """
    street = {"highway": "tertiary", "maxspeed": maxspeed}
    nodes = [((0.0, 0.0), tags)]
    ways = [(line, street) for line, _ in CROSSING]
    if with_people:
        ways[0] = (((-120.0, 0.0), (0.0, 0.0), (10.0, 0.0), (120.0, 0.0)), street)
        nodes.append(((10.0, 0.0), {"highway": "crossing", "crossing": "traffic_signals"}))
    return build_map(folder, ways, side="right", nodes=nodes)


def _heading(world, *headings):
    return [
        lane.index
        for heading in headings
        for lane in world.roads.lanes
        if lane.control != Control.NONE
        and abs(math.remainder(lane.heading(lane.length) - heading, math.tau)) < 0.1
    ]


def east_west(world):
    """The lanes that arrive eastwards and westwards."""
    return _heading(world, 0.0, math.pi)


def north_south(world):
    """The lanes that arrive northwards and southwards."""
    return _heading(world, math.pi / 2, -math.pi / 2)
