"""The true heights of lanes: those of the meshes that carry them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.world.curves import Floats, resample, without_repeats
from autosim.world.ground_index import GroundIndex
from autosim.world.heights import HeightFunction
from autosim.world.lane_spans import LaneSpan

Integers = npt.NDArray[np.int64]

_SPACING = 3.0


def lines_of(
    spans: Sequence[LaneSpan],
    floors: Sequence[GroundIndex],
    heights: Sequence[HeightFunction],
) -> tuple[Floats, Integers]:
    """The centre lines of parts of lanes.

    Args:
        spans: the parts.
        floors: the index of each sheet's mesh.
        heights: the height function of each sheet, taken where a mesh has no triangle.

    Returns:
        Their points (n, 3) [m] in W, one after another, and how many each has (len(spans),).
    """
    lines = [resample(without_repeats(span.points), _SPACING) for span in spans]
    counts = np.array([len(line) for line in lines], dtype=np.int64)
    on_sheet = np.repeat([span.sheet for span in spans], counts)
    plan = np.vstack(lines)
    z = np.zeros(len(plan))
    for sheet, floor in enumerate(floors):
        rows = np.flatnonzero(on_sheet == sheet)
        if len(rows):
            found = floor.heights_at(plan[rows])
            lost = np.isnan(found)
            found[lost] = heights[sheet](plan[rows[lost]])
            z[rows] = found
    return np.column_stack([plan, z]), counts


def centre_lines(
    spans: Sequence[LaneSpan], points: Sequence[Floats], counts: Sequence[Integers]
) -> list[Floats]:
    """The centre line (n, 3) [m] in W of each lane of the plan, in order.

    Args:
        spans: the parts of all lanes, those of each in driving direction.
        points: the points of these parts as `lines_of` gives them, of some after others.
        counts: how many points each part has.
    """
    ends = np.cumsum(np.concatenate(counts))
    return _put_together(spans, np.split(np.vstack(points), ends[:-1]))


def _put_together(spans: Sequence[LaneSpan], parts: Sequence[Floats]) -> list[Floats]:
    whole: list[Floats] = []
    last = -1
    for span, part in zip(spans, parts, strict=True):
        if span.draft == last:
            # The point that they share lies on the sheet of the part that it begins.
            whole[-1] = np.vstack([whole[-1][:-1], part])
        else:
            whole.append(part)
        last = span.draft
    return _without_crowding(whole)


def _without_crowding(lines: Sequence[Floats]) -> list[Floats]:
    """The lines without points that coincide in plan."""
    points = np.vstack(lines)
    ends = np.cumsum([len(line) for line in lines])
    keep = np.ones(len(points), dtype=np.bool_)
    keep[1:] = np.hypot(*(points[1:, :2] - points[:-1, :2]).T) > 1e-3
    keep[ends[:-1]] = True
    if keep.all():
        return list(lines)
    return [line[kept] for line, kept in zip(lines, np.split(keep, ends[:-1]), strict=True)]
