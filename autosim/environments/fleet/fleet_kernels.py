"""One step of many cars without forces: how they move, what they see, and what that is worth."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.environments.action_mapping import MOST_STEERING, acceleration_of
from autosim.jit import compiled_nogil, inlined
from autosim.model.noise import uniform
from autosim.rays.batch import RayBatch
from autosim.tracks.conflict_view import HALF_CAR, HALF_LENGTH
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.lane_view import (
    ALLOWED,
    HALF,
    HEADING_ERROR,
    SIDE,
    STATION,
    WIDTH,
    observe_lane_of,
)

WHEELBASE, REAR_AXLE = 2.52, 1.19
"""Measures [m] of the car that AutoSim ships: between its axles, and from its middle back to the
rear one."""

STEERING_RATE = 1.2
"""[rad/s] at which the wheels follow: a turn of the steering wheel in about a second."""

ROLLING, AIR = 0.15, 0.0004
"""Losses of speed: [m/s²] by rolling, and [1/m] times the square of the speed by the air."""

MOST_LATERAL = 7.0
"""[m/s²] across that tyres give: beyond it a car turns less than its wheels say."""

SUBSTEPS = 4
"""Steps in which one of the environment is driven: at 0.1 s and 20 m/s half a metre each."""

RAY_HEIGHT = 0.6
"""Height [m] of the rays above the ground: above kerbs, below the bonnets of cars."""

OUTLINE_RAYS = 6
"""Number of rays of a car that find contacts: the four sides of its outline, and both diagonals."""

_CORNERS = ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0))
"""Corners of the outline in half lengths ahead and half widths to the left."""

_ENDS = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))
"""Numbers of the corners at which each of those rays begins and ends."""

_MOVING = 0.2
"""Speed [m/s] below which a car stands."""

LEFT_LANE, COLLIDED, TURNED_AROUND, STOOD, ARRIVED, OUT_OF_TIME = range(1, 7)
"""Possible endings of an episode; 0: it continues."""


class Weights(NamedTuple):
    """Rewards of a step, see `rewards`, and what ends an episode, see `endings`.

    Attributes:
        progress: reward per metre of progress along the path [1/m].
        off_middle: cost per second at the lane's border; it grows with the square of the offset.
        jerking: cost of a change of the actions.
        speeding: cost per second and m/s above the speed limit.
        cornering: cost per second and m/s² beyond `lateral`.
        lateral: lateral acceleration without cost [m/s²].
        half_widths: offset from the lane's middle that ends an episode, in half widths.
        left: reward for leaving the lane.
        angle: heading error that ends an episode [rad].
        turned: reward for turning around.
        standing: time without motion that ends an episode [s].
        stood: reward for such a stop.
        distance: distance to the path's end at which a car has arrived [m].
        arrived: reward for arriving.
        collided: reward for a collision.
    """

    progress: float
    off_middle: float
    jerking: float
    speeding: float
    cornering: float
    lateral: float
    half_widths: float
    left: float
    angle: float
    turned: float
    standing: float
    stood: float
    distance: float
    arrived: float
    collided: float


class Cars(NamedTuple):
    """The cars: rows of n of them.

    `poses` (n, 4): x, y [m] of the middle and yaw [rad] in W, speed [m/s]; `wheels` (n,) [rad];
    `actions` (n, 2) and `last_actions`; `path` and the nearest `rows` there; `views` and `told` as
    `lane_view.look` writes them; `since` (n, 2) [s] begun and standing; `episodes` (n,) begun so
    far; `shares` (n, rays) of the range of each ray; `touches` (n,): whether something is in the
    outline; `rewards` (n,), `ended` (n,) why, and `returns` (n, 2): sum of rewards and steps of the
    episode.
    """

    poses: Floats
    wheels: Floats
    actions: Floats
    last_actions: Floats
    path: Integers
    rows: Integers
    views: Floats
    told: Floats
    since: Floats
    episodes: Integers
    shares: Floats
    touches: Booleans
    rewards: Floats
    ended: Bytes
    returns: Floats

    @classmethod
    def of(cls, count: int, rays: int) -> "Cars":
        """`count` cars with `rays` each, none of which has begun an episode."""
        return cls(
            np.zeros((count, 4)),
            np.zeros(count),
            np.zeros((count, 2)),
            np.zeros((count, 2)),
            np.zeros(count, dtype=np.int64),
            np.full(count, -1, dtype=np.int64),
            np.zeros((count, WIDTH)),
            np.zeros((count, 5)),
            np.zeros((count, 2)),
            np.zeros(count, dtype=np.int64),
            np.ones((count, rays)),
            np.zeros(count, dtype=np.bool_),
            np.zeros(count),
            np.zeros(count, dtype=np.uint8),
            np.zeros((count, 2)),
        )


@compiled_nogil
def begin_episodes(
    paths: PathArrays,
    cars: Cars,
    streams: npt.NDArray[np.uint64],
    offset: float,
    turn: float,
    chosen: Integers,
) -> None:
    """Draws new starts for the `chosen` cars."""
    for car in chosen:
        counter = np.uint64(4 * cars.episodes[car])
        stream = streams[car]
        path = int(uniform(stream, counter) * (len(paths.starts) - 1))
        begin, end = paths.starts[path], paths.starts[path + 1]
        row = begin + int(uniform(stream, counter + np.uint64(1)) * max(1, (end - begin) // 2))
        side = (2.0 * uniform(stream, counter + np.uint64(2)) - 1.0) * offset
        angle = (2.0 * uniform(stream, counter + np.uint64(3)) - 1.0) * turn
        start_episode(paths, cars, car, path, row, side * paths.half_widths[row], angle)


@compiled_nogil
def begin_chosen(
    paths: PathArrays, cars: Cars, places: Integers, aside: Floats, chosen: Integers
) -> None:
    """Begins episodes of the `chosen` cars at given starts.

    Args:
        paths: all paths.
        cars: written.
        places: (k, 2) number of the path, and the point on it, counted over all paths.
        aside: (k, 2) distance [m] and angle [rad] to the left of the path.
        chosen: (k,) the cars.
    """
    for k in range(len(chosen)):
        start_episode(paths, cars, chosen[k], places[k, 0], places[k, 1], aside[k, 0], aside[k, 1])


@inlined
def start_episode(
    paths: PathArrays, cars: Cars, car: int, path: int, row: int, side: float, angle: float
) -> None:
    """Puts a car beside a point of a path, standing, and looks ahead from there."""
    heading = paths.headings[row]
    sin, cos = portable.sin_cos(heading)
    cars.poses[car, 0] = paths.points[row, 0] - side * sin
    cars.poses[car, 1] = paths.points[row, 1] + side * cos
    cars.poses[car, 2] = heading + angle
    cars.poses[car, 3] = cars.wheels[car] = 0.0
    cars.path[car], cars.rows[car] = path, row
    cars.actions[car], cars.last_actions[car] = 0.0, 0.0
    cars.since[car], cars.returns[car] = 0.0, 0.0
    cars.ended[car], cars.touches[car] = 0, False
    cars.episodes[car] += 1
    observe_lane_of(
        paths,
        cars.path,
        cars.rows,
        cars.poses,
        cars.actions[:, 0],
        cars.views,
        cars.told,
        car,
    )


@compiled_nogil
def drive(
    paths: PathArrays, cars: Cars, weights: Weights, seconds: float, chosen: Integers
) -> None:
    """Drives the `chosen` cars for a step; says what it is worth but for contacts."""
    dt = seconds / SUBSTEPS
    for car in chosen:
        steering, pedal = cars.actions[car, 0], cars.actions[car, 1]
        wanted = steering * MOST_STEERING
        x, y, yaw, speed = (
            cars.poses[car, 0],
            cars.poses[car, 1],
            cars.poses[car, 2],
            cars.poses[car, 3],
        )
        wheel, before, begun = cars.wheels[car], cars.told[car, STATION], yaw
        sin, cos = portable.sin_cos(yaw)
        x, y = x - REAR_AXLE * cos, y - REAR_AXLE * sin
        for _ in range(SUBSTEPS):
            wheel += min(max(wanted - wheel, -STEERING_RATE * dt), STEERING_RATE * dt)
            lost = (ROLLING + AIR * speed * speed) if speed > 0.0 else 0.0
            speed = max(0.0, speed + (acceleration_of(pedal, speed) - lost) * dt)
            sin, cos = portable.sin_cos(wheel)
            curvature = sin / (cos * WHEELBASE)
            most = MOST_LATERAL / max(speed * speed, 1e-3)
            turned = min(max(curvature, -most), most) * speed * dt
            sin, cos = portable.sin_cos(yaw + 0.5 * turned)
            x, y, yaw = x + speed * dt * cos, y + speed * dt * sin, yaw + turned
        sin, cos = portable.sin_cos(yaw)
        cars.poses[car, 0], cars.poses[car, 1] = x + REAR_AXLE * cos, y + REAR_AXLE * sin
        cars.poses[car, 2], cars.poses[car, 3] = portable.wrapped(yaw), speed
        cars.wheels[car] = wheel
        observe_lane_of(
            paths,
            cars.path,
            cars.rows,
            cars.poses,
            cars.actions[:, 0],
            cars.views,
            cars.told,
            car,
        )
        lateral = speed * (yaw - begun) / seconds
        judge(paths, cars, weights, seconds, before, lateral, car)


@inlined
def judge(
    paths: PathArrays,
    cars: Cars,
    weights: Weights,
    seconds: float,
    before: float,
    lateral: float,
    car: int,
) -> None:
    """The reward of a car's step, and whether it ends the episode."""
    told, speed = cars.told, cars.poses[car, 3]
    most = told[car, ALLOWED] * seconds
    share = told[car, SIDE] / told[car, HALF]
    change = abs(cars.actions[car, 0] - cars.last_actions[car, 0])
    change += abs(cars.actions[car, 1] - cars.last_actions[car, 1])
    over = max(0.0, speed - told[car, ALLOWED])
    reward = weights.progress * min(told[car, STATION] - before, most)
    reward -= weights.off_middle * share * share * seconds
    reward -= weights.jerking * 0.5 * change + weights.speeding * over * seconds
    reward -= weights.cornering * max(0.0, abs(lateral) - weights.lateral) * seconds
    cars.last_actions[car] = cars.actions[car]
    cars.since[car, 0] += seconds
    cars.since[car, 1] = 0.0 if speed > _MOVING else cars.since[car, 1] + seconds
    points = paths.starts[cars.path[car] + 1] - paths.starts[cars.path[car]]
    ended = 0
    if abs(share) > weights.half_widths:
        ended, reward = LEFT_LANE, reward + weights.left
    elif abs(told[car, HEADING_ERROR]) > weights.angle:
        ended, reward = TURNED_AROUND, reward + weights.turned
    elif cars.since[car, 1] >= weights.standing:
        ended, reward = STOOD, reward + weights.stood
    elif told[car, STATION] >= (points - 1) * SPACING - weights.distance:
        ended, reward = ARRIVED, reward + weights.arrived
    cars.ended[car], cars.rewards[car] = ended, reward


