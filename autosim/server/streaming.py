"""Brings the tiles of a world into the physics before robots reach them, and takes them out again.

What is done in a step follows from where the robots have been, never from a clock: the same run
does the same things in the same steps. A city larger than memory is driven through: only what
robots have come near has shapes, up to a kilobyte for each triangle with its share of the skirts,
and only what is near has bodies, which alone cost in a step.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from autosim.server.physics import Physics
from autosim.server.pieces import Piece, solids_of, tile_pieces
from autosim.vehicle.bodies import Floats
from autosim.world.compiled import CompiledWorld
from autosim.world.tiles import Boxes, Sheet, tile_boxes

CLEARANCE = 10.0
"""How far [m] all is there around what a robot touches or sees, as far as it gets in a step."""

AHEAD = 150.0
"""How much further tiles are made, piece by piece."""

BEHIND = 60.0
"""How much further still they stay: a robot that turns about on a seam moves nothing."""

STRIDE = 4.0
"""Distances are measured anew when a body has moved this far [m]."""

TRIANGLES_PER_SECOND = 60_000.0
"""How many are made in a second of simulated time while there is no hurry: an eighth of a core. It
is five times what a car at 70 m/s needs in a dense city."""

_PUT_IN_COST, _PREPARE_COST = 60, 600
"""What it costs to put a shape in that is there already, and to get a tile's pieces ready, in
triangles to make."""


class Streaming:
    """The tiles of one world.

    Args:
        physics: where they are put in.
        world: in tiles.
        sheets: of the world.
        reach: how far [m] from a body it, or what it carries, touches or sees anything.
        step_seconds: length of a step [s].
    """

    def __init__(
        self,
        physics: Physics,
        world: CompiledWorld,
        *,
        sheets: Sequence[Sheet],
        reach: float,
        step_seconds: float,
    ) -> None:
        boxes = [sheet.boxes for sheet in sheets] + [tile_boxes(each) for each in solids_of(world)]
        self._boxes = _around(boxes)
        self._tiles = {
            number: _Tile(physics, tile_pieces(world, number, sheets=sheets))
            for number in np.flatnonzero(np.isfinite(self._boxes[:, 0])).tolist()
        }
        self._needed = reach + CLEARANCE
        self._places = np.full((0, 2), np.inf)
        self._distances = np.zeros((0, len(self._boxes)), dtype=np.float32)
        self._waiting: list[int] = []
        self._income = TRIANGLES_PER_SECOND * step_seconds
        self._credit = 0.0

    def follow(self, positions: Floats) -> None:
        """Makes complete what is near bodies at `positions` (n, 3) [m] in W; goes on with the rest.

        The bodies are always the same, in the same order. What is needed at once is there when
        this returns, however long it takes.
        """
        if self._measure(positions[:, :2]):
            self._choose()
        self._work()

    def _measure(self, places: Floats) -> bool:
        """Brings the distances of bodies that have moved up to date; says whether there are any."""
        if len(places) != len(self._places):
            self._places = np.full_like(places, np.inf)
            self._distances = np.zeros((len(places), len(self._boxes)), dtype=np.float32)
        moved = np.abs(places - self._places).max(axis=1, initial=0.0)
        if not (moved > STRIDE).any():
            return False
        # Those that will be due soon come along: of a fleet not one has to be done in each step.
        rows = np.flatnonzero(moved > STRIDE / 2.0)
        self._places[rows] = places[rows]
        self._distances[rows] = _distances(places[rows], self._boxes)
        return True

    def _choose(self) -> None:
        """Takes out what is far, completes what is near, and lists what comes next, in order."""
        nearest = self._distances.min(axis=0)
        ahead = self._needed + AHEAD
        for number in np.flatnonzero(nearest > ahead + BEHIND).tolist():
            if number in self._tiles:
                self._tiles[number].take_out()
        for number in np.flatnonzero(nearest <= self._needed).tolist():
            self._tiles[number].complete()
        due = np.flatnonzero(nearest <= ahead)
        order = due[np.argsort(nearest[due], kind="stable")]
        self._waiting = [n for n in order.tolist() if not self._tiles[n].is_complete]

    def _work(self) -> None:
        """Makes the next pieces, the nearest tile's first; after a large one it rests."""
        self._credit = min(self._credit, 0.0) + self._income
        while self._waiting and self._credit > 0.0:
            tile = self._tiles[self._waiting[0]]
            self._credit -= tile.advance()
            if tile.is_complete:
                del self._waiting[0]


class _Tile:
    """A tile in the physics: its shapes as far as they are made, its bodies as far as put in."""

    def __init__(self, physics: Physics, pieces: Iterator[Piece | None]) -> None:
        self._physics = physics
        self._pieces = pieces
        self._has_all = False
        self._shapes: list[int] = []
        self._bodies: list[int] = []

    @property
    def is_complete(self) -> bool:
        """Whether all of it is there."""
        return self._has_all and len(self._bodies) == len(self._shapes)

    def complete(self) -> None:
        """Puts in all that is missing."""
        while not self.is_complete:
            self.advance()

    def advance(self) -> int:
        """Does the next bit of work on it, and returns what it costs in triangles."""
        if len(self._bodies) == len(self._shapes):
            return self._make()
        self._bodies.append(self._physics.put_in(self._shapes[len(self._bodies)]))
        return _PUT_IN_COST

    def _make(self) -> int:
        """Makes the next piece, if there is one, and puts it in."""
        try:
            piece = next(self._pieces)
        except StopIteration:
            self._has_all = True
            return 0
        if piece is None:
            return _PREPARE_COST
        self._shapes.append(self._physics.make_shape(*piece))
        self._bodies.append(self._physics.put_in(self._shapes[-1]))
        return _PUT_IN_COST + len(piece[1])

    def take_out(self) -> None:
        """Takes all bodies out; the shapes stay."""
        while self._bodies:
            self._physics.take_out(self._bodies.pop())


def _around(parts: list[Boxes]) -> Boxes:
    """The boxes (tiles, 4) around those of several meshes."""
    stacked = np.stack(parts)
    return np.hstack([stacked[..., :2].min(axis=0), stacked[..., 2:].max(axis=0)])


def _distances(places: Floats, boxes: Boxes) -> npt.NDArray[np.float32]:
    """Distance [m] of each of places (n, 2) to each of boxes (m, 4); 0 inside."""
    x, y = places[:, :1], places[:, 1:]
    dx = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0)
    dy = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0)
    return np.hypot(dx, dy).astype(np.float32)
