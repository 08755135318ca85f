"""The node of ROS 1 that this process is: rospy allows one, whatever number of ours it serves.

rospy belongs to the system's Python. An environment of the same version of Python can import it
from there, behind everything that the environment has itself.

What rospy lacks is added here: it is known when both ends of a topic are connected, a master that
was started again learns what it has forgotten, and what waits is sent before a publisher ends.
"""

import contextlib
import importlib
import os
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Protocol
from urllib.parse import urlsplit
from xmlrpc.client import Error as XmlRpcError
from xmlrpc.client import ServerProxy

from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.inbox import MOST_WAITING, MOST_WAITING_BYTES
from autosim_testbench.messages.ros_message import is_ros_name, ros_definition, ros_md5, ros_type
from autosim_testbench.messages.serial_object import SerialObject

INSTALL = "sudo apt-get install --no-install-recommends python3-rospy python3-rosmaster"
"""The command that installs ROS 1, as far as a bench needs it."""

_DEBIAN = Path("/usr/lib/python3/dist-packages")
"""Folder of the modules of the system's Python."""

_CONNECT_SECONDS = 3.0
"""Longest time [s] for the two ends of a topic to connect. A node that has crashed stays in the
master's books, and never does."""

_SEND_SECONDS = 2.0
"""Longest time [s] in which what waits is sent before a publisher ends."""

_PAUSE_SECONDS = 0.002
"""Interval [s] between checks whether a topic is connected."""

_WATCH_SECONDS = 0.5
"""Interval [s] between checks whether the master still knows this node."""

_BUFFER_BYTES = 1 << 21
"""Number of bytes that a subscription takes at once: a picture of 1 MB with room to spare."""

_LOGGING = '{"version": 1, "incremental": true}'
"""Settings with which rospy leaves the logging of this process as it is."""

_LAYOUT_BYTES = 12
"""Number of bytes before the data of a UInt8MultiArray: no dimensions, no offset, the length."""

_UNTYPED = "std_msgs/UInt8MultiArray"


class _Connection(Protocol):
    """A connection of a publisher with a subscriber."""

    id: str
    endpoint_id: str
    done: bool
    stat_num_msg: int


class _Connections(Protocol):
    """The inner side of a publisher."""

    connections: Sequence[_Connection]


class _Publisher(Protocol):
    """The used part of `rospy.Publisher`."""

    impl: _Connections

    def publish(self, message: object) -> None: ...

    def unregister(self) -> None: ...


class _Untyped(Protocol):
    """The used part of `rospy.AnyMsg`."""

    _buff: bytes
    _connection_header: Mapping[str, str]


_MessageType = Callable[..., object]
"""A class of messages of ROS that hold bytes: called with `data`."""


def load_rospy() -> ModuleType:
    """The module rospy, from this environment or else from the system's Python.

    Raises:
        BackendError: it is in neither, or the system's Python is of another version.
    """
    with contextlib.suppress(ImportError):
        return importlib.import_module("rospy")
    if not (_DEBIAN / "rospy").is_dir():
        raise BackendError(f"rospy is not installed: {INSTALL}")
    sys.path.append(str(_DEBIAN))
    try:
        return importlib.import_module("rospy")
    except ImportError as error:
        sys.path.remove(str(_DEBIAN))
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise BackendError(
            f"the system's rospy does not work with Python {version}: {error}; make an environment "
            "of the system's Python: /usr/bin/python3 -m venv .venv"
        ) from None


