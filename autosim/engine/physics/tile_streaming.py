"""Brings the pieces of a world into the physics before robots reach them, and takes them out again.

What is done in a step follows from where the robots have been, never from a clock: the same run
does the same things in the same steps. A city larger than memory is driven through: only what
robots have come near has shapes, up to a kilobyte for each triangle with its share of the skirts,
and only what is near has bodies, which alone cost in a step.
"""

from collections.abc import Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Floats32
from autosim.engine.physics.collision_pieces import PieceSource, Rows, Work, run_to_end
from autosim.engine.physics.engine import PhysicsEngine
from autosim.engine.physics.piece_kernels import has_moved, nearest_places
from autosim.engine.physics.world_shapes import WorldShapes
from autosim.world.compiled.tile_grid import Boxes
from autosim.world.geometry.meshes import Mesh

CLEARANCE = 10.0
"""Margin [m] around what a robot touches that is complete, as far as it gets in a step. What it
sees needs nothing here: rays meet the meshes themselves."""

AHEAD = 60.0
"""Additional distance [m] within which pieces are made, one by one."""

BEHIND = 30.0
"""Further distance [m] within which they stay: a robot that turns back moves nothing."""

STRIDE = 4.0
"""Distances are measured again when a body has moved this far [m]."""

TRIANGLES_PER_SECOND = 60_000.0
"""Number of pieces made per second of simulated time without need: an eighth of a core. It is twice
what a car at 70 m/s needs in a dense city."""

_PUT_IN_COST = 80
"""Cost of adding an existing shape, in triangles to make."""

_SKIRT_COST = 0.3
"""Cost of finding a triangle of a piece and its skirt, in triangles to make."""


class TileStreamer:
    """The tiles of one world, and the pieces of those that robots have come near.

    Args:
        physics: where they are put in.
        shapes: of the world.
        reach: how far [m] from a body it touches anything.
        step_seconds: length of a step [s].
        has_floats: whether bodies float, and so need water that they pass through.
    """

    def __init__(
        self,
        physics: PhysicsEngine,
        shapes: WorldShapes,
        *,
        reach: float,
        step_seconds: float,
        has_floats: bool = False,
    ) -> None:
        self._shapes, self._has_floats = shapes, has_floats
        self._boxes = shapes.boxes
        self._is_cut = np.zeros(len(self._boxes), dtype=np.bool_)
        self._pieces = _Pieces(physics, shapes)
        self._needed = reach + CLEARANCE
        self._places = np.full((0, 2), np.inf)
        self._distances = np.zeros((0, len(self._boxes)), dtype=np.float32)
        self._begun: Work[None] | None = None
        self._tiles_due: list[int] = []
        self._pieces_due: list[int] = []
        self._income = TRIANGLES_PER_SECOND * step_seconds
        self._credit = 0.0

    def follow(self, positions: Floats) -> None:
        """Completes the pieces near bodies at `positions` (n, 3) [m] in W; continues the rest.

        The bodies are always the same, in the same order. What is needed at once is there when
        this returns, however long it takes.
        """
        if self._measure(positions):
            self._complete()
            self._choose()
        self._work()

    def mesh_of(self, body: int) -> Mesh | None:
        """The mesh of the world that a body in the physics is a piece of."""
        return self._pieces.mesh_of(body)

    def _measure(self, positions: Floats) -> bool:
        """Brings the distances of bodies that have moved up to date; says whether there are any."""
        if len(positions) != len(self._places):
            self._places = np.full((len(positions), 2), np.inf)
            self._distances = np.zeros((len(positions), len(self._boxes)), dtype=np.float32)
        if not has_moved(positions, self._places, STRIDE):
            return False
        places = positions[:, :2]
        moved = np.abs(places - self._places).max(axis=1)
        # Those that will be due soon come along: of a fleet not one has to be done in each step.
        rows = np.flatnonzero(moved > STRIDE / 2.0)
        self._places[rows] = places[rows]
        self._distances[rows] = _distances(places[rows], self._boxes)
        return True

    def _complete(self) -> None:
        """Cuts the tiles and puts in the pieces that are needed now."""
        for tile in self._uncut(self._needed).tolist():
            self._begun = None  # It may be the same tile, or a piece that is missing.
            run_to_end(self._cut(tile))
        for piece in self._missing(self._needed).tolist():
            self._begun = None
            run_to_end(self._pieces.bring(piece))

    def _choose(self) -> None:
        """Takes out what is far, and lists what comes next, the nearest last."""
        ahead = self._needed + AHEAD
        is_far = np.isinf(self._nearest(ahead + BEHIND))
        for piece in np.flatnonzero(is_far & self._pieces.is_in).tolist():
            self._pieces.take_out(piece)
        self._tiles_due = self._uncut(ahead)[::-1].tolist()
        self._pieces_due = self._missing(ahead)[::-1].tolist()

    def _uncut(self, limit: float) -> Rows:
        """The tiles within `limit` [m] of bodies that are not cut yet, the nearest first."""
        nearest = self._distances.min(axis=0, initial=np.inf)
        tiles = np.flatnonzero((nearest <= limit) & ~self._is_cut)
        return tiles[np.argsort(nearest[tiles], kind="stable")]

    def _missing(self, limit: float) -> Rows:
        """The pieces within `limit` [m] of bodies that are not in, the nearest first."""
        nearest = self._nearest(limit)
        pieces = np.flatnonzero(np.isfinite(nearest) & ~self._pieces.is_in)
        return pieces[np.argsort(nearest[pieces], kind="stable")]

    def _nearest(self, limit: float) -> Floats:
        """Distances [m] of the pieces from the nearest body; infinite beyond `limit`."""
        pieces = self._pieces
        return nearest_places(
            self._places, self._distances, limit, pieces.tiles, pieces.starts, pieces.boxes
        )

    def _work(self) -> None:
        """Does what comes next; after much at once it rests."""
        self._credit = min(self._credit, 0.0) + self._income
        while self._credit > 0.0 and (begun := self._begun or self._next()):
            self._begun = begun
            try:
                self._credit -= next(begun)
            except StopIteration:
                self._begun = None

    def _next(self) -> Work[None] | None:
        # Tiles first: what is in them may be nearer than any piece.
        if self._tiles_due:
            return self._cut_ahead(self._tiles_due.pop())
        if self._pieces_due:
            return self._pieces.bring(self._pieces_due.pop())
        return None

    def _cut_ahead(self, tile: int) -> Work[None]:
        # Pieces in progress when the lists are rebuilt are in them again.
        if not self._is_cut[tile]:
            yield from self._cut(tile)
            self._choose()

    def _cut(self, tile: int) -> Work[None]:
        cuts = yield from self._shapes.cut(tile, has_floats=self._has_floats)
        self._pieces.add(tile, cuts)
        self._is_cut[tile] = True


