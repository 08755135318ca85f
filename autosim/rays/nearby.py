"""The triangles of a `Hierarchy` near a place."""

from autosim.arrays import Floats, Floats32, Integers32
from autosim.jit import jitable
from autosim.model.vector_kernels import Triple
from autosim.rays.hierarchy import WIDTH, Hierarchy


@jitable
def triangles_near(hierarchy: Hierarchy, low: Triple, high: Triple, found: Integers32) -> int:
    """Finds the triangles whose boxes overlap a box.

    Args:
        hierarchy: of all triangles.
        low: least x, y, z [m] in W of the box.
        high: its greatest.
        found: (n,) written: their places in `hierarchy.corners`.

    Returns:
        How many there are, of which `found` has the first n; or -1 - link, with a link that has to
        `grow` first.
    """
    if not len(hierarchy.order):
        return 0
    bounds, links = hierarchy.bounds, hierarchy.links
    links[0] = 0
    height, number = 1, 0
    while height > 0:
        height -= 1
        link = links[height]
        first, count = hierarchy.first[link], hierarchy.counts[link]
        if count < 0:
            return int(-1 - link)
        for place in range(first, first + count):
            if _overlaps(hierarchy.corners, place, low, high):
                if number < len(found):
                    found[number] = place
                number += 1
        if count > 0 or height > len(links) - WIDTH:
            continue
        for k in range(WIDTH):
            if _is_near(bounds, first, k, low, high):
                links[height] = first * WIDTH + k
                height += 1
    return number


@jitable
def _is_near(bounds: Floats32, node: int, child: int, low: Triple, high: Triple) -> bool:
    """Whether the box of a node's child overlaps a box."""
    for axis in range(3):
        # Not the other way round: a box that is not a number holds nothing.
        if not bounds[node, axis, child] <= high[axis]:
            return False
        if not bounds[node, 3 + axis, child] >= low[axis]:
            return False
    return True


@jitable
def _overlaps(corners: Floats, place: int, low: Triple, high: Triple) -> bool:
    """Whether the box of a triangle overlaps a box."""
    for axis in range(3):
        a, b, c = corners[place, axis], corners[place, 3 + axis], corners[place, 6 + axis]
        if not (min(a, b, c) <= high[axis] and max(a, b, c) >= low[axis]):
            return False
    return True
