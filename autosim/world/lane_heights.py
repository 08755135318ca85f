"""The true heights of lanes: those of the meshes that carry them."""

from collections.abc import Sequence

import numpy as np

from autosim.world.compiled import Mesh
from autosim.world.curves import Floats, resample, without_repeats
from autosim.world.ground_index import GroundIndex
from autosim.world.heights import HeightFunction
from autosim.world.lane_spans import LaneSpan

_SPACING = 3.0


def centre_lines(
    spans: Sequence[LaneSpan],
    floors: Sequence[Mesh],
    heights: Sequence[HeightFunction],
) -> list[Floats]:
    """The centre line (n, 3) [m] in W of each lane of the plan, in order.

    Args:
        spans: the parts of all lanes, those of each in driving direction.
        floors: the mesh of each sheet.
        heights: the height function of each sheet, taken where a mesh has no triangle.
    """
    lines = [resample(without_repeats(span.points), _SPACING) for span in spans]
    on_sheet = np.concatenate(
        [np.full(len(line), span.sheet) for line, span in zip(lines, spans, strict=True)]
    )
    plan = np.vstack(lines)
    z = np.zeros(len(plan))
    for sheet, floor in enumerate(floors):
        rows = np.flatnonzero(on_sheet == sheet)
        if len(rows):
            found = GroundIndex.build(floor, about=plan[rows]).heights_at(plan[rows])
            lost = np.isnan(found)
            found[lost] = heights[sheet](plan[rows[lost]])
            z[rows] = found
    ends = np.cumsum([len(line) for line in lines])
    parts = np.split(np.column_stack([plan, z]), ends[:-1])
    return _put_together(spans, parts)


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
    return [_without_crowding(line) for line in whole]


def _without_crowding(line: Floats) -> Floats:
    """The line without points that coincide in plan."""
    steps = np.linalg.norm(np.diff(line[:, :2], axis=0), axis=1)
    keep = np.concatenate([[True], steps > 1e-3])
    return np.asarray(line[keep])
