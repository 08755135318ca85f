"""`TrafficUpdate`s of others as orders: they move robots and objects."""

import numpy as np
from google.protobuf.message import DecodeError
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_trafficupdate_pb2 import TrafficUpdate

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.kinds.kind import body_of
from autosim.model.state import State
from autosim.orders.robot_orders import MoveRobot
from autosim.osi.osi_scene import OsiScene
from autosim.osi.osi_values import IdKind, number_of


class UpdateRefusedError(UserError):
    """A `TrafficUpdate` that cannot be obeyed."""


def orders_of(scene: OsiScene, state: State, data: bytes) -> list[MoveRobot]:
    """The orders that an encoded `TrafficUpdate` contains, one for each object.

    Raises:
        UpdateRefusedError: it cannot be read, or it is of something that cannot be moved.
    """
    try:
        message = TrafficUpdate.FromString(data)
    except DecodeError as error:
        raise UpdateRefusedError("a TrafficUpdate cannot be read: expected one of OSI 3") from error
    return [_order_of(scene, state, each) for each in message.update]


def _order_of(scene: OsiScene, state: State, update: MovingObject) -> MoveRobot:
    kind, number = number_of(update.id.value)
    if kind == IdKind.ROBOT and number < len(scene.robots):
        robot = scene.robots[number]
        name, centre = robot.name, robot.shape.centre
        origin = np.array(robot.robot.parts[0].position)
    elif update.id.value in scene.objects.ids:
        name = scene.objects.ids[update.id.value]
        body = body_of(state.tree.objects[name])
        centre, origin = (np.array(body.low) + np.array(body.high)) / 2.0, np.zeros(3)
    else:
        raise UpdateRefusedError(
            f"a TrafficUpdate moves {update.id.value}, which is neither a robot nor an object of "
            "GroundTruth: vehicles and people of traffic move by themselves"
        )
    base = update.base
    numbers = np.array(
        [
            *(base.position.x, base.position.y, base.position.z, base.orientation.yaw),
            *(base.velocity.x, base.velocity.y, base.velocity.z, base.orientation_rate.yaw),
        ]
    )
    if not base.HasField("position") or not np.isfinite(numbers).all():
        raise UpdateRefusedError(f"a TrafficUpdate of {name} has no finite position")
    yaw = float(numbers[3])
    R_WB = _level_rotation(yaw)
    place = numbers[:3] - R_WB @ (centre + origin)
    turning = np.array([0.0, 0.0, numbers[7]])
    velocity = R_WB.T @ numbers[4:7] - np.cross(turning, centre)
    forward, left, up = velocity.tolist()
    return MoveRobot(
        name,
        (float(place[0]), float(place[1])),
        yaw,
        float(place[2]),
        (forward, left, up),
        (0.0, 0.0, float(numbers[7])),
    )


def _level_rotation(yaw: float) -> Floats:
    """The matrix (3, 3) of a turn about z by `yaw` [rad]."""
    sine, cosine = np.sin(yaw), np.cos(yaw)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
