"""Selects the streets near a block, so that the block can be compiled without all the others."""

from dataclasses import dataclass, replace

import numpy as np
import shapely

from autosim.world.geometry.block_grid import expand_box
from autosim.world.geometry.extent import Box
from autosim.world.geometry.polylines import Polylines
from autosim.world.levels.level_division import LevelPiece
from autosim.world.surfaces.carriageway_shapes import StreetMap

REACH = 60.0
"""Distance [m] beyond which a street does not touch a block: more than half the width of any
carriageway with its pavement, its kerb radii and the transitions of its bridges."""

_HEADS_REACH = 40.0
"""Distance [m] beyond which a turning head, a circle at a street's end, does not touch a block."""


@dataclass(frozen=True, slots=True)
class StreetFinder:
    """Spatial index of all streets.

    Attributes:
        town: streets and their shapes.
        pieces: index of the pieces of streets.
        spans: index of the spans of lanes.
    """

    town: StreetMap
    pieces: shapely.STRtree
    spans: shapely.STRtree

    @classmethod
    def of(cls, town: StreetMap) -> "StreetFinder":
        """Indexes the streets of a map."""
        pieces = [piece.line for each in town.levels.pieces for piece in each]
        return cls(
            town,
            shapely.STRtree(Polylines.of(pieces).shapes()),
            shapely.STRtree(Polylines.of([span.points for span in town.spans]).shapes()),
        )

    def about(self, box: Box) -> StreetMap:
        """The map with only the pieces, lanes, transitions and heads within `REACH` of a box.

        Streets keep their numbers.
        """
        town, near = self.town, shapely.box(*expand_box(box, REACH))
        levels = replace(
            town.levels,
            pieces=self._pieces(near),
            transitions=tuple(
                j for j in town.levels.transitions if near.contains(shapely.Point(j.place))
            ),
        )
        close = shapely.box(*expand_box(box, _HEADS_REACH))
        heads = [h for h in town.plan.turning_heads if close.contains(shapely.Point(h.centre))]
        rows = np.sort(self.spans.query(near, predicate="intersects"))
        return replace(
            town,
            levels=levels,
            plan=replace(town.plan, turning_heads=heads),
            spans=[town.spans[row] for row in rows.tolist()],
        )

    def _pieces(self, near: shapely.Polygon) -> tuple[tuple[LevelPiece, ...], ...]:
        chosen = set(self.pieces.query(near, predicate="intersects").tolist())
        row, kept = 0, []
        for pieces in self.town.levels.pieces:
            kept.append(tuple(p for k, p in enumerate(pieces, start=row) if k in chosen))
            row += len(pieces)
        return tuple(kept)
