"""Makes closed solids over footprints: roofs, walls under their borders, floors. Vectorised."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.world.buildings.roof_plans import RoofPlan, cut_at_ridges
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges, empty_mesh

FOUNDATION = 0.5
"""Depth [m] of a building's underside below the lowest ground at its corners: between the corners
the ground may lie lower, and no gap must show."""

_LEAST_HEIGHT = 1.0
"""Least height [m] of a solid from its underside in the ground to its eaves, on a steep slope."""


def raised_solids(
    plans: Sequence[RoofPlan],
    *,
    eaves: Floats,
    bases: Floats,
    levels: Floats,
    height: HeightFunction,
) -> tuple[Mesh, Integers, Booleans]:
    """Makes the solids under roof plans as one mesh, solid after solid.

    Args:
        plans: the roofs from above.
        eaves: (n,) height [m] of the eaves above their level.
        bases: (n,) height [m] of the underside above their level; 0 for solids on the ground.
        levels: (n,) heights [m] in W; NaN for the mean ground at the footprint's corners.
        height: the height function of the ground.

    Returns:
        The mesh, the number of the plan to which each triangle belongs, and of each plan (n,)
        whether its solid begins above the ground.
    """
    if not plans:
        return empty_mesh(), np.zeros(0, np.int64), np.zeros(0, np.bool_)
    counts = np.array([len(plan.vertices) for plan in plans])
    starts = np.cumsum(counts) - counts
    of_vertex = np.repeat(np.arange(len(plans)), counts)
    outline = np.vstack([plan.vertices for plan in plans])
    triangles = np.vstack([p.triangles + np.int32(s) for p, s in zip(plans, starts, strict=True)])
    owner = np.repeat(np.arange(len(plans)), [len(plan.triangles) for plan in plans])
    ground = height(outline)
    lowest = np.minimum.reduceat(ground, starts)
    floors = lowest - FOUNDATION
    means = np.add.reduceat(ground, starts) / counts
    means = np.where(np.isnan(levels), means, np.maximum(levels, floors + _LEAST_HEIGHT - eaves))
    floors = np.where(bases > 0.0, means + bases, floors)
    rises = np.concatenate([plan.rises for plan in plans])
    ridge = np.array([plan.ridge_rise for plan in plans])[of_vertex]
    table = np.column_stack([outline, rises, ridge, of_vertex])
    across = np.concatenate([plan.across for plan in plans])
    table, triangles, origins = cut_at_ridges(table, triangles, across)
    # A vertex on a ridge is as high as the ridge, whatever interpolation gives.
    table[len(outline) :, 2] = table[len(outline) :, 3]
    number = np.round(table[:, 4]).astype(np.int64)
    tops = np.column_stack([table[:, :2], (means + eaves)[number] + table[:, 2]])
    bottoms = np.column_stack([table[:, :2], floors[number]])
    return *_closed(tops, bottoms, triangles, owner[origins]), floors > lowest


def _closed(
    tops: Floats, bottoms: Floats, triangles: Integers32, owner: Integers
) -> tuple[Mesh, Integers]:
    """Roofs, the floors under them and the walls between, in the order of their owners."""
    count = np.int32(len(tops))
    a, b = boundary_edges(triangles).T
    wall_owner = np.zeros(len(tops), dtype=np.int64)
    wall_owner[triangles.ravel()] = np.repeat(owner, 3)
    walls = np.vstack(
        [np.column_stack([a + count, b + count, b]), np.column_stack([a + count, b, a])]
    )
    everything = np.vstack([triangles, triangles[:, ::-1] + count, walls]).astype(np.int32)
    owners = np.concatenate([owner, owner, np.tile(wall_owner[a], 2)])
    surfaces = np.full(len(everything), Surface.WALL, dtype=np.uint8)
    surfaces[: len(triangles)] = Surface.ROOF
    order = np.argsort(owners, kind="stable")
    mesh = Mesh(np.vstack([tops, bottoms]), everything[order], surfaces[order])
    return mesh, owners[order]
