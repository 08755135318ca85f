"""Pieces: the meshes of a part of the world before they become nodes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.material_kinds import Material, ShaderKind
from autosim.world.geometry.renumbering import unique_rows


@dataclass(frozen=True, slots=True)
class Piece:
    """A mesh in W with its material.

    `seen_up_to` [m] is the distance from which it is too small to be seen, None where it is seen
    from everywhere; `casts_shadow` says whether the sun's camera sees it, `is_seen` whether all
    others do. Pieces of one `cell`, a square of the plan, are culled together.
    """

    mesh: DrawMesh
    material: Material
    seen_up_to: float | None = None
    casts_shadow: bool = True
    is_seen: bool = True
    cell: tuple[int, int] = (0, 0)


def in_cells(pieces: Sequence[Piece], edge: float) -> list[Piece]:
    """The pieces cut into squares with an `edge` [m]: each triangle is in that of its middle."""
    return [part for piece in pieces for part in _cut(piece, edge)]


def _cut(piece: Piece, edge: float) -> Iterator[Piece]:
    mesh = piece.mesh
    middles = mesh.vertices[mesh.triangles, :2].mean(axis=1)
    cells = np.floor(middles / edge).astype(np.int64)
    first, number = unique_rows(cells)
    for k, (x, y) in enumerate(cells[first].tolist()):
        part = mesh.select(mesh.triangles[number == k])
        yield replace(piece, mesh=part, cell=(x, y))


def from_afar(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces as seen from afar: one mesh in the mean colours of their pictures.

    Walls, whose windows are lit by night, and what shines, such as water, stay apart; what is too
    small is gone.
    """
    kept = [piece for piece in pieces if piece.seen_up_to is None]
    merged = [_plain(piece) for piece in kept if not _stays_apart(piece)]
    apart = [replace(piece, casts_shadow=False) for piece in kept if _stays_apart(piece)]
    return [
        *(
            [Piece(joined(merged), Material(shader_kind=ShaderKind.PLAIN), casts_shadow=False)]
            if merged
            else []
        ),
        *apart,
    ]


def _stays_apart(piece: Piece) -> bool:
    return piece.material.shader_kind in (ShaderKind.GLOSSY, ShaderKind.WALL)


def _plain(piece: Piece) -> DrawMesh:
    """The mesh in the mean colours of its picture, and matt."""
    picture = piece.material.picture
    colours = piece.mesh.colours.astype(np.float64)
    if picture is not None:
        colours[:, :3] *= picture.mean[:3]
    colours[:, 3] = 255.0
    return replace(piece.mesh, colours=np.round(colours).astype(np.uint8))
