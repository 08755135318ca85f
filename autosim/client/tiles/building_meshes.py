"""Walls and roofs as they are drawn: a colour for each building, windows that fit each wall."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.palette import (
    FLAT_ROOF_COLOURS,
    PITCHED_ROOF_COLOURS,
    TEXTURE_METRES,
    WALL_COLOURS,
    Colour,
)
from autosim.client.materials.surface_meshes import face_normals, normalised
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE, numbered
from autosim.client.tiles.plinths import Ground, Storeys, WithPlinths, no_plinths, with_plinths
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.renumbering import unique_rows

Bytes = npt.NDArray[np.uint8]
STOREY = 3.0
"""Height [m] of the storey, and width of the wall, that one window texture covers."""
PLAIN_WIDTH = 1.6
"""A wall narrower than this [m] has no window: it shows the plaster beside one."""
_PLAIN_SHARE = 0.1
"""Share of the texture's width that such a wall shows: the plaster left of the window."""

_FIRST_BAYS = 199
"""Number of numbers with which the bays of a wall may begin: few enough that float32 keeps the
pixels of the texture apart, a prime number lest neighbours are alike."""

_FLOOR = -0.9
"""Faces that look down more than this (z of the normal) are floors in the ground: not drawn."""


def no_instances(first_triangles: Integers) -> Integers:
    """The instances of solids that are not told apart."""
    return np.zeros(len(first_triangles), dtype=np.int64)


def building_meshes(
    mesh: Mesh,
    tints: Bytes | None = None,
    *,
    instances_of: Callable[[Integers], Integers] = no_instances,
    ground: Ground | None = None,
) -> dict[Surface, DrawMesh]:
    """Walls and roofs, each with flat faces.

    Walls take texture coordinates so that a whole number of storeys and window bays fits; with
    uneven `ground` they have no windows in it. The
    colours follow from the building's place, so that they are the same at every client and in
    every cut of the world, unless `tints` (m, 4) states them for a triangle (its last value is
    not 0). `instances_of` gives the instances of solids by the first triangle (k,) of each.
    """
    if not len(mesh.triangles):
        return {}
    owner = solid_of_triangles(mesh.triangles, len(mesh.vertices))
    hashes = _place_hashes(mesh, owner)
    instances = instances_of(np.unique(owner, return_index=True)[1])
    normals = normalised(face_normals(mesh.vertices, mesh.triangles))
    is_seen = normals[:, 2] > _FLOOR
    is_wall = mesh.surfaces == Surface.WALL
    whole = no_plinths(mesh)
    if ground is not None and is_wall.any():
        storeys = _storeys(mesh, is_wall & is_seen, owner)
        whole = with_plinths(mesh, normals, owner, storeys, STOREY, ground)
        rows = whole.sources
        normals, owner = normals[rows], owner[rows]
        is_seen, is_wall = is_seen[rows], is_wall[rows]
        tints = None if tints is None else tints[rows]
    drawn = {}
    for surface, chosen in ((Surface.WALL, is_wall & is_seen), (Surface.ROOF, ~is_wall & is_seen)):
        if chosen.any():
            faces, row = _faces(whole, normals, owner, hashes, chosen=chosen, surface=surface)
            row = np.flatnonzero(chosen)[row]
            faces = replace(faces, colours=_colours(hashes[owner[row]], normals[row], surface))
            faces = numbered(faces, CLASS_OF_SURFACE[surface], instances[owner[row]])
            drawn[surface] = faces if tints is None else _tinted(faces, tints[row])
    return drawn


def _storeys(mesh: Mesh, walls: Booleans, owner: Integers) -> Storeys:
    """The rows of windows of all solids."""
    z, of = mesh.vertices[mesh.triangles[walls], 2].ravel(), np.repeat(owner[walls], 3)
    low, high = np.full(int(owner.max()) + 1, np.inf), np.full(int(owner.max()) + 1, -np.inf)
    np.minimum.at(low, of, z)
    np.maximum.at(high, of, z)
    extent = np.where(np.isfinite(low), np.maximum(high - low, 1e-6), STOREY)
    counts = np.maximum(np.round(extent / STOREY), 1.0)
    return Storeys(low, extent / counts, counts)


def _tinted(mesh: DrawMesh, tints: Bytes) -> DrawMesh:
    """The mesh with its vertices in the colours stated for them."""
    colours = np.where(tints[:, 3:] > 0, tints, mesh.colours)
    return replace(mesh, colours=colours)


def solid_of_triangles(triangles: Integers32, vertex_count: int) -> Integers:
    """Number (m,) of the solid that each triangle belongs to: those that share vertices.

    Vertices come to know the lowest of their solid, twice as far away in each round. SciPy does it
    too, but takes longer to import than all buildings of a town to divide.
    """
    numbers = np.arange(vertex_count)
    lowest, before = numbers, np.zeros(0, dtype=np.int64)
    while not np.array_equal(lowest, before):
        before, known = lowest, lowest[triangles]
        lowest = before.copy()
        np.minimum.at(lowest, known.ravel(), np.repeat(known.min(axis=1), 3))
        lowest = lowest[lowest]
    return (np.cumsum(lowest == numbers) - 1)[lowest[triangles[:, 0]]]


