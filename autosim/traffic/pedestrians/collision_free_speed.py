"""Evasion of people and posts by pedestrians: the collision-free speed model.

Speeds follow from the headway, directions from the desired direction and the neighbours
(Tordeux, Chraibi and Seyfried, Collision-free speed model for pedestrian dynamics, 2016).
"""

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import exp_of
from autosim.traffic.pedestrians.cell_lists import CELL, CellList, Posts, cell_of, hash_cell
from autosim.traffic.pedestrians.pedestrian_model import PEDESTRIAN
from autosim.traffic.pedestrians.pedestrian_rows import Network, PedestrianRow, place_on_way
from autosim.traffic.traffic_node import P
from autosim.traffic.typed_rows import Rows

FREE_DISTANCE = 1e9
"""Distance [m] without a neighbour."""


@jitable
def evasion_direction(
    i: int,
    people: Floats,
    rows: Rows[PedestrianRow],
    cells: CellList,
    wishes: Floats,
    side: float,
    wx: float,
    wy: float,
) -> tuple[float, float]:
    """The direction in which a pedestrian walks, from the desired direction and the neighbours."""
    ex, ey = wx, wy
    x, y = people[i, P.x], people[i, P.y]
    column, row = cell_of(x, y)
    for across in range(column - 1, column + 2):
        for along in range(row - 1, row + 2):
            j = cells.heads[hash_cell(across, along, len(cells.heads))]
            while j >= 0:
                gx, gy = x - people[j, P.x], y - people[j, P.y]
                gap = sqrt(gx * gx + gy * gy)
                is_here = cell_of(people[j, P.x], people[j, P.y]) == (across, along)
                if j != i and is_here and 1e-6 < gap < CELL:
                    touch = rows[i].radius + rows[j].radius
                    push = (
                        PEDESTRIAN.repulsion
                        * exp_of((touch - gap) / PEDESTRIAN.repulsion_reach)
                        / gap
                    )
                    ex += push * gx
                    ey += push * gy
                    if -(wx * gx + wy * gy) > 0.7 * gap:
                        left = _past_person(rows[j], wishes, i, j, gx, gy, gap, side)
                        ex -= left * wy
                        ey += left * wx
                j = cells.nexts[j]
    return ex, ey


@jitable
def _past_person(
    row: PedestrianRow,
    wishes: Floats,
    i: int,
    j: int,
    gx: float,
    gy: float,
    gap: float,
    side: float,
) -> float:
    """Strength of evasion to the left for a pedestrian ahead, relative to the desired direction."""
    wx, wy = wishes[i, 0], wishes[i, 1]
    if wishes[j, 0] * gx + wishes[j, 1] * gy > 0.5 * gap and row.down <= 0.0:
        # The other comes towards the pedestrian: both keep to the same side.
        return -side * (1.0 - gap / CELL)
    pace = wx * row.speed_x + wy * row.speed_y
    if pace > 0.85 * wishes[i, 2]:
        return 0.0
    # The other is slower: it is overtaken on the side of the larger offset.
    return (1.0 if wx * gy - wy * gx > 0.0 else -1.0) * PEDESTRIAN.overtaking * (1.0 - gap / CELL)


@jitable
def post_evasion(
    person: Floats,
    row: PedestrianRow,
    network: Network,
    posts: Posts,
    side: float,
    wx: float,
    wy: float,
) -> float:
    """Strength of evasion to the left for posts ahead, relative to the desired direction.

    Pedestrians pass a post on the side with more room.
    """
    left = 0.0
    x, y = person[P.x], person[P.y]
    column, line = cell_of(x, y)
    for place in range(9):
        cell = column + place // 3 - 1, line + place % 3 - 1
        k = posts.cells.heads[hash_cell(cell[0], cell[1], len(posts.cells.heads))]
        while k >= 0:
            px, py = posts.places[k, 0], posts.places[k, 1]
            if cell_of(px, py) == cell:
                touch = row.radius + posts.places[k, 2]
                needed = _need(px - x, py - y, touch, wx, wy)
                room = row.forward * _aside(px, py, row, network)
                left += needed * (-side if side * room > -PEDESTRIAN.middle_width else side)
            k = posts.cells.nexts[k]
    return left


@jitable
def _need(gx: float, gy: float, touch: float, wx: float, wy: float) -> float:
    """Strength of evasion needed for a post at relative position (gx, gy) [m], 0 if none is."""
    ahead, across = wx * gx + wy * gy, abs(wx * gy - wy * gx)
    if ahead < -touch or ahead > CELL or across > touch + PEDESTRIAN.post_clearance:
        return 0.0
    share = min(
        1.0, (touch + PEDESTRIAN.post_clearance - across) / (0.6 * PEDESTRIAN.post_clearance)
    )
    return PEDESTRIAN.post_evasion * share * (1.0 - max(ahead, 0.0) / CELL)


@jitable
def squeeze_factor(row: PedestrianRow) -> float:
    """Factor on the room of a pedestrian who has been stuck for long: they turn sideways."""
    pressed = (row.stuck - PEDESTRIAN.squeezes_after) / PEDESTRIAN.squeezing_time
    return float(1.0 - (1.0 - PEDESTRIAN.squeezed_share) * min(max(pressed, 0.0), 1.0))


@jitable
def free_headway(
    i: int,
    people: Floats,
    rows: Rows[PedestrianRow],
    cells: CellList,
    posts: Posts,
    ex: float,
    ey: float,
) -> float:
    """Headway [m] of a pedestrian: the free distance to the next one."""
    room, slim = FREE_DISTANCE, squeeze_factor(rows[i])
    x, y = people[i, P.x], people[i, P.y]
    column, row = cell_of(x, y)
    for across in range(column - 1, column + 2):
        for along in range(row - 1, row + 2):
            j = cells.heads[hash_cell(across, along, len(cells.heads))]
            while j >= 0:
                if j != i:
                    touch = slim * (rows[i].radius + rows[j].radius)
                    gx, gy = people[j, P.x] - x, people[j, P.y] - y
                    room = min(room, _free_way(gx, gy, touch, ex, ey))
                j = cells.nexts[j]
            k = posts.cells.heads[hash_cell(across, along, len(posts.cells.heads))]
            while k >= 0:
                touch = rows[i].radius + posts.places[k, 2]
                gx, gy = posts.places[k, 0] - x, posts.places[k, 1] - y
                room = min(room, _free_way(gx, gy, touch, ex, ey))
                k = posts.cells.nexts[k]
    return room


@jitable
def _free_way(gx: float, gy: float, touch: float, ex: float, ey: float) -> float:
    """Free distance [m] along a direction to a person at (gx, gy) [m] that is met at `touch`."""
    ahead = ex * gx + ey * gy
    aside = ex * gy - ey * gx
    if ahead <= 0.0 or abs(aside) > touch:
        return FREE_DISTANCE
    return sqrt(gx * gx + gy * gy) - touch


@jitable
def _aside(x: float, y: float, row: PedestrianRow, network: Network) -> float:
    """Offset [m] of a position to the left of the middle of a pedestrian's way."""
    k, _ = place_on_way(network, row.way, row.station)
    ax, ay = network.points[k, 0], network.points[k, 1]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    return float((ux * (y - ay) - uy * (x - ax)) / length)
