"""Moves all vehicles on by a step, and says where their bodies are."""

from math import sqrt

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled_without_refcounts, jitable
from autosim.portable import arctan2, sin_cos
from autosim.traffic.road_users import B
from autosim.traffic.traffic_node import FREE, V
from autosim.traffic.vehicles.routes.vehicle_paths import drop_passed, place_on_path
from autosim.traffic.vehicles.traffic_context import RAN_RED, TrafficContext
from autosim.traffic.vehicles.vehicle_pool import (
    VehicleRow,
    VehicleSize,
    lane_on_path,
)
from autosim.world.lanes.lane_rules import SignalState

NOWHERE = -1e4
"""Height [m] of bodies of free places: below all ground, where no ray goes."""

_RED = int(SignalState.RED)

_RED_TOLERANCE = 1.0 - 1e-6
"""Time [s] of red from which a vehicle that crosses the stop line has run the light. Before, it may
have been unable to stop: enforcement cameras commonly grant as much. Rounding is allowed for."""


@compiled_without_refcounts
def time_reds(town: TrafficContext, interval: float) -> None:
    """Measures for how long each signal has been red; `interval` [s] since the last time."""
    for k in range(len(town.signal_lanes)):
        is_red = town.signals[town.signal_lanes[k]] == _RED
        town.reds[k] = town.reds[k] + interval if is_red else 0.0


_REAR_CLEAR = 0.3
"""Distance [m] of the rear axle from the middle of the new lane below which a vehicle has left the
old one: the rear of a long vehicle is there long after its front."""


@compiled_without_refcounts
def move_vehicles(town: TrafficContext, dt: float) -> None:
    """Moves all vehicles on by a step of `dt` [s]. Writes the rows of the pool."""
    for i in range(len(town.rows)):
        row = town.rows[i]
        if not row.active:
            continue
        speed = max(row.speed + row.acceleration * dt, 0.0)
        way = 0.5 * (row.speed + speed) * dt
        row.speed = speed
        _advance(town, row, way, town.sizes[i])


@jitable
def _advance(town: TrafficContext, row: VehicleRow, way: float, sizes: VehicleSize) -> None:
    lanes, before = town.lanes, row.station
    row.station += way
    row.rolled += way
    row.committed = max(row.committed - way, 0.0)
    length = lanes.lengths[lane_on_path(row, row.front)]
    while row.station > length and row.front + 1 < row.count:
        _count_red(town, lane_on_path(row, row.front), before, row.station)
        row.station -= length
        before = min(before - length, 0.0)
        row.old_shift += length
        row.front += 1
        drop_passed(lanes, row, sizes.length)
        length = lanes.lengths[lane_on_path(row, row.front)]
    if row.station > length:
        row.station, row.speed = length, 0.0
    _count_red(town, lane_on_path(row, row.front), before, row.station)
    if row.change_from != 0.0:
        row.changed += way
        share = min(row.changed / row.change_length, 1.0)
        done = share * share * share * (10.0 + share * (6.0 * share - 15.0))
        row.offset = row.change_from * (1.0 - done)
        if share == 1.0:
            row.change_from = 0.0
    row.rear_offset += (row.offset - row.rear_offset) * min(way / sizes.wheelbase, 1.0)
    if row.old_lane >= 0 and row.change_from == 0.0 and abs(row.rear_offset) < _REAR_CLEAR:
        row.old_lane = -1


@jitable
def _count_red(town: TrafficContext, lane: int, before: float, after: float) -> None:
    """Counts a vehicle whose front crosses a red stop line, between two stations [m] of a lane."""
    line, row = town.lanes.stop_lines[lane], town.signal_rows[lane]
    if row >= 0 and before <= line < after and town.reds[row] >= _RED_TOLERANCE:
        town.counts[RAN_RED] += 1


