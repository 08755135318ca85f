"""A hierarchy of boxes around the triangles of a world, which grows where rays come.

Each node has four children with their boxes side by side (a BVH4). A child is a node, a leaf of few
triangles, or a range of triangles that no ray has come near yet: `grow` replaces it when the first
one does. What a subtree looks like follows from its triangles alone, never from when it was made.
Ranges are divided where the surface area heuristic (MacDonald and Booth 1990), taken at the borders
of bins (Wald 2007), says that rays cost least.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Floats32, Integers, Integers32
from autosim.jit import compiled, jitable

WIDTH = 4
"""Number of children of a node: a ray is compared with four boxes at once."""

LEAF_TRIANGLES = 3
"""Most triangles of a leaf."""

STACK = 256
"""Children that wait while a ray looks at others: three for each level. Coordinates of 64 bits
never make more levels than this allows."""

CHUNK_TRIANGLES = 1024
"""So many triangles at most are put in order at once: a millisecond's work."""

_BINS = 16
"""Number of places where a node may be divided (binned surface-area heuristic, Wald 2007: 16 come
close to trying all)."""

_MARGIN, _ROUNDING = 1e-6, 2e-7
"""Boxes are this much larger [m] than what is in them, and this share of their coordinates: more
than single precision and the arithmetic of rays lose."""


class Hierarchy(NamedTuple):
    """The nodes and triangles of a hierarchy as arrays; written by `grow`, read by rays.

    A link is the number of a child: node * WIDTH + place in the node. Link 0 is the whole.

    bounds: (nodes, 6, WIDTH) float32 m in W, of each child minimum x, y, z and maximum x, y, z; of
    an absent child infinite and minus infinite. first, counts: (links,) of each child; count 0: the
    node `first`; positive: a leaf with this number of `corners` from `first` on; negative: this
    number of entries of `order` from `first` on that are not sorted yet. corners: (triangles, 9) m
    in W, the corners of the triangles in leaves; numbers: (triangles,) which they are. order:
    (triangles,) all of them, each range of a link together. used: (2,) how many nodes and corners
    there are. links, entries: (STACK,) scratch of rays, the children that wait and where they are
    entered.
    """

    bounds: Floats32
    first: Integers32
    counts: Integers32
    corners: Floats
    numbers: Integers32
    order: Integers32
    used: Integers
    links: Integers
    entries: Floats


def with_own_stack(hierarchy: Hierarchy) -> Hierarchy:
    """The same hierarchy with scratch of its own, for rays in another thread."""
    return hierarchy._replace(
        links=np.empty_like(hierarchy.links), entries=np.empty_like(hierarchy.entries)
    )


def make_hierarchy(boxes: Floats, counts: Integers) -> Hierarchy:
    """A hierarchy of blocks of triangles, none of which is in order yet.

    Args:
        boxes: (blocks, 6) m in W around each block.
        counts: (blocks,) how many triangles each has; they follow each other.
    """
    triangles, blocks = int(counts.sum()), len(counts)
    capacity = triangles + 2 * blocks + 2
    # Memory that is never written is none: only what rays come near has any.
    hierarchy = Hierarchy(
        np.empty((capacity, 6, WIDTH), dtype=np.float32),
        np.zeros(capacity * WIDTH, dtype=np.int32),
        np.zeros(capacity * WIDTH, dtype=np.int32),
        np.empty((triangles, 9)),
        np.empty(triangles, dtype=np.int32),
        np.arange(triangles, dtype=np.int32),
        np.array([1, 0]),
        np.empty(STACK, dtype=np.int64),
        np.empty(STACK),
    )
    if blocks:
        firsts = np.cumsum(counts) - counts
        rows = np.arange(blocks)
        links = divide(hierarchy, boxes, rows, 0, 0, 1)
        blocks_of = rows[hierarchy.first[links]]
        hierarchy.first[links] = firsts[blocks_of]
        hierarchy.counts[links] = -counts[blocks_of]
    return hierarchy


@compiled
def mesh_boxes(vertices: Floats, triangles: Integers32, starts: Integers) -> Floats:
    """The boxes (n, 6) m around the triangles from each of `starts` (n + 1,) to the next."""
    boxes = np.empty((len(starts) - 1, 6))
    for i in range(len(boxes)):
        _reset(boxes[i])
        for row in range(starts[i], starts[i + 1]):
            for corner in range(3):
                for k in range(3):
                    place = vertices[triangles[row, corner], k]
                    boxes[i, k] = min(boxes[i, k], place)
                    boxes[i, k + 3] = max(boxes[i, k + 3], place)
    return boxes


