"""Parts of roads that lie on bridges or in tunnels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface

_STEP = 2.0
"""Distance [m] of the places along a road that are examined."""

_FLOOR = 0.5
"""Greatest difference in height [m] of a lane and the floor below it."""

_COVER = 1.0
"""Least height [m] of the ground above a tunnel's floor, and of a bridge's floor above it."""

_SHORTEST = 2.0
"""Length [m] of the shortest part."""


@dataclass(frozen=True, slots=True)
class StructureSpan:
    """A part of a road, `start` to `end` [m], on a bridge or in a tunnel (`is_tunnel`)."""

    start: float
    end: float
    is_tunnel: bool


class StructureFinder:
    """Finds the bridges and tunnels under roads.

    Args:
        world: a compiled world.
    """

    def __init__(self, world: CompiledWorld) -> None:
        floors = world.structures.select(world.structures.surfaces == Surface.CARRIAGEWAY)
        self._floors = _index(floors)
        self._ground = _index(world.ground)

    def spans(self, stations: Floats, points: Floats) -> list[StructureSpan]:
        """The bridges and tunnels of a line through points (n, 3) [m] at stations (n,) [m]."""
        if self._floors is None or self._ground is None:
            return []
        count = max(int(np.ceil(stations[-1] / _STEP)), 1) + 1
        s = np.linspace(0.0, stations[-1], count)
        at = np.column_stack([np.interp(s, stations, column) for column in points.T])
        rows, _, heights = self._floors.hits(at[:, :2])
        on = _any(rows[np.abs(heights - at[rows, 2]) < _FLOOR], count)
        rows, _, heights = self._ground.hits(at[:, :2])
        # At its mouths a tunnel's floor lies in an open trough, which has neither.
        under = on & _any(rows[heights > at[rows, 2] + _COVER], count)
        over = on & ~under & _any(rows[heights < at[rows, 2] - _COVER], count)
        return [
            StructureSpan(float(s[first]), float(s[last]), is_tunnel)
            for is_tunnel, chosen in ((False, over), (True, under))
            for first, last in _runs(chosen)
            if s[last] - s[first] > _SHORTEST
        ]


def _index(mesh: Mesh) -> GroundIndex | None:
    return GroundIndex.build(mesh) if len(mesh.triangles) else None


def _any(rows: Sequence[int] | Floats, count: int) -> Booleans:
    found = np.zeros(count, dtype=np.bool_)
    found[np.asarray(rows, dtype=np.int64)] = True
    return found


def _runs(chosen: Booleans) -> Iterator[tuple[int, int]]:
    """First and last rows of each run of chosen ones."""
    edges = np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8))
    firsts, after = np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist()
    yield from ((first, last - 1) for first, last in zip(firsts, after, strict=True))
