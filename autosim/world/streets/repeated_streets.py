"""Leaves out streets that lie on another street.

Imports and editing mistakes put the same way into a map several times, with the same nodes or with
other nodes at the same places. Each copy would be a street with lanes, and each of its nodes a
junction between the copies.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.world.streets.street_finding import Street

REPEATED = "streets that lie on another one"
"""Reason for which `without_repeated` counts streets."""

_DIGITS = 3
"""Decimals [m] to which points of streets are compared: to the millimetre."""


def without_repeated(streets: Sequence[Street], left_out: Counter[str]) -> list[Street]:
    """The streets without those that run through the same points of the same layer as another one.

    The street of the most important class stays; one that leads in a direction that it does not
    have stays, too.

    Args:
        streets: the streets of a map.
        left_out: counts the streets left out.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for row, street in enumerate(streets):
        groups.setdefault(_place_of(street), []).append(row)
    dropped: set[int] = set()
    for rows in groups.values():
        kept: list[int] = []
        for row in sorted(rows, key=lambda row: streets[row].profile.rank):
            if any(_covers(streets[other], streets[row]) for other in kept):
                dropped.add(row)
            else:
                kept.append(row)
    if dropped:
        left_out[REPEATED] += len(dropped)
    return [street for row, street in enumerate(streets) if row not in dropped]


def _place_of(street: Street) -> tuple[object, ...]:
    """Ends, layer and points of a street, whichever its direction."""
    ends = min(street.start, street.end), max(street.start, street.end)
    return *ends, street.layer, min(_key(street.points), _key(street.points[::-1]))


def _key(points: Floats) -> bytes:
    # Adding zero turns a negative zero into a positive one.
    return bytes((np.round(points, _DIGITS) + 0.0).tobytes())


def _covers(first: Street, second: Street) -> bool:
    """Whether a street has lanes in each direction in which another one through its points has."""
    runs_alike = _key(first.points) == _key(second.points)
    profile = second.profile if runs_alike else second.profile.reversed()
    return (first.profile.forward_lanes > 0 or profile.forward_lanes == 0) and (
        first.profile.backward_lanes > 0 or profile.backward_lanes == 0
    )
