"""The bodies of people: what rays, contacts and vehicles meet of them."""

from autosim.arrays import Floats
from autosim.jit import compiled
from autosim.portable import sin_cos
from autosim.traffic.pedestrians.pedestrian_rows import PedestrianRow
from autosim.traffic.road_users import B
from autosim.traffic.traffic_node import P
from autosim.traffic.typed_rows import Rows
from autosim.traffic.vehicles.vehicle_motion import NOWHERE

RADIUS, LENGTH = 0.25, 1.2
"""Radius and length between the caps [m] of the capsule that stands for a person of 1.70 m."""

_UPRIGHT = RADIUS + LENGTH / 2.0
"""Height [m] of the body's centre when upright; when lying it is `RADIUS`."""

_QUARTER = 0.7853981633974483
"""Half of the angle [rad] from upright to lying, of which quaternions are made."""


@compiled
def place_bodies(people: Floats, rows: Rows[PedestrianRow], motions: Floats, boxes: Floats) -> None:
    """Writes where the bodies of people (n, 9) are.

    Args:
        people: of the state.
        rows: what is kept of each.
        motions: (n, 13) positions, orientations, velocities and angular velocities; written.
        boxes: (n, 8) squares about each, see `Surroundings`; written.
    """
    for i in range(len(people)):
        person, row, motion, box = people[i], rows[i], motions[i], boxes[i]
        motion[:] = 0.0
        box[:] = 0.0
        motion[2], motion[6] = NOWHERE, 1.0
        if person[P.kind] < 0.0:
            continue
        lying = min(max(person[P.posture], 0.0), 1.0)
        middle = _UPRIGHT + lying * (RADIUS - _UPRIGHT)
        motion[0], motion[1], motion[2] = person[P.x], person[P.y], person[P.z] + middle
        sz, cz = sin_cos(0.5 * person[P.yaw])
        sy, cy = sin_cos(_QUARTER * lying)
        motion[3], motion[4], motion[5], motion[6] = -sz * sy, cz * sy, sz * cy, cz * cy
        motion[7], motion[8] = row.speed_x, row.speed_y
        box[B.x], box[B.y], box[B.z], box[B.yaw] = person[1], person[2], person[3], person[P.yaw]
        box[B.half_length] = box[B.half_width] = row.radius
        box[B.speed_x], box[B.speed_y] = row.speed_x, row.speed_y
