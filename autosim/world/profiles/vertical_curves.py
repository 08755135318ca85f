"""Crests and sags: how sharply a street may bend upwards and downwards.

At speed v a wheel leaves a crest of radius r < v² / g: 23 m at 15 m/s. Highway design keeps far
from that: it asks r = 100 K, where K [m per percent of change of grade] lets one see as far as one
needs to stop on crests (AASHTO, A Policy on Geometric Design of Highways and Streets, 2018, section
3.4.6: K = 7 at 50 km/h), and bounds v² / r to 0.3 m/s² in sags. Hilly towns are older than that.
The radii here bound the vertical acceleration v² / r at 15 m/s: to 0.1 g on main streets, to 0.2 g
on others, to 0.3 g on tracks.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.world.geometry.least_squares import Rows
from autosim.world.profiles.chains import SPACING, Chain, End, end_of, ends_at_nodes, turn_at
from autosim.world.streets.streets import Street

CREST_RADII = (500.0, 400.0, 250.0, 250.0, 200.0, 150.0, 120.0, 100.0, 100.0, 80.0)
"""The least radius [m] of a street's crests, by the rank of its class."""

SAG_SHARE = 0.6
"""The least radius of sags, as a share of that of crests: nothing leaves the ground in them."""

_WEIGHT = 200.0
_DRIVEN = np.radians(120.0)


def crest_radius(street: Street) -> float:
    """The least radius [m] of a street's crests."""
    return CREST_RADII[min(street.profile.rank, len(CREST_RADII) - 1)]


def add_vertical_curves(rows: Rows, streets: Sequence[Street], chains: Sequence[Chain]) -> None:
    """Limits how much the grade may change at each place of each street, and at nodes.

    At a node that holds for each pair of streets of which one can turn into the other, with the
    radius of the lesser.
    """
    triples = [np.column_stack([c.unknowns[:-2], c.unknowns[1:-1], c.unknowns[2:]]) for c in chains]
    spans = [np.column_stack([np.diff(c.s)[:-1], np.diff(c.s)[1:]]) for c in chains]
    radii = [np.full(len(t), crest_radius(s)) for t, s in zip(triples, streets, strict=True)]
    for first, second in _turns(streets):
        a, b = end_of(chains, first), end_of(chains, second)
        triples.append(np.array([[a[0], a[1], b[0]]]))
        spans.append(np.array([[a[2], b[2]]]))
        radii.append(np.array([min(crest_radius(streets[k]) for k, _ in (first, second))]))
    _add_bends(rows, np.vstack(triples), np.vstack(spans), np.concatenate(radii))


def _add_bends(rows: Rows, columns: np.ndarray, spans: Floats, radii: Floats) -> None:
    """Limits of the change of grade from the first of two spans (n, 2) [m] to the second."""
    gaps = SPACING / np.maximum(spans, 1.0)
    bends = np.column_stack([gaps[:, 0], -gaps[:, 0] - gaps[:, 1], gaps[:, 1]])
    most = SPACING * np.maximum(spans, 1.0).mean(axis=1) / radii
    rows.add(columns, -bends, most, _WEIGHT)
    rows.add(columns, bends, most / SAG_SHARE, _WEIGHT)


def _turns(streets: Sequence[Street]) -> list[tuple[End, End]]:
    """Pairs of street ends at one node of which a vehicle may turn from one into the other."""
    return [
        (first, second)
        for members in ends_at_nodes(streets)
        for first, second in itertools.combinations(members, 2)
        if abs(turn_at(streets, first, second)) < _DRIVEN
    ]