@inlined
def _gradient(paths: PathArrays, cars: Cars, car: int) -> float:
    """Rise of the path per metre where a car is: rays lie in the plane of the car's wheels."""
    row, path = cars.rows[car], cars.path[car]
    before = max(row - 1, paths.starts[path])
    after = min(row + 1, paths.starts[path + 1] - 1)
    if after == before:
        return 0.0
    rise = paths.points[after, 2] - paths.points[before, 2]
    return float(rise / ((after - before) * SPACING))


@compiled_nogil
def aim(paths: PathArrays, cars: Cars, rays: RayBatch, reach: float, chosen: Integers) -> None:
    """Points the rays of the `chosen` cars, up to `reach` [m]: all around, the first one ahead."""
    each = cars.shares.shape[1]
    step_sin, step_cos = portable.sin_cos(2.0 * np.pi / max(each, 1))
    for place in range(len(chosen)):
        car = chosen[place]
        height = paths.points[cars.rows[car], 2] + RAY_HEIGHT
        rise = _gradient(paths, cars, car)
        yaw_sin, yaw_cos = portable.sin_cos(cars.poses[car, 2])
        sin, cos = yaw_sin, yaw_cos
        for ray in range(place * each, (place + 1) * each):
            rays.origins[ray, 0], rays.origins[ray, 1] = cars.poses[car, 0], cars.poses[car, 1]
            rays.origins[ray, 2] = height
            rays.ways[ray, 0], rays.ways[ray, 1] = reach * cos, reach * sin
            rays.ways[ray, 2] = reach * rise * (cos * yaw_cos + sin * yaw_sin)
            sin, cos = sin * step_cos + cos * step_sin, cos * step_cos - sin * step_sin


