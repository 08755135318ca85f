"""The least inertia that a joint moves, whatever the pose of the bodies.

A damper or a spring whose force is held over a step must not be stronger than what it moves: else
it throws it further in each step. What a joint moves depends on how all bodies stand; this is less
than that, and does not.
"""

from collections.abc import Sequence

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Vector3
from autosim.model.rigid_bodies.joints import Hanging
from autosim.model.rigid_bodies.rigid_body import RigidBody

_TURNS = 16
"""Number of angles of a hinge that are tried."""


def least_inertias(
    bodies: Sequence[RigidBody], places: Sequence[Vector3], joints: Sequence[Hanging]
) -> Floats:
    """Inertia (n,) [kg m²] or mass [kg] that each joint moves at least; 0 without freedom.

    What hangs together without freedom is one body, and shares what it has among its joints. The
    two that a joint moves against each other are taken alone in space, at each angle of a hinge:
    whatever else hangs on them makes it more (the kinetic energy of all is at least the sum of that
    of the pairs).

    Args:
        bodies: all with the axes of one frame.
        places: [m] of the origins of their B in that frame.
        joints: between them in that frame; they count `bodies` from 0.
    """
    group = _rigid_groups(len(bodies), joints)
    members: dict[int, list[int]] = {}
    for number, its_group in enumerate(group):
        members.setdefault(its_group, []).append(number)
    free = [each for each in joints if each.joint.freedom != "none"]
    ends = [group[number] for each in free for number in (each.parent, each.child)]
    shares = np.bincount(np.array(ends, dtype=np.int64), minlength=len(bodies))
    found = np.zeros(len(joints))
    for row, each in enumerate(joints):
        if each.joint.freedom == "none":
            continue
        of_child, of_parent = (
            sum((_mass_about(bodies[k], places[k], each) for k in members[end]), np.zeros((6, 6)))
            / shares[end]
            for end in (group[each.child], group[each.parent])
        )
        stands = all(bodies[k].motion == "dynamic" for k in members[group[each.parent]])
        found[row] = _least(of_child, of_parent if stands else None, each)
    return found


def _least(of_child: Floats, of_parent: Floats | None, hanging: Hanging) -> float:
    """The least inertia between two bodies, or of one alone whose parent stands."""
    axis = np.array(hanging.joint.axis)
    is_hinge = hanging.joint.freedom == "turn"
    way = np.concatenate([axis, np.zeros(3)] if is_hinge else [np.zeros(3), axis])
    if of_parent is None:
        return _of(_product(_product(way[None], of_child), way[:, None]))
    turns = np.arange(_TURNS) * (2.0 * np.pi / _TURNS) if is_hinge else np.zeros(1)
    least = np.inf
    for angle in turns.tolist():
        turn = _turned(axis, angle)
        child = _product(_product(turn, of_child), turn.T)
        whole = np.zeros((7, 7))
        whole[:6, :6] = of_parent + child
        whole[6, :6] = whole[:6, 6] = _product(child, way[:, None])[:, 0]
        whole[6, 6] = _of(_product(_product(way[None], child), way[:, None]))
        # What is left of the last row once the others are eliminated: both move as they like.
        for k in range(6):
            whole = whole - whole[:, k, None] * (whole[k] / whole[k, k])
        least = min(least, float(whole[6, 6]))
    return least


def _mass_about(body: RigidBody, place: Vector3, hanging: Hanging) -> Floats:
    """The matrix (6, 6) of the energy of a body in how its joint's point turns and moves."""
    arm = np.array(place) + np.array(body.centre_of_mass) - np.array(hanging.joint.point)
    x, y, z = arm.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = np.diag(body.moments) - body.mass * _product(cross, cross)
    matrix[:3, 3:] = body.mass * cross
    matrix[3:, :3] = -body.mass * cross
    matrix[3:, 3:] = body.mass * np.eye(3)
    return matrix


def _turned(axis: Floats, angle: float) -> Floats:
    """The rotation (6, 6) of a point's turning and moving about `axis` (Rodrigues)."""
    x, y, z = axis.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, rest = float(portable.sin(angle)), 1.0 - float(portable.cos(angle))
    turn = np.eye(3) + sine * cross + rest * _product(cross, cross)
    both = np.zeros((6, 6))
    both[:3, :3] = both[3:, 3:] = turn
    return both


def _product(first: Floats, second: Floats) -> Floats:
    """Of two matrices, with the same bits on every processor."""
    result: Floats = np.einsum("ij,jk->ik", first, second)
    return result


def _of(matrix: Floats) -> float:
    return float(matrix[0, 0])


def _rigid_groups(count: int, joints: Sequence[Hanging]) -> list[int]:
    """Of each body the number of one that it cannot move against, the same for all of those."""
    group = list(range(count))
    for each in joints:
        if each.joint.freedom == "none":
            old, new = group[each.child], group[each.parent]
            group = [new if number == old else number for number in group]
    return group
