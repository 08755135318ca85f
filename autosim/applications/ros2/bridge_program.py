"""Follows a server for ROS 2 until it is interrupted, whatever world it loads."""

import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from autosim.applications.common.open_worlds import compile_with_progress, open_served
from autosim.applications.common.terminal import tell
from autosim.applications.driving.ownership import Ownership
from autosim.applications.remote.attached_program import FIRST_STATE_SECONDS
from autosim.client.link.client_errors import ClientError, ConnectionLostError, ServerRefusedError
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import ServedWorld, fetch_description
from autosim.client.link.simulation_control import SimulationControl
from autosim.config.files.lookup import search_roots
from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import start_python
from autosim.model.commands import Command
from autosim.ros2.bridge import Bridge, robots_of
from autosim.ros2.message_types import MessageTypes
from autosim.ros2.node_lockstep import TOPIC, NodeLockstep
from autosim.ros2.pictures import CameraTopics
from autosim.ros2.ros_graph import RosNode
from autosim.ros2.services import SimulationServices
from autosim.ros2.zenoh_session import DEFAULT_ROUTER, open_session
from autosim.userprogram.ipc.camera_images import max_bytes
from autosim.wire import DEFAULT_ADDRESS
from autosim.world.pipeline.fetched_worlds import fetched_map

NODE = "autosim"
"""Name of the bridge's node."""

_AGAIN_SECONDS = 1.0
"""Pause [s] before a server that was lost, or has no world, is asked again."""

_TICK_SECONDS = 0.02
"""Longest time [s] between two looks while no state comes: for pictures and the end."""

_END_SECONDS = 5.0
"""Time [s] for the bridge's process to end in order before it is killed."""


@dataclass(frozen=True, slots=True)
class BridgeOptions:
    """Options of the bridge (see `autosim ros2 --help`).

    `server`: HOST:PORT. `router`: endpoint of zenoh's router. `domain`: ROS_DOMAIN_ID. `rate`:
    states [Hz] of simulated time that are published, 0: every step. `lockstep`: number of nodes
    that acknowledge each state before the simulation continues, 0: it does not wait. In lockstep,
    states are `1 / rate` apart.
    """

    server: str = DEFAULT_ADDRESS
    router: str = DEFAULT_ROUTER
    domain: int = 0
    distribution: str = "jazzy"
    rate: float = 100.0
    has_pictures: bool = True
    lockstep: int = 0


def run_bridge(options: BridgeOptions, stop: threading.Event | None = None) -> None:
    """Bridges until Ctrl-C, or until `stop` is set.

    Raises:
        UserError: it cannot; the message says why.
        KeyboardInterrupt: the user has ended it.
    """
    over = stop or threading.Event()
    opened = open_session(options.router)
    what = (
        "no router of zenoh there: this is one now" if opened.is_router else "its router is there"
    )
    tell(f"ROS 2 {options.distribution}, domain {options.domain}, at {options.router}: {what}")
    types = MessageTypes(options.distribution)
    is_first = True
    try:
        while not over.is_set():
            node = RosNode(
                opened.session,
                types,
                name=NODE,
                domain=options.domain,
                is_lossless=options.lockstep > 0,
            )
            try:
                with ExitStack() as stack:
                    stack.callback(node.close)
                    _WorldBridge(options, node, stack, over).run()
            except ServerRefusedError as error:
                tell(f"the server's world has changed ({error})")
            except ConnectionLostError as error:
                if is_first:
                    tell(f"{error}; waiting for it")
            is_first = False
            over.wait(_AGAIN_SECONDS)
    finally:
        opened.session.close()


