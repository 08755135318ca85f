"""Crests and sags: how sharply a street may bend upwards and downwards.

At speed v a wheel leaves a crest of radius r < v² / g: 23 m at 15 m/s. Highway design keeps far
from that limit. It asks for r = 100 K, where K [m per percent of change of grade] lets drivers see
as far as they need to stop on a crest (AASHTO, A Policy on Geometric Design of Highways and
Streets, 2018, section 3.4.6: K = 7 at 50 km/h), and it bounds v² / r to 0.3 m/s² in sags. Hilly
towns are older than that, so `DesignStandard.crest_radii` only bounds the vertical acceleration.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.world.geometry.least_squares import WeightedRows
from autosim.world.profiles.chains import SPACING, Chain, End, end_of, ends_at_nodes, turn_at
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.weights import WEIGHTS
from autosim.world.streets.street_finding import Street

_DRIVEN_TURN = np.radians(120.0)
"""Largest turn [rad] at a node that vehicles take without slowing to walking pace. Chosen: a
sharper turn is too slow for a kink to matter."""


def add_vertical_curves(
    rows: WeightedRows, streets: Sequence[Street], chains: Sequence[Chain]
) -> None:
    """Limits how much the grade may change along each street and at nodes.

    At a node the limit holds for each pair of streets between which vehicles turn, with the smaller
    of their two radii.
    """
    triples = [np.column_stack([c.unknowns[:-2], c.unknowns[1:-1], c.unknowns[2:]]) for c in chains]
    spans = [np.column_stack([np.diff(c.s)[:-1], np.diff(c.s)[1:]]) for c in chains]
    radii = [
        np.full(len(t), STANDARD.crest_radius(s)) for t, s in zip(triples, streets, strict=True)
    ]
    for first, second in _turns(streets):
        a, b = end_of(chains, first), end_of(chains, second)
        triples.append(np.array([[a[0], a[1], b[0]]]))
        spans.append(np.array([[a[2], b[2]]]))
        radii.append(np.array([min(STANDARD.crest_radius(streets[k]) for k, _ in (first, second))]))
    _add_bends(rows, np.vstack(triples), np.vstack(spans), np.concatenate(radii))


def _add_bends(rows: WeightedRows, columns: np.ndarray, spans: Floats, radii: Floats) -> None:
    """Limits the change of grade (n,) from the first of two spans (n, 2) [m] to the second."""
    gaps = SPACING / np.maximum(spans, 1.0)
    bends = np.column_stack([gaps[:, 0], -gaps[:, 0] - gaps[:, 1], gaps[:, 1]])
    most = SPACING * np.maximum(spans, 1.0).mean(axis=1) / radii
    rows.add(columns, -bends, most, WEIGHTS.vertical_curve)
    rows.add(columns, bends, most / STANDARD.sag_share, WEIGHTS.vertical_curve)


def _turns(streets: Sequence[Street]) -> list[tuple[End, End]]:
    """Pairs of street ends at one node between which vehicles turn."""
    return [
        (first, second)
        for members in ends_at_nodes(streets)
        for first, second in itertools.combinations(members, 2)
        if abs(turn_at(streets, first, second)) < _DRIVEN_TURN
    ]
