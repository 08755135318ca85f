"""Finds lanes that end although the map leads on.

A lane may end at the border of the map, in a dead end, where all turns are barred, or where each
other street is a one-way street towards the junction: so the map says. Everywhere else a lane that
nothing follows is lost for traffic, and with it all ways that lead there.
"""

from collections.abc import Sequence

from autosim.world.geometry.curves import turn_between
from autosim.world.lanes.drivable_curves import Pose
from autosim.world.lanes.junction_trims import SHARPEST_TURN
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.streets.junction_rules import JunctionRules
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_finding import Street


def lost_ends(plan: LanePlan, streets: Sequence[Street], rules: JunctionRules) -> list[int]:
    """The numbers of the lanes that nothing follows where a lane of another street begins.

    Turns back do not count, nor do turns that a restriction bars.
    """
    nodes = StreetNodes.of(streets)
    starts: dict[StreetEnd, Pose] = {}
    for draft in plan.drafts:
        if not draft.is_connector:
            end = StreetEnd(draft.street, draft.is_forward)
            starts.setdefault(end, Pose.at_start(draft.points))
    found = []
    for number, draft in enumerate(plan.drafts):
        if draft.successors or draft.is_connector:
            continue
        end = StreetEnd(draft.street, not draft.is_forward)
        heading = Pose.at_end(draft.points).heading
        exits = [
            other
            for other in nodes.ends[nodes.at(end)]
            if other.street != end.street
            and other in starts
            and (end, other) not in rules.restrictions.barred
            and abs(turn_between(heading, starts[other].heading)) <= SHARPEST_TURN
        ]
        if exits:
            found.append(number)
    return found
