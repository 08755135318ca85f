"""Positions of signal heads: beside stop lines, and at both ends of crossings."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import DrivingSide
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.roads import Lane, RoadNetwork

_BESIDE = 0.9
"""Distance [m] of a post from the edge of the lane: it stands clear of mirrors, behind the kerb."""

_MARGIN = 0.25
"""Distance [m] by which a post keeps out of lanes."""

_FARTHER = (0.0, 1.5, 3.0)
"""Distances [m] by which a post is moved away from its lane where another lane is in its way."""

_SIDE_BY_SIDE = 6.0
"""Distance [m] between stop lines of lanes that share a post: one wide lane and a cycle lane."""

_SAME_WAY = 0.5
"""Cosine (without unit) of the angle between lanes that share a post: 60° at most."""

_WIDE = 3
"""Number of lanes from which on there is a second post on the other side."""

_BEHIND_KERB, _ASIDE = 0.6, 1.9
"""Distances [m] of a post for people from the kerb and from the middle of the crossing."""

_SAME_LEVEL = 3.0
"""Difference in height [m] below which a lane is in a post's way, not under it or over it."""


@dataclass(frozen=True, slots=True)
class SignalHeads:
    """Lights on posts, (h,) of them.

    Attributes:
        groups: the group of each.
        feet: (h, 3) [m] in W, at the height of the carriageway.
        yaws: [rad] the direction in which they shine.
        is_people: whether they are for people.
    """

    groups: Integers
    feet: Floats
    yaws: Floats
    is_people: Booleans


def make_signal_heads(plan: SignalPlan, world: CompiledWorld) -> SignalHeads:
    """The lights of all groups of a plan."""
    found: list[tuple[int, Floats, float, bool]] = []
    for row, group in enumerate(plan.groups):
        if group.walkway >= 0:
            first, second = (np.array(end) for end in plan.walkways[group.walkway].ends)
            found += [
                (row, *_at_crossing(a, b), True) for a, b in ((first, second), (second, first))
            ]
            continue
        lanes = [world.roads.lanes[lane] for lane in group.lanes]
        for side_by_side in _arms(lanes):
            places = _beside(world.roads, side_by_side, world.driving_side, is_turn=group.turns)
            found += [(row, foot, yaw, False) for foot, yaw in places]
    return SignalHeads(
        groups=np.array([each[0] for each in found], dtype=np.int64),
        feet=np.array([each[1] for each in found]).reshape(-1, 3),
        yaws=np.array([each[2] for each in found], dtype=np.float64),
        is_people=np.array([each[3] for each in found], dtype=np.bool_),
    )


def _at_crossing(near: Floats, far: Floats) -> tuple[Floats, float]:
    """A post at the end `near` of a crossing, which shines to its other end `far`."""
    way = (far - near)[:2]
    way = way / max(portable.length(way), 1.0)
    foot = near.copy()
    foot[:2] -= _BEHIND_KERB * way
    foot[:2] += _ASIDE * np.array([-way[1], way[0]])
    return foot, float(portable.arctan2(way[1], way[0]))


def _line_of(lane: Lane) -> float:
    return lane.stop_line or 0.0


def _arms(lanes: list[Lane]) -> list[list[Lane]]:
    """Lanes whose stop lines are side by side, in sets."""
    arms: list[list[Lane]] = []
    for lane in lanes:
        place, heading = lane.position(_line_of(lane)), lane.heading(_line_of(lane))
        for arm in arms:
            others = [(each.position(_line_of(each)), each.heading(_line_of(each))) for each in arm]
            if any(
                portable.length(place - other) < _SIDE_BY_SIDE
                and portable.cos(heading - direction) > _SAME_WAY
                for other, direction in others
            ):
                arm.append(lane)
                break
        else:
            arms.append([lane])
    return arms


def _beside(
    roads: RoadNetwork, lanes: list[Lane], side: DrivingSide, *, is_turn: bool
) -> list[tuple[Floats, float]]:
    """The feet of the posts of lanes side by side, and the directions in which they shine."""
    line = lanes[0].position(_line_of(lanes[0]))
    heading = lanes[0].heading(_line_of(lanes[0]))
    left = np.array([-portable.sin(heading), portable.cos(heading)])
    across = [
        float(portable.dot((lane.position(_line_of(lane)) - line)[:2], left)) for lane in lanes
    ]
    outer = -1.0 if side == "right" else 1.0
    sides = [-outer] if is_turn else [outer, *([-outer] if len(lanes) >= _WIDE else [])]
    found = []
    for sign in sides:
        lane = lanes[int(np.argmax(sign * np.array(across)))]
        foot = _free_foot(roads, lane, sign)
        if foot is None and sign == sides[0]:
            other = lanes[int(np.argmax(-sign * np.array(across)))]
            foot = _free_foot(roads, other, -sign)
        if foot is not None:
            found.append((foot, float(portable.wrapped(lane.heading(_line_of(lane)) + np.pi))))
    return found


def _free_foot(roads: RoadNetwork, lane: Lane, sign: float) -> Floats | None:
    """A place beside a lane where no lane is; None where there is none near."""
    for farther in _FARTHER:
        foot = lane.position(_line_of(lane), sign * (lane.width / 2.0 + _BESIDE + farther))
        (nearest,), ((station, aside),) = roads.nearest_lanes(foot[None])
        other = roads.lanes[int(nearest)]
        is_beside = abs(aside) > other.width / 2.0 + _MARGIN
        is_elsewhere = abs(other.position(float(station))[2] - foot[2]) > _SAME_LEVEL
        if is_beside or is_elsewhere:
            return foot
    return None