@compiled_nogil
def aim_outlines(paths: PathArrays, cars: Cars, rays: RayBatch, chosen: Integers) -> None:
    """Points the rays that find contacts: `OUTLINE_RAYS` for each of the `chosen` cars."""
    corners = np.empty((4, 3))
    for place in range(len(chosen)):
        car = chosen[place]
        height = paths.points[cars.rows[car], 2] + RAY_HEIGHT
        rise = _gradient(paths, cars, car)
        sin, cos = portable.sin_cos(cars.poses[car, 2])
        for corner in range(4):
            ahead = _CORNERS[corner][0] * HALF_LENGTH
            aside = _CORNERS[corner][1] * HALF_CAR
            corners[corner, 0] = cars.poses[car, 0] + ahead * cos - aside * sin
            corners[corner, 1] = cars.poses[car, 1] + ahead * sin + aside * cos
            corners[corner, 2] = height + rise * ahead
        for number in range(OUTLINE_RAYS):
            first, last = _ENDS[number]
            ray = place * OUTLINE_RAYS + number
            for axis in range(3):
                rays.origins[ray, axis] = corners[first, axis]
                rays.ways[ray, axis] = corners[last, axis] - corners[first, axis]


@compiled_nogil
def note_contacts(cars: Cars, rays: RayBatch, chosen: Integers) -> None:
    """Writes which of the `chosen` cars touch something: `touches`."""
    for place in range(len(chosen)):
        is_hit = False
        for ray in range(place * OUTLINE_RAYS, (place + 1) * OUTLINE_RAYS):
            is_hit |= rays.shares[ray] < 1.0
        cars.touches[chosen[place]] = is_hit


@compiled_nogil
def see(cars: Cars, rays: RayBatch, seen: npt.NDArray[np.float32], chosen: Integers) -> None:
    """Writes what the `chosen` cars see: rows of `seen` (n, `WIDTH` + rays)."""
    each = cars.shares.shape[1]
    for place in range(len(chosen)):
        car = chosen[place]
        for number in range(WIDTH):
            seen[car, number] = min(max(cars.views[car, number], -5.0), 5.0)
        for number in range(each):
            share = rays.shares[place * each + number]
            cars.shares[car, number] = share
            seen[car, WIDTH + number] = share


@compiled_nogil
def end(cars: Cars, weights: Weights, most_seconds: float, chosen: Integers) -> None:
    """Ends the episodes of the `chosen` cars that touch something or have used up their time."""
    for car in chosen:
        if cars.touches[car] and not cars.ended[car]:
            cars.ended[car] = COLLIDED
            cars.rewards[car] += weights.collided
        if not cars.ended[car] and cars.since[car, 0] >= most_seconds - 1e-9:
            cars.ended[car] = OUT_OF_TIME
        cars.returns[car, 0] += cars.rewards[car]
        cars.returns[car, 1] += 1.0
