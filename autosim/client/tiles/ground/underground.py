"""Underground parts of bridges and tunnels: seen from within a tunnel, never from afar."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats
from autosim.client.materials.surface_meshes import face_normals, normalised
from autosim.world.compiled.ground_index import DRIVABLE, GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.renumbering import unique_rows

_COVER = 0.1
"""Depth [m] below the ground from which a triangle, with all corners there, is invisible from
above."""
_UPRIGHT = 0.5
"""A face whose normal's z (without unit) is less than this, up or down, is a wall:
steeper than 60°."""

DAYLIGHT_REACH = 25.0
"""Distance [m] that daylight reaches into a tunnel: some times its height."""
_SAME_PLACE = 1e-3
"""Distance [m] in plan within which middles of triangles lie over each other: a millimetre is far
below a deck's width, and far above rounding."""


class Structures:
    """Bridges and tunnels in parts, each made when it is first asked for.

    Args:
        mesh: those of a tile.
        ground: of the same tile and a little around it; open where tunnels come out of it.
    """

    def __init__(self, mesh: Mesh, ground: Mesh) -> None:
        self._mesh = mesh
        self._is_under = _is_covered(mesh, ground)

    @cached_property
    def in_the_open(self) -> Mesh:
        """The part above the ground."""
        return self._mesh.select(~self._is_under)

    @cached_property
    def inside(self) -> Mesh:
        """The parts of tunnels that are visible from within: no slabs, which lie on the earth."""
        is_slab, is_roof, _ = self._layers
        return self._mesh.select(self._is_under & ~is_slab & ~is_roof)

    @cached_property
    def shell(self) -> Mesh:
        """Roofs and walls of tunnels, which keep the sun out."""
        _, is_roof, is_wall = self._layers
        return self._mesh.select(self._is_under & (is_roof | is_wall))

    @cached_property
    def _layers(self) -> tuple[Booleans, Booleans, Booleans]:
        """Whether each of m triangles is a slab, roof or wall, if it is under the ground."""
        mesh = self._mesh
        upward = normalised(face_normals(mesh.vertices, mesh.triangles))[:, 2]
        is_lowest, is_highest = _outermost(mesh)
        is_concrete = mesh.surfaces == Surface.CONCRETE
        is_slab = (upward < -_UPRIGHT) & is_lowest
        is_roof = (upward > _UPRIGHT) & is_highest & is_concrete
        return is_slab, is_roof, (np.abs(upward) <= _UPRIGHT) & is_concrete


def tunnel_mouths(structures: Mesh, ground: Mesh) -> Floats:
    """Entries of daylight into tunnels: points (k, 3) [m] on the floor at which cover begins."""
    floors = structures.select(np.isin(structures.surfaces, DRIVABLE))
    is_under = _is_covered(floors, ground)
    is_inside, is_outside = np.zeros((2, len(floors.vertices)), dtype=np.bool_)
    is_inside[floors.triangles[is_under]] = True
    is_outside[floors.triangles[~is_under]] = True
    return np.asarray(floors.vertices[is_inside & is_outside])


def daylight_shares(points: npt.NDArray[np.floating], mouths: Floats) -> Floats:
    """Shares (n,) of the daylight outside at points (n, 3) [m] in tunnels with `mouths` (k, 3)."""
    squares = np.full(len(points), DAYLIGHT_REACH**2)
    x, y, z = np.ascontiguousarray(points.T, dtype=np.float64)
    for a, b, c in mouths.tolist():
        np.minimum(squares, (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2, out=squares)
    return np.asarray((1.0 - np.sqrt(squares) / DAYLIGHT_REACH) ** 2)


def _is_covered(structures: Mesh, ground: Mesh) -> Booleans:
    """Whether each of m triangles has ground over all of its corners."""
    if not len(structures.triangles) or not len(ground.triangles):
        return np.zeros(len(structures.triangles), dtype=np.bool_)
    # The layers of a structure have the same corners in plan: each place is looked up once. As
    # complex numbers, places are sorted in a fifth of the time.
    plan = structures.vertices[:, :2].copy().view(np.complex128)[:, 0]
    different, row = np.unique(plan, return_inverse=True)
    places = different.view(np.float64).reshape(-1, 2)
    cover = GroundIndex.build(ground, about=places).heights_at(places)[row]
    # Beyond the ground and in its holes the height is NaN, and nothing is below.
    is_low = structures.vertices[:, 2] < cover - _COVER
    return np.asarray(is_low[structures.triangles].all(axis=1))


def _outermost(mesh: Mesh) -> tuple[Booleans, Booleans]:
    """Whether each of m triangles of tunnels has nothing below it, and whether nothing above.

    All layers of a tunnel are the same triangles in plan: what lies lowest and looks down is a
    slab on the earth, what lies highest and looks up a roof in it.
    """
    middles = mesh.vertices[mesh.triangles].mean(axis=1)
    _, place = unique_rows(np.round(middles[:, :2] / _SAME_PLACE).astype(np.int64))
    order = np.lexsort((middles[:, 2], place))
    is_new = np.diff(place[order]) > 0
    is_lowest, is_highest = np.ones((2, len(order)), dtype=np.bool_)
    is_lowest[order[1:]] = is_new
    is_highest[order[:-1]] = is_new
    return is_lowest, is_highest
