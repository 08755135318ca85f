"""Moves lanes into the room that their streets have where others lie beside them higher or lower.

The lanes of a street share what there is from its one side to its other as they share its whole
width elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely

from autosim.arrays import Floats
from autosim.world.geometry.curves import (
    arc_lengths,
    heading_between,
    points_at,
    resample,
    to_left,
    transition,
)
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.streets.streets import Street

_SPACING = 2.0
_MOVED = 1e-3


def lanes_in_room(
    plan: LanePlan, streets: Sequence[Street], rooms: Mapping[int, SideClearance]
) -> LanePlan:
    """The plan with lanes and connectors where there is room for them.

    Args:
        plan: lanes in the middle of their shares of the streets' widths.
        streets: all streets.
        rooms: of those that have less than their width.
    """
    if not rooms:
        return plan
    drafts = [
        _in_room(draft, streets[draft.street], rooms[draft.street])
        if draft.street in rooms and not draft.is_connector
        else draft
        for draft in plan.drafts
    ]
    before = _lanes_before(plan.drafts)
    for number, draft in enumerate(drafts):
        if draft.is_connector:
            ends = before[number], draft.successors[0]
            if any(plan.drafts[k] is not drafts[k] for k in ends):
                drafts[number] = _between(draft, drafts[ends[0]], drafts[ends[1]])
    return replace(plan, drafts=drafts)


def _lanes_before(drafts: Sequence[LaneDraft]) -> dict[int, int]:
    """The lane from which each connector leads."""
    return {
        following: number
        for number, draft in enumerate(drafts)
        for following in draft.successors
        if drafts[following].is_connector
    }


def _in_room(draft: LaneDraft, street: Street, room: SideClearance) -> LaneDraft:
    points = resample(draft.points, _SPACING)
    axis = shapely.LineString(street.points)
    s = np.asarray(shapely.line_locate_point(axis, shapely.points(points)))
    foot, left = _feet(street.points, s)
    lateral = np.einsum("ij,ij->i", points - foot, left)
    to_left, to_right = room.at(s)
    share = (to_left + to_right) / street.profile.width
    shift = 0.5 * (to_left - to_right) + lateral * (share - 1.0)
    if np.abs(shift).max() < _MOVED:
        return draft
    width = draft.width * float(share.min())
    return replace(draft, points=points + shift[:, None] * left, width=width)


def _feet(axis: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Points (n, 2) of an axis at arc lengths (n,), and unit vectors (n, 2) to its left there."""
    along = arc_lengths(axis)
    foot = points_at(axis, along, s)
    row = np.clip(np.searchsorted(along, s, side="right") - 1, 0, len(axis) - 2)
    ahead = axis[row + 1] - axis[row]
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    return foot, to_left(ahead)


def _between(connector: LaneDraft, first: LaneDraft, second: LaneDraft) -> LaneDraft:
    """A connector from the end of one lane to the start of another, where those are now."""
    start, end = first.points[-1], second.points[0]
    width = min(connector.width, first.width, second.width)
    if connector.origin == connector.street:
        share = arc_lengths(connector.points) / max(arc_lengths(connector.points)[-1], 1e-9)
        moved = (1.0 - share)[:, None] * (start - connector.points[0])
        moved += share[:, None] * (end - connector.points[-1])
        return replace(connector, points=connector.points + moved, width=width)
    headings = heading_between(first.points[-2], start), heading_between(end, second.points[1])
    return replace(connector, points=transition(start, headings[0], end, headings[1]), width=width)
