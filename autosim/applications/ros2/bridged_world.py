"""One world of a server as topics and subscriptions, for ROS 2 or for Foxglove."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from autosim.applications.common.open_worlds import compile_with_progress, open_served
from autosim.applications.common.terminal import tell
from autosim.applications.driving.ownership import Ownership
from autosim.applications.remote.attached_program import FIRST_STATE_SECONDS
from autosim.client.link.client_errors import ClientError, ConnectionLostError, ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import ServedWorld, fetch_description
from autosim.client.link.simulation_control import SimulationControl
from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.model.commands import Command
from autosim.ros2.bridge import Bridge, robots_of
from autosim.ros2.pictures import CameraTopics
from autosim.ros2.ros_graph import GraphParticipant
from autosim.userprogram.ipc.camera_images import max_bytes
from autosim.wire import DEFAULT_ADDRESS
from autosim.world.pipeline.fetched_worlds import fetched_map

_AGAIN_SECONDS = 1.0
"""Pause [s] before a server that was lost, or has no world, is asked again."""

_PATIENCE_SECONDS = 5.0
"""Time [s] without a server after which a message tells that the bridge waits for it."""

_TICK_SECONDS = 0.02
"""Longest time [s] between two looks while no state comes: for pictures and the end."""

_MOST_COMPLAINTS = 1000
"""Number of different complaints that are printed at most."""


@dataclass(frozen=True, slots=True)
class BridgedWorld:
    """Parts of a server's world to publish.

    `server`: HOST:PORT. `name`: of the bridge, as a client of the server. `rate`: states [Hz] of
    simulated time that are published, 0: every step. `has_pictures`: those of cameras as well.
    """

    server: str = DEFAULT_ADDRESS
    name: str = "ros2"
    rate: float = 100.0
    has_pictures: bool = True


def follow_worlds(follow: Callable[[ExitStack], None], over: threading.Event) -> None:
    """Calls `follow` for one world of a server after the other, until `over` is set.

    It raises a ClientError when the world has changed, or the server is lost or has no world; the
    stack closes what belongs to the world. A reason to wait is printed once, that of a lost
    server after some seconds: it may be about to start.
    """
    told, lost_seconds = "", 0.0
    while not over.is_set():
        try:
            with ExitStack() as stack:
                follow(stack)
        except ServerRefusedError as error:
            told = _tell_once(f"{error}; waiting", told)
            lost_seconds = 0.0
        except ConnectionLostError as error:
            lost_seconds += _AGAIN_SECONDS
            if lost_seconds >= _PATIENCE_SECONDS:
                told = _tell_once(f"{error}; waiting for it", told)
        over.wait(_AGAIN_SECONDS)


def _tell_once(text: str, told: str) -> str:
    """Prints `text` unless it was the last message, and returns it."""
    if text != told:
        tell(text)
    return text


class WorldBridge:
    """The bridge of one world of a server, as long as it has that.

    Args:
        options: what is published.
        node: that publishes and subscribes.
        stack: closes everything at its end.
        over: set when the bridge is to end.
    """

    def __init__(
        self,
        options: BridgedWorld,
        node: GraphParticipant,
        stack: ExitStack,
        over: threading.Event,
    ) -> None:
        self._options, self._node, self._stack, self._over = options, node, stack, over
        self._owners: dict[str, Ownership] = {}
        self._report = _Complaints()

    def open(self) -> None:
        """Opens the topics and subscriptions of the world that the server has.

        Raises:
            ClientError: the server has no world, or is gone.
        """
        options = self._options
        served = fetch_description(options.server)
        self.mirror = self._stack.enter_context(
            Mirror(served, options.server, rate_hz=options.rate, name=options.name, report=tell)
        )
        connection = self.mirror.connection
        connection.wait_for_state(FIRST_STATE_SECONDS)
        self.world = served.name
        self.control = SimulationControl(options.server, lambda: connection.stub)
        self.cameras = self._open_cameras(served) if options.has_pictures else None
        self.bridge = Bridge(
            self._node, self.mirror.state, report=self._report, cameras=self.cameras
        )
        self._stack.callback(self.bridge.close)
        self._stack.callback(self._give_back)
        robots = ", ".join(each.name for each in robots_of(self.mirror.tree)) or "no robots"
        tell(f"'{served.name}' of {options.server}: {robots}")

    def run(self, on_state: Callable[[int], None] = lambda nanoseconds: None) -> None:
        """Publishes until the server has another world, or the bridge is to end.

        Args:
            on_state: called with the simulated time [ns] after each state.

        Raises:
            ClientError: the server has another world, or is gone.
        """
        mirror, cameras = self.mirror, self.cameras
        while not self._over.is_set():
            mirror.connection.wait_until(lambda: mirror.has_news, _TICK_SECONDS)
            if mirror.take():
                self.bridge.publish()
                self.bridge.publish_clock()
                on_state(int(mirror.state.ints[1]))
                mirror.connection.set_data(self.take_commands())
            elif cameras is not None and cameras.is_drawing:
                cameras.serve(int(mirror.state.ints[1]))

    def take_commands(self) -> list[Command]:
        """The commands since the last call, once their robots are taken over."""
        commands = self.bridge.commands()
        self._own(commands)
        return commands

    def _open_cameras(self, served: ServedWorld) -> CameraTopics | None:
        mirror = self.mirror
        if not max_bytes(mirror.tree, served.image_size):
            return None
        address = self._options.server
        world = open_served(address)
        compiled = compile_with_progress(world, sent=fetched_map(world.terrain.osm))
        scheduler = PictureScheduler.over(
            world, compiled, mirror.tree, memory=mirror.state.buffer, seed=served.seed
        )
        if scheduler is None:
            return None
        return CameraTopics(self._node, robots_of(mirror.tree), scheduler, self._report)

    def _own(self, commands: list[Command]) -> None:
        """Takes robots over from their programs when the first command for them comes."""
        for robot in {each.device.partition(".")[0] for each in commands}:
            if robot not in self._owners:
                owner = Ownership(self._options.server, robot, report=tell)
                self._owners[robot] = owner
                try:
                    owner.take_over()
                except ClientError as error:
                    tell(f"'{robot}' could not be taken over: {error}")

    def _give_back(self) -> None:
        for owner in self._owners.values():
            owner.give_back()


class _Complaints:
    """Prints why messages were not obeyed, each reason once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, text: str) -> None:
        if text not in self._said and len(self._said) < _MOST_COMPLAINTS:
            self._said.add(text)
            tell(text)