def grow(
    hierarchy: Hierarchy, link: int, vertices: Floats, triangles: Integers32, base: int
) -> None:
    """Puts the triangles of a link in order, or divides them into chunks if they are many.

    Args:
        hierarchy: that grows.
        link: with a negative count.
        vertices: (n, 3) m in W of the mesh that the link's triangles are of.
        triangles: (m, 3) of the mesh.
        base: number of the mesh's first triangle.
    """
    first, count = int(hierarchy.first[link]), -int(hierarchy.counts[link])
    order = hierarchy.order[first : first + count]
    boxes, rows = _triangle_boxes(order, vertices, triangles, base), np.arange(count)
    most = CHUNK_TRIANGLES if count > CHUNK_TRIANGLES else LEAF_TRIANGLES
    ranges = divide(hierarchy, boxes, rows, link, first, most)
    order[:] = order[rows]
    if most == LEAF_TRIANGLES:
        _fill_leaves(hierarchy, ranges, vertices, triangles, base)


@compiled
def _triangle_boxes(
    order: Integers32, vertices: Floats, triangles: Integers32, base: int
) -> Floats:
    """The boxes (n, 6) m of the triangles of these numbers (n,)."""
    boxes = np.empty((len(order), 6))
    for i in range(len(order)):
        row = order[i] - base
        for k in range(3):
            p = vertices[triangles[row, 0], k]
            q = vertices[triangles[row, 1], k]
            r = vertices[triangles[row, 2], k]
            boxes[i, k], boxes[i, k + 3] = min(p, q, r), max(p, q, r)
    return boxes


@compiled
def _fill_leaves(
    hierarchy: Hierarchy, links: Integers, vertices: Floats, triangles: Integers32, base: int
) -> None:
    """Turns ranges of `order` into leaves."""
    for link in links:
        first, count = hierarchy.first[link], -hierarchy.counts[link]
        to = hierarchy.used[1]
        for i in range(count):
            number = hierarchy.order[first + i]
            hierarchy.numbers[to + i] = number
            for corner in range(3):
                for k in range(3):
                    place = vertices[triangles[number - base, corner], k]
                    hierarchy.corners[to + i, 3 * corner + k] = place
        hierarchy.first[link], hierarchy.counts[link] = to, count
        hierarchy.used[1] = to + count