@compiled_without_refcounts
def write_vehicle_poses(town: TrafficContext, dt: float, vehicles: Floats, motions: Floats) -> None:
    """Writes where all vehicles are.

    Args:
        town: all; `boxes` and the yaws of the rows are written.
        dt: length of the step [s], 0 where there was none: nothing has a velocity then.
        vehicles: (V, 12) of the state, written.
        motions: (V, 13) of their bodies, positions, orientations, velocities and angular
            velocities; written.
    """
    for i in range(len(town.rows)):
        row, shown, box = town.rows[i], vehicles[i], town.boxes[i]
        if not row.active:
            _hide(shown, box, motions[i])
            continue
        sizes = town.sizes[i]
        front_x, front_y, front_z, heading = place_on_path(
            town.lanes, row, -sizes.front_axle, row.offset
        )
        x, y, z, _ = place_on_path(
            town.lanes, row, -sizes.front_axle - sizes.wheelbase, row.rear_offset
        )
        ahead_x, ahead_y, rise = front_x - x, front_y - y, front_z - z
        base = max(sqrt(ahead_x * ahead_x + ahead_y * ahead_y), 1e-6)
        yaw = arctan2(ahead_y, ahead_x)
        ahead_x, ahead_y, rise = ahead_x / base, ahead_y / base, rise / base
        # From the rear axle to the middle of the body.
        middle = sizes.front_axle + sizes.wheelbase - sizes.length / 2.0
        turn = yaw - row.yaw
        turn -= 2.0 * np.pi * np.rint(turn / (2.0 * np.pi))
        row.yaw = yaw
        steering = heading - yaw
        steering -= 2.0 * np.pi * np.rint(steering / (2.0 * np.pi))
        shown[V.kind] = town.kinds[i]
        shown[V.x], shown[V.y] = x + middle * ahead_x, y + middle * ahead_y
        shown[V.z], shown[V.yaw] = z + middle * rise, yaw
        shown[V.pitch], shown[V.roll] = -arctan2(rise, 1.0), 0.0
        shown[V.speed], shown[V.steering] = row.speed, steering
        shown[V.rolled], shown[V.lights] = row.rolled, row.lights
        shown[V.colour] = row.colour
        box[B.x], box[B.y], box[B.z], box[B.yaw] = shown[1], shown[2], shown[3], yaw
        box[B.half_length], box[B.half_width] = sizes.length / 2.0, sizes.width / 2.0
        box[B.speed_x], box[B.speed_y] = row.speed * ahead_x, row.speed * ahead_y
        _place_body(shown, sizes.height, ahead_x, ahead_y, rise, turn, dt, motions[i])


@jitable
def _hide(shown: Floats, box: Floats, motion: Floats) -> None:
    shown[:] = 0.0
    shown[V.kind] = FREE
    box[:] = 0.0
    motion[:] = 0.0
    motion[2], motion[6] = NOWHERE, 1.0


@jitable
def _place_body(
    shown: Floats,
    height: float,
    ahead_x: float,
    ahead_y: float,
    rise: float,
    turn: float,
    dt: float,
    motion: Floats,
) -> None:
    """Writes the motion of a body whose middle is half its height above its foot."""
    s, c = sin_cos(0.5 * shown[V.yaw])
    p, q = sin_cos(0.5 * shown[V.pitch])
    motion[3], motion[4], motion[5], motion[6] = -s * p, c * p, s * q, c * q
    level = 1.0 / sqrt(1.0 + rise * rise)
    up = 0.5 * height
    motion[0] = shown[V.x] - up * rise * level * ahead_x
    motion[1] = shown[V.y] - up * rise * level * ahead_y
    motion[2] = shown[V.z] + up * level
    speed = shown[V.speed] if dt > 0.0 else 0.0
    motion[7], motion[8], motion[9] = speed * ahead_x, speed * ahead_y, speed * rise
    motion[10], motion[11] = 0.0, 0.0
    motion[12] = turn / dt if dt > 0.0 else 0.0
