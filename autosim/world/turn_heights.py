"""The heights of turns that leave the carriageways of the streets that they join.

A turn at a small angle cuts across between two streets long before they meet. What lies there takes
the heights of whatever street is nearest, in a leap where that changes; so such a turn has samples
of its own, on the curve that leads smoothly from the one street to the other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim.world.curves import Floats, arc_lengths, resample
from autosim.world.heights import HeightFunction, StreetSamples, no_samples
from autosim.world.lane_drafts import LaneDraft, LanePlan
from autosim.world.lane_spans import lane_spans
from autosim.world.levels import Levels
from autosim.world.streets import Street

_SPACING = 2.0
_SHORTEST = 3.0 * _SPACING
_ROUGH, _ROUGH_BESIDE = 0.03, 0.25

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Turn:
    """A connector that lies on sheet `sheet` alone, with its two streets (k,)."""

    draft: LaneDraft
    sheet: int

    @property
    def streets(self) -> list[int]:
        """The streets that it joins."""
        return sorted({self.draft.origin, self.draft.street})


def find_turns(plan: LanePlan, levels: Levels) -> list[Turn]:
    """The connectors from street to street that lie on one sheet."""
    chosen = [draft for draft in plan.drafts if draft.origin != draft.street]
    spans = lane_spans(LanePlan(chosen), levels)
    parts = Counter(span.draft for span in spans)
    return [Turn(chosen[s.draft], s.sheet) for s in spans if parts[s.draft] == 1]


def turn_samples(
    turns: Sequence[Turn], streets: Sequence[Street], height: HeightFunction
) -> StreetSamples:
    """Samples of those turns along which a sheet is rough, where they are on neither street.

    Args:
        turns: of one sheet.
        streets: all streets.
        height: of the sheet, by its streets alone.
    """
    lines = [resample(turn.draft.points, _SPACING) for turn in turns]
    chosen = [k for k, line in enumerate(lines) if arc_lengths(line)[-1] > _SHORTEST]
    if not chosen:
        return no_samples()
    strips = [_strip(lines[k], turns[k].draft.width / 2.0) for k in chosen]
    known = height(np.vstack([strip.reshape(-1, 2) for strip in strips])).reshape(-1, 3)
    ends = np.cumsum([len(strip) for strip in strips])[:-1]
    parts = [
        _sampled(turns[k].draft, strip, z, _off_streets(strip, turns[k], streets))
        for k, strip, z in zip(chosen, strips, np.split(known, ends), strict=True)
    ]
    return StreetSamples.joined(parts)


def _strip(line: Floats, half: float) -> Floats:
    """Points (n, 3, 2) at the right edge, on the middle and at the left edge of a turn."""
    aside = half * _left(line)
    return np.stack([line - aside, line, line + aside], axis=1)


def _ahead(line: Floats) -> Floats:
    steps = np.gradient(line, axis=0)
    return np.asarray(steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9))


def _left(line: Floats) -> Floats:
    ahead = _ahead(line)
    return np.column_stack([-ahead[:, 1], ahead[:, 0]])


def _off_streets(strip: Floats, turn: Turn, streets: Sequence[Street]) -> Booleans:
    """Where (n,) a turn is beside the carriageways of both its streets, be it with one edge."""
    places = shapely.points(strip)
    is_off = np.ones(strip.shape[:2], dtype=np.bool_)
    for k in turn.streets:
        gaps = shapely.distance(places, shapely.LineString(streets[k].points))
        is_off &= gaps > streets[k].profile.width / 2.0
    return np.asarray(is_off.any(axis=1))


def _sampled(draft: LaneDraft, strip: Floats, known: Floats, is_off: Booleans) -> StreetSamples:
    """The samples of a turn: none where its sheet, `known` (n, 3) [m], is smooth along it."""
    line = strip[:, 1]
    z, grades = _curve(arc_lengths(line), known[:, 1])
    most = np.array([_ROUGH_BESIDE, _ROUGH, _ROUGH_BESIDE])
    if not (np.abs(known - z[:, None])[is_off] > most).any():
        return no_samples()
    whole = StreetSamples(
        line,
        z,
        grades[:, None] * _ahead(line),
        np.full((len(line), 2), draft.width / 2.0),
        _left(line),
    )
    return whole.select(is_off)


def _curve(s: Floats, known: Floats) -> tuple[Floats, Floats]:
    """Heights and grades (n,) of the cubic that begins and ends like the heights `known` (n,)."""
    length = s[-1]
    first = (known[1] - known[0]) / (s[1] - s[0]) * length
    last = (known[-1] - known[-2]) / (s[-1] - s[-2]) * length
    rise, t = known[-1] - known[0], s / length
    bend, twist = first + last - 2.0 * rise, 3.0 * rise - 2.0 * first - last
    z = known[0] + t * (first + t * (twist + t * bend))
    return z, (first + t * (2.0 * twist + 3.0 * t * bend)) / length
