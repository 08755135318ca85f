"""Placed houses and trees: thousands of a few models, as a few meshes for each tile."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autosim.arrays import Floats, Floats32, Integers
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.facades import by_facade
from autosim.client.materials.material_kinds import Material
from autosim.client.materials.surfaces import Coat, Facade, Looks
from autosim.client.models.model_files import Model
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.model_pieces import Piece
from autosim.client.tiles.building_meshes import building_meshes
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE, StandingInstances, numbered
from autosim.world.compiled.compiled_world import Building, CompiledWorld
from autosim.world.geometry.meshes import Surface

_BOX_TRIANGLES = 12
"""Number of triangles of a box: two on each side."""


class Houses:
    """Makes the meshes of the placed houses of one tile at a time.

    Args:
        compiled: the place, in tiles.
        library: where the models come from.
        looks: of the boxes of houses whose model cannot be shown.
    """

    def __init__(self, compiled: CompiledWorld, *, library: ModelLibrary, looks: Looks) -> None:
        self._houses = compiled.houses
        self._boxes = compiled.house_boxes
        self._instances = StandingInstances(compiled)
        self._starts = compiled.house_boxes.starts // _BOX_TRIANGLES
        self._library = library
        self._looks = looks
        # All at once, so that a model that cannot be shown is reported at the start.
        for path in sorted({house.model for house in compiled.houses}):
            self._levels(path)

    def pieces(self, tile: int, *, is_near: bool) -> list[Piece]:
        """The houses of a tile: with their finest models, or from afar with the coarsest."""
        first, last = self._starts[tile : tile + 2].tolist()
        places: dict[str, list[int]] = {}
        for row in range(first, last):
            places.setdefault(self._houses[row].model, []).append(row)
        drawn: list[Piece] = []
        unseen: list[int] = []
        for path, rows in places.items():
            levels = self._levels(path)
            if levels:
                houses = [self._houses[row] for row in rows]
                instances = self._instances.of_houses(np.array(rows))
                drawn += place_models(levels[0 if is_near else -1], houses, instances)
            else:
                unseen += rows
        return [*_joined(drawn), *self._box_pieces(sorted(unseen))]

    def _levels(self, path: str) -> tuple[Model, ...]:
        return self._library.levels(path) if path else ()

    def _box_pieces(self, rows: list[int]) -> list[Piece]:
        if not rows:
            return []
        numbers = _BOX_TRIANGLES * np.array(rows)[:, None] + np.arange(_BOX_TRIANGLES)
        boxes = self._boxes.select(numbers.ravel())
        all_instances = self._instances.of_houses(np.array(rows))
        meshes = building_meshes(
            boxes, instances_of=lambda first: all_instances[first // _BOX_TRIANGLES]
        )
        return building_pieces(meshes, self._looks)


def building_pieces(meshes: dict[Surface, DrawMesh], looks: Looks) -> list[Piece]:
    """Walls and roofs with the materials of their surfaces, by facade where `looks` has any."""
    parts: list[tuple[Coat, DrawMesh]] = []
    for surface, mesh in meshes.items():
        has_facades = surface is Surface.WALL and Facade.BRICK in looks
        parts += by_facade(mesh) if has_facades else [(surface, mesh)]
    return [
        Piece(mesh, Material(looks[coat].picture, looks[coat].shader_kind)) for coat, mesh in parts
    ]


def place_models(model: Model, houses: Sequence[Building], instances: Integers) -> list[Piece]:
    """A model at the place of each house, turned, in its own size, with its number (k,)."""
    positions = np.array([house.position for house in houses])
    yaws = np.array([house.yaw for house in houses])
    return [
        Piece(
            numbered(
                _repeated(part.mesh, positions, yaws),
                CLASS_OF_SURFACE[Surface.WALL],
                np.repeat(instances, len(part.mesh.vertices)),
            ),
            Material(part.picture),
        )
        for part in model.parts
    ]


def _repeated(mesh: DrawMesh, positions: Floats, yaws: Floats) -> DrawMesh:
    """A mesh at each of `positions` (k, 3), turned about z by each of `yaws` (k,)."""
    count, corners = len(positions), len(mesh.vertices)
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]

    def turned(vectors: Floats32) -> Floats:
        x, y, z = vectors.T.astype(np.float64)
        up = np.broadcast_to(z, (count, corners))
        return np.stack([c * x - s * y, s * x + c * y, up], axis=2)

    offsets = corners * np.arange(count, dtype=np.int32)[:, None, None]
    points = turned(mesh.vertices) + positions[:, None]
    return DrawMesh(
        vertices=points.reshape(-1, 3).astype(np.float32),
        normals=turned(mesh.normals).reshape(-1, 3).astype(np.float32),
        colours=np.tile(mesh.colours, (count, 1)),
        uvs=np.tile(mesh.uvs, (count, 1)),
        triangles=(mesh.triangles[None] + offsets).reshape(-1, 3).astype(np.int32),
    )


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """One piece for each material."""
    by_material: dict[Material, list[Piece]] = {}
    for piece in pieces:
        by_material.setdefault(piece.material, []).append(piece)
    return [
        replace(same[0], mesh=joined([each.mesh for each in same])) for same in by_material.values()
    ]