class _Pieces:
    """The pieces of all tiles that are cut: their shapes as far as made, their bodies as far as in.

    `tiles` (k,) have pieces, those of each from `starts` (k + 1,) on; `boxes` (n, 4) [m] in W are
    around them, and `is_in` (n,) says whether they are in the physics.
    """

    def __init__(self, physics: PhysicsEngine, shapes: WorldShapes) -> None:
        self._physics, self._world_shapes = physics, shapes
        self._cuts: list[tuple[PieceSource, int]] = []
        self._shapes: dict[int, int] = {}
        self._bodies: dict[int, int] = {}
        self.tiles: Rows = np.zeros(0, dtype=np.int64)
        self.starts: Rows = np.zeros(1, dtype=np.int64)
        self.boxes: Boxes = np.zeros((0, 4))
        self.is_in: Booleans = np.zeros(0, dtype=np.bool_)

    def add(self, tile: int, cuts: Sequence[PieceSource]) -> None:
        """Takes the pieces of a tile; they have no shapes yet."""
        for cut in cuts:
            self._cuts += [(cut, number) for number in range(len(cut.boxes))]
        self.boxes = np.vstack([self.boxes, *(cut.boxes for cut in cuts)])
        self.is_in = np.append(self.is_in, np.zeros(len(self.boxes) - len(self.is_in), np.bool_))
        self.tiles = np.append(self.tiles, tile)
        self.starts = np.append(self.starts, len(self.boxes))

    def bring(self, piece: int) -> Work[None]:
        """Puts a piece in, unless it is, and makes its shape if it has none yet."""
        if self.is_in[piece]:
            return
        cut, number = self._cuts[piece]
        if piece not in self._shapes:
            mesh = self._world_shapes.piece(cut, number)
            yield round(len(mesh[1]) * _SKIRT_COST)
            self._shapes[piece] = self._physics.make_shape(*mesh)
            yield len(mesh[1])
        self._bodies[piece] = self._physics.add_static(self._shapes[piece], is_water=cut.is_water)
        self.is_in[piece] = True
        yield _PUT_IN_COST

    def mesh_of(self, body: int) -> Mesh | None:
        """The mesh that the piece with that body was cut from; None where there is none."""
        pieces = (piece for piece, number in self._bodies.items() if number == body)
        piece = next(pieces, None)
        return None if piece is None else self._cuts[piece][0].mesh

    def take_out(self, piece: int) -> None:
        """Takes a piece out; its shape stays."""
        self._physics.remove_static(self._bodies.pop(piece))
        self.is_in[piece] = False


def _distances(places: Floats, boxes: Boxes) -> Floats32:
    """Distance [m] of each of places (n, 2) to each of boxes (m, 4); 0 inside."""
    x, y = places[:, :1], places[:, 1:]
    dx = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0)
    dy = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0)
    return portable.hypot(dx, dy).astype(np.float32)
