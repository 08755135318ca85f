"""Streets as chains of unknown heights; streets that meet share the unknown at their node."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Integers
from autosim.world.geometry.curves import heading_between, turn_between
from autosim.world.geometry.polylines import Polylines, count_up_to
from autosim.world.streets.street_finding import Street

SPACING = 8.0
"""Largest distance [m] from one place of a chain to the next. Chosen: a crest of 80 m radius bends
by a tenth over it, and a city of 54 000 unknowns is solved in a second."""

End = tuple[int, bool]
"""A street's number, and whether this is its start."""

_STRAIGHT_ON = np.radians(40.0)
"""Largest turn [rad] between two street ends that continue each other. Chosen: a
sharper turn is a junction, which may have a kink in its profile."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A street's unknowns: their numbers (n,), arc lengths (n,) [m] and places (n, 2) [m] in W."""

    unknowns: Integers
    s: Floats
    points: Floats
    """Points on the street's axis."""


def find_chains(streets: Sequence[Street]) -> tuple[list[Chain], int]:
    """The chain of each street, and how many unknowns there are."""
    nodes: dict[int, int] = {}
    for street in streets:
        for node in (street.start, street.end):
            nodes.setdefault(node, len(nodes))
    count = len(nodes)
    axes = Polylines.of([street.points for street in streets])
    pieces = np.maximum(np.ceil(axes.lengths() / SPACING).astype(np.int64), 1)
    s, places = axes.at_equal_steps(pieces)
    chains = []
    for street, stations, points in zip(
        streets, places.split(s), places.split(places.points), strict=True
    ):
        unknowns = np.arange(count - 1, count - 1 + len(stations))
        unknowns[0], unknowns[-1] = nodes[street.start], nodes[street.end]
        chains.append(Chain(unknowns, stations, points))
        count += len(stations) - 2
    return chains, count


def end_of(chains: Sequence[Chain], end: End) -> tuple[int, int, float]:
    """The unknown next to a street's end, the one at the end, and the distance [m] between them."""
    chain, at_start = chains[end[0]], end[1]
    inner, outer = (1, 0) if at_start else (-2, -1)
    span = abs(float(chain.s[inner] - chain.s[outer]))
    return int(chain.unknowns[inner]), int(chain.unknowns[outer]), span


def ends_at_nodes(streets: Sequence[Street]) -> list[list[End]]:
    """The ends of streets that meet, node by node."""
    ends: dict[int, list[End]] = {}
    for k, street in enumerate(streets):
        ends.setdefault(street.start, []).append((k, True))
        ends.setdefault(street.end, []).append((k, False))
    return list(ends.values())


def turn_at(streets: Sequence[Street], first: End, second: End) -> float:
    """Angle [rad] of the turn from one street end into another, positive to the left."""
    return turn_between(_outward(streets, first) + np.pi, _outward(streets, second))


def _outward(streets: Sequence[Street], end: End) -> float:
    points = streets[end[0]].points if end[1] else streets[end[0]].points[::-1]
    return heading_between(points[0], points[1])


def continuations(streets: Sequence[Street]) -> list[tuple[End, End]]:
    """Pairs of street ends that continue each other: at each end the one with the least turn."""
    pairs = set()
    for members in ends_at_nodes(streets):
        for end in members:
            others = [other for other in members if other != end]
            if not others:
                continue
            turns = [abs(turn_at(streets, end, other)) for other in others]
            best = int(np.argmin(turns))
            if turns[best] < _STRAIGHT_ON:
                pairs.add((min(end, others[best]), max(end, others[best])))
    return sorted(pairs)


def places_on(
    chains: Sequence[Chain], numbers: npt.ArrayLike, s: npt.ArrayLike
) -> tuple[Integers, Floats]:
    """The unknowns (n, 2) before and after places on chains, and their shares (n, 2).

    Args:
        chains: at least one.
        numbers: (n,) the chain of each place.
        s: (n,) [m] arc length of each place.
    """
    of, at = np.asarray(numbers, dtype=np.int64), np.asarray(s, dtype=np.float64)
    lengths = np.array([len(chain.s) for chain in chains])
    first = (np.cumsum(lengths) - lengths)[of]
    stations = np.concatenate([chain.s for chain in chains])
    k = count_up_to(np.repeat(np.arange(len(chains)), lengths), stations, of, at) - 1
    k = np.minimum(np.maximum(k, first), first + lengths[of] - 2)
    share = (at - stations[k]) / np.maximum(stations[k + 1] - stations[k], 1e-9)
    share = np.minimum(np.maximum(share, 0.0), 1.0)
    unknowns = np.concatenate([chain.unknowns for chain in chains])
    return np.column_stack([unknowns[k], unknowns[k + 1]]), np.column_stack([1.0 - share, share])
