"""A bag of ROS 2 (rosbag2, MCAP) in place of a node: messages are written instead of sent."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError

from autosim.errors import UserError
from autosim.ros2.message_types import Message, MessageTypes
from autosim.ros2.ros_graph import Quality

_VERSION: Final = 9
"""Version of the bag's metadata: that of Jazzy, which later distributions read, too."""

_ENDLESS = QosTime(2147483647, 4294967295)
"""Time [s], [ns] that stands for no limit in metadata of bags."""

_DEPTHS = {Quality.DEFAULT: 10, Quality.SENSOR: 5, Quality.LATCHED: 1}
"""Number of messages that a publisher keeps, by its quality of service."""


class BagNode:
    """Writes the messages of its publishers to a new bag. Use as a context manager.

    Args:
        folder: of the bag; it must not exist.
        types: of messages.

    Raises:
        UserError: the folder exists.
    """

    def __init__(self, folder: Path, types: MessageTypes) -> None:
        self.types = types
        self.time_ns = 0
        self.messages = 0
        try:
            self._writer = Writer(folder, version=_VERSION, storage_plugin=StoragePlugin.MCAP)
        except WriterError as error:
            raise UserError(f"{folder} exists already: name a new folder for the bag") from error

    def publisher(
        self, topic: str, kind: str, quality: Quality = Quality.DEFAULT
    ) -> "BagPublisher":
        """A publisher whose messages are written with the present `time_ns`."""
        connection = self._writer.add_connection(
            topic,
            kind,
            typestore=self.types.store,
            rihs01=self.types.hash_of(kind),
            offered_qos_profiles=[_quality_of(quality)],
        )
        return BagPublisher(self, connection)

    def subscribe(
        self,
        topic: str,
        kind: str,
        take: Callable[[Message], None],
        *,
        quality: Quality = Quality.DEFAULT,
        reject: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """Ignores the subscription: a bag that is written sends no messages."""

    def write(self, connection: Connection, data: bytes) -> None:
        """Writes a message."""
        self._writer.write(connection, self.time_ns, data)
        self.messages += 1

    def close(self) -> None:
        """Keeps the bag open: it is complete at the end of the `with` block."""

    def __enter__(self) -> "BagNode":
        self._writer.open()
        return self

    def __exit__(self, *exception: object) -> None:
        self._writer.close()


class BagPublisher:
    """Writes the messages of one topic."""

    is_wanted = has_subscribers = True

    def __init__(self, node: BagNode, connection: Connection) -> None:
        self._node, self._connection = node, connection

    def publish(self, message: Message) -> None:
        """Writes a message of the topic's type."""
        self._node.write(self._connection, self._node.types.to_cdr(message))


def _quality_of(quality: Quality) -> Qos:
    is_latched, is_sensor = quality is Quality.LATCHED, quality is Quality.SENSOR
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=_DEPTHS[quality],
        reliability=QosReliability.BEST_EFFORT if is_sensor else QosReliability.RELIABLE,
        durability=QosDurability.TRANSIENT_LOCAL if is_latched else QosDurability.VOLATILE,
        deadline=_ENDLESS,
        lifespan=_ENDLESS,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=_ENDLESS,
        avoid_ros_namespace_conventions=False,
    )
