"""The parts of each lane, by the level on which they lie."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim.arrays import Floats
from autosim.world.geometry.curves import resample
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.level_division import LevelPiece, Levels

_STEP = 1.0
"""Distance [m] between the points of a lane whose level is looked up: a lane changes its level that
close to its street's transition."""


@dataclass(frozen=True, slots=True)
class LaneSpan:
    """A part of lane `draft` (its number in the plan) on one level: `points` (n, 2) in W [m]."""

    draft: int
    level: int
    points: Floats


def lane_spans(plan: LanePlan, levels: Levels) -> list[LaneSpan]:
    """All lanes, cut where they change their level; neighbouring parts share a point."""
    spans: list[LaneSpan] = []
    for number, draft in enumerate(plan.drafts):
        pieces = [p for street in {draft.origin, draft.street} for p in levels.pieces[street]]
        numbers = {piece.level for piece in pieces}
        if len(numbers) == 1:
            spans.append(LaneSpan(number, numbers.pop(), draft.points))
        else:
            spans += _split(number, draft, pieces)
    return spans


def _split(number: int, draft: LaneDraft, pieces: Sequence[LevelPiece]) -> list[LaneSpan]:
    """A lane's parts: each of its points is on the level of the nearest piece of its streets."""
    line = resample(draft.points, _STEP)
    places = shapely.points(line)
    distances = [shapely.distance(places, shapely.LineString(piece.line)) for piece in pieces]
    numbers = np.array([piece.level for piece in pieces])[np.argmin(distances, axis=0)]
    breaks = np.flatnonzero(np.diff(numbers)) + 1
    bounds = [0, *breaks.tolist(), len(line)]
    parts = []
    for start, end in itertools.pairwise(bounds):
        points = line[start : end + 1]
        if len(points) > 1:
            parts.append(LaneSpan(number, int(numbers[start]), points))
    return parts
