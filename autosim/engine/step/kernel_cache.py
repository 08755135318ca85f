"""Compiles all kernels before the first of them is needed, on two processors.

Each rehearsal calls kernels with arrays of the types that a simulation gives them, and of next to
nothing. `python -m autosim.engine.step.kernel_cache` does it ahead of the first simulation.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np

from autosim.config.descriptions import Device
from autosim.config.noise_records import Noise, WhiteNoise
from autosim.config.world_settings import TrafficDescription
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.collision_pieces import cut_level, run_to_end
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.engine.physics.inventory import Inventory
from autosim.engine.physics.piece_kernels import has_moved, nearest_places
from autosim.engine.physics.traffic_bodies import warm_up_bodies
from autosim.engine.physics.wheeled_vehicles import WheeledVehicles
from autosim.engine.step.compile_progress import CompileProgress
from autosim.engine.step.robot_states import RobotStateWriter
from autosim.jit import is_cached
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.bodies.capsule import CapsulePart
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.kind import AnyDeviceKind, body_of
from autosim.kinds.sensors import time_device
from autosim.kinds.sensors.motion import gyroscope, velocimeter
from autosim.kinds.sensors.positioning import compass, gps, inclinometer
from autosim.kinds.sensors.ranging import lidar, psd
from autosim.model.angles import directions
from autosim.model.bodies import BodyStates
from autosim.model.rigid_bodies.rigid_body import box_body
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.rays.batch import RayBatch
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.traffic.road_users import BOX, WALKER, RoadUsers
from autosim.traffic.signals.controllers import Lights, SignalControllers
from autosim.traffic.signals.running_signals import find_gaps
from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.traffic.traffic_node import ORDER_COLUMNS, PERSON, VEHICLE
from autosim.traffic.vehicle_kinds import KIND_NAMES
from autosim.traffic.vehicles import spawning, vehicle_motion
from autosim.traffic.vehicles.driving import driver_decisions
from autosim.traffic.vehicles.junctions import jams
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.traffic.ways.walk_network import WalkNetwork, WayKind, network_of_lines
from autosim.vehicle.model import wheel_forces
from autosim.world.compiled.tile_grid import Level, tile_boxes
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh
from autosim.world.lanes.lane_index import find_lane, find_lanes
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.pipeline.forked_helpers import (
    WorkQueue,
    gc_disabled,
    may_fork,
    usable_processors,
)

_LOOK_SECONDS = 0.1
"""Time [s] between two checks whether helpers have compiled everything."""

_TELL_SECONDS = 5.0
"""Time [s] of compiling after which users are notified, and between two such texts."""


def fill_kernel_cache(
    tell: Callable[[str], None] = lambda text: None, *, with_traffic: bool = False
) -> None:
    """Compiles what is not on disk yet and puts it there, in processes that end with it.

    Where nothing can be put on disk, nothing is done.

    Args:
        tell: takes reports of progress, if there is something to compile; the first at once.
        with_traffic: whether the kernels of traffic are needed, too.
    """
    wanted: tuple[Rehearsal, ...] = (
        () if all(is_cached(kernel) for kernel in _LARGEST) else WARM_UPS
    )
    if with_traffic and not is_cached(driver_decisions.decide_driving):
        wanted = (*TRAFFIC, *wanted)
    if not wanted:
        return
    progress = CompileProgress(wanted, [KERNEL_COUNTS[each] for each in wanted], tell=tell)
    tell(progress.text)
    with gc_disabled():
        helpers = min(usable_processors(), len(wanted)) if may_fork() else 0
        with WorkQueue(progress.tasks, helpers=helpers) as work:
            # Helpers cannot report: the front listens to this process.
            while not work.is_done:
                progress.look()
                time.sleep(_LOOK_SECONDS)
            work.collect()


def load_kernels() -> None:
    """Loads what most simulations call, for processes that are forked from this one.

    It takes a second. Where kernels are not on disk yet, nothing is done.
    """
    if all(is_cached(kernel) for kernel in _LARGEST):
        for rehearse in WARM_UPS:
            rehearse()


@contextmanager
def compilations_told(tell: Callable[[str], None]) -> Iterator[None]:
    """Inside, users are notified of kernels that are compiled here, once that takes long.

    They are those of rarer devices, which `fill_kernel_cache` leaves to the worlds that have them.

    Args:
        tell: takes the text, at most every `_TELL_SECONDS`.
    """
    from numba.core.event import Event, Listener, install_listener

    class Compilations(Listener):  # type: ignore[misc]
        """Listens to each kernel before and after it is compiled."""

        def __init__(self) -> None:
            self.count, self.told_at = 0, time.monotonic()

        def on_start(self, event: Event) -> None:
            self.count += 1
            if time.monotonic() - self.told_at > _TELL_SECONDS:
                self.told_at = time.monotonic()
                tell(f"compiles kernels for this processor, once: {self.count} so far")

        def on_end(self, event: Event) -> None: ...

    with install_listener("numba:compile", Compilations()):
        yield


def _warm_up_vehicles() -> None:
    physics, rays = BulletEngine(step_seconds=1.0, gravity=1.0), RayScene(())
    WheeledVehicles(
        EngineBodies(physics, (), BodyStates(0)),
        wheels=(),
        actuators=(),
        step_seconds=1.0,
        gravity=1.0,
        rays=rays,
    )


def _warm_up_others() -> None:
    bodies, numbers, ones = BodyStates(0), np.zeros(0, dtype=np.int64), np.ones(1)
    physics = BulletEngine(step_seconds=1.0, gravity=1.0)
    physics.read(
        bodies.positions, bodies.orientations, bodies.velocities, bodies.angular_velocities
    )
    bodies.update_rotations()
    RobotStateWriter(Inventory(), step_seconds=1.0, report=lambda notice: None).write(
        bodies, State(SimulationTree().lay_out())
    )
    directions(ones, ones)
    level = _one_triangle()
    cut = run_to_end(cut_level(level, 0))
    cut.piece(0)
    nearest_places(
        np.zeros((1, 2)), np.zeros((1, 1), dtype=np.float32), 1.0, numbers, np.arange(1), cut.boxes
    )
    has_moved(bodies.positions, np.zeros((0, 2)), 1.0)


def _warm_up_rays() -> None:
    rays = RayBatch.of(1)
    rays.origins[0], rays.ways[0] = (0.2, 0.2, 1.0), (0.0, 0.0, -2.0)
    scene, box = RayScene((_one_triangle().mesh,)), box_body((1.0, 1.0, 1.0), 1.0)
    RayCaster(scene, [box, box], np.arange(2)).cast(rays, 1, BodyStates(2))


class _NoRays(RayCaster):
    """Skips rays, which are warmed up by themselves."""

    def cast(self, rays: RayBatch, count: int, bodies: BodyStates) -> None: ...

    def casting(self, rays: RayBatch) -> Callable[[int, BodyStates], None]:
        """Casts none."""
        return lambda count, bodies: None


def _warm_up_sensors() -> None:
    """One of each usual sensor, with noise. A world with others compiles theirs while it loads."""
    _sense(_USUAL, (WhiteNoise(0.0),))


def _warm_up_receivers() -> None:
    _sense((gps.KIND,), ())


def _sense(kinds: Sequence[AnyDeviceKind], noises: tuple[Noise, ...]) -> None:
    tree = SimulationTree()
    devices: dict[type[Device], list[MountedDevice[Device]]] = {}
    for kind in kinds:
        device = kind.record(kind.name, "", noises=noises)
        node = tree.register(kind.node(kind.name, device))
        devices[kind.record] = [MountedDevice(node, device, 0)]
    rays = _NoRays(RayScene(()), robots=np.zeros(1, dtype=np.int64))
    state, projection = State(tree.lay_out()), MapProjection((0.0, 0.0))
    DeviceBanks(devices, BankContext(1.0, 0, projection, rays=rays)).sense(BodyStates(1), state)


def _warm_up_lanes() -> None:
    """For user programs, which look for lanes and compile nothing."""
    line = _one_lane().centre_line
    index = RoadNetwork.from_lanes([_one_lane()]).lane_index()
    find_lane(index, 1.0, 1.0, np.nan, np.nan)
    find_lanes(index, line, np.zeros(2), np.zeros(2, dtype=np.int64), np.zeros((2, 2)))


def _warm_up_decisions() -> None:
    town = _one_vehicle().town
    driver_decisions.decide_driving(town, 0, 1.0, np.uint64(0), 1.0, False)


def _warm_up_traffic() -> None:
    """Warms up vehicles except for decisions, which take as long as all else together."""
    vehicles = _one_vehicle()
    town, seed, bounds = vehicles.town, np.uint64(0), np.zeros(4)
    vehicles.begin()
    spawning.spawn_vehicles(town, 0, 1, seed, 1.0, True)
    spawning.spawn_at(town, 0, 0, 5.0, 0.0, seed, 1.0)
    spawning.despawn_vehicles(town, 1, bounds)
    spawning.despawn_arrived(town, 0.05)
    spawning.end_trips(town, 0, 0.05, np.uint64(0))
    jams.count_collisions(town)
    jams.resolve_jams(town)
    vehicle_motion.time_reds(town, 0.05)
    # Not a step in which drivers decide.
    vehicles.advance(1)
    warm_up_bodies()
    _cast_at_people()


def _cast_at_people() -> None:
    rays, scene = RayBatch.of(1), RayScene(())
    person = body_of(CapsulePart("", (0.0, 0.0, 0.0), radius=0.2, length=1.3, mass=70.0))
    RayCaster(scene, [person, person], np.arange(2)).cast(rays, 1, BodyStates(2))


def _warm_up_people() -> None:
    from autosim.traffic.pedestrians.pedestrian_traffic import Pedestrians

    nodes = np.array([[0.0, 0.0, 0.0], [40.0, 0.0, 0.0], [40.0, 40.0, 0.0], [0.0, 40.0, 0.0]])
    pavements = [(nodes[[k, (k + 1) % 4]], k, (k + 1) % 4, 1.0, WayKind.PAVEMENT) for k in range(4)]
    ways = network_of_lines(pavements, nodes)
    people = Pedestrians(ways, count=1, seed=0, step_seconds=1.0)
    state, around = np.zeros((1, PERSON)), np.zeros((1, WALKER))
    people.begin(state, around)
    boxes, signals = np.zeros((0, BOX)), np.zeros(0, dtype=np.int64)
    met = RoadUsers(boxes, boxes, around, signals)
    people.advance(0, state, met)
    _ride_round(network_of_lines([(10.0 * each[0], *each[1:]) for each in pavements], nodes), met)


def _ride_round(ways: WalkNetwork, met: RoadUsers) -> None:
    from autosim.traffic.cyclists.cyclist_traffic import Cyclists

    cyclists = Cyclists(
        ways,
        np.full(2, KIND_NAMES.index("bicycle"), dtype=np.int64),
        seed=0,
        step_seconds=1.0,
        crossings=np.zeros((0, 3)),
        keeps_right=True,
    )
    cyclists.begin()
    cyclists.advance(0, met)
    boxes, motions = np.zeros((2, BOX)), np.zeros((2, 13))
    cyclists.show(np.zeros((2, VEHICLE)), motions, boxes, np.zeros((2, WALKER)))


def _warm_up_signals() -> None:
    roads = RoadNetwork.from_lanes([_one_lane()])
    lights = Lights(
        np.zeros(0, dtype=np.int64), np.zeros((0, len(ORDER_COLUMNS))), np.zeros(1, dtype=np.int64)
    )
    SignalControllers(SignalPlan.none(), roads, lights=lights, step_seconds=1.0).rehearse()
    find_gaps(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(1), np.zeros(1))


def _one_vehicle() -> NativeVehicles:
    roads = RoadNetwork.from_lanes([_one_lane()])
    area = TrafficArea(roads, (0.0, 0.0, 0.0, 0.0))
    return NativeVehicles(area, TrafficDescription(vehicles=1), step_seconds=0.01)


def _one_lane() -> LaneRecord:
    line = np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]])
    return LaneRecord(0, line, 3.0, 10.0, "service", False, ())


def _one_triangle() -> Level:
    mesh = Mesh(
        np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        np.array([[0, 1, 2]], dtype=np.int32),
        np.zeros(1, dtype=np.uint8),
        np.array([0, 1]),
    )
    return Level(mesh, tile_boxes(mesh))


_USUAL: tuple[AnyDeviceKind, ...] = (
    *(psd.KIND, lidar.KIND, gyroscope.KIND, velocimeter.KIND, compass.KIND),
    *(inclinometer.KIND, time_device.KIND),
)
"""Devices of most cars, but for the receiver: compiling all kinds would take twice as long, for
worlds without them."""

WARM_UPS = (
    *(_warm_up_vehicles, _warm_up_sensors, _warm_up_lanes),
    *(_warm_up_rays, _warm_up_receivers, _warm_up_others),
)
"""Sorted with the longest first; no two compile the same kernel."""

TRAFFIC = (_warm_up_decisions, _warm_up_people, _warm_up_traffic, _warm_up_signals)
"""The same for worlds with traffic."""

_LARGEST = (wheel_forces, find_lane)
"""Kernels that are there when all are, or nearly."""


Rehearsal = Callable[[], None]

KERNEL_COUNTS: Mapping[Rehearsal, int] = MappingProxyType(
    {
        _warm_up_decisions: 150,
        _warm_up_people: 115,
        _warm_up_traffic: 105,
        _warm_up_signals: 15,
        _warm_up_vehicles: 81,
        _warm_up_sensors: 25,
        _warm_up_lanes: 12,
        _warm_up_rays: 23,
        _warm_up_receivers: 31,
        _warm_up_others: 17,
    }
)
"""Number of kernels that each compiles, for reports of progress; a long test counts them."""


if __name__ == "__main__":
    fill_kernel_cache(print, with_traffic=True)