def call_ros(uri: str, function: str, *arguments: str) -> Any:
    """Calls a function of a master or a node, and returns its value; None where it has none.

    Raises:
        BackendError: there is no answer.
    """
    try:
        with ServerProxy(uri) as server:
            code, _, value = getattr(server, function)(*arguments)
    except (OSError, XmlRpcError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BackendError(f"no ROS master answers at {uri}: {reason}") from None
    return value if code == 1 else None


_node: "RospyNode | None" = None
_starting = threading.Lock()


def rospy_node(name: str, master: str) -> "RospyNode":
    """The node that this process is; the first call makes it, and gives it its name.

    Args:
        name: what it is called in ROS, if this is the first call.
        master: URI of the ROS master.

    Raises:
        BackendError: no master answers, or this process is a node of another one.
    """
    global _node
    call_ros(master, "getPid", "/autosim")
    with _starting:
        if _node is None:
            _node = RospyNode(name, master)
        _node.enter(master)
    return _node


class RospyNode:
    """This process as a node of ROS."""

    def __init__(self, name: str, master: str) -> None:
        self.master = master
        self._rospy = load_rospy()
        os.environ["ROS_MASTER_URI"] = master
        if not {"ROS_IP", "ROS_HOSTNAME"} & os.environ.keys():
            os.environ["ROS_IP"] = _own_address(master)
        with ScratchFolder("ros") as folder:
            settings = folder / "logging.yaml"
            settings.write_text(_LOGGING)
            os.environ["ROS_LOG_DIR"] = str(folder)
            os.environ["ROS_PYTHON_LOG_CONFIG_FILE"] = str(settings)
            self._rospy.init_node(
                re.sub(r"\W", "_", name),
                argv=[],
                disable_signals=True,
                disable_rosout=True,  # its logger would listen on all interfaces
                disable_rostime=True,
            )
        socket.setdefaulttimeout(None)
        self._name = self._rospy.get_name()
        self._impl = importlib.import_module("rospy.impl.registration")
        self._any = self._rospy.AnyMsg
        self._publishers: dict[str, tuple[_Publisher, _MessageType]] = {}
        self._sent: Counter[str] = Counter()
        self._users = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, name="autosim-ros", daemon=True).start()

    def enter(self, master: str) -> None:
        """Counts one more user of the node; without users, it may change to another master.

        Raises:
            BackendError: it is a node of another master.
        """
        with self._lock:
            if self._users and master != self.master:
                raise BackendError(
                    f"this process is a node of the ROS master at {self.master}: it cannot be one "
                    f"of {master}, too"
                )
            self._users += 1
            self.master = os.environ["ROS_MASTER_URI"] = master
            for each in self._impl.get_registration_listeners().listeners:
                each.master_uri = master

    def leave(self) -> None:
        """Counts one less; the last one ends all publishers, once what waits is sent."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
            publishers, self._publishers = self._publishers, {}
        deadline = time.monotonic() + _SEND_SECONDS
        for publisher, _ in publishers.values():
            while self._is_sending(publisher) and time.monotonic() < deadline:
                time.sleep(_PAUSE_SECONDS)
            publisher.unregister()

    def subscribe(self, topic: str, take: Callable[[bytes], None]) -> Callable[[], None]:
        """Calls `take`, in another thread, for each message; returns a function that ends that."""
        self._require_name(topic)

        def came(message: _Untyped) -> None:
            data = bytes(message._buff)
            is_untyped = message._connection_header.get("type") == _UNTYPED
            take(data[_LAYOUT_BYTES:] if is_untyped else data)

        subscriber = self._rospy.Subscriber(
            topic, self._any, came, tcp_nodelay=True, buff_size=_BUFFER_BYTES
        )
        self._await_connections(subscriber.resolved_name)

        def end() -> None:
            subscriber.unregister()

        return end

    def publish(self, topic: str, data: bytes, kind: type[SerialObject] | None) -> None:
        """Sends a message to all who have subscribed by now."""
        publisher, message_type = self.publisher(topic, kind)
        publisher.publish(message_type(data=data))
        for each in publisher.impl.connections:
            self._sent[each.id] += 1

    def publisher(
        self, topic: str, kind: type[SerialObject] | None
    ) -> tuple[_Publisher, _MessageType]:
        """The publisher of a topic, made and connected where there is none yet."""
        found = self._publishers.get(topic)
        if found is None:
            self._require_name(topic)
            message_type = self._message_type(kind)
            most = MOST_WAITING_BYTES // kind.size() if kind and kind.size() else MOST_WAITING
            publisher = self._rospy.Publisher(
                topic, message_type, tcp_nodelay=True, queue_size=max(1, min(most, MOST_WAITING))
            )
            found = self._publishers[topic] = publisher, message_type
            self._await_connections(publisher.resolved_name)
        return found

    def _message_type(self, kind: type[SerialObject] | None) -> _MessageType:
        if kind is None:
            found: _MessageType = importlib.import_module("std_msgs.msg").UInt8MultiArray
            return found
        return type(
            kind.__name__,
            (_RawMessage, importlib.import_module("genpy").Message),
            {
                "_type": ros_type(kind),
                "_md5sum": ros_md5(kind),
                "_full_text": ros_definition(kind),
                "_has_header": False,
                "_slot_types": ["uint8[]"],
                "__slots__": ["data"],
            },
        )

    def _require_name(self, topic: str) -> None:
        if not is_ros_name(topic):
            raise BackendError(
                f"{topic!r} is not a ROS topic name: use letters, digits and _, with / between the "
                "parts, and a letter first"
            )

    # --- whether both ends of a topic are connected -------------------------------------------

    def _await_connections(self, topic: str) -> None:
        """Waits until this node is connected with all that the master knows of at a topic."""
        deadline = time.monotonic() + _CONNECT_SECONDS
        while not self._is_connected(topic) and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)

    def _is_connected(self, topic: str) -> bool:
        publishers, subscribers, _ = call_ros(self.master, "getSystemState", self._name)
        publishing = dict(publishers).get(topic, [])
        subscribing = dict(subscribers).get(topic, [])
        is_heard = self._name not in publishing or set(subscribing) <= self._hearers(topic)
        return is_heard and (
            self._name not in subscribing
            or all(self._is_heard_from(each, topic) for each in publishing)
        )

    def _hearers(self, topic: str) -> set[str]:
        """The names of the nodes to which this one sends what it publishes on a topic."""
        impl = self._impl.get_topic_manager().get_publisher_impl(topic)
        return {each.endpoint_id for each in impl.connections} if impl else set()

    def _is_heard_from(self, publisher: str, topic: str) -> bool:
        """Whether a node sends this one what it publishes on a topic, through this very socket."""
        uri = call_ros(self.master, "lookupNode", self._name, publisher)
        impl = self._impl.get_topic_manager().get_subscriber_impl(topic)
        ours = [each for each in impl.connections if each.endpoint_id == uri] if impl else []
        if not ours or not ours[0].local_endpoint[1]:
            return False
        marks = f":{ours[0].local_endpoint[1]} on socket"
        try:
            theirs = call_ros(uri, "getBusInfo", self._name) or ()
        except BackendError:
            return False
        return any(each[4] == topic and marks in each[-1] for each in theirs)

    def _is_sending(self, publisher: _Publisher) -> bool:
        connections = publisher.impl.connections
        return any(
            not each.done and each.stat_num_msg < self._sent[each.id] for each in connections
        )

    # --- a master that was started again ------------------------------------------------------

    def _watch(self) -> None:
        while not self._rospy.is_shutdown():
            time.sleep(_WATCH_SECONDS)
            with contextlib.suppress(BackendError):
                if call_ros(self.master, "lookupNode", self._name, self._name) is None:
                    self._register()

    def _register(self) -> None:
        """Tells the master all topics of this node, which it has forgotten or never known."""
        topics = self._impl.get_topic_manager()
        registration, tell = self._impl.Registration, self._impl.get_registration_listeners()
        for topic, type_name in topics.get_publications():
            tell.notify_added(topic, type_name, registration.PUB)
        for topic, type_name in topics.get_subscriptions():
            tell.notify_added(topic, type_name, registration.SUB)


class _RawMessage:
    """A message of ROS whose bytes are known."""

    data: bytes

    def serialize(self, buffer: IO[bytes]) -> None:
        buffer.write(self.data)


def _own_address(master: str) -> str:
    """The address under which the machine of a master reaches this one."""
    where = urlsplit(master)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((where.hostname or "127.0.0.1", where.port or 1))
        address: str = probe.getsockname()[0]
        return address
