"""Nodes from pieces: few of them, and switched by distance."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.material_kinds import Material, ShaderKind
from autosim.client.materials.material_states import Materials
from autosim.client.materials.shader_kinds import mark
from autosim.client.models.model_files import Model
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.model_pieces import Piece
from autosim.client.panda.geometry import make_geom
from autosim.client.panda.masks import EYE_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.vertex_order import in_drawing_order

EVERYWHERE = 1e9
"""A distance [m] at which nothing is."""
FINE_SIZES = 12.0
"""A model is drawn in its finest level up to this multiple of its size; each next level twice as
far."""


class _Alike(NamedTuple):
    """Common state of the pieces below one node; see `Piece`."""

    seen_up_to: float | None
    casts_shadow: bool
    is_seen: bool
    shader_kind: ShaderKind
    cell: tuple[int, int]

    @classmethod
    def of(cls, piece: Piece) -> "_Alike":
        return cls(
            piece.seen_up_to,
            piece.casts_shadow,
            piece.is_seen,
            piece.material.shader_kind,
            piece.cell,
        )


def add_piece_groups(parent: core.NodePath, pieces: Sequence[Piece], materials: Materials) -> None:
    """Adds pieces below `parent`: a node for all that are seen alike, a geom for each."""
    groups: dict[_Alike, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(_Alike.of(piece), []).append(piece)
    for alike, group in groups.items():
        geometry = core.GeomNode("pieces")
        for piece in group:
            geometry.addGeom(_geom_of(piece.mesh), materials.state(piece.material))
        node = core.NodePath(geometry)
        if alike.shader_kind is not ShaderKind.MATT:
            mark(node, alike.shader_kind)
        if alike.seen_up_to is not None:
            node = _switched([(node, alike.seen_up_to)], [piece.mesh for piece in group])
        if not alike.casts_shadow:
            node.hide(core.BitMask32(SHADOW_MASK))
        if not alike.is_seen:
            node.hide(core.BitMask32(EYE_MASK))
        node.reparentTo(parent)


def level_node(
    levels: Sequence[tuple[DrawMesh | None, float]],
    *,
    state: core.RenderState,
    around: Sequence[DrawMesh],
) -> core.NodePath:
    """A node with levels of detail, the finest first, each drawn up to a distance [m].

    The distances count from the surface of a ball around the meshes `around`; beyond the last
    nothing is drawn.
    """
    nodes = []
    for mesh, far in levels:
        # The levels of an LOD node are its children, in order: an empty one must be there too.
        geometry = core.GeomNode("level")
        if mesh is not None:
            geometry.addGeom(_geom_of(mesh), state)
        nodes.append((core.NodePath(geometry), far))
    return _switched(nodes, around)


def _switched(
    levels: Sequence[tuple[core.NodePath, float]], around: Sequence[DrawMesh]
) -> core.NodePath:
    low = np.min([mesh.vertices.min(axis=0) for mesh in around], axis=0)
    high = np.max([mesh.vertices.max(axis=0) for mesh in around], axis=0)
    radius = float(np.linalg.norm(high - low)) / 2.0
    lod = core.LODNode("levels")
    lod.setCenter(core.LPoint3(*((low + high) / 2.0).tolist()))
    parent = core.NodePath(lod)
    nearest = 0.0
    for node, far in levels:
        node.reparentTo(parent)
        lod.addSwitch(far + radius, nearest)
        nearest = far + radius
    return parent


def model_node(levels: Sequence[Model], materials: Materials) -> core.NodePath:
    """A node with a model that shows a coarser level the farther away it is."""
    nodes = [_model_level(model, materials) for model in levels]
    if len(nodes) == 1:
        return nodes[0]
    size = levels[0].size
    meshes = [part.mesh for part in levels[0].parts]
    reaches = [FINE_SIZES * size * 2.0**k for k in range(len(nodes) - 1)]
    return _switched(list(zip(nodes, [*reaches, EVERYWHERE], strict=True)), meshes)


def library_node(library: ModelLibrary, path: str, materials: Materials) -> core.NodePath | None:
    """A new node with the model of the folder `path`; None where it cannot be read."""
    levels = library.levels(path)
    return model_node(levels, materials) if levels else None


def _model_level(model: Model, materials: Materials) -> core.NodePath:
    geometry = core.GeomNode("model")
    for part in model.parts:
        geometry.addGeom(_geom_of(part.mesh), materials.state(Material(part.picture)))
    return core.NodePath(geometry)


def _geom_of(mesh: DrawMesh) -> core.Geom:
    return make_geom(in_drawing_order(mesh))