def _place_hashes(mesh: Mesh, owner: Integers) -> Integers:
    """A number for each solid that follows from the south-west corner of its bounds, in dm."""
    count = int(owner.max()) + 1
    low = np.full((count, 2), np.inf)
    np.minimum.at(low, np.repeat(owner, 3), mesh.vertices[mesh.triangles.ravel(), :2])
    low[~np.isfinite(low)] = 0.0
    cells = np.round(10.0 * low).astype(np.int64)
    hashes: Integers = (cells[:, 0] * 73856093 ^ cells[:, 1] * 19349663) % 2**31
    return hashes


def _faces(
    whole: WithPlinths,
    normals: Floats,
    owner: Integers,
    hashes: Integers,
    *,
    chosen: Booleans,
    surface: Surface,
) -> tuple[DrawMesh, Integers]:
    """One vertex for each corner and orientation: shared within a face, split at its edges.

    Returns:
        The faces, yet without colours, and for each vertex a triangle, of the chosen ones, that
        it is of.
    """
    mesh, is_plain = whole.mesh, whole.is_plain[chosen]
    triangles, normals, owner = mesh.triangles[chosen], normals[chosen], owner[chosen]
    facing = np.round(normals * 50).astype(np.int64) @ np.array([1, 1000, 1000000])
    facing += 1000000000 * is_plain
    keys = np.stack([triangles.ravel(), np.repeat(facing, 3)], axis=1)
    first, numbers = unique_rows(keys)
    corner = triangles.ravel()[first]
    row = first // 3
    if surface is Surface.WALL:
        uvs = _window_places(
            mesh.vertices[corner], normals[row], owner[row], hashes, is_plain=is_plain[row]
        )
    else:
        uvs = _roof_places(mesh.vertices[corner], normals[row])
    faces = DrawMesh(
        vertices=mesh.vertices[corner].astype(np.float32),
        normals=normals[row].astype(np.float32),
        colours=np.zeros((len(corner), 4), dtype=np.uint8),
        uvs=uvs.astype(np.float32),
        triangles=numbers.reshape(-1, 3).astype(np.int32),
    )
    return faces, row


def _window_places(
    points: Floats, normals: Floats, owner: Integers, hashes: Integers, *, is_plain: Booleans
) -> Floats:
    """Texture coordinates (n, 2) on walls: u counts window bays, v storeys from the ground.

    What is plain shows the plaster beside a window. Each wall starts with its own number, so that
    no two have the same windows lit.
    """
    along = normals[:, 1] * -points[:, 0] + normals[:, 0] * points[:, 1]
    offset = np.rint(10.0 * np.sum(normals[:, :2] * points[:, :2], axis=1))
    angle = np.rint(100.0 * np.arctan2(normals[:, 1], normals[:, 0]))
    _, wall = unique_rows(np.stack([owner, angle, offset], axis=1).astype(np.int64))
    scattered = _scattered(hashes[owner] + 7919 * angle.astype(np.int64))
    u = _fitted(along, wall, STOREY, is_plain) + scattered % _FIRST_BAYS
    v = _fitted(points[:, 2], owner, STOREY) + scattered // _FIRST_BAYS % _FIRST_BAYS
    return np.stack([u, v], axis=1)


def _fitted(
    values: Floats, groups: Integers, repeat: float, is_plain: Booleans | None = None
) -> Floats:
    """Values [m] within their group's extent as a whole number of repetitions; narrow: a share."""
    low = np.full(int(groups.max()) + 1, np.inf)
    high = np.full(len(low), -np.inf)
    np.minimum.at(low, groups, values)
    np.maximum.at(high, groups, values)
    extent = np.maximum(high - low, 1e-6)
    count = np.maximum(np.round(extent / repeat), 1.0)
    count = np.where(extent < PLAIN_WIDTH, _PLAIN_SHARE, count)
    counts = count[groups]
    if is_plain is not None:
        counts = np.where(is_plain, _PLAIN_SHARE, counts)
    fitted: Floats = (values - low[groups]) / extent[groups] * counts
    return fitted


def _roof_places(points: Floats, normals: Floats) -> Floats:
    """Texture coordinates (n, 2): u along the eaves, v up the slope; on flat roofs x and y."""
    is_flat = np.abs(normals[:, 2]) > 0.99
    level = np.where(
        is_flat[:, None],
        np.array([1.0, 0.0, 0.0]),
        np.stack([-normals[:, 1], normals[:, 0], np.zeros(len(normals))], axis=1),
    )
    along = normalised(level)
    upwards = np.cross(normals, along)
    places = np.stack([np.sum(points * along, axis=1), np.sum(points * upwards, axis=1)], axis=1)
    return places / TEXTURE_METRES[Surface.ROOF]


def _colours(hashes: Integers, normals: Floats, surface: Surface) -> Bytes:
    if surface is Surface.WALL:
        return _pick(WALL_COLOURS, hashes)
    is_flat = np.abs(normals[:, 2]) > 0.99
    flat, pitched = _pick(FLAT_ROOF_COLOURS, hashes), _pick(PITCHED_ROOF_COLOURS, hashes)
    return np.asarray(np.where(is_flat[:, None], flat, pitched))


def _pick(palette: tuple[Colour, ...], hashes: Integers) -> Bytes:
    """Rows of the palette (n, 4), scattered by a fixed integer hash."""
    return np.take(np.array(palette, dtype=np.uint8), _scattered(hashes) % len(palette), axis=0)


def _scattered(hashes: Integers) -> Integers:
    """Numbers of 16 bits that look random (a fixed integer hash)."""
    return np.asarray((hashes * 2654435761 % 2**32) >> 16)
