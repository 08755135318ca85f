"""Diagnostics of robots: `diagnostic_msgs/DiagnosticArray` on /diagnostics."""

from autosim.config.descriptions import RobotDescription
from autosim.model.state import State
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import header_of
from autosim.ros2.ros_graph import Quality
from autosim.ros2.sensors.topics import RosTopic

_OK, _WARN = 0, 1
"""Levels of a DiagnosticStatus."""

_PERIOD = 1.0
"""Time [s] between two messages, as of the diagnostics of ROS."""


def diagnostic_topics(state: State, robots: list[RobotDescription]) -> list[RosTopic]:
    """A status for each robot: WARN where it has touched something since the last message.

    Args:
        state: whose buffer holds the values.
        robots: their descriptions.
    """
    counted = [
        (robot.name, node, field)
        for robot in robots
        if (node := state.tree.find(robot.name)) is not None
        for field in node.fields
        if field.name == "collisions"
    ]
    seen: dict[str, int] = {}

    def make(time: int) -> Fields:
        statuses = []
        for name, node, field in counted:
            collisions = int(state.value(node, field))
            new = max(collisions - seen.get(name, collisions), 0)
            seen[name] = collisions
            message = f"{new} collisions in the last second" if new else "no collisions"
            values = [{"key": "collisions", "value": str(collisions)}]
            status = {"level": _WARN if new else _OK, "name": name, "message": message}
            statuses.append({**status, "hardware_id": "autosim", "values": values})
        return {"header": header_of(time, ""), "status": statuses}

    kind = "diagnostic_msgs/msg/DiagnosticArray"
    return [RosTopic("/diagnostics", kind, make, Quality.DEFAULT, _PERIOD)]
