"""All radars in a step: one compiled call finds the targets of those that are due."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.jit import compilable, compiled
from autosim.kinds.banks import BankContext, Mounted, body_indices, steps_between, vectors
from autosim.kinds.lists import ListWriter
from autosim.kinds.sensors.ranging.radar import COLUMNS, RadarSensor
from autosim.rays.boxes import NO_BOX, PartBoxes, sort_boxes
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.hits import Hit, first_hit
from autosim.rays.traversal import NOTHING
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import (
    Triple,
    cross,
    dot,
    minus,
    plus,
    read,
    times,
    to_world,
)
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State

_MOST_ROWS = 5
"""Number of beams above each other. Chosen: cars and walls are higher than a fifth of what a radar
sees."""

_GRAZING = 0.2
"""Cosine of the angle between a beam and a surface's normal below which the surface reflects it
away: 78 degrees."""

_LEVEL = 0.7
"""Share of a normal that points up or down from which on a surface is ground or ceiling."""

_STEP_IN_RANGE = 1.0
"""Difference in range [m] between neighbouring beams from which on they have met two things."""


class _Radars(NamedTuple):
    """What does not change of n radars.

    body; capacity; first_row: (n,), the latter of each one's values; columns, rows: (n,) of its
    beams; first_ray: (n,) among `rays`; reach, nearest: (n,) m; position: (n, 3) m in B; rays:
    (all, 3) unit vectors in B, by columns from the right to the left; azimuths: (all,) rad.
    """

    body: Integers
    capacity: Integers
    first_row: Integers
    columns: Integers
    rows: Integers
    first_ray: Integers
    reach: Floats
    nearest: Floats
    position: Floats
    rays: Floats
    azimuths: Floats


class _Bodies(NamedTuple):
    """All bodies as they are now: see `BodyStates`."""

    boxes: PartBoxes
    positions: Floats
    rotations: Floats
    velocities: Floats
    angular_velocities: Floats


class _Echo(NamedTuple):
    """What a beam has met: whether it returns, whose it is, and its range [m] and speed [m/s]."""

    is_there: bool
    box: int
    range: float
    speed: float


class RadarBank:
    """All radars: they see what stands around, and other robots' bodies.

    Args:
        devices: the radars.
        context: has the scene and the boxes that they see.
    """

    def __init__(self, devices: Sequence[Mounted[RadarSensor]], context: BankContext) -> None:
        radars = [mounted.device for mounted in devices]
        beams = [_beams(radar) for radar in radars]
        counts = np.array([len(rays) for rays, _, _ in beams], dtype=np.int64)
        columns = np.array([count for _, _, count in beams], dtype=np.int64)
        capacity = np.array([radar.capacity for radar in radars], dtype=np.int64)
        self._radars = _Radars(
            body_indices(devices),
            capacity,
            np.cumsum(capacity) - capacity,
            columns,
            counts // np.maximum(columns, 1),
            np.cumsum(counts) - counts,
            np.array([radar.range for radar in radars]),
            np.array([radar.minimum_range for radar in radars]),
            vectors([radar.position for radar in radars]),
            np.concatenate([np.zeros((0, 3)), *(rays for rays, _, _ in beams)]),
            np.concatenate([np.zeros(0), *(azimuths for _, azimuths, _ in beams)]),
        )
        self._period = steps_between([radar.rate for radar in radars], context.step_seconds)
        self._lists = ListWriter(devices, capacity, len(COLUMNS))
        self._values = np.full((int(capacity.sum()), len(COLUMNS)), np.nan)
        self._boxes, self._rays = context.boxes, context.rays

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the lists of the radars that are due."""
        due = np.flatnonzero(state.step % self._period == 0)
        if not due.size:
            return
        self._rays.complete(
            lambda begin: _measure(
                self._rays.hierarchy,
                _Bodies(
                    self._boxes,
                    bodies.positions,
                    bodies.rotations,
                    bodies.velocities,
                    bodies.angular_velocities,
                ),
                self._radars,
                due,
                begin,
                self._values,
            )
        )
        values = noise(self._values.copy().reshape(-1)).reshape(-1, len(COLUMNS))
        values[:, 0] = np.maximum(values[:, 0], 0.0)
        self._lists.write(state, due, values)


def _beams(radar: RadarSensor) -> tuple[Floats, Floats, int]:
    """Unit vectors (n, 3) in B of the beams, azimuths (n,) [rad], and how many columns they are."""
    columns = max(1, ceil(radar.field_of_view / radar.resolution - 1e-9))
    columns += 1 - columns % 2
    rows = 1 if radar.elevation == 0.0 else _MOST_ROWS
    up = np.array(radar.up) / portable.length(np.array(radar.up))
    forward = np.array(radar.direction) - portable.dot(np.array(radar.direction), up) * up
    forward /= portable.length(forward)
    left = np.cross(up, forward)
    half = 0.5 * radar.field_of_view
    around = np.linspace(-half, half, columns) if columns > 1 else np.zeros(1)
    above = 0.5 * radar.elevation * np.linspace(-1.0, 1.0, rows) if rows > 1 else np.zeros(1)
    azimuths, heights = (each.reshape(-1) for each in np.meshgrid(around, above, indexing="ij"))
    level = portable.cos(azimuths)[:, None] * forward + portable.sin(azimuths)[:, None] * left
    rays = portable.cos(heights)[:, None] * level + portable.sin(heights)[:, None] * up
    return np.asarray(rays), azimuths, columns


