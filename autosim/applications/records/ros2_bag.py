"""Writes a record as a bag of ROS 2: the messages that the bridge would have published."""

from pathlib import Path

from autosim.model.state import State
from autosim.records.record_file import Record
from autosim.ros2.bag import BagNode
from autosim.ros2.bridge import Bridge
from autosim.ros2.message_types import MessageTypes

RATE_HZ = 100.0
"""States per second of simulated time that are looked at, as of `autosim ros2`."""


def export_ros2(record: Record, folder: Path) -> int:
    """Writes a bag; returns the number of its messages.

    Pictures are not in it: cameras of a record are drawn by `autosim replay`.

    Raises:
        UserError: the folder exists, or the record is damaged.
        OSError: it cannot be written.
    """
    state = State(record.tree)
    every = max(round(1.0 / (RATE_HZ * record.about.step_seconds)), 1)
    with BagNode(folder, MessageTypes()) as bag:
        bridge: Bridge | None = None
        for step, data in record.states():
            if step % every:
                continue
            state.from_bitstream(data, digest=record.tree.digest)
            bag.time_ns = int(state.ints[1])
            if bridge is None:
                bridge = Bridge(bag, state)
            bridge.publish()
            bridge.publish_clock()
        return bag.messages
