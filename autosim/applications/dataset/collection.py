"""Drives through a world and writes a data set of what a camera sees."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autosim.applications.dataset.box_sources import Boxes, BoxSources
from autosim.applications.dataset.box_views import Pinhole, see_boxes
from autosim.applications.dataset.coco import write_coco
from autosim.applications.dataset.dataset_settings import (
    SCENE_FRAMES,
    DatasetSettings,
    claim_folder,
)
from autosim.applications.dataset.frame_records import (
    PICTURES,
    Frame,
    make_record,
    read_record,
    record_file,
    segments_of,
    write_frame,
)
from autosim.applications.dataset.kitti import write_kitti, write_lidar
from autosim.applications.dataset.nuscenes import write_nuscenes
from autosim.applications.dataset.scene_conditions import conditions_of
from autosim.arrays import Booleans, Floats, Integers
from autosim.client.cameras.camera_rigs import CameraPose, CameraRig, Rig, camera_rigs
from autosim.client.scene.viewer import Viewer
from autosim.client.traffic.appearance import rotations
from autosim.config.descriptions import WorldDescription
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import lens_of
from autosim.model.instance_numbers import FIRST_VEHICLE, instance_numbers
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.traffic.traffic_node import V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass
from autosim.world.compiled.compiled_world import CompiledWorld

_MOUNT = np.array([0.7, 0.0, 0.2])
"""Place [m] of the camera before the middle of a car's roof and above it: the bonnet is below the
picture, as in KITTI."""

_WARM_UP = 4.0
"""Simulated time [s] before the first frame of a scene: vehicles have reached their speeds."""

_BUSIEST = 4
"""Ratio of all cars to those that may carry the camera at first, the ones with the most traffic
ahead: enough for a new drive in each scene."""

_COMPANY = 60.0
"""Distance [m] ahead up to which vehicles count for that."""

_SCREEN = "dataset:camera"
"""Name of the camera in the viewer."""

Progress = Callable[[int], None]
"""Takes the number of complete frames."""


class Host:
    """A camera on the roof of a car of traffic; where that has left, on another car's.

    Args:
        fov: vertical field of view [rad].
        number: which of the cars at first.
    """

    def __init__(self, fov: float, number: int) -> None:
        self.fov = fov
        self._number = number
        self._row, self._rolled = -1, np.inf

    @property
    def instance(self) -> int:
        """The number of the car in instance pictures."""
        return FIRST_VEHICLE + self._row

    def board(self, state: State) -> None:
        """Finds the car that carries the camera in `state`.

        Raises:
            UserError: there is no car.
        """
        arrays = traffic_arrays_of(state)
        vehicles: Floats = np.zeros((0, len(V))) if arrays is None else arrays.vehicles
        if (
            self._row < 0
            or not _is_car(vehicles)[self._row]
            or (vehicles[self._row, V.rolled] < self._rolled)
        ):
            cars = np.flatnonzero(_is_car(vehicles))
            if not len(cars):
                raise UserError(
                    "no car drives here: raise --vehicles, or name a camera by --camera"
                )
            busy = _by_company(vehicles, cars)
            self._row = int(busy[self._number % max(len(busy) // _BUSIEST, 1)])
        self._rolled = float(vehicles[self._row, V.rolled])

    def pose(self, state: State) -> CameraPose:
        """Pose of the camera."""
        arrays = traffic_arrays_of(state)
        assert arrays is not None
        values = arrays.vehicles[self._row]
        (axes,) = rotations(values[V.yaw, None], values[V.pitch, None], values[V.roll, None])
        up = np.array([0.0, 0.0, FLEET[int(values[V.kind])].height])
        position = values[V.x : V.z + 1] + axes @ (_MOUNT + up)
        forward, left, above = axes.T
        return CameraPose(position, np.column_stack([-left, forward, above]))


def _is_car(vehicles: Floats) -> Booleans:
    kinds = [n for n, each in enumerate(FLEET) if each.vehicle_class is VehicleClass.CAR]
    return np.isin(vehicles[:, V.kind], kinds)


def _by_company(vehicles: Floats, cars: Integers) -> Integers:
    """The rows of cars, those first that have the most vehicles ahead."""
    others = vehicles[vehicles[:, V.kind] >= 0.0, V.x : V.y + 1]
    way = others - vehicles[cars, None, V.x : V.y + 1]
    yaws = vehicles[cars, V.yaw, None]
    forward = way[..., 0] * np.cos(yaws) + way[..., 1] * np.sin(yaws)
    is_ahead = (forward > 1.0) & ((way**2).sum(axis=-1) < _COMPANY**2)
    return cars[np.argsort(-is_ahead.sum(axis=1), kind="stable")]


class Tracks:
    """Numbers of things over the frames of a scene.

    An instance number is used again when its vehicle has left; the track then is another one.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[float, int]] = {}
        self._next = 0

    def update(self, boxes: Boxes) -> dict[int, int]:
        """The track of each instance number."""
        found: dict[int, tuple[float, int]] = {}
        for number, travelled in zip(boxes.numbers.tolist(), boxes.travelled.tolist(), strict=True):
            known = self._known.get(number)
            if known is None or known[0] > travelled:
                self._next += 1
                known = travelled, self._next
            found[number] = travelled, known[1]
        self._known = found
        return {number: track for number, (_, track) in found.items()}


