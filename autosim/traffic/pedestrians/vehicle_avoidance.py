"""Pedestrians and vehicles: which are near, evasion, and collisions."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.model.noise import uniform
from autosim.portable import sin_cos
from autosim.traffic.pedestrians.cell_lists import CELL
from autosim.traffic.pedestrians.pedestrian_model import PEDESTRIAN
from autosim.traffic.pedestrians.pedestrian_rows import PedestrianRow, stream_of_person
from autosim.traffic.road_users import B
from autosim.traffic.traffic_node import P

_LIES = (12.0, 20.0)
"""Shortest time [s] for which a pedestrian lies, and the range added to it."""

_FAR = 16.0
"""Distance [m] along x or y beyond which no vehicle is near, however long it is."""

NEAR = 9
"""Number of words of a pedestrian's list of near vehicles: their count, and eight of them."""


@jitable
def find_near_vehicles(person: Floats, boxes: Floats, first: int, near: Integers) -> None:
    """Adds near vehicles to a pedestrian's list: `near` has their count, then their numbers.

    The boxes are counted from `first` on.
    """
    x, y = person[P.x], person[P.y]
    for k in range(len(boxes)):
        gx, gy = x - boxes[k, B.x], y - boxes[k, B.y]
        if abs(gx) < _FAR and abs(gy) < _FAR and boxes[k, B.half_length] > 0.0:
            reach = boxes[k, B.half_length] + boxes[k, B.half_width] + CELL
            is_near = abs(gx) < reach and abs(gy) < reach
            if is_near and abs(person[P.z] - boxes[k, B.z]) < 2.0 and near[0] < len(near) - 1:
                near[0] += 1
                near[near[0]] = first + k


@jitable
def box_of(vehicles: Floats, robots: Floats, number: int) -> Floats:
    """A box by its number, those of robots after those of vehicles."""
    is_vehicle = number < len(vehicles)
    box: Floats = vehicles[number] if is_vehicle else robots[number - len(vehicles)]
    return box


@jitable
def fall_if_hit(
    person: Floats,
    row: PedestrianRow,
    vehicles: Floats,
    robots: Floats,
    near: Integers,
    counts: Floats,
    seed: int,
    i: int,
) -> None:
    """Makes a pedestrian fall when a vehicle hits them."""
    for k in range(1, near[0] + 1):
        place = 0 if near[k] < len(vehicles) else 1
        box = box_of(vehicles, robots, near[k])
        nx, ny, gap = direction_from_box(box, person[P.x], person[P.y])
        if gap > row.radius:
            continue
        if row.down <= 0.0 and is_severe(box, nx, ny, row.speed_x, row.speed_y):
            against = (box[B.speed_x] - row.speed_x) * nx
            against += (box[B.speed_y] - row.speed_y) * ny
            chance = uniform(stream_of_person(seed, i), np.uint64(10000 + int(counts[place])))
            row.down = _LIES[0] + _LIES[1] * chance
            counts[place] += 1
            if place == 1:
                row.hit_by = 1 + near[k] - len(vehicles)
                row.hit_x, row.hit_y = against * nx, against * ny
            row.speed_x += 0.8 * against * nx
            row.speed_y += 0.8 * against * ny
            row.speed_z = 0.0


@jitable
def evasion_velocity(
    person: Floats,
    row: PedestrianRow,
    vehicles: Floats,
    robots: Floats,
    near: Integers,
    seconds: float,
    vx: float,
    vy: float,
) -> tuple[float, float]:
    """A velocity [m/s] out of the way of vehicles that creep, and not into any."""
    for k in range(1, near[0] + 1):
        box = box_of(vehicles, robots, near[k])
        vx, vy = _aside_of(box, person, row.radius, vx, vy)
    for k in range(1, near[0] + 1):
        nx, ny, gap = direction_from_box(
            box_of(vehicles, robots, near[k]), person[P.x], person[P.y]
        )
        least = min((row.radius + PEDESTRIAN.touch_distance - gap) / seconds, 0.0)
        away = vx * nx + vy * ny
        if away < least:
            vx += (least - away) * nx
            vy += (least - away) * ny
    return vx, vy


@jitable
def _aside_of(
    box: Floats, person: Floats, radius: float, vx: float, vy: float
) -> tuple[float, float]:
    """A velocity [m/s] aside, to the nearer side of a vehicle that comes slowly; else the same."""
    nx, ny, gap = direction_from_box(box, person[P.x], person[P.y])
    own = box[B.speed_x] * nx + box[B.speed_y] * ny
    if own <= 0.0 or own > PEDESTRIAN.hit_from or gap > radius + PEDESTRIAN.steps_aside_at:
        return vx, vy
    s, c = sin_cos(box[B.yaw])
    across = c * (person[P.y] - box[B.y]) - s * (person[P.x] - box[B.x])
    aside = PEDESTRIAN.aside_speed if across >= 0.0 else -PEDESTRIAN.aside_speed
    return own * nx - aside * s, own * ny + aside * c


@jitable
def is_severe(box: Floats, nx: float, ny: float, vx: float, vy: float) -> bool:
    """Whether a vehicle that touches a pedestrian makes them fall.

    Args:
        box: that of the vehicle.
        nx: direction from the vehicle to the pedestrian, along x.
        ny: the same along y.
        vx: velocity of the pedestrian [m/s] along x.
        vy: the same along y.
    """
    own = box[B.speed_x] * nx + box[B.speed_y] * ny
    against = (box[B.speed_x] - vx) * nx + (box[B.speed_y] - vy) * ny
    # A pedestrian who walks against a standing vehicle is not hit by it.
    return bool(against > PEDESTRIAN.falls_from and own > PEDESTRIAN.hit_from)


@jitable
def direction_from_box(box: Floats, x: float, y: float) -> tuple[float, float, float]:
    """The direction from a box to a place, and the distance [m] between them, 0 inside."""
    gx, gy = x - box[B.x], y - box[B.y]
    s, c = sin_cos(box[B.yaw])
    along, across = c * gx + s * gy, c * gy - s * gx
    ox = along - min(max(along, -box[B.half_length]), box[B.half_length])
    oy = across - min(max(across, -box[B.half_width]), box[B.half_width])
    gap = sqrt(ox * ox + oy * oy)
    if gap <= 0.0:
        # Inside: out by the nearest side.
        if box[B.half_length] - abs(along) < box[B.half_width] - abs(across):
            ox, oy = (1.0 if along > 0.0 else -1.0), 0.0
        else:
            ox, oy = 0.0, (1.0 if across > 0.0 else -1.0)
    norm = max(gap, 1.0) if gap <= 0.0 else gap
    return (c * ox - s * oy) / norm, (s * ox + c * oy) / norm, gap
