"""A server's description of its world: enough to follow it without any of its files."""

from dataclasses import dataclass

import grpc

from autosim.client.link.channels import open_channel
from autosim.client.link.client_errors import ClientError, ServerRefusedError, explain_rpc_error
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.model.tree import SimulationTree, TreeError
from autosim.userprogram.codec.tree_codec import tree_from_message
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub

ANSWER_SECONDS = 10.0
"""Time [s] within which a server describes its world: it has the answer ready, so one that takes
longer is gone or frozen."""


@dataclass(frozen=True, slots=True)
class ServedWorld:
    """The world of a server.

    `tree` has the layout of the server's. `files` are name and SHA-256 (hex) of each file of the
    world. `digest` is that of the compiled map, "" while the server loads it. `image_size` [pixels]
    is that of cameras without their own resolution; `seed` is the seed of their noise.
    """

    name: str
    version: str
    """AutoSim version of the server."""
    tree: SimulationTree
    files: tuple[tuple[str, str], ...]
    step_seconds: float
    """Simulated duration of a step [s]."""
    digest: str
    image_size: tuple[int, int] = (640, 480)
    seed: int = 0


def fetch_description(address: str, *, timeout: float = ANSWER_SECONDS) -> ServedWorld:
    """Asks the server at `address` (HOST:PORT) for its world.

    Raises:
        ConnectionLostError: no server answers there within `timeout` [s].
        ServerRefusedError: the server speaks another version of the contract.
    """
    with open_channel(address, CHANNEL_OPTIONS) as channel:
        try:
            described = SimulatorStub(channel).Describe(pb.DescribeRequest(), timeout=timeout)
        except grpc.RpcError as error:
            raise explain_rpc_error(error, address) from error
    return ServedWorld(
        name=described.world,
        version=described.version,
        tree=described_tree(described, address),
        files=tuple((file.name, file.digest) for file in described.files),
        step_seconds=described.step_seconds,
        digest=described.world_digest,
        image_size=(described.picture_width, described.picture_height),
        seed=described.seed,
    )


def described_tree(described: pb.Description, address: str) -> SimulationTree:
    """The tree of what the server at `address` said of its world.

    Raises:
        ServerRefusedError: it speaks another version of the contract.
    """
    try:
        return tree_from_message(described.tree)
    except TreeError as error:
        raise ServerRefusedError(
            f"the server at {address} has version {described.version}, which does not say what is "
            f"in its world: {error}"
        ) from error


def choose_robot_of(tree: SimulationTree, name: str | None) -> str:
    """The robot of that name; the first one where `name` is None.

    Raises:
        ClientError: there is none.
    """
    robots = [node.name for node in tree.robots]
    if name is None and robots:
        return robots[0]
    if name is None or name not in robots:
        known = ", ".join(robots) or "none"
        wanted = "no robot" if name is None else f"no robot '{name}'"
        raise ClientError(f"the server's world has {wanted} (robots: {known})")
    return name
