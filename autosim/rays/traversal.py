"""The nearest triangle that a ray meets, found in a `Hierarchy`.

The test of a ray with a triangle is that of Woop, Benthin and Wald (2013): the corners are seen
along the ray, and neighbours compute the same number for the edge that they share, so that no ray
passes between them. Triangles are met from both sides. A ray that begins or ends on a triangle does
not meet it.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Floats32, Integers
from autosim.jit import inlined, jitable
from autosim.model.vector_kernels import Triple, cross, dot, vec_scale, vec_sub
from autosim.rays.hierarchy import WIDTH, Hierarchy
from autosim.rays.slabs import enter_boxes

NOTHING = -1
"""The place of a triangle that is not there; below it is `NOTHING - 1 - link`, see `nearest`."""

_LEAST = 1e-300
"""Ways shorter than this along an axis [m] are none: one through them would be too much."""


class Ray(NamedTuple):
    """A ray made ready for boxes and triangles.

    origin: m in W; inverse: one through its way along x, y and z, very large instead of infinite;
    near: the rows of `Hierarchy.bounds` with the sides of boxes that it passes first. along: the
    axis along which it goes furthest; across, aside: the two others; start: the origin along
    across, aside, along; shear_across, shear_aside: how far it goes there for each metre along;
    scale: one through its way along.
    """

    origin: Triple
    inverse: Triple
    near: tuple[int, int, int]
    along: int
    across: int
    aside: int
    start: Triple
    shear_across: float
    shear_aside: float
    scale: float


@jitable
def nearest(hierarchy: Hierarchy, origin: Triple, way: Triple, limit: float) -> tuple[float, int]:
    """The first triangle that a ray meets.

    Args:
        hierarchy: of what may be met.
        origin: m in W.
        way: to the ray's end [m] in W; if it has no length or is not finite, nothing is met.
        limit: share of the way beyond which nothing counts, at most 1.

    Returns:
        The share of the way, `limit` where nothing is met, and the triangle's place in
        `hierarchy.corners` or `NOTHING`. If the ray comes to what has to `grow` first, this
        place is `NOTHING - 1 - link` with its link.
    """
    best, hit = limit, NOTHING
    reach = abs(way[0]) + abs(way[1]) + abs(way[2])
    start = abs(origin[0]) + abs(origin[1]) + abs(origin[2])
    if not (0.0 < reach < np.inf and start < np.inf and len(hierarchy.order)):
        return best, hit
    ray = prepared(origin, way)
    # Out of the loop: each look at a field counts a reference.
    bounds, corners = hierarchy.bounds, hierarchy.corners
    firsts, counts = hierarchy.first, hierarchy.counts
    links, entries = hierarchy.links, hierarchy.entries
    near, inverse = ray.near, ray.inverse
    far = 3 - near[0], 5 - near[1], 7 - near[2]
    links[0], entries[0] = 0, 0.0
    height = 1
    while height > 0:
        height -= 1
        if entries[height] >= best:
            continue
        link = links[height]
        first, count = firsts[link], counts[link]
        if count < 0:
            return best, NOTHING - 1 - link
        if count > 0:
            best, hit = meet_leaf(corners, first, count, ray, best, hit)
        elif height <= len(links) - WIDTH:
            height = _meet_children(
                bounds, first, near, far, origin, inverse, best, height, links, entries
            )
    return best, hit


@jitable
def prepared(origin: Triple, way: Triple) -> Ray:
    """A ray from `origin` [m] along `way` [m], which is not zero, ready for many boxes."""
    x, y, z = abs(way[0]), abs(way[1]), abs(way[2])
    along = 0 if x >= y and x >= z else (1 if y >= z else 2)
    across, aside = (along + 1) % 3, (along + 2) % 3
    scale = 1.0 / way[along]
    near = (
        0 if way[0] > 0.0 else 3,
        1 if way[1] > 0.0 else 4,
        2 if way[2] > 0.0 else 5,
    )
    inverse = (_inverse(way[0]), _inverse(way[1]), _inverse(way[2]))
    return Ray(
        origin,
        inverse,
        near,
        along,
        across,
        aside,
        (origin[across], origin[aside], origin[along]),
        way[across] * scale,
        way[aside] * scale,
        scale,
    )


@jitable
def _inverse(way: float) -> float:
    if abs(way) > _LEAST:
        return 1.0 / way
    return 1.0 / _LEAST if way > 0.0 else -1.0 / _LEAST


@inlined
def _meet_children(
    bounds: Floats32,
    node: int,
    near: tuple[int, int, int],
    far: tuple[int, int, int],
    origin: Triple,
    inverse: Triple,
    best: float,
    height: int,
    links: Integers,
    entries: Floats,
) -> int:
    """Puts the children of a node that a ray enters on the stack, the nearest last.

    Args:
        bounds: see `Hierarchy`.
        node: whose children they are.
        near: see `Ray`.
        far: rows of `bounds` with the sides that the ray passes last.
        origin: see `Ray`.
        inverse: see `Ray`.
        best: share of the ray's way beyond which nothing counts.
        height: of the stack.
        links: the stack.
        entries: at which share of the way the ray enters each of the stack's boxes.

    Returns:
        The stack's height with them.
    """
    base = height
    shares = enter_boxes(bounds, node, near, far, origin, inverse, best)
    for k in range(WIDTH):
        enter = shares[k]
        if enter < np.inf:
            place = height
            while place > base and entries[place - 1] < enter:
                entries[place], links[place] = entries[place - 1], links[place - 1]
                place -= 1
            entries[place], links[place] = enter, node * WIDTH + k
            height += 1
    return height


@jitable
def meet_leaf(
    corners: Floats, first: int, count: int, ray: Ray, best: float, hit: int
) -> tuple[float, int]:
    """Looks whether a triangle of a leaf is nearer than `best`."""
    along, across, aside = ray.along, ray.across, ray.aside
    x, y, z = ray.start
    shear_x, shear_y = ray.shear_across, ray.shear_aside
    for t in range(first, first + count):
        az, bz, cz = corners[t, along] - z, corners[t, 3 + along] - z, corners[t, 6 + along] - z
        ax = corners[t, across] - x - shear_x * az
        bx = corners[t, 3 + across] - x - shear_x * bz
        cx = corners[t, 6 + across] - x - shear_x * cz
        ay = corners[t, aside] - y - shear_y * az
        by = corners[t, 3 + aside] - y - shear_y * bz
        cy = corners[t, 6 + aside] - y - shear_y * cz
        u, v, w = cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax
        if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
            continue
        area = u + v + w
        if area == 0.0:
            continue
        share = (u * az + v * bz + w * cz) * ray.scale / area
        if 0.0 < share < best:
            best, hit = share, t
    return best, hit


@jitable
def normal_at(corners: Floats, hit: int, way: Triple) -> Triple:
    """The unit normal in W of a triangle in its place, on the side from which a ray comes."""
    a = corners[hit, 0], corners[hit, 1], corners[hit, 2]
    b = corners[hit, 3], corners[hit, 4], corners[hit, 5]
    c = corners[hit, 6], corners[hit, 7], corners[hit, 8]
    n = cross(vec_sub(b, a), vec_sub(c, a))
    length = sqrt(dot(n, n))
    if length == 0.0:
        return 0.0, 0.0, 0.0
    return vec_scale((-1.0 if dot(n, way) > 0.0 else 1.0) / length, n)