@compiled
def _measure(
    hierarchy: Hierarchy,
    bodies: _Bodies,
    radars: _Radars,
    due: Integers,
    begin: int,
    values: Floats,
) -> tuple[int, int]:
    """Writes the targets of the `due` radars from the `begin`th on, NaN where there is none.

    Returns:
        As `RayScene.complete` wants it.
    """
    sort_boxes(bodies.boxes, bodies.positions)
    for k in range(begin, len(due)):
        i = due[k]
        first, last = radars.first_row[i], radars.first_row[i] + radars.capacity[i]
        values[first:last] = np.nan
        # The nearest of a run of beams that have met one thing: range, azimuth, speed.
        known, box, before = False, NO_BOX, 0.0
        nearest, azimuth, speed = 0.0, 0.0, 0.0
        for column in range(radars.columns[i]):
            link, seen = _nearest_in_column(hierarchy, bodies, radars, i, column)
            if link >= 0:
                return link, k
            if known and not _goes_on(seen, box, before):
                _insert(values[first:last], nearest, azimuth, speed)
                known = False
            if seen.is_there and (not known or seen.range < nearest):
                nearest, speed = seen.range, seen.speed
                azimuth = radars.azimuths[radars.first_ray[i] + column * radars.rows[i]]
            known = seen.is_there
            box, before = seen.box, seen.range
        if known:
            _insert(values[first:last], nearest, azimuth, speed)
    return NOTHING, len(due)


@compilable
def _nearest_in_column(
    hierarchy: Hierarchy, bodies: _Bodies, radars: _Radars, i: int, column: int
) -> tuple[int, _Echo]:
    """The nearest echo of the beams above each other, and a link that has to grow first, or -1."""
    body, reach = radars.body[i], radars.reach[i]
    R = bodies.rotations[body]
    arm = to_world(R, read(radars.position[i]))
    origin = plus(read(bodies.positions[body]), arm)
    turning = cross(read(bodies.angular_velocities[body]), arm)
    motion = plus(read(bodies.velocities[body]), turning)
    ray = radars.first_ray[i] + column * radars.rows[i]
    found = _Echo(False, NO_BOX, np.inf, 0.0)
    for beam in range(ray, ray + radars.rows[i]):
        u = to_world(R, read(radars.rays[beam]))
        hit = first_hit(
            hierarchy,
            bodies.boxes,
            bodies.positions,
            bodies.rotations,
            origin,
            times(reach, u),
            bodies.boxes.robots[body],
        )
        if hit.triangle < NOTHING:
            return NOTHING - 1 - hit.triangle, found
        there = hit.share * reach
        if radars.nearest[i] <= there < found.range and _returns(hit, u):
            moved = _velocity_of(bodies, hit.box, plus(origin, times(there, u)))
            found = _Echo(True, hit.box, there, dot(minus(moved, motion), u))
    return NOTHING, found


@compilable
def _goes_on(seen: _Echo, box: int, before: float) -> bool:
    """Whether a beam has met what its neighbour has met, in that box or at range `before`."""
    if not seen.is_there or seen.box != box:
        return False
    return box != NO_BOX or abs(seen.range - before) < _STEP_IN_RANGE


@compilable
def _returns(hit: Hit, u: Triple) -> bool:
    """Whether waves that come along `u` return from what they have met."""
    if hit.share >= 1.0 or -dot(hit.normal, u) < _GRAZING:
        return False
    return hit.box != NO_BOX or abs(hit.normal[2]) < _LEVEL


@compilable
def _velocity_of(bodies: _Bodies, box: int, place: Triple) -> Triple:
    """The velocity [m/s] in W of a place [m] in W on a box; of the world it is zero."""
    if box == NO_BOX:
        return 0.0, 0.0, 0.0
    arm = minus(place, read(bodies.positions[box]))
    turning = cross(read(bodies.angular_velocities[box]), arm)
    return plus(read(bodies.velocities[box]), turning)


@compilable
def _insert(targets: Floats, distance: float, azimuth: float, speed: float) -> None:
    """Puts a target into a list in the order of ranges; the farthest falls out of a full one."""
    row = len(targets) - 1
    if targets[row, 0] <= distance:
        return
    while row > 0 and not targets[row - 1, 0] <= distance:
        for column in range(targets.shape[1]):
            targets[row, column] = targets[row - 1, column]
        row -= 1
    targets[row, 0], targets[row, 1], targets[row, 2] = distance, azimuth, speed
