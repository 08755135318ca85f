"""Serves a world to AlpaSim until it is interrupted, or has one of its drivers drive there."""

import threading
import uuid
from pathlib import Path

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.alpasim.alpasim_server import AlpasimServer
from autosim.alpasim.drive_client import drive_client
from autosim.alpasim.rollout import Rollout, RolloutReport
from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.applications.common.terminal import tell


def open_scene(world: Path) -> AlpasimScene:
    """The scene of a world file or a map.

    Raises:
        ConfigError: it cannot be used; every fault is named.
    """
    described = open_named_world(world)
    return AlpasimScene(described, compile_with_progress(described))


def serve_scene(
    scene: AlpasimScene, host: str, port: int, stop: threading.Event | None = None
) -> None:
    """Serves until Ctrl-C, or until `stop` is set.

    Raises:
        UserError: it cannot listen there.
        KeyboardInterrupt: the user has ended it.
    """
    over = stop or threading.Event()
    with AlpasimServer(scene, host, port) as server:
        shown = f"[{host}]" if ":" in host else host
        tell(
            f"scene '{scene.name}' at {shown}:{server.port}: PhysicsService, VDCService, "
            "TrafficService, SensorsimService"
        )
        over.wait()


def drive_scene(scene: AlpasimScene, driver: str, *, seconds: float, seed: int) -> RolloutReport:
    """Has the driver at HOST:PORT drive the first robot.

    Raises:
        UserError: the world has nothing to drive, or the driver fails.
    """
    with drive_client(driver, str(uuid.uuid4())) as client:
        tell(f"driver {client.version().version_id} at {driver}")
        return Rollout(scene, client).run(seconds, seed=seed)
