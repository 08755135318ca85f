"""Makes rows beside streets: the stations at which a house may stand and face the street.

A row runs along one side of one street. Stations are half a metre apart; houses of a straight row
may lie between two of them (`placing`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.geometry.curves import arc_lengths, points_at, to_left
from autosim.world.streets.street_finding import Street

STATION_SPACING = 0.5
"""Distance [m] between the stations of a row: invisibly fine, and few enough to test all."""

_TANGENT_REACH = 2.0
"""Distance [m] before and behind a station that gives its direction, so that corners are smooth."""

_WITHOUT_HOUSES = frozenset({"motorway", "trunk", "service", "track"})


@dataclass(frozen=True, slots=True)
class HouseRows:
    """All stations of all rows.

    Attributes:
        edges: (n, 2) [m] in W, on the outer edge of the street.
        outwards: (n, 2) unit vectors away from the street.
        starts: row k owns the stations `starts[k]:starts[k + 1]`, from the beginning of its street.
    """

    edges: Floats
    outwards: Floats
    starts: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1


def make_rows(streets: Sequence[Street]) -> HouseRows:
    """Makes rows on both sides of all streets with houses.

    Motorways, trunk roads and their links, service ways and tracks have none. Nor have roundabouts,
    because no house stands inside one.
    """
    rows = [
        row
        for street in streets
        if has_houses(street)
        for row in (_row(street, is_left=True), _row(street, is_left=False))
    ]
    if not rows:
        nothing = np.zeros((0, 2))
        return HouseRows(nothing, nothing, np.zeros(1, dtype=np.int64))
    edges, outwards = zip(*rows, strict=True)
    counts = [len(each) for each in edges]
    return HouseRows(
        edges=np.vstack(edges),
        outwards=np.vstack(outwards),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


def has_houses(street: Street) -> bool:
    """Whether houses may stand along a street."""
    highway = street.profile.highway
    return not (
        street.profile.is_roundabout or highway in _WITHOUT_HOUSES or highway.endswith("_link")
    )


def _row(street: Street, *, is_left: bool) -> tuple[Floats, Floats]:
    """Points on the edge and outward directions of one side of a street."""
    lengths = arc_lengths(street.points)
    total = float(lengths[-1])
    s = np.arange(0.0, total + 1e-9, STATION_SPACING)
    ahead = points_at(street.points, lengths, np.minimum(s + _TANGENT_REACH, total))
    behind = points_at(street.points, lengths, np.maximum(s - _TANGENT_REACH, 0.0))
    tangent = ahead - behind
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-9)
    left = to_left(tangent)
    outwards = left if is_left else -left
    half = street.profile.width / 2.0 + street.profile.pavement[0 if is_left else 1]
    return points_at(street.points, lengths, s) + half * outwards, outwards