def make_dataset(
    world: WorldDescription,
    compiled: CompiledWorld,
    *,
    frames: int,
    folder: Path,
    settings: DatasetSettings,
    progress: Progress = lambda _: None,
) -> int:
    """Writes a data set, or what is missing of it.

    The same world, settings and number of frames give the same files, byte for byte.

    Args:
        world: what is driven through.
        compiled: its map.
        frames: number of frames of the whole data set.
        folder: to write.
        settings: of the frames.
        progress: learns after each frame how many there are.

    Returns:
        The number of frames that were drawn now.

    Raises:
        UserError: the folder holds something else, cannot be written, there is no such camera, or
            nothing can be drawn here.
    """
    world = _prepared(world, settings)
    if settings.camera:
        _device(world, build_tree(world), settings)
    claim_folder(folder, settings, _digest(world))
    missing = [n for n in range(frames) if not record_file(folder, n).exists()]
    drawn = 0
    if missing:
        collector = _Collector(world, compiled, folder, settings)
        try:
            for scene in sorted({number // SCENE_FRAMES for number in missing}):
                wanted = [n for n in missing if n // SCENE_FRAMES == scene]
                for _ in collector.scene(scene, wanted):
                    drawn += 1
                    progress(frames - len(missing) + drawn)
        finally:
            collector.close()
    # One after the other: all of a large data set would fill the memory.
    records = (read_record(folder, number) for number in range(frames))
    if settings.layout == "coco":
        write_coco(folder, records, settings.width, settings.height)
    elif settings.layout == "kitti":
        write_kitti(folder, records)
    else:
        write_nuscenes(folder, records, settings.width, settings.height)
    return drawn


@dataclass(slots=True)
class _View:
    """The renderer, kept from scene to scene, and the lens of its camera."""

    viewer: Viewer
    camera: Pinhole


class _Collector:
    """Draws the frames of scenes."""

    def __init__(
        self,
        world: WorldDescription,
        compiled: CompiledWorld,
        folder: Path,
        settings: DatasetSettings,
    ) -> None:
        self._world, self._compiled = world, compiled
        self._folder, self._settings = folder, settings
        self._view: _View | None = None

    def close(self) -> None:
        """Frees the renderer."""
        if self._view is not None:
            self._view.viewer.close()

    def scene(self, number: int, wanted: list[int]) -> Iterator[Frame]:
        """Drives one scene and draws the wanted frames of it."""
        settings = self._settings
        seed = _seed_of(settings.seed, number)
        traffic = self._world.traffic
        assert traffic is not None
        world = replace(self._world, traffic=replace(traffic, seed=seed))
        tracks = Tracks()
        with Simulation(world, seed=seed, compiled=self._compiled) as simulation:
            host = self._host(world, simulation, seed)
            sources = BoxSources(world, self._compiled, simulation.state)
            _run_for(simulation, _WARM_UP)
            period = _steps_in(simulation, settings.period) * simulation.step_seconds
            for place in range(max(wanted) - number * SCENE_FRAMES + 1):
                if place:
                    _run_for(simulation, settings.period)
                if isinstance(host, Host):
                    host.board(simulation.state)
                boxes = sources.at(simulation.state)
                numbered = tracks.update(boxes)
                frame = Frame(number * SCENE_FRAMES + place, number, place * period)
                if frame.number in wanted:
                    self._draw(frame, simulation.state, host, boxes, numbered)
                    yield frame

    def _host(self, world: WorldDescription, simulation: Simulation, seed: int) -> Rig:
        """The carrier of the camera in a simulation."""
        if not self._settings.camera:
            return Host(self._settings.fov, seed)
        return _device(world, simulation.tree, self._settings)

    def _draw(
        self, frame: Frame, state: State, host: Rig, boxes: Boxes, tracks: dict[int, int]
    ) -> None:
        settings, view = self._settings, self._open(state, host)
        conditions = conditions_of(
            frame.scene, settings.seed, self._world.graphics.sky, is_varied=settings.is_varied
        )
        viewer, pose = view.viewer, host.pose(state)
        viewer.update(state)
        viewer.show_sky(conditions.sky)
        measured = viewer.measure(_SCREEN)
        picture = conditions.record(viewer.image(_SCREEN), measured, step=state.step)
        own = _instance_of(host, state, settings)
        record = make_record(
            frame,
            conditions,
            boxes=boxes,
            seen=see_boxes(boxes, pose, view.camera, measured, without=own),
            tracks=tracks,
            pose=pose,
            camera=view.camera,
            segments=segments_of(measured, without=own),
        )
        if settings.layout == "kitti":
            write_lidar(self._folder, frame.stem, measured.depths, view.camera.focal)
        write_frame(
            self._folder,
            frame,
            pictures=PICTURES[settings.layout],
            picture=picture,
            measured=measured,
            record=record,
        )

    def _open(self, state: State, host: Rig) -> _View:
        size = self._settings.width, self._settings.height
        if self._view is None:
            viewer = Viewer(
                self._world,
                self._compiled,
                state.tree,
                width=size[0],
                height=size[1],
                onscreen=False,
                renderer="p3headlessgl",
            )
            focal = size[1] / (2.0 * float(np.tan(host.fov / 2.0)))
            self._view = _View(viewer, Pinhole(*size, focal))
        self._view.viewer.add_camera(_SCREEN, host, size=size)
        return self._view


def _prepared(world: WorldDescription, settings: DatasetSettings) -> WorldDescription:
    """The world with enough traffic; without its robots where the camera is none of theirs."""
    traffic = world.traffic or TrafficDescription()
    traffic = replace(
        traffic,
        vehicles=max(traffic.vehicles, settings.vehicles),
        people=max(traffic.people, settings.people),
    )
    robots = world.robots if settings.camera else ()
    return replace(world, robots=robots, traffic=traffic)


def _digest(world: WorldDescription) -> str:
    text = "\n".join(f"{name} {digest}" for name, digest in world.files)
    return hashlib.sha256(f"{world.name}\n{text}".encode()).hexdigest()[:16]


def _device(world: WorldDescription, tree: SimulationTree, settings: DatasetSettings) -> CameraRig:
    rigs = camera_rigs(world, tree)
    rig = rigs.get(settings.camera)
    if rig is None:
        known = ", ".join(rigs) or "none"
        raise UserError(f"there is no camera '{settings.camera}'; there are: {known}")
    lens = lens_of(rig.description, (settings.width, settings.height))
    if not lens.is_pinhole or lens.is_parallel:
        raise UserError(
            f"camera '{settings.camera}' is not a pinhole: boxes need one without "
            "<BrownConrady>, <Fisheye> and <Span>"
        )
    return rig


def _instance_of(host: Rig, state: State, settings: DatasetSettings) -> int:
    if isinstance(host, Host):
        return host.instance
    return instance_numbers(state.tree)[settings.camera.partition(".")[0]]


def _seed_of(seed: int, scene: int) -> int:
    digest = hashlib.blake2b(f"{seed}/{scene}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % 2**31


def _run_for(simulation: Simulation, seconds: float) -> None:
    simulation.run(_steps_in(simulation, seconds))


def _steps_in(simulation: Simulation, seconds: float) -> int:
    return max(round(seconds / simulation.step_seconds), 1)
