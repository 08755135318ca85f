"""Batches of rays: users write rays into one and read the first hit of each from it.

The kernels that cast are compiled once, for all users. A user that cast in its own kernel would
compile the search of a world and of bodies again.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled_nogil, compiled_without_refcounts
from autosim.model.vector_kernels import read_vector, write_vector
from autosim.rays.body_normals import body_normal
from autosim.rays.body_shapes import NO_BODY, BodyShapes, Solids, first_body, sort_bodies
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest, normal_at


class RayBatch(NamedTuple):
    """A batch of n rays and their hits.

    origins: (n, 3) m in W; ways: (n, 3) m in W, to their ends; robots: (n,) whose bodies each ray
    ignores. shares: (n,) of the way up to the first hit, 1 without a hit;
    triangles: (n,) numbers of the triangles of the world that they hit, else `NOTHING`; bodies:
    (n,) the body that each hits before that, else `NO_BODY`. normals: (n, 3) unit vectors in
    W, towards the origin, of the surfaces; zero without a hit. It has no rows if normals are not
    requested.
    """

    origins: Floats
    ways: Floats
    robots: Integers
    shares: Floats
    triangles: Integers
    bodies: Integers
    normals: Floats

    @classmethod
    def of(cls, count: int, *, with_normals: bool = False) -> "RayBatch":
        """Room for `count` rays."""
        return cls(
            np.zeros((count, 3)),
            np.zeros((count, 3)),
            np.zeros(count, dtype=np.int64),
            np.ones(count),
            np.full(count, NOTHING),
            np.full(count, NO_BODY),
            np.zeros((count if with_normals else 0, 3)),
        )


@compiled_nogil
def meet_world(hierarchy: Hierarchy, rays: RayBatch, begin: int, count: int) -> tuple[int, int]:
    """Finds which triangle of the world each ray meets first, and its normal.

    Args:
        hierarchy: of what may be met.
        rays: written.
        begin: the ray to begin with.
        count: of rays, the first of the batch.

    Returns:
        A link that has to `grow` first and the ray to begin with then; `NOTHING` and `count` at the
        end.
    """
    corners, numbers = hierarchy.corners, hierarchy.numbers
    for i in range(begin, count):
        way = read_vector(rays.ways[i])
        share, hit = nearest(hierarchy, read_vector(rays.origins[i]), way, 1.0)
        if hit < NOTHING:
            return NOTHING - 1 - hit, i
        rays.shares[i], rays.bodies[i] = share, NO_BODY
        rays.triangles[i] = numbers[hit] if hit != NOTHING else NOTHING
        if len(rays.normals):
            normal = normal_at(corners, hit, way) if hit != NOTHING else (0.0, 0.0, 0.0)
            write_vector(normal, rays.normals[i])
    return NOTHING, count


@compiled_without_refcounts
def meet_bodies(
    bodies: BodyShapes,
    solids: Solids | None,
    positions: Floats,
    rotations: Floats,
    rays: RayBatch,
    count: int,
) -> None:
    """Finds which body each ray meets before what it meets of the world.

    Args:
        bodies: `order`, `keys` and `axis` are written.
        solids: of those that are more than a box.
        positions: (m, 3) m in W of the origins of B.
        rotations: (m, 3, 3) R_WB.
        rays: after `meet_world`; `shares` and `bodies` are written.
        count: of rays, the first of the batch.
    """
    sort_bodies(bodies, positions)
    for i in range(count):
        rays.shares[i], rays.bodies[i] = first_body(
            bodies,
            solids,
            positions,
            rotations,
            read_vector(rays.origins[i]),
            read_vector(rays.ways[i]),
            rays.robots[i],
            rays.shares[i],
        )


@compiled_without_refcounts
def write_body_normals(
    bodies: BodyShapes,
    solids: Solids | None,
    positions: Floats,
    rotations: Floats,
    rays: RayBatch,
    count: int,
) -> None:
    """Writes the normals of the bodies that rays meet, after `meet_bodies`."""
    for i in range(count):
        body = rays.bodies[i]
        if body != NO_BODY:
            normal = body_normal(
                bodies,
                solids,
                positions[body],
                rotations[body],
                read_vector(rays.origins[i]),
                read_vector(rays.ways[i]),
                body,
                rays.shares[i],
            )
            write_vector(normal, rays.normals[i])
