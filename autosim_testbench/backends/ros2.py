"""ROS 2 as a backend: topics as its middleware for zenoh (rmw_zenoh) carries them.

Messages are in CDR, their types are those of a package `autosim_msgs`, and zenoh calls a topic
`DOMAIN/TOPIC/TYPE/HASH`. Tokens tell ROS 2 of our nodes and topics. All this follows the source of
rmw_zenoh; no ROS 2 has been there to try it with.
"""

import hashlib
import os
import struct
import time
from collections import Counter

from autosim.ros2.zenoh_session import Zenoh
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.zenoh import ZenohBackend, ZenohConnection
from autosim_testbench.messages.cdr import dds_type, from_cdr, kind_hash, to_cdr
from autosim_testbench.messages.ros_message import is_ros_name
from autosim_testbench.messages.serial_object import MessageError, SerialObject

_ATTACHMENT = struct.Struct("<qqB16s")
"""Attachment of a message: number, time [ns], and publisher (length, then bytes)."""

_GID_BYTES = 16
"""Number of bytes that stand for a publisher."""

_QUALITY = "::,:,:,:,,"
"""The quality of service of a topic where all of it is the default."""


class Ros2Backend(ZenohBackend):
    """Carries messages as ROS 2 does with zenoh.

    Args:
        address: `ros2:ENDPOINT` of a router of zenoh, such as `ros2:tcp/127.0.0.1:7447`; "" makes
            this process a router for the bench. `$ROS_DOMAIN_ID` is the domain, else 0.

    Raises:
        BackendError: the library is missing, or the router cannot be opened.
    """

    name = "ros2"

    def connect(self, node: str) -> "Ros2Connection":
        """A connection for the node of this name."""
        return Ros2Connection(self.address, node)


class Ros2Connection(ZenohConnection):
    """A node of ROS 2."""

    def __init__(self, address: str, node: str) -> None:
        super().__init__(address)
        self._domain = os.environ.get("ROS_DOMAIN_ID") or "0"
        self._name = "".join(each if each.isalnum() else "_" for each in node)
        self._sent: Counter[str] = Counter()
        self._tokens: dict[str, Zenoh] = {}
        self._announce("NN")

    def advertise(self, topic: str, kind: type[SerialObject] | None = None) -> None:
        """Says that this node will publish on `topic`, and tells ROS 2 so."""
        super().advertise(topic, kind)
        self._announce("MP", topic)

    def _join(self, topic: str) -> None:
        super()._join(topic)
        self._announce("MS", topic)

    def _leave(self, topic: str) -> None:
        super()._leave(topic)
        self._tokens.pop(f"MS{topic}").undeclare()

    def _send(self, topic: str, data: bytes) -> None:
        message = to_cdr(data, self.kinds.get(topic))
        self._put(self._key(topic), message, self._attachment(topic))

    def _take(self, topic: str, data: bytes) -> None:
        try:
            super()._take(topic, from_cdr(data, self.kinds.get(topic)))
        except MessageError:
            super()._take(topic, b"")  # too short for an envelope: the node rejects and counts it

    def _key(self, topic: str) -> str:
        if not is_ros_name(topic):
            raise BackendError(
                f"{topic!r} is not a ROS topic name: use letters, digits and _, with / between the "
                "parts, and a letter first"
            )
        kind = self.kinds.get(topic)
        return f"{self._domain}/{topic.strip('/')}/{dds_type(kind)}/{kind_hash(kind)}"

    def _attachment(self, topic: str) -> bytes:
        self._sent[topic] += 1
        publisher = hashlib.md5(f"{self._name}/{topic}".encode(), usedforsecurity=False).digest()
        return _ATTACHMENT.pack(self._sent[topic], time.time_ns(), _GID_BYTES, publisher)

    def _announce(self, what: str, topic: str = "") -> None:
        """Tells ROS 2 of the node (NN), or of what it publishes (MP) or subscribes to (MS)."""
        number = len(self._tokens)
        key = (
            f"@ros2_lv/{self._domain}/{self._session.info.zid()}/0/{number}/{what}/%/%/{self._name}"
        )
        if topic:
            kind = self.kinds.get(topic)
            name = f"%{topic.strip('/')}".replace("/", "%")
            key += f"/{name}/{dds_type(kind)}/{kind_hash(kind)}/{_QUALITY}"
        self._tokens[what + topic] = self._session.liveliness().declare_token(key)
