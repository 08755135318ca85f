"""The tiles of the world that the cameras see, as nodes that come and go.

What a picture shows is a function of its camera's place alone: level-of-detail nodes choose, for
each camera, between a tile in full and the same tile from afar, and what they may choose is there
before they do. So a picture of a user program never depends on where the camera came from. Only a
window streams: what is missing comes within a budget, nearest first.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.materials.material_kinds import Material
from autosim.client.materials.material_states import Materials
from autosim.client.models.piece_nodes import EVERYWHERE, add_piece_groups, level_node
from autosim.client.panda.panda_imports import core
from autosim.client.tiles.culling import CullableParts, OcclusionCulling
from autosim.client.tiles.occlusion import Frustum, Walls
from autosim.client.tiles.props import FAR, NEAR, PropCell
from autosim.client.tiles.tile_meshes import TileMeshes
from autosim.world.compiled.tile_grid import TILE_METRES, TileGrid

_HALF_DIAGONAL = TILE_METRES / np.sqrt(2.0)
"""Distance [m] from a tile's middle to its corners: nothing on its ground is farther."""
_OVERHANG = 50.0
"""Distance [m] by which a building may extend beyond its tile."""
MOST_NEAR, MOST_FAR = 96, 640
"""Numbers of tiles that are kept in full, and at all, though no camera sees them now: a camera that
turns back finds them. The farthest go first."""


class _Tile:
    """A tile's node with its two levels; `near` is None where the tile is there from afar only."""

    def __init__(
        self,
        root: core.NodePath,
        *,
        far: core.NodePath,
        centre: tuple[float, float, float],
        walls: Walls,
    ) -> None:
        self.walls = walls
        self._centre = centre
        self._far = far
        self._levels = core.LODNode("tile")
        self._levels.setCenter(core.LPoint3(*centre))
        self._node = root.attachNewNode(self._levels)
        self._near = self._node.attachNewNode("near")
        far.reparentTo(self._node)
        self.is_near = False
        self._switch(0.0)
        self.parts = self._from_afar()

    def show_near(self, near: core.NodePath, distance: float) -> None:
        """Draws `near` up to `distance` [m] from the centre."""
        near.reparentTo(self._near)
        self.is_near = True
        self._switch(distance)
        self.parts = [
            CullableParts(near, centre=self._centre, near=0.0, far=distance),
            CullableParts(self._far, centre=self._centre, near=distance, far=EVERYWHERE),
        ]

    def drop_near(self) -> None:
        """Frees what is drawn from near."""
        self._near.getChildren().detach()
        self.is_near = False
        self._switch(0.0)
        self.parts = self._from_afar()

    def remove(self) -> None:
        """Frees all."""
        self._node.removeNode()

    def _from_afar(self) -> list[CullableParts]:
        return [CullableParts(self._far, centre=self._centre, near=0.0, far=EVERYWHERE)]

    def _switch(self, distance: float) -> None:
        self._levels.clearSwitches()
        self._levels.addSwitch(distance, 0.0)
        self._levels.addSwitch(EVERYWHERE, distance)


