"""The heights of turns that leave the carriageways of the streets that they join.

A turn between two streets at a small angle cuts across long before they meet. A place there would
take the height of the nearest street, with a leap where the nearest one changes. So such a turn has
samples of its own, on the curve that leads smoothly from the one street to the other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.curves import (
    arc_lengths,
    slopes_of,
    tangents,
    tangents_of_each,
    to_left,
)
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.levels.axis_samples import SPACING
from autosim.world.levels.heights import StreetSamples, no_samples
from autosim.world.levels.lane_spans import lane_spans
from autosim.world.levels.level_division import Levels
from autosim.world.streets.street_finding import Street

_SHORTEST = 3.0 * SPACING
"""Least length [m] of a turn with samples of its own: shorter ones stay in the junction."""

_ROUGH = 0.03
"""Least distance [m] of a level from the smooth curve on the middle of a turn that is rough: a ball
at 15 m/s leaves such a kink."""

_ROUGH_BESIDE = 0.25
"""As `_ROUGH` [m], on the edges of a turn, which no wheel follows."""

_ON_EDGE = 0.05
"""Distance [m] beyond the edge of a carriageway up to which a place is on it: the edge of a turn
that continues an outer lane is the edge of its street."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A connector that lies on level `level` alone."""

    draft: LaneDraft
    """The connector in plan."""
    level: int


def find_turns(plan: LanePlan, levels: Levels) -> list[Turn]:
    """The connectors from street to street that lie on one level."""
    chosen = [draft for draft in plan.drafts if draft.origin != draft.street]
    spans = lane_spans(LanePlan(chosen), levels)
    parts = Counter(span.draft for span in spans)
    return [Turn(chosen[s.draft], s.level) for s in spans if parts[s.draft] == 1]


def turn_samples(
    turns: Sequence[Turn], streets: Sequence[Street], height: HeightFunction
) -> StreetSamples:
    """Samples of the turns along which a level is rough, where they are off both streets.

    Args:
        turns: of one level.
        streets: all streets.
        height: the level's height function, of its streets alone.
    """
    together = _at_equal_steps(Polylines.of([turn.draft.points for turn in turns]))
    chosen = np.flatnonzero(together.lengths() > _SHORTEST).tolist()
    if not chosen:
        return no_samples()
    lines = together.split(together.points)
    strips = _strips([lines[k] for k in chosen], [turns[k].draft.width / 2.0 for k in chosen])
    known = height(np.concatenate(strips).reshape(-1, 2)).reshape(-1, 3)
    ends = np.cumsum([len(strip) for strip in strips])[:-1]
    # On level ground there is nothing to smooth.
    uneven = [
        (turns[k], strip, z)
        for k, strip, z in zip(chosen, strips, np.split(known, ends), strict=True)
        if np.ptp(z) > 0.0
    ]
    off = _off_streets([(turn, strip) for turn, strip, _ in uneven], streets)
    return StreetSamples.joined(
        [
            _sampled(turn.draft, strip, z, is_off)
            for (turn, strip, z), is_off in zip(uneven, off, strict=True)
        ]
    )


def _at_equal_steps(lines: Polylines) -> Polylines:
    """Points of lines about `SPACING` apart, no nearer, so they weigh as those of a street."""
    pieces = np.maximum(np.rint(lines.lengths() / SPACING).astype(np.int64), 1)
    return lines.at_equal_steps(pieces)[1]


def _strips(lines: Sequence[Floats], halves: Sequence[float]) -> list[Floats]:
    """Points (n, 3, 2) at the right edge, in the middle and at the left edge of each turn.

    Args:
        lines: of the turns.
        halves: half the width [m] of each.
    """
    counts = np.array([len(line) for line in lines])
    middle = np.vstack(lines)
    aside = np.repeat(halves, counts)[:, None] * to_left(tangents_of_each(middle, counts))
    whole = np.stack([middle - aside, middle, middle + aside], axis=1)
    return np.split(whole, np.cumsum(counts)[:-1])


def _off_streets(
    strips: Sequence[tuple[Turn, Floats]], streets: Sequence[Street]
) -> list[Booleans]:
    """Masks of points (n, 3) of each turn's strip on the carriageway of neither of its streets."""
    if not strips:
        return []
    axes = np.array([shapely.LineString(street.points) for street in streets])
    half = np.array([street.profile.width / 2.0 for street in streets])
    lengths = [len(strip) for _, strip in strips]
    places = np.asarray(shapely.points(np.concatenate([strip for _, strip in strips])))
    is_off = np.ones((len(places), 3), dtype=np.bool_)
    both = np.array([(turn.draft.origin, turn.draft.street) for turn, _ in strips])
    for one_of_both in both.T:
        street = np.repeat(one_of_both, lengths)[:, None]
        is_off &= shapely.distance(places, axes[street]) > half[street] + _ON_EDGE
    return np.split(is_off, np.cumsum(lengths)[:-1])


def _sampled(draft: LaneDraft, strip: Floats, known: Floats, is_off: Booleans) -> StreetSamples:
    """The samples of a turn; none if its level, `known` (n, 3) [m], is smooth along it."""
    line = strip[:, 1]
    z, grades = _heights(arc_lengths(line), known[:, 1], is_off[:, 1])
    most = np.array([_ROUGH_BESIDE, _ROUGH, _ROUGH_BESIDE])
    if not ((np.abs(known - z[:, None]) > most) & is_off).any():
        return no_samples()
    whole = StreetSamples(
        line,
        z,
        grades[:, None] * tangents(line),
        np.full((len(line), 2), draft.width / 2.0),
        to_left(tangents(line)),
    )
    return whole.select(np.asarray(is_off.any(axis=1)))


def _heights(s: Floats, known: Floats, is_off: Booleans) -> tuple[Floats, Floats]:
    """Heights [m] and grades (n,) of a turn: those of its streets, and a cubic between these."""
    z, grades = known.copy(), slopes_of(known, s)
    rows = np.flatnonzero(is_off)
    if len(rows):
        a, b = max(int(rows[0]) - 1, 0), min(int(rows[-1]) + 1, len(s) - 1)
        before, behind = max(a - 1, 0), min(b + 1, len(s) - 1)
        first = np.diff(known)[before] / np.diff(s)[before]
        last = np.diff(known)[behind - 1] / np.diff(s)[behind - 1]
        span = slice(a, b + 1)
        z[span], grades[span] = _cubic(s[span] - s[a], known[[a, b]], (float(first), float(last)))
    return z, grades


def _cubic(s: Floats, ends: Floats, slopes: tuple[float, float]) -> tuple[Floats, Floats]:
    """Heights and grades (n,) between two heights (2,) [m] with given grades there."""
    length, t = s[-1], s / s[-1]
    first, last = slopes[0] * length, slopes[1] * length
    rise = ends[1] - ends[0]
    bend, twist = first + last - 2.0 * rise, 3.0 * rise - 2.0 * first - last
    z = ends[0] + t * (first + t * (twist + t * bend))
    return z, (first + t * (2.0 * twist + 3.0 * t * bend)) / length
