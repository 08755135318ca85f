"""Pedestrian crossings: zebras, and two lines where signals guard them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from autosim import portable
from autosim.world.compiled.compiled import Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.markings.patches import Patches, oblongs
from autosim.world.osm.tags import Tags
from autosim.world.streets.on_streets import locate_on_streets
from autosim.world.streets.streets import Street

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

LENGTH = 3.0
"""Extent [m] of a zebra along the street."""

_STRIPE, _PERIOD = 0.5, 1.0
_LINE = 0.15
_BESIDE, _WIDENING = 0.6, 1.0
_CLEARANCE = 0.4
_UNMARKED = frozenset({"no", "unmarked", "informal"})


@dataclass(frozen=True, slots=True)
class Crossings:
    """Crossings on streets: `centres` (n, 3) [m], arrays (n,).

    `headings` [rad] of the street, `half_widths` [m] of its carriageway; `zebras`: stripes, else
    two lines across.
    """

    centres: Floats
    headings: Floats
    half_widths: Floats
    zebras: Booleans

    def cover(self, points: Floats) -> Booleans:
        """Whether points (n, 3) lie on a crossing."""
        if not len(self.centres) or not len(points):
            return np.zeros(len(points), dtype=np.bool_)
        _, nearest = cKDTree(self.centres[:, :2]).query(points[:, :2])
        gap = points[:, :2] - self.centres[nearest, :2]
        c, s = portable.cos(self.headings[nearest]), portable.sin(self.headings[nearest])
        along, across = c * gap[:, 0] + s * gap[:, 1], c * gap[:, 1] - s * gap[:, 0]
        return np.asarray(
            (np.abs(along) < LENGTH / 2.0 + _CLEARANCE)
            & (np.abs(across) < self.half_widths[nearest] + _BESIDE)
        )


def is_crossing(tags: Tags) -> bool:
    """Whether a node is a crossing for people, marked or not."""
    return tags.get("highway") == "crossing" and tags.get("crossing") != "no"


def is_marked_crossing(tags: Tags) -> bool:
    """Whether a node is a crossing with markings; where nothing is said, it has them."""
    if tags.get("highway") != "crossing":
        return False
    markings = tags.get("crossing:markings")
    if markings is not None:
        return markings != "no"
    return tags.get("crossing") not in _UNMARKED


def find_crossings(
    points: Floats, tags: Sequence[Tags], *, streets: Sequence[Street], network: RoadNetwork
) -> Crossings:
    """The crossings at nodes that lie on streets.

    Args:
        points: (n, 2) places [m] of nodes that are marked crossings.
        tags: their tags.
        streets: the axes on which they may lie.
        network: gives the height.
    """
    found = locate_on_streets(points, streets)
    if not len(found.rows):
        return Crossings(np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_))
    _, rows = cKDTree(network.points[:, :2]).query(found.middles)
    return Crossings(
        centres=np.column_stack([found.middles, network.points[rows, 2]]),
        headings=found.headings,
        half_widths=found.half_widths,
        zebras=np.array([_is_zebra(tags[k]) for k in found.rows], dtype=np.bool_),
    )


def _is_zebra(tags: Tags) -> bool:
    markings = tags.get("crossing:markings")
    if markings in ("lines", "dashes", "dots"):
        return False
    return markings is not None or tags.get("crossing") != "traffic_signals"


def crossing_patches(crossings: Crossings) -> Patches:
    """Stripes along the street at zebras, two lines across at others.

    They reach beyond the street's width: what lies beside the carriageway is cut when it is laid.
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
    # An even number, so that both kerbs are alike and none of the stripes lies on the middle line.
    reach = crossings.half_widths[chosen] + _WIDENING
    counts = 2 * (reach // step).astype(np.int64)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    across = (k - (counts[of] - 1) / 2.0) * step
    headings = crossings.headings[chosen][of]
    ahead = np.column_stack([portable.cos(headings), portable.sin(headings), 0.0 * headings])
    left = np.column_stack([-ahead[:, 1], ahead[:, 0], 0.0 * headings])
    return crossings.centres[chosen][of] + along * ahead + across[:, None] * left, headings