@compiled
def divide(
    hierarchy: Hierarchy, boxes: Floats, rows: Integers, link: int, base: int, most: int
) -> Integers:
    """Makes the nodes between a link and ranges of at most `most` boxes.

    Args:
        hierarchy: gets the nodes.
        boxes: (n, 6) m in W.
        rows: (n,) of boxes, brought into the order of the ranges.
        link: that the first node is put at.
        base: what is added to the places in `rows` where a link's range begins.
        most: boxes in a range.

    Returns:
        The links (k,) of the ranges, whose counts are negative.
    """
    waiting = np.empty((len(rows), 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, len(rows), link
    links = np.empty(len(rows), np.int64)
    scratch = np.empty((2 * _BINS, 6))
    tallies = np.empty(_BINS, np.int64)
    ends = np.empty(WIDTH + 1, np.int64)
    height, found = 1, 0
    while height > 0:
        height -= 1
        low, high, link = waiting[height, 0], waiting[height, 1], waiting[height, 2]
        if high - low <= most:
            hierarchy.first[link], hierarchy.counts[link] = base + low, low - high
            links[found] = link
            found += 1
            continue
        parts = _quarter(boxes, rows, low, high, most, ends, scratch, tallies)
        node = hierarchy.used[0]
        hierarchy.used[0] = node + 1
        hierarchy.first[link], hierarchy.counts[link] = node, 0
        for place in range(WIDTH):
            if place < parts:
                _bound(boxes, rows, ends[place], ends[place + 1], scratch[0])
                waiting[height, 0], waiting[height, 1] = ends[place], ends[place + 1]
                waiting[height, 2] = node * WIDTH + place
                height += 1
            else:
                _reset(scratch[0])
            _write_box(hierarchy.bounds, node, place, scratch[0])
    return links[:found]


@jitable
def _write_box(bounds: Floats32, node: int, place: int, box: Floats) -> None:
    """Writes a box, a little larger, as that of a child."""
    for k in range(3):
        low, high = box[k], box[k + 3]
        if low <= high:
            low -= abs(low) * _ROUNDING + _MARGIN
            high += abs(high) * _ROUNDING + _MARGIN
        bounds[node, k, place], bounds[node, k + 3, place] = low, high


@jitable
def _quarter(
    boxes: Floats,
    rows: Integers,
    low: int,
    high: int,
    most: int,
    ends: Integers,
    scratch: Floats,
    tallies: Integers,
) -> int:
    """Divides the range from `low` to `high` into up to WIDTH parts, the largest one first.

    Returns:
        How many; they lie between `ends`, which is written.
    """
    parts = 1
    ends[0], ends[1] = low, high
    while parts < WIDTH:
        largest, area = -1, -1.0
        for i in range(parts):
            if ends[i + 1] - ends[i] > most:
                _bound(boxes, rows, ends[i], ends[i + 1], scratch[0])
                size = _area(scratch[0])
                if size > area:
                    largest, area = i, size
        if largest < 0:
            break
        cut = _split(boxes, rows, ends[largest], ends[largest + 1], scratch, tallies)
        for i in range(parts, largest, -1):
            ends[i + 1] = ends[i]
        ends[largest + 1] = cut
        parts += 1
    return parts


@jitable
def _split(
    boxes: Floats, rows: Integers, low: int, high: int, scratch: Floats, tallies: Integers
) -> int:
    """Divides a range in two where rays cost least, and returns where the second begins."""
    axis, start, extent = _longest(boxes, rows, low, high)
    if not extent > 0.0:
        return (low + high) // 2
    scale = _BINS * (1.0 - 1e-9) / extent
    tallies[:] = 0
    for i in range(_BINS):
        _reset(scratch[i])
    for i in range(low, high):
        row = rows[i]
        bin_ = int((boxes[row, axis] + boxes[row, axis + 3] - start) * scale)
        tallies[bin_] += 1
        _include(scratch[bin_], boxes[row])
    best = _cheapest(scratch, tallies, high - low)
    i, j = low, high - 1
    while i <= j:
        row = rows[i]
        if int((boxes[row, axis] + boxes[row, axis + 3] - start) * scale) <= best:
            i += 1
        else:
            rows[i], rows[j] = rows[j], row
            j -= 1
    return i


@jitable
def _cheapest(scratch: Floats, tallies: Integers, count: int) -> int:
    """The last bin of the first part, where areas times counts of both parts are least."""
    box = scratch[_BINS]
    _reset(box)
    behind = 0
    for i in range(_BINS - 1, 0, -1):
        _include(box, scratch[i])
        behind += tallies[i]
        scratch[_BINS + i, 0] = _area(box) * behind if behind else np.inf
    _reset(box)
    ahead, best, least = 0, 0, np.inf
    for i in range(_BINS - 1):
        _include(box, scratch[i])
        ahead += tallies[i]
        if 0 < ahead < count:
            cost = _area(box) * ahead + scratch[_BINS + i + 1, 0]
            if cost < least:
                best, least = i, cost
    return best


@jitable
def _longest(boxes: Floats, rows: Integers, low: int, high: int) -> tuple[int, float, float]:
    """The axis along which the middles reach furthest, where they begin and how far; doubled."""
    axis, start, extent = 0, 0.0, -1.0
    for k in range(3):
        least, largest = np.inf, -np.inf
        for i in range(low, high):
            middle = boxes[rows[i], k] + boxes[rows[i], k + 3]
            least, largest = min(least, middle), max(largest, middle)
        if largest - least > extent:
            axis, start, extent = k, least, largest - least
    return axis, start, extent


@jitable
def _bound(boxes: Floats, rows: Integers, low: int, high: int, box: Floats) -> None:
    """Writes the box (6,) around those of a range."""
    _reset(box)
    for i in range(low, high):
        _include(box, boxes[rows[i]])


@jitable
def _reset(box: Floats) -> None:
    """Makes a box (6,) that holds nothing."""
    for k in range(3):
        box[k], box[k + 3] = np.inf, -np.inf


@jitable
def _include(box: Floats, other: Floats) -> None:
    """Enlarges a box (6,) so that it holds another one."""
    for k in range(3):
        box[k] = min(box[k], other[k])
        box[k + 3] = max(box[k + 3], other[k + 3])


@jitable
def _area(box: Floats) -> float:
    """Half of the surface of a box (6,) [m^2]."""
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    area: float = x * y + y * z + z * x
    return area