class _WorldBridge:
    """The bridge of one world of the server, as long as it has that."""

    def __init__(
        self, options: BridgeOptions, node: RosNode, stack: ExitStack, over: threading.Event
    ) -> None:
        self._options, self._node, self._stack, self._over = options, node, stack, over
        self._owners: dict[str, Ownership] = {}
        self._report = _Complaints()

    def run(self) -> None:
        """Publishes until the server has another world, or is to end.

        Raises:
            ClientError: the server has another world, or is gone.
        """
        options = self._options
        served = fetch_description(options.server)
        mirror = self._stack.enter_context(
            Mirror(served, options.server, rate_hz=options.rate, name="ros2", report=tell)
        )
        connection = mirror.connection
        connection.wait_for_state(FIRST_STATE_SECONDS)
        control = SimulationControl(options.server, lambda: connection.stub)
        cameras = self._cameras(served, mirror) if options.has_pictures else None
        bridge = Bridge(self._node, mirror.state, report=self._report, cameras=cameras)
        self._stack.callback(bridge.close)
        self._stack.callback(self._give_back)
        SimulationServices(
            self._node, control, mirror.state, world=served.name, spawnables=_spawnables()
        )
        robots = ", ".join(each.name for each in robots_of(mirror.tree)) or "no robots"
        tell(f"'{served.name}' of {options.server}: {robots}")
        if options.lockstep:
            self._run_in_lockstep(mirror, control, bridge, cameras)
        else:
            self._run_freely(mirror, bridge, cameras)

    def _run_freely(self, mirror: Mirror, bridge: Bridge, cameras: CameraTopics | None) -> None:
        while not self._over.is_set():
            mirror.connection.wait_until(lambda: mirror.has_news, _TICK_SECONDS)
            if mirror.take():
                bridge.publish()
                bridge.publish_clock()
                commands = bridge.commands()
                self._own(commands)
                mirror.connection.set_data(commands)
            elif cameras is not None and cameras.is_drawing:
                cameras.serve(int(mirror.state.ints[1]))

    def _run_in_lockstep(
        self,
        mirror: Mirror,
        control: SimulationControl,
        bridge: Bridge,
        cameras: CameraTopics | None,
    ) -> None:
        options, state = self._options, mirror.state
        steps = max(round(1.0 / (options.rate * mirror.step_seconds)), 1) if options.rate else 1
        barrier = NodeLockstep(self._node, options.lockstep)
        control.pause()
        tell(f"in lockstep: each state waits for {options.lockstep} messages on {TOPIC}")
        _, data = control.state()
        if not barrier.wait_for_nodes(self._over):
            return
        while not self._over.is_set():
            state.from_bitstream(data, digest=mirror.tree.digest)
            bridge.publish()
            now = int(state.ints[1])
            while cameras is not None and cameras.is_drawing:
                cameras.wait(_TICK_SECONDS)
                cameras.serve(now)
            bridge.publish_clock()
            if not barrier.wait(now, self._over):
                return
            commands = bridge.commands()
            self._own(commands)
            _, data = control.drive(commands, steps)

    def _cameras(self, served: ServedWorld, mirror: Mirror) -> CameraTopics | None:
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
        if text not in self._said and len(self._said) < 1000:
            self._said.add(text)
            tell(text)


def _spawnables() -> dict[str, str]:
    """The robot files of this machine, as world files name them."""
    files = (file for root in search_roots() for file in sorted((root / "robots").glob("*.xml")))
    return {f"robots/{file.name}": f"{file.stem} of {file.parent}" for file in files}


class BridgeProcess:
    """A bridge in its own process, which ends with `close` or with this process.

    Args:
        options: what to bridge.

    Raises:
        UserError: the packages that it needs are not installed.
    """

    def __init__(self, options: BridgeOptions) -> None:
        self._control, theirs = ControlSocket.pair()
        self._process = start_python("autosim.applications.ros2.bridge_program", theirs)
        theirs.close()
        self._control.send(options)

    def close(self) -> None:
        """Ends the bridge and waits until its process is gone."""
        self._control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "BridgeProcess":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = ControlSocket.inherited(control_descriptor)
    over = threading.Event()
    try:
        options, _ = control.receive()
    except ControlClosedError:
        return 0
    assert isinstance(options, BridgeOptions)

    def watch() -> None:
        with suppress(ControlClosedError):
            control.receive()
        over.set()

    threading.Thread(target=watch, name="autosim-ros2-end", daemon=True).start()
    try:
        run_bridge(options, over)
    except UserError as error:
        tell(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    # Functions of this module are pickled by name: under its own, not as `__main__`.
    from autosim.applications.ros2 import bridge_program

    sys.exit(bridge_program.main(int(sys.argv[1])))
