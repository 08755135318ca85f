"""Connects a server's robots with ROS 2 until it is interrupted, whatever world it loads."""

import sys
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from autosim.applications.common.terminal import tell
from autosim.applications.ros2.bridged_world import BridgedWorld, WorldBridge, follow_worlds
from autosim.config.files.lookup import search_roots
from autosim.errors import UserError
from autosim.helper_processes.companion_process import CompanionProcess
from autosim.helper_processes.process_socket import ControlClosedError
from autosim.helper_processes.start import inherited_control
from autosim.ros2.message_types import MessageTypes
from autosim.ros2.node_lockstep import TOPIC, NodeLockstep
from autosim.ros2.ros_graph import RosNode
from autosim.ros2.services import SimulationServices
from autosim.ros2.zenoh_session import DEFAULT_ROUTER, open_session

NODE = "autosim"
"""Name of the bridge's node."""

_TICK_SECONDS = 0.02
"""Longest time [s] between two looks while pictures are drawn."""


@dataclass(frozen=True, slots=True)
class BridgeOptions:
    """Options of the bridge (see `autosim ros2 --help`).

    `world`: what is published. `router`: endpoint of zenoh's router. `domain`: ROS_DOMAIN_ID.
    `distribution`: of ROS 2. `lockstep`: number of nodes that acknowledge each state before the
    simulation continues, 0: it does not wait. In lockstep, states are `1 / world.rate` apart.
    """

    world: BridgedWorld = field(default_factory=BridgedWorld)
    router: str = DEFAULT_ROUTER
    domain: int = 0
    distribution: str = "jazzy"
    lockstep: int = 0


def run_bridge(options: BridgeOptions, stop: threading.Event | None = None) -> None:
    """Bridges until Ctrl-C, or until `stop` is set.

    Raises:
        UserError: it cannot; the message says why.
        KeyboardInterrupt: the user has ended it.
    """
    over = stop or threading.Event()
    opened = open_session(options.router)
    what = "this process is its router" if opened.is_router else "connected to its router"
    tell(f"ROS 2 {options.distribution}, domain {options.domain}, at {options.router}: {what}")
    types = MessageTypes(options.distribution)

    def follow(stack: ExitStack) -> None:
        node = RosNode(
            opened.session,
            types,
            name=NODE,
            domain=options.domain,
            is_lossless=options.lockstep > 0,
        )
        stack.callback(node.close)
        world = WorldBridge(options.world, node, stack, over)
        world.open()
        services = SimulationServices(
            node, world.control, world.mirror.state, world=world.world, spawnables=_spawnables()
        )
        stack.callback(services.close)
        if options.lockstep:
            _run_in_lockstep(options, node, world, over)
        else:
            world.run()

    try:
        follow_worlds(follow, over)
    finally:
        opened.session.close()


def _run_in_lockstep(
    options: BridgeOptions, node: RosNode, world: WorldBridge, over: threading.Event
) -> None:
    mirror, control, cameras = world.mirror, world.control, world.cameras
    rate, state = options.world.rate, mirror.state
    steps = max(round(1.0 / (rate * mirror.step_seconds)), 1) if rate else 1
    barrier = NodeLockstep(node, options.lockstep)
    control.pause()
    tell(f"in lockstep: each state waits for {options.lockstep} messages on {TOPIC}")
    _, data = control.state()
    if not barrier.wait_for_nodes(over):
        return
    while not over.is_set():
        state.from_bitstream(data, digest=mirror.tree.digest)
        world.bridge.publish()
        now = int(state.ints[1])
        while cameras is not None and cameras.is_drawing:
            cameras.wait(_TICK_SECONDS)
            cameras.serve(now)
        world.bridge.publish_clock()
        if not barrier.wait(now, over):
            return
        _, data = control.drive(world.take_commands(), steps)


def _spawnables() -> dict[str, str]:
    """The robot files of this machine, as world files name them."""
    files = (file for root in search_roots() for file in sorted((root / "robots").glob("*.xml")))
    return {f"robots/{file.name}": f"{file.stem} of {file.parent}" for file in files}


def start_bridge(options: BridgeOptions) -> CompanionProcess:
    """Starts a bridge in its own process; it prints where this process prints."""
    return CompanionProcess("autosim.applications.ros2.bridge_program", options)


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    control = inherited_control(control_descriptor)
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
