"""AlpaSim's own stubs, made from its files as its runtime has them, and a served world."""

import importlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import grpc
import pytest

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.loading.loader import load_world
from autosim.world.pipeline.cache import compile_world
from tests.commands import AUTOSIM
from tests.paths import ROOT

WORLD = ROOT / "worlds" / "circle_town.xml"

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
    world = load_world(WORLD)
    return AlpasimScene(world, compile_world(world.terrain))


@pytest.fixture(scope="package")
def channel() -> Iterator[grpc.Channel]:
    """A connection to the services of that town, in a process of their own: they draw."""
    command = [*AUTOSIM, "alpasim", str(WORLD), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        found = (re.search(r"at (127\.0\.0\.1:\d+): ", each) for each in lines)
        address = next(each[1] for each in found if each)
        # The limits of AlpaSim's runtime (services/sensorsim_service.py).
        options = [("grpc.max_receive_message_length", 64 * 1024 * 1024)]
        try:
            with grpc.insecure_channel(address, options=options) as opened:
                yield opened
        finally:
            process.send_signal(signal.SIGINT)
            process.stderr.read()


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
