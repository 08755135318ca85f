"""Finds lanes that part: their vehicles come from one lane and follow each other for a while.

Two ways out of one lane overlap at first. A vehicle on one of them follows those on the other, and
needs no right of way there, as it came behind them. The ways may also end while they still overlap,
as where an exit leaves a road at a small angle: then the lanes after them part, too.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.traffic.vehicles.lanes.overlaps import Overlaps

_AT_END = 0.3
"""Distance [m] from the end of a lane within which an overlap reaches it, up to rounding."""


def find_partings(
    overlaps: Overlaps, is_parting: Booleans, before: Sequence[set[int]], lengths: Floats
) -> tuple[Booleans, Floats]:
    """Finds the overlaps of lanes that part, also of those after the ways out of one lane.

    Args:
        overlaps: of all lanes, seen from both sides.
        is_parting: (k,) which of them are of two ways out of one lane.
        before: the lanes before each lane.
        lengths: (n,) [m] of the lanes.

    Returns:
        Which overlaps (k,) are of lanes that part, and for these the station [m] (k,) on the own
        lane at which the other lane begins; it is negative where the other lane begins first.
    """
    found, shifts = is_parting.copy(), np.zeros(len(overlaps.lanes))
    rows = {tuple(overlaps.lanes[row].tolist()): row for row in np.flatnonzero(found).tolist()}
    # A lane can only continue a parting where the overlap begins at its start.
    begins = (overlaps.spans[:, 0] == 0.0) | (overlaps.spans[:, 2] == 0.0)
    waiting = set(np.flatnonzero(~found & begins).tolist())
    while True:
        new = {}
        for row in waiting:
            own, other = overlaps.lanes[row].tolist()
            shift = _shift(overlaps, row, rows, shifts, before, lengths)
            if shift is not None and (own, other) not in rows:
                new[row] = shift
        if not new:
            return found, shifts
        for row, shift in new.items():
            found[row], shifts[row] = True, shift
            rows[tuple(overlaps.lanes[row].tolist())] = row
        waiting -= set(new)


def _shift(
    overlaps: Overlaps,
    row: int,
    rows: Mapping[tuple[int, ...], int],
    shifts: Floats,
    before: Sequence[set[int]],
    lengths: Floats,
) -> float | None:
    """Position [m] on the own lane of the other lane's start, if both continue a parting."""
    own, other = overlaps.lanes[row].tolist()
    first, _, come, _ = overlaps.spans[row].tolist()
    if come == 0.0 and before[other]:
        known = [rows.get((own, each)) for each in sorted(before[other])]
        ends = [_end(overlaps, each, shifts, lengths, is_own=False) for each in known]
        shift = _nearest(ends)
        if shift is not None:
            return shift
    if first == 0.0 and before[own]:
        known = [rows.get((each, other)) for each in sorted(before[own])]
        ends = [_end(overlaps, each, shifts, lengths, is_own=True) for each in known]
        return _nearest(ends)
    return None


def _end(
    overlaps: Overlaps, row: int | None, shifts: Floats, lengths: Floats, *, is_own: bool
) -> float | None:
    """The shift [m] after a lane of a parting that still overlaps where that lane ends."""
    if row is None:
        return None
    lane, last = overlaps.lanes[row, 0 if is_own else 1], overlaps.spans[row, 1 if is_own else 3]
    if last < lengths[lane] - _AT_END:
        return None
    return float(shifts[row] - lengths[lane] if is_own else shifts[row] + lengths[lane])


def _nearest(shifts: Sequence[float | None]) -> float | None:
    """The least shift [m], at which vehicles keep the longest gap; None if one is unknown."""
    known = [each for each in shifts if each is not None]
    return min(known) if len(known) == len(shifts) else None
