"""Shifts lanes into the side clearance of their streets, where others lie beside these.

The lanes of a street share the clearance as they share the street's whole width elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely

from autosim.arrays import Floats
from autosim.world.geometry.curves import (
    arc_lengths,
    points_at,
    resample,
    to_left,
)
from autosim.world.lanes.drivable_curves import (
    LAST_SWING,
    Pose,
    connector_curve,
    needed_radius,
)
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.axis_samples import SPACING
from autosim.world.streets.street_finding import Street

_MOVED = 1e-3
"""Least shift [m] of a lane that is worth new points: no driver sees a millimetre."""


def shifted_lanes(
    plan: LanePlan, streets: Sequence[Street], side_clearances: Mapping[int, SideClearance]
) -> LanePlan:
    """The plan with its lanes and connectors inside the side clearance of their streets.

    Args:
        plan: lanes that share the whole widths of their streets.
        streets: all streets.
        side_clearances: of the streets that have less than their width.
    """
    if not side_clearances:
        return plan
    drafts = [
        _shifted(draft, streets[draft.street], side_clearances[draft.street])
        if draft.street in side_clearances and not draft.is_connector
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


def _shifted(draft: LaneDraft, street: Street, clearance: SideClearance) -> LaneDraft:
    points = resample(draft.points, SPACING)
    axis = shapely.LineString(street.points)
    s = np.asarray(shapely.line_locate_point(axis, shapely.points(points)))
    foot, left = _feet(street.points, s)
    lateral = np.einsum("ij,ij->i", points - foot, left)
    to_left, to_right = clearance.at(s)
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
    """The connector from the end of one shifted lane to the start of another."""
    start, end = first.points[-1], second.points[0]
    width = min(connector.width, first.width, second.width)
    if connector.origin == connector.street:
        share = arc_lengths(connector.points) / max(arc_lengths(connector.points)[-1], 1e-9)
        moved = (1.0 - share)[:, None] * (start - connector.points[0])
        moved += share[:, None] * (end - connector.points[-1])
        return replace(connector, points=connector.points + moved, width=width)
    curve = connector_curve(
        Pose.at_end(first.points),
        Pose.at_start(second.points),
        needed_radius(connector.profile.highway),
        swing=LAST_SWING,
    )
    return replace(connector, points=curve, width=width)
