"""Reads the triangles of Wavefront OBJ files, for collisions: of a line, `v` and `f` alone.

The axes are those of the models that are drawn, so that one file can be both: x left, y up,
z forward. The body frame's come out.
"""

from itertools import pairwise

import numpy as np

from autosim.arrays import Floats, Integers32
from autosim.errors import UserError
from autosim.model.rigid_bodies.shapes import MeshShape

MOST_TRIANGLES = 100_000
"""Number of triangles of a mesh; PyBullet takes no more than 174 762."""

MOST_CORNERS = 512
"""Number of corners of a convex hull, all of which are looked at for each contact; 100 are plenty.
"""

_LEAST_VOLUME = 1e-9
"""[m³]: a hull of a cubic millimetre is a plane."""


class MeshError(UserError):
    """A file holds no mesh that a part could have; the text says why."""


def read_mesh(content: bytes, *, is_convex: bool) -> MeshShape:
    """The triangles of an OBJ file in B's axes [m], or the convex hull of its vertices.

    Raises:
        MeshError: the content is broken, too large, or has no volume as a hull needs it.
    """
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        try:
            if words[:1] == ["v"]:
                points.append(_point(words[1:4]))
            elif words[:1] == ["f"]:
                faces += _fan([_index(word, len(points)) for word in words[1:]])
        except ValueError as error:
            raise MeshError(f"line {number}: {error}") from error
    if not faces:
        raise MeshError("it holds no faces (`f` of a Wavefront OBJ file)")
    if len(faces) > MOST_TRIANGLES:
        raise MeshError(f"it has {len(faces)} triangles; the most are {MOST_TRIANGLES}")
    vertices, triangles = np.array(points), np.array(faces, dtype=np.int32)
    if not is_convex:
        return MeshShape(vertices, triangles, is_convex=False)
    return MeshShape(*_hull(vertices[np.unique(triangles)]), is_convex=True)


def _point(words: list[str]) -> list[float]:
    x, y, z = (float(word) for word in words)
    if not np.isfinite([x, y, z]).all():
        raise ValueError("expected three finite numbers")
    return [z, x, y]


def _index(word: str, count: int) -> int:
    number = int(word.split("/", 1)[0])
    index = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= index < count:
        raise ValueError(f"there is no vertex {number} yet, of {count}")
    return index


def _fan(corners: list[int]) -> list[tuple[int, int, int]]:
    if len(corners) < 3:
        raise ValueError("a face needs three corners or more")
    return [(corners[0], second, third) for second, third in pairwise(corners[1:])]


def _hull(points: Floats) -> tuple[Floats, Integers32]:
    """Corners and outward triangles of a convex hull."""
    # Most robots have no mesh, and clients start without SciPy.
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise MeshError("its vertices lie in a plane: a convex mesh needs a volume") from error
    if hull.volume < _LEAST_VOLUME:
        raise MeshError("its vertices lie in a plane: a convex mesh needs a volume")
    if len(hull.vertices) > MOST_CORNERS:
        raise MeshError(
            f"its convex hull has {len(hull.vertices)} corners; the most are {MOST_CORNERS}: "
            "give it a simpler file than the one that is drawn"
        )
    numbers = np.zeros(len(points), dtype=np.int32)
    numbers[hull.vertices] = np.arange(len(hull.vertices))
    triangles = numbers[hull.simplices]
    vertices = points[hull.vertices]
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    is_inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
    triangles[is_inward] = triangles[is_inward][:, ::-1]
    return vertices, np.ascontiguousarray(triangles)
