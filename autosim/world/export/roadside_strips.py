"""Strips beside the lanes of carriageways: shoulders up to the kerb, and pavements."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import Lane

_STEP = 4.0
"""Distance [m] of the cross sections of a carriageway."""

_OUT, _FARTHEST = 0.1, 7.0
"""Distance [m] of the places of a cross section, and that of the last one from the lanes."""

_LEVEL = 0.5
"""Greatest difference in height [m] of a lane and what is beside it."""

_SHARE = 0.6
"""Least share of the cross sections that have a pavement."""

_LEAST_SHOULDER, _LEAST_PAVEMENT = 0.4, 0.6
"""Least widths [m] of shoulders and pavements that are written."""

_WIDEST = 4.0
"""Greatest width [m] of a shoulder; a wider one is another carriageway."""


@dataclass(frozen=True, slots=True)
class RoadSide:
    """The strips beside the lanes on one side; a width of 0: there is none.

    Attributes:
        shoulder: width [m] of the carriageway beside the lanes.
        pavement: width [m] of the pavement.
    """

    shoulder: float = 0.0
    pavement: float = 0.0

    def strips(self) -> list[tuple[str, float]]:
        """Types of OpenDRIVE and widths [m], from the lanes outwards."""
        both = (("shoulder", self.shoulder), ("sidewalk", self.pavement))
        return [(kind, width) for kind, width in both if width > 0.0]


NO_SIDES = (RoadSide(), RoadSide())
"""The left and the right side of a road without strips."""


class RoadSideFinder:
    """Finds what is beside carriageways.

    Args:
        world: a compiled world.
    """

    def __init__(self, world: CompiledWorld) -> None:
        self._index = GroundIndex.build(world.ground) if len(world.ground.triangles) else None
        self._surfaces = world.ground.surfaces

    def sides(self, lanes: Sequence[Lane]) -> tuple[RoadSide, RoadSide]:
        """The left and the right side of lanes, which are given from left to right."""
        return self._side(lanes[0], 1.0), self._side(lanes[-1], -1.0)

    def _side(self, lane: Lane, sign: float) -> RoadSide:
        if self._index is None:
            return RoadSide()
        count = max(int(lane.length / _STEP), 1)
        middles = (np.arange(count) + 0.5) * (lane.length / count)
        away = lane.width / 2.0 + np.arange(_OUT / 2.0, _FARTHEST, _OUT)
        places = np.array([lane.position(s, sign * t) for s in middles.tolist() for t in away])
        found = self._surfaces_at(places).reshape(count, len(away))
        is_paved = found == Surface.PAVEMENT
        has = is_paved.any(axis=1)
        # Between the lane and its pavement there is only carriageway and kerb.
        first = np.argmax(is_paved, axis=1)
        before = np.arange(len(away)) < first[:, None]
        is_road = np.isin(found, (Surface.CARRIAGEWAY, Surface.KERB))
        has &= (is_road | ~before).all(axis=1) & (first * _OUT <= _WIDEST)
        if has.mean() < _SHARE:
            return RoadSide()
        past = ~is_paved & (np.arange(len(away)) > first[:, None])
        last = np.where(past.any(axis=1), np.argmax(past, axis=1), len(away))
        # The kerb is a part of the pavement.
        kerb = np.argmax(found != Surface.CARRIAGEWAY, axis=1)
        shoulder = float(np.median(kerb[has])) * _OUT
        pavement = float(np.median((last - kerb)[has])) * _OUT
        return RoadSide(
            shoulder if shoulder >= _LEAST_SHOULDER else 0.0,
            pavement if pavement >= _LEAST_PAVEMENT else 0.0,
        )

    def _surfaces_at(self, places: Floats) -> Integers:
        """The surface (n,) at places (n, 3) on the level of their heights; -1: none."""
        assert self._index is not None
        rows, triangles, heights = self._index.hits(places[:, :2])
        near = np.abs(heights - places[rows, 2]) < _LEVEL
        found = np.full(len(places), -1, dtype=np.int64)
        found[rows[near]] = self._surfaces[triangles[near]]
        return found
