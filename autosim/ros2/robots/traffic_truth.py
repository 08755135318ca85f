"""Vehicles and people of traffic as ground truth: `vision_msgs/Detection3DArray` in the map."""

import numpy as np

from autosim.arrays import Floats
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import MAP, header_of, xyz
from autosim.ros2.ros_graph import Quality
from autosim.ros2.sensors.topics import RosTopic
from autosim.traffic.traffic_node import NAME, P, V
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES

_PERSON_SIZE = (0.5, 0.6, 1.75)
"""[m] Box of a person: along its way, across, and upwards."""


def traffic_topics(state: State, period: float) -> list[RosTopic]:
    """The topic /traffic/detections; none for a world without traffic.

    Args:
        state: whose buffer holds the values.
        period: time [s] between two messages.
    """
    node = state.tree.find(NAME)
    if node is None:
        return []
    tables = [
        (state.floats[start : start + field.size // WORD].reshape(field.shape), field.name)
        for field in node.fields
        if field.name in ("vehicles", "people") and len(field.shape) == 2
        for start in (node.field_offset(field.name) // WORD,)
    ]

    def make(time: int) -> Fields:
        found = [
            each
            for table, name in tables
            for each in (_vehicles(table) if name == "vehicles" else _people(table))
        ]
        header = header_of(time, MAP)
        return {"header": header, "detections": [{"header": header, **each} for each in found]}

    kind = "vision_msgs/msg/Detection3DArray"
    return [RosTopic("/traffic/detections", kind, make, Quality.SENSOR, period)]


def _vehicles(rows: Floats) -> list[Fields]:
    found = []
    for number in np.flatnonzero(rows[:, V.kind] >= 0.0):
        row = rows[number]
        kind = int(row[V.kind])
        size = (FLEET[kind].length, FLEET[kind].width, FLEET[kind].height)
        found.append(
            _detection(f"vehicle_{number}", KIND_NAMES[kind], row[V.x : V.z + 1], row[V.yaw], size)
        )
    return found


def _people(rows: Floats) -> list[Fields]:
    return [
        _detection(
            f"person_{number}",
            "pedestrian",
            rows[number, P.x : P.z + 1],
            rows[number, P.yaw],
            _PERSON_SIZE,
        )
        for number in np.flatnonzero(rows[:, P.kind] >= 0.0)
    ]


def _detection(
    name: str, kind: str, foot: Floats, yaw: float, size: tuple[float, float, float]
) -> Fields:
    centre = (foot[0], foot[1], foot[2] + size[2] / 2.0)
    turn = {"z": float(np.sin(yaw / 2.0)), "w": float(np.cos(yaw / 2.0))}
    pose = {"position": xyz(centre), "orientation": turn}
    result = {"hypothesis": {"class_id": kind, "score": 1.0}, "pose": {"pose": pose}}
    return {"id": name, "results": [result], "bbox": {"center": pose, "size": xyz(size)}}
