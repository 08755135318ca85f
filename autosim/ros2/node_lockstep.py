"""Lockstep with nodes of ROS 2: each state waits until all nodes have acknowledged its time."""

import threading

from autosim.ros2.message_types import Message
from autosim.ros2.ros_frames import NANOSECONDS
from autosim.ros2.ros_graph import RosNode

CLOCK_TOPIC, CLOCK = "/clock", "rosgraph_msgs/msg/Clock"
"""Topic and message type of the simulated time."""

TOPIC = "/simulation/acknowledge"
"""Topic on which a node repeats the message from /clock once its work for that time is done."""

_LOOK_SECONDS = 0.5
"""Interval [s] at which a wait checks for its end."""


class NodeLockstep:
    """Counts acknowledgements, which come in threads of zenoh.

    What a node publishes before its acknowledgement arrives before it: both go through one
    connection. So the commands that count for a step are always the same.

    Args:
        node: that subscribes.
        nodes: number of acknowledgements of each time.
    """

    def __init__(self, node: RosNode, nodes: int) -> None:
        self._node, self._nodes = node, nodes
        self._counts: dict[int, int] = {}
        self._changed = threading.Condition()
        node.subscribe(TOPIC, CLOCK, self._take)

    def wait_for_nodes(self, stop: threading.Event) -> bool:
        """Waits until all nodes subscribe to the clock and are ready to acknowledge it.

        False where `stop` is set.
        """
        node = self._node
        while not stop.is_set():
            listening = node.count_subscriptions(CLOCK_TOPIC)
            if min(listening, node.count_publishers(TOPIC)) >= self._nodes:
                return True
            stop.wait(_LOOK_SECONDS)
        return False

    def wait(self, nanoseconds: int, stop: threading.Event) -> bool:
        """Waits until all nodes have acknowledged this time [ns]; False where `stop` is set."""
        with self._changed:
            while self._counts.get(nanoseconds, 0) < self._nodes:
                if stop.is_set():
                    return False
                self._changed.wait(_LOOK_SECONDS)
            self._counts = {time: each for time, each in self._counts.items() if time > nanoseconds}
            return True

    def _take(self, message: Message) -> None:
        time = message.clock.sec * NANOSECONDS + message.clock.nanosec
        with self._changed:
            self._counts[time] = self._counts.get(time, 0) + 1
            self._changed.notify_all()
