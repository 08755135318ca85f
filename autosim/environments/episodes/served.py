"""Episodes in a running server, which this process steps."""

from collections.abc import Sequence
from pathlib import Path

from autosim.client.link.channels import open_channel
from autosim.client.link.client_errors import ClientError
from autosim.client.link.served_world import fetch_description
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl
from autosim.client.link.time_control import TimeControl
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.client.link.world_fetching import fetch_world
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.engine.step.simulation import Simulation
from autosim.environments.episodes.episode_conditions import AS_IN_WORLD, EpisodeConditions
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.model.commands import Command
from autosim.model.state import State
from autosim.orders.robot_orders import StartPose
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.fetched_worlds import fetched_map

_SAME_SECONDS = 1e-9
"""Difference [s] of two lengths of a step that are the same."""


def served_world(address: str) -> WorldDescription:
    """The world of the server at `address` (HOST:PORT), fetched where it is not here yet.

    Raises:
        UserError: the server is not there, or its world cannot be used here.
    """
    fetched = fetch_world(address)
    return load_world(fetched.file, told=fetched.robots)


def served_map(world: WorldDescription) -> CompiledWorld:
    """The map of a world that `served_world` gave.

    Raises:
        ConfigError: it cannot be made here.
    """
    sent: Path | None = fetched_map(world.source)
    return compile_world(world.terrain, sent=sent)


class ServedRun:
    """Simulations in a server, which restarts for each; see `runs.Run`.

    The server is paused between two steps, however long they are apart. No other client may step it
    meanwhile; all may look on.

    Args:
        address: HOST:PORT of the server, which this process may control.
        world: as returned by `served_world`.
        compiled: its map.
        step_seconds: of the physics [s]: if the server's differ, it reloads its world.
        physics_steps: in a step of the environment.

    Raises:
        ClientError: the server is not there, has another world, or refuses to be controlled.
        ValueError: there is no whole number of steps in a second.
    """

    def __init__(
        self,
        address: str,
        world: WorldDescription,
        compiled: CompiledWorld,
        *,
        step_seconds: float,
        physics_steps: int,
    ) -> None:
        self.world, self.compiled, self.physics_steps = world, compiled, physics_steps
        self.simulation: Simulation | None = None
        self._address = address
        self._channel = open_channel(address, CHANNEL_OPTIONS)
        stub = SimulatorStub(self._channel)
        self._control = SimulationControl(address, lambda: stub)
        self._time = TimeControl(self._control)
        self._set_step(step_seconds)
        tree = fetch_description(address).tree
        if tree.digest != build_tree(world).digest:
            raise ClientError(f"the server at {address} has another world than '{world.name}'")
        self._state = State(tree)

    def begin(
        self,
        cars: Sequence[PlacedRobot],
        seed: int,
        conditions: EpisodeConditions = AS_IN_WORLD,
    ) -> State:
        """As `EpisodeRun.begin`.

        Raises:
            ClientError: the server refuses it, or does not answer.
            ValueError: the conditions are not those of the server's world.
        """
        if conditions != AS_IN_WORLD:
            raise ValueError(
                "mass, weather and other conditions are those of the server: load another world "
                "there"
            )
        places = [
            StartPose(each.name, each.position, each.yaw or 0.0)
            for each in cars
            if each.position is not None
        ]
        self._time.begin(seed, places)
        return self.present()

    def present(self) -> State:
        """The current state of the server's simulation, which `drive` brings up to date.

        Raises:
            ClientError: the server does not answer.
        """
        _, state = self._control.state()
        self._state.from_bitstream(state, digest=self._state.tree.digest)
        return self._state

    def drive(self, commands: Sequence[Command]) -> None:
        """As `EpisodeRun.drive`.

        Raises:
            ClientError: the server refuses it, does not answer, or another client has stepped it.
        """
        due = self._state.step + self.physics_steps
        _, state = self._control.drive(commands, self.physics_steps)
        self._state.from_bitstream(state, digest=self._state.tree.digest)
        if self._state.step != due:
            raise ClientError(
                f"the server at {self._address} is at step {self._state.step}, not {due}: another "
                "client steps its simulation, or has loaded another world"
            )

    def close(self) -> None:
        """As `EpisodeRun.close`: the simulation stands where it is."""
        self._channel.close()

    def _set_step(self, seconds: float) -> None:
        """Has the server's physics step as often as is wanted."""
        rate = round(1.0 / seconds)
        if abs(1.0 / rate - seconds) > _SAME_SECONDS:
            raise ValueError(f"a server does whole numbers of steps a second, not {1 / seconds:g}")
        if abs(fetch_description(self._address).step_seconds - seconds) > _SAME_SECONDS:
            for _ in ServerManagement(self._control).load("", steps_per_second=rate):
                pass
