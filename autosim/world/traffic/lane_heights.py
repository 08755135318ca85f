"""Makes the lines of lanes: first in plan, then with the heights of the meshes that carry them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.levels.lane_spans import LaneSpan

_SPACING = 3.0
"""Greatest distance [m] between the points of a lane: about the length of a car."""

_SAME_PLACE = 1e-3
"""Distance [m] within which two points of a lane coincide, up to rounding."""


@dataclass(frozen=True, slots=True)
class FlatNetwork:
    """The network of lanes in plan, with all heights 0; `levels` (p,) are those of its points."""

    network: RoadNetwork
    levels: Integers

    def heights(
        self, rows: slice, floors: Sequence[GroundIndex], heights: Sequence[HeightFunction]
    ) -> Floats:
        """Heights (n,) [m] of some of its points.

        Args:
            rows: which points.
            floors: the index of each level's mesh.
            heights: the height function of each level, for points where its mesh has no triangle.
        """
        points, levels = self.network.points[rows, :2], self.levels[rows]
        z = np.zeros(len(points))
        for level, floor in enumerate(floors):
            own = np.flatnonzero(levels == level)
            if len(own):
                found = floor.heights_at(points[own])
                lost = np.isnan(found)
                found[lost] = heights[level](points[own[lost]])
                z[own] = found
        return z

    def raised(self, z: Floats) -> RoadNetwork:
        """The network with its points at the heights z (p,) [m]."""
        return replace(self.network, points=np.column_stack([self.network.points[:, :2], z]))


def network_in_plan(plan: LanePlan, spans: Sequence[LaneSpan]) -> FlatNetwork:
    """The network of a plan's lanes.

    Args:
        plan: the lanes.
        spans: the parts of all lanes in their order, those of each lane in driving direction.
    """
    lines, levels = _lines_in_plan(spans)
    records = (
        LaneRecord(
            road=lane.street,
            centre_line=line,
            width=lane.width,
            speed_limit=lane.profile.speed_limit,
            highway=lane.profile.highway,
            is_connector=lane.is_connector,
            successors=tuple(lane.successors),
            friction=lane.profile.friction,
            ways=tuple((part.way, part.is_forward) for part in lane.parts),
        )
        for lane, line in zip(plan.drafts, lines, strict=True)
    )
    return FlatNetwork(RoadNetwork.from_lanes(records), levels)


def _lines_in_plan(spans: Sequence[LaneSpan]) -> tuple[list[Floats], Integers]:
    """The centre line (n, 3) [m] of each lane, at height 0, and the levels of all their points."""
    if not spans:
        return [], np.zeros(0, dtype=np.int64)
    parts = Polylines.of([span.points for span in spans]).without_repeats().resampled(_SPACING)
    points, lengths = parts.points, parts.counts
    drafts = np.array([span.draft for span in spans], dtype=np.int64)
    levels = np.repeat(np.array([span.level for span in spans], dtype=np.int64), lengths)
    lanes = np.repeat(drafts, lengths)
    kept = np.ones(len(points), dtype=np.bool_)
    # The point that two parts share lies on the level of the later part.
    kept[np.cumsum(lengths)[:-1][drafts[1:] == drafts[:-1]] - 1] = False
    lanes, points, levels = lanes[kept], points[kept], levels[kept]
    kept = _without_crowding(points, lanes)
    lanes, points, levels = lanes[kept], points[kept], levels[kept]
    flat = np.column_stack([points, np.zeros(len(points))])
    return np.split(flat, np.flatnonzero(np.diff(lanes)) + 1), levels


def _without_crowding(points: Floats, lanes: Integers) -> Booleans:
    """Mask of points (n, 2) of lanes (n,) that differ from the one before; all ends remain."""
    is_first = np.diff(lanes, prepend=-1) > 0
    step = portable.hypot(*np.diff(points, axis=0, prepend=0.0).T)
    return np.asarray(is_first | (step > _SAME_PLACE))
