"""What of bridges and tunnels lies under the ground: seen from within a tunnel, never from afar."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.client.meshes import face_normals, normalised
from autosim.world.compiled import Mesh, Surface
from autosim.world.ground_index import DRIVABLE, GroundIndex

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
_COVER = 0.1
"""What lies as much [m] below the ground, with all of its corners, cannot be seen from above."""
_UPRIGHT = 0.5
DAYLIGHT_REACH = 25.0
"""How far [m] daylight comes into a tunnel: some times its height."""
_SAME_PLACE = 1e-3


@dataclass(frozen=True, slots=True)
class Structures:
    """Bridges and tunnels in parts: in the open, and of what is below the ground two.

    `inside` is what is seen from within; `shell`, roofs and walls, is what keeps the sun out.
    """

    in_the_open: Mesh
    inside: Mesh
    shell: Mesh


def divided(structures: Mesh, ground: Mesh) -> Structures:
    """Divides what is on a tile; the slabs of tunnels, which lie on the earth, are left out.

    Args:
        structures: bridges and tunnels of a tile.
        ground: of the same tile and a little around it; open where tunnels come out of it.
    """
    is_under = _is_covered(structures, ground)
    upward = normalised(face_normals(structures.vertices, structures.triangles))[:, 2]
    is_lowest, is_highest = _outermost(structures)
    is_concrete = structures.surfaces == Surface.CONCRETE
    is_slab = (upward < -_UPRIGHT) & is_lowest
    is_roof = (upward > _UPRIGHT) & is_highest & is_concrete
    is_wall = (np.abs(upward) <= _UPRIGHT) & is_concrete
    return Structures(
        structures.select(~is_under),
        structures.select(is_under & ~is_slab & ~is_roof),
        structures.select(is_under & (is_roof | is_wall)),
    )


def tunnel_mouths(structures: Mesh, ground: Mesh) -> Floats:
    """Where daylight comes into tunnels: places (k, 3) [m] on the floor at which cover begins."""
    floors = structures.select(np.isin(structures.surfaces, DRIVABLE))
    is_under = _is_covered(floors, ground)
    is_inside, is_outside = np.zeros((2, len(floors.vertices)), dtype=np.bool_)
    is_inside[floors.triangles[is_under]] = True
    is_outside[floors.triangles[~is_under]] = True
    return np.asarray(floors.vertices[is_inside & is_outside])


def daylight_shares(points: npt.NDArray[np.floating], mouths: Floats) -> Floats:
    """Shares (n,) of the daylight outside at points (n, 3) [m] in tunnels with `mouths` (k, 3)."""
    squares = np.full(len(points), DAYLIGHT_REACH**2)
    for mouth in mouths:
        np.minimum(squares, np.sum((points - mouth) ** 2, axis=1), out=squares)
    return np.asarray((1.0 - np.sqrt(squares) / DAYLIGHT_REACH) ** 2)


def _is_covered(structures: Mesh, ground: Mesh) -> Booleans:
    """Which triangles (m,) have ground over all of their corners."""
    if not len(structures.triangles) or not len(ground.triangles):
        return np.zeros(len(structures.triangles), dtype=np.bool_)
    # The layers of a structure have the same corners in plan: each place is looked up once.
    places, row = np.unique(structures.vertices[:, :2], axis=0, return_inverse=True)
    cover = GroundIndex.build(ground, about=places).heights_at(places)[row.reshape(-1)]
    # Beyond the ground and in its holes the height is NaN, and nothing is below.
    is_low = structures.vertices[:, 2] < cover - _COVER
    return np.asarray(is_low[structures.triangles].all(axis=1))


def _outermost(mesh: Mesh) -> tuple[Booleans, Booleans]:
    """Which triangles (m,) of tunnels have nothing below them, and which nothing above.

    All layers of a tunnel are the same triangles in plan: what lies lowest and looks down is a
    slab on the earth, what lies highest and looks up a roof in it.
    """
    middles = mesh.vertices[mesh.triangles].mean(axis=1)
    places = np.round(middles[:, :2] / _SAME_PLACE).astype(np.int64)
    order = np.lexsort((middles[:, 2], places[:, 1], places[:, 0]))
    is_new = np.diff(places[order], axis=0).any(axis=1)
    is_lowest, is_highest = np.ones((2, len(order)), dtype=np.bool_)
    is_lowest[order[1:]] = is_new
    is_highest[order[:-1]] = is_new
    return is_lowest, is_highest
