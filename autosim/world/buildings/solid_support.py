"""Finds which solids stand: on the ground, or held up by others that stand.

A solid above the ground is held where it lies on others or abuts them. It may span the space
between them, as over a passage, and jut out a little, as over an arcade or as a bay does.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.geometry import overlays

REACH = 4.0
"""Distance [m] by which a solid may jut out from its support: an arcade, a bay, a cantilevered
storey."""

SLIT = 0.5
"""Largest gap [m] in height between a solid and its support: maps round the heights of buildings to
storeys or half metres."""

_TOUCH = 0.3
"""Largest gap [m] in plan between solids that touch: mappers draw outlines one by one."""

_LOOSE_AREA, _LOOSE_SHARE = 1.0, 0.02
"""Area [m²], and share of the solid, of corners that may jut out farther than `REACH`."""


@dataclass(frozen=True, slots=True)
class Solid:
    """A solid: its `shape` in plan, and the heights [m] of its underside and of its top.

    The solid is as broad as its shape up to `top`; a roof may rise by `rise` [m] above that.
    """

    shape: BaseGeometry
    base: float
    """Height of the underside [m]."""
    top: float
    rise: float = 0.0


def unsupported_solids(
    shapes: Sequence[BaseGeometry], spans: Floats, is_raised: Booleans
) -> list[int]:
    """The numbers of the solids that neither stand on the ground nor are held up.

    Args:
        shapes: (n) in plan.
        spans: (n, 2) heights [m] of their undersides and tops.
        is_raised: (n,) whether they begin above the ground.
    """
    if not is_raised.any():
        return []
    solids = [Solid(shape, *span) for shape, span in zip(shapes, spans.tolist(), strict=True)]
    return SupportGraph(solids, np.flatnonzero(~is_raised).tolist()).settle()


class SupportGraph:
    """A set of solids, some of which stand and hold up others."""

    def __init__(self, solids: Sequence[Solid], stands: Iterable[int]) -> None:
        """Takes all solids, and the numbers of those that stand on the ground."""
        self._solids = list(solids)
        self._standing = set(stands)
        self._tree = shapely.STRtree([solid.shape for solid in solids])
        self._added: list[Solid] = []

    def add(self, solid: Solid) -> None:
        """Adds a solid that stands and was not among the others."""
        self._added.append(solid)

    def put(self, number: int, solid: Solid) -> None:
        """Replaces a solid by one that stands."""
        self._solids[number] = solid
        self._standing.add(number)

    def touching(self, solid: Solid) -> Iterator[Solid]:
        """The standing solids that touch a solid in plan, whatever their heights."""
        rows = self._tree.query(solid.shape, predicate="dwithin", distance=_TOUCH)
        yield from (self._solids[row] for row in sorted(rows.tolist()) if row in self._standing)
        yield from (
            each for each in self._added if shapely.dwithin(each.shape, solid.shape, _TOUCH)
        )

    def supports(self, solid: Solid) -> list[Solid]:
        """The standing solids on which a solid lies or which it abuts."""
        low, high = solid.base - SLIT, solid.base + SLIT
        return [each for each in self.touching(solid) if each.base <= high and each.top >= low]

    def holds(self, solid: Solid, others: Sequence[Solid] = ()) -> bool:
        """Whether standing solids and `others` hold up a solid, which may span the gaps."""
        supports = [*self.supports(solid), *others]
        if not supports:
            return False
        below = overlays.buffer(overlays.union_all([each.shape for each in supports]), _TOUCH)
        contact = shapely.convex_hull(overlays.intersection(solid.shape, below))
        outside = overlays.difference(solid.shape, overlays.buffer(contact, REACH)).area
        return bool(outside <= max(_LOOSE_AREA, _LOOSE_SHARE * solid.shape.area))

    def settle(self) -> list[int]:
        """Marks the solids as standing that others hold up, storey by storey.

        Returns:
            The numbers of the solids that hang in the air, the lowest first.
        """
        hanging = [k for k in range(len(self._solids)) if k not in self._standing]
        hanging.sort(key=lambda k: self._solids[k].base)
        while True:
            left = []
            for number in hanging:
                if self.holds(self._solids[number]):
                    self._standing.add(number)
                else:
                    left.append(number)
            if len(left) == len(hanging):
                return left
            hanging = left
