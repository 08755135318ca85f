"""ROS 1 as a backend: through a ROS master that runs somewhere, or one of the bench's own.

Nodes of ROS take part: a topic's type there is `autosim_msgs/KIND`, whose declaration
`autosim testbench export` writes. ROS 1 knows neither passwords nor encryption. Who reaches a port
of one of its nodes can listen and send.
"""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.backends.brokers import Broker, answers, free_port, require_program
from autosim_testbench.backends.rospy_node import INSTALL, load_rospy, rospy_node
from autosim_testbench.messages.serial_object import SerialObject

_PORT = 11311
"""Default port of a ROS master."""


class Ros1Backend:
    """Carries messages through ROS 1.

    Args:
        address: `ros1://HOST[:PORT]` of a ROS master; "" starts one for this bench alone.

    Attributes:
        broker: the process of the bench's own master, if it has one.

    Raises:
        BackendError: rospy or the master is missing, or the master does not start.
    """

    name = "ros1"

    def __init__(self, address: str = "") -> None:
        load_rospy()
        self.broker: Broker | None = None
        if not address:
            port = free_port()
            self.broker = own_master(port)
            self.broker.start()
            address = f"ros1://127.0.0.1:{port}"
        self.address = address

    def connect(self, node: str) -> "Ros1Connection":
        """A connection for the node of this name."""
        return Ros1Connection(node, self.address)

    def close(self) -> None:
        """Ends the master, if the bench started it."""
        if self.broker:
            self.broker.close()


def own_master(port: int) -> Broker:
    """A ROS master on the loopback interface, not started yet."""
    program = require_program("rosmaster", INSTALL)

    def environment(folder: Path) -> dict[str, str]:
        return {
            "ROS_MASTER_URI": f"http://127.0.0.1:{port}",
            "ROS_IP": "127.0.0.1",
            "ROS_HOME": str(folder),
            "ROS_LOG_DIR": str(folder),
        }

    return Broker(
        "rosmaster",
        lambda _: [program, "--core", "-p", str(port)],
        environment=environment,
        is_ready=lambda _: answers(port),
    )


class Ros1Connection(BackendConnection):
    """A node's connection to ROS."""

    def __init__(self, node: str, address: str) -> None:
        super().__init__()
        self._is_closed = False
        where = urlsplit(address)
        self._ends: dict[str, Callable[[], None]] = {}
        master = f"http://{where.hostname}:{where.port or _PORT}"
        self._node = rospy_node(node, master)

    def close(self) -> None:
        """Ends all subscriptions, and what is published once all is sent."""
        super().close()
        if not self._is_closed:
            self._is_closed = True
            self._node.leave()

    def advertise(self, topic: str, kind: type[SerialObject] | None = None) -> None:
        """Says that this node will publish on `topic`, and connects those who listen."""
        super().advertise(topic, kind)
        self._node.publisher(topic, kind)

    def _join(self, topic: str) -> None:
        self._ends[topic] = self._node.subscribe(topic, lambda data: self.inbox.put(topic, data))

    def _leave(self, topic: str) -> None:
        self._ends.pop(topic)()

    def _send(self, topic: str, data: bytes) -> None:
        self._node.publish(topic, data, self.kinds.get(topic))
