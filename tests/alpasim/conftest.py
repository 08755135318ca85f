"""AlpaSim's own stubs, made from its files as its runtime has them, and a served world."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.alpasim.alpasim_server import AlpasimServer
from autosim.loading.loader import load_world
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT

FILES = ("common", "controller", "egodriver", "physics", "sensorsim", "traffic")


@pytest.fixture(scope="session")
def protos(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The modules `alpasim_grpc.v0.*_pb2` and `*_pb2_grpc`."""
    protoc = pytest.importorskip("grpc_tools.protoc")
    folder = tmp_path_factory.mktemp("stubs")
    names = [f"alpasim_grpc/v0/{each}.proto" for each in FILES]
    outputs = [f"--python_out={folder}", f"--grpc_python_out={folder}"]
    assert protoc.main(["", f"-I{ROOT / 'proto'}", *outputs, *names]) == 0
    sys.path.insert(0, str(folder))
    try:
        return SimpleNamespace(
            **{each: importlib.import_module(f"alpasim_grpc.v0.{each}_pb2") for each in FILES},
            **{
                f"{each}_grpc": importlib.import_module(f"alpasim_grpc.v0.{each}_pb2_grpc")
                for each in FILES
            },
        )
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def scene() -> AlpasimScene:
    """A small town with a roundabout."""
    world = load_world(Path("worlds/circle_town.xml"))
    return AlpasimScene(world, compile_world(world.terrain))


@pytest.fixture(scope="session")
def channel(scene: AlpasimScene) -> Iterator[grpc.Channel]:
    """A connection to the services of that town."""
    with (
        AlpasimServer(scene, "127.0.0.1", 0) as server,
        # The limits of AlpaSim's runtime (services/sensorsim_service.py).
        grpc.insecure_channel(
            f"127.0.0.1:{server.port}",
            options=[("grpc.max_receive_message_length", 64 * 1024 * 1024)],
        ) as opened,
    ):
        yield opened


@pytest.fixture(scope="session")
def straight(scene: AlpasimScene) -> SimpleNamespace:
    """A long lane of the town: points on it, and its heading."""
    lanes = scene.compiled.roads.lanes
    lane = max(lanes, key=lambda each: each.length if not each.is_connector else 0.0)

    def at(station: float, height: float = 0.0) -> list[float]:
        """The point [m] at a station, `height` above the lane."""
        x, y, z = lane.position(station).tolist()
        return [x, y, z + height]

    return SimpleNamespace(length=lane.length, at=at, yaw=lane.heading)