class TileNodes:
    """Keeps the nodes of the tiles around all cameras below a root.

    Args:
        root: the scene.
        meshes: makes the meshes of a tile.
        materials: their render states.
        grid: the tiles.
        leaves: the material of props.
        reach: distance [m] up to which tiles are drawn in full at least.
        far: distance [m] up to which tiles are drawn at all.
        step: distance [m] that a camera moves before tiles are looked for again.
    """

    def __init__(
        self,
        root: core.NodePath,
        *,
        meshes: TileMeshes,
        materials: Materials,
        grid: TileGrid,
        leaves: Material,
        reach: float,
        far: float,
        step: float,
    ) -> None:
        self._root = root
        self._meshes = meshes
        self._materials = materials
        self._grid = grid
        self._leaves = leaves
        self._switch = reach + _HALF_DIAGONAL
        self._far = far + _OVERHANG
        self._step = step
        self._centres = grid.lows() + TILE_METRES / 2.0
        self._tiles: dict[int, _Tile] = {}
        self._eyes: dict[str, Floats] = {}
        self._missing: list[tuple[int, bool]] = []
        self._changes = 0
        self._hiding = OcclusionCulling()
        self._changes_taken = 0

    @property
    def shown(self) -> tuple[int, int]:
        """Number of loaded tiles, and how many of them are in full detail."""
        return len(self._tiles), sum(tile.is_near for tile in self._tiles.values())

    @property
    def changes(self) -> int:
        """Number of times that a tile, or one of its levels, was added or removed so far."""
        return self._changes

    @property
    def is_complete(self) -> bool:
        """Whether all is there that the cameras may see."""
        return not self._missing

    def update_visible(self, camera: str, eye: Floats, *, budget: int | None = None) -> None:
        """Fetches what a camera may see from where it is now.

        Args:
            camera: its name; it holds what it sees until its next look, or `forget`.
            eye: (3,) [m] in W.
            budget: the most that is fetched, None for all. The first look of all fetches what is
                near whatever the budget.
        """
        before = self._eyes.get(camera)
        if before is None or float(np.hypot(*(eye[:2] - before))) >= self._step:
            self._eyes[camera] = np.array(eye[:2])
            self._reconsider(self._eyes[camera])
        count = len(self._missing)
        if budget is not None:
            is_first = not self._tiles
            count = sum(is_near for _, is_near in self._missing) if is_first else budget
        for _ in range(min(count, len(self._missing))):
            self._fetch(*self._missing.pop(0))

    def hide(self, frustum: Frustum | None) -> None:
        """Leaves out of the next picture what this eye does not see; nothing if there is none."""
        if self._changes_taken != self._changes:
            self._changes_taken = self._changes
            tiles = self._tiles.values()
            self._hiding.take(
                (parts for tile in tiles for parts in tile.parts), (tile.walls for tile in tiles)
            )
        self._hiding.apply(frustum)

    def forget(self, camera: str) -> None:
        """Holds no more what only this camera sees."""
        self._eyes.pop(camera, None)

    def _reconsider(self, eye: Floats) -> None:
        """Drops tiles that no camera sees; lists missing ones, the nearest to `eye` first."""
        eyes = np.array(list(self._eyes.values()))
        gaps = np.hypot(*np.moveaxis(self._centres[:, None] - eyes, 2, 0)).min(axis=1)
        reach, far = self._switch + self._step, self._far + self._step + _HALF_DIAGONAL
        for number in _surplus(self._tiles, gaps, seen=far, most=MOST_FAR):
            self._tiles.pop(number).remove()
            self._changes += 1
        near = [number for number, tile in self._tiles.items() if tile.is_near]
        for number in _surplus(near, gaps, seen=reach, most=MOST_NEAR):
            self._tiles[number].drop_near()
            self._changes += 1
        is_there, is_near = np.zeros((2, len(gaps)), dtype=bool)
        is_there[list(self._tiles)] = True
        is_near[[number for number, tile in self._tiles.items() if tile.is_near]] = True
        self._missing = [
            *_by_distance(
                np.flatnonzero((gaps <= reach) & ~is_near), self._centres, eye, near=True
            ),
            *_by_distance(
                np.flatnonzero((gaps <= far) & ~is_there), self._centres, eye, near=False
            ),
        ]

    def _fetch(self, number: int, is_near: bool) -> None:
        self._changes += 1
        tile = self._tiles.get(number)
        if tile is None:
            tile = self._tiles.setdefault(number, self._tile_from_afar(number))
        if is_near and not tile.is_near:
            tile.show_near(self._near_node(number), self._switch)

    def _tile_from_afar(self, number: int) -> _Tile:
        pieces = self._meshes.far(number)
        node = core.NodePath("far")
        add_piece_groups(node, pieces, self._materials)
        heights = [piece.mesh.vertices[:, 2] for piece in pieces]
        z = float(np.median(np.concatenate(heights))) if heights else 0.0
        x, y = self._centres[number].tolist()
        walls = self._meshes.walls(number)
        return _Tile(self._root, far=node, centre=(x, y, z), walls=walls)

    def _near_node(self, number: int) -> core.NodePath:
        node = core.NodePath("near")
        add_piece_groups(node, self._meshes.near(number), self._materials)
        for cell in self._meshes.props(number):
            self._prop_node(cell).reparentTo(node)
        return node

    def _prop_node(self, cell: PropCell) -> core.NodePath:
        """Two levels of detail, and none beyond `FAR`."""
        state = self._materials.state(self._leaves)
        meshes = [mesh for mesh in (cell.near, cell.far) if mesh is not None]
        return level_node([(cell.near, NEAR), (cell.far, FAR)], state=state, around=meshes)


def _surplus(numbers: Iterable[int], gaps: Floats, *, seen: float, most: int) -> list[int]:
    """Up to all but `most` of the `numbers`, the farthest, that are farther than `seen` [m]."""
    by_gap = sorted(numbers, key=lambda number: (-gaps[number], number))
    return [number for number in by_gap[: max(0, len(by_gap) - most)] if gaps[number] > seen]


def _by_distance(
    numbers: Integers, centres: Floats, eye: Floats, *, near: bool
) -> Sequence[tuple[int, bool]]:
    distances = np.hypot(*(centres[numbers] - eye).T)
    return [(number, near) for number in numbers[np.argsort(distances, kind="stable")].tolist()]
