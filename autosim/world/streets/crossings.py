"""Pedestrian crossings: which nodes of a map are one, and where they lie."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.osm.tags import Tags

LENGTH = 3.0
"""Extent [m] of a zebra along the street. Chosen: between the 3 m and 4 m that are usual."""

_BESIDE = 0.6
"""Distance [m] by which a crossing reaches beyond the carriageway: its edge lines end before."""

_CLEARANCE = 0.4
"""Gap [m] between a crossing and the markings before and behind it."""

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
    """Whether a node is a pedestrian crossing, marked or not."""
    return tags.get("highway") == "crossing" and tags.get("crossing") != "no"


def is_marked_crossing(tags: Tags) -> bool:
    """Whether a node is a crossing with markings; it has them unless its tags deny it."""
    if tags.get("highway") != "crossing":
        return False
    markings = tags.get("crossing:markings")
    if markings is not None:
        return markings != "no"
    return tags.get("crossing") not in _UNMARKED
