"""Mass, centre of mass and inertia of bodies that consist of several shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Vector3
from autosim.model.quaternions import Quaternion, matrix_of, multiply_matrices, quaternion_of
from autosim.model.rigid_bodies.shapes import UNTURNED, MeshShape, PlacedShape, Shape

NOWHERE = (0.0, 0.0, 0.0)
"""[m] or [kg m²]: no offset, no products of inertia."""

_NONE = 1e-12
"""Share of the moments of inertia below which products are rounding, and there are none."""

_FLAT = 1e-3
"""[m] that the box around a mesh measures at least, so that a plane has a volume."""

_SWEEPS = 12
"""Number of rounds of Jacobi's method; it squares what is left in each, so six reach rounding."""


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass distribution of a body.

    `mass` [kg]; `centre_of_mass` [m] in B. `moments` of inertia [kg m²] about the axes of B through
    the centre of mass, and their `products`: the entries xy, xz and yz of the inertia tensor.
    """

    mass: float
    centre_of_mass: Vector3
    moments: Vector3
    products: Vector3 = NOWHERE

    def principal(self) -> tuple[Vector3, Quaternion]:
        """The principal moments [kg m²], and the rotation (x, y, z, w) of their axes to B's."""
        if self.products == NOWHERE:
            return self.moments, UNTURNED
        return _principal(self.moments, self.products)


def mass_properties(
    shapes: Sequence[PlacedShape],
    mass: float,
    *,
    centre_of_mass: Vector3 | None = None,
    moments: Vector3 | None = None,
) -> MassProperties:
    """Mass properties of a body of `mass` [kg] that has the same density everywhere.

    Args:
        shapes: of the body; what two of them share counts twice. Meshes that do not enclose a
            volume count as their box.
        mass: [kg].
        centre_of_mass: [m] in B, if it lies elsewhere; the inertia about it stays the same.
        moments: of inertia [kg m²] about the axes of B, if they are known.
    """
    centre, tensor = _homogeneous(shapes, mass)
    if moments is not None:
        return MassProperties(mass, centre_of_mass or centre, moments)
    size = float(tensor.diagonal().max())
    xx, yy, zz = tensor.diagonal().tolist()
    xy, xz, yz = float(tensor[0, 1]), float(tensor[0, 2]), float(tensor[1, 2])
    products = (xy, xz, yz) if max(abs(xy), abs(xz), abs(yz)) > _NONE * size else NOWHERE
    return MassProperties(mass, centre_of_mass or centre, (xx, yy, zz), products)


def _homogeneous(shapes: Sequence[PlacedShape], mass: float) -> tuple[Vector3, Floats]:
    """Centre of mass [m] in B, and inertia (3, 3) [kg m²] about it."""
    volumes = [_volume(each.shape) for each in shapes]
    shares = [mass * (volume / sum(volumes)) for volume in volumes]
    solids = [_solid(each, share) for each, share in zip(shapes, shares, strict=True)]
    # Of one alone exactly its own: mass * place / mass may differ in the last bit.
    centre = solids[0][0] if len(solids) == 1 else _mean([place for place, _ in solids], shares)
    tensor = np.zeros((3, 3))
    for (place, own), share in zip(solids, shares, strict=True):
        tensor = tensor + own + _of_point(place - centre, share)
    x, y, z = centre.tolist()
    return (x, y, z), tensor


def _mean(places: Sequence[Floats], masses: Sequence[float]) -> Floats:
    total = np.zeros(3)
    for place, share in zip(places, masses, strict=True):
        total = total + share * place
    return total / sum(masses)


def _of_point(arm: Floats, mass: float) -> Floats:
    """Inertia (3, 3) of a point mass (Steiner's theorem)."""
    square = float(portable.dot(arm, arm))
    return mass * (square * np.eye(3) - np.outer(arm, arm))


def _volume(shape: Shape) -> float:
    return _of_mesh(shape, 1.0)[0] if isinstance(shape, MeshShape) else shape.volume


def _solid(placed: PlacedShape, mass: float) -> tuple[Floats, Floats]:
    """Centroid (3,) [m] in B of a homogeneous shape, and inertia (3, 3) [kg m²] about it in B."""
    shape, place = placed.shape, np.array(placed.position)
    if isinstance(shape, MeshShape):
        _, centre, tensor = _of_mesh(shape, mass)
    else:
        centre, tensor = np.zeros(3), np.diag(shape.moments(mass))
    if placed.orientation == UNTURNED:
        return place + centre, tensor
    R = matrix_of(placed.orientation)
    return place + portable.dot(R, centre), multiply_matrices(multiply_matrices(R, tensor), R.T)


def _of_mesh(mesh: MeshShape, mass: float) -> tuple[float, Floats, Floats]:
    """Volume [m³], centroid (3,) [m], and inertia (3, 3) [kg m²] about it."""
    if not mesh.is_convex:
        low, high = np.array(mesh.low), np.array(mesh.high)
        x, y, z = np.maximum(high - low, _FLAT).tolist()
        box = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0
        return x * y * z, (low + high) / 2.0, np.diag(mass * box)
    return _of_hull(mesh, mass)


def _of_hull(mesh: MeshShape, mass: float) -> tuple[float, Floats, Floats]:
    """By the tetrahedra between its triangles and one corner (Tonon 2004, in B's own axes)."""
    origin = mesh.vertices[0]
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for a, b, c in (mesh.vertices[corners] - origin for corners in mesh.triangles):
        x, y, z = (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0])
        part = float(a[0] * x + a[1] * y + a[2] * z) / 6.0
        total = a + b + c
        volume += part
        first = first + part / 4.0 * total
        squares = np.outer(a, a) + np.outer(b, b) + np.outer(c, c) + np.outer(total, total)
        second = second + part / 20.0 * squares
    centre = first / volume
    spread = second / volume - np.outer(centre, centre)
    trace = float(spread[0, 0] + spread[1, 1] + spread[2, 2])
    return volume, origin + centre, mass * (trace * np.eye(3) - spread)


def _principal(moments: Vector3, products: Vector3) -> tuple[Vector3, Quaternion]:
    """By Jacobi's rotations (Golub and Van Loan, Matrix Computations, section 8.5)."""
    (xx, yy, zz), (xy, xz, yz) = moments, products
    A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    V = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(_SWEEPS):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            _annihilate(A, V, p, q)
    x, y, z = ((V[0][k], V[1][k], V[2][k]) for k in range(3))
    return (A[0][0], A[1][1], A[2][2]), quaternion_of((x, y, z))


def _annihilate(A: list[list[float]], V: list[list[float]], p: int, q: int) -> None:
    """Turns A about the third axis so that its entry (p, q) is zero; V collects the rotations."""
    if A[p][q] == 0.0:
        return
    slope = (A[q][q] - A[p][p]) / (2.0 * A[p][q])
    t = (1.0 if slope >= 0.0 else -1.0) / (abs(slope) + sqrt(slope * slope + 1.0))
    c = 1.0 / sqrt(t * t + 1.0)
    s = t * c
    for row in A:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    for k in range(3):
        A[p][k], A[q][k] = c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]
    for row in V:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
