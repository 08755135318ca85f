"""Paints pedestrian crossings: zebras, and two lines where signals guard them."""

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.geometry.meshes import Surface
from autosim.world.markings.patches import Patches, oblongs
from autosim.world.streets.crossings import LENGTH, Crossings

_STRIPE, _PERIOD = 0.5, 1.0
"""Width [m] of a zebra's stripe, and distance [m] from stripe to stripe, as in much of Europe."""

_LINE = 0.15
"""Width [m] of the two lines of a crossing with signals."""

_WIDENING = 1.0
"""Distance [m] of stripes beyond the street's width; parts beside the carriageway are cut off."""


def crossing_patches(crossings: Crossings) -> Patches:
    """Stripes along the street at zebras, two lines across at others.

    They reach beyond the street's width; laying them cuts off parts beside the carriageway.
    """
    z, other = crossings.zebras, ~crossings.zebras
    stripes = _across(crossings, z, step=_PERIOD, along=0.0)
    parts = [oblongs(*stripes, length=LENGTH, width=_STRIPE)]
    for side in (-1.0, 1.0):
        pieces = _across(crossings, other, step=_PERIOD, along=side * LENGTH / 2.0)
        parts.append(oblongs(*pieces, length=_LINE, width=_PERIOD))
    return Patches.of(np.concatenate(parts), Surface.PAINT)


def _across(
    crossings: Crossings, chosen: Booleans, *, step: float, along: float
) -> tuple[Floats, Floats]:
    """Places (n, 3) every `step` across the chosen crossings' streets, and headings (n,)."""
    # An even number makes both kerbs alike and keeps stripes off the middle line.
    reach = crossings.half_widths[chosen] + _WIDENING
    counts = 2 * (reach // step).astype(np.int64)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    across = (k - (counts[of] - 1) / 2.0) * step
    headings = crossings.headings[chosen][of]
    ahead = np.column_stack([portable.cos(headings), portable.sin(headings), 0.0 * headings])
    left = np.column_stack([-ahead[:, 1], ahead[:, 0], 0.0 * headings])
    return crossings.centres[chosen][of] + along * ahead + across[:, None] * left, headings
