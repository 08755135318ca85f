"""The server of AlpaSim's services for one world."""

from concurrent.futures import ThreadPoolExecutor
from typing import Self

import grpc

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.alpasim.ego_vehicle import EgoVehicle
from autosim.alpasim.grpc_services import MESSAGE_OPTIONS, handlers_of
from autosim.alpasim.physics_service import PhysicsService
from autosim.alpasim.sensor_service import SensorService
from autosim.alpasim.traffic_service import TrafficService
from autosim.alpasim.vehicle_service import VehicleService
from autosim.alpasim.wire import controller_pb2, physics_pb2, sensorsim_pb2, traffic_pb2
from autosim.errors import UserError


class AlpasimServer:
    """Serves four services at one port. Use as a context manager.

    One thread answers all calls, one after the other: the renderer belongs to it. Panda3D draws in
    one thread of a process, so a process that draws with its own `Viewer` has no such server.

    Args:
        scene: the world; its first robot is the vehicle that is driven.
        host: to listen on.
        port: the same; 0: any free port.

    Raises:
        UserError: it cannot listen there.
    """

    def __init__(self, scene: AlpasimScene, host: str, port: int) -> None:
        robots = scene.world.robots
        measures = EgoVehicle.of(robots[0].robot).measures if robots else None
        self._sensors = SensorService(scene)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="autosim-alpasim")
        self._server = grpc.server(self._pool, options=MESSAGE_OPTIONS)
        self._server.add_generic_rpc_handlers(
            [
                handlers_of(file.DESCRIPTOR.services_by_name[name], servicer)
                for file, name, servicer in (
                    (physics_pb2, "PhysicsService", PhysicsService(scene)),
                    (controller_pb2, "VDCService", VehicleService(measures)),
                    (traffic_pb2, "TrafficService", TrafficService(scene)),
                    (sensorsim_pb2, "SensorsimService", self._sensors),
                )
            ]
        )
        shown = f"[{host}]" if ":" in host else host
        try:
            self.port = self._server.add_insecure_port(f"{shown}:{port}")
        except RuntimeError as error:
            raise UserError(f"AlpaSim's services cannot listen at {shown}:{port}") from error
        self._server.start()

    def close(self) -> None:
        """Ends the services, and frees the renderer in the thread to which it belongs."""
        self._server.stop(grace=None).wait()
        self._pool.submit(self._sensors.close).result()
        self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
