"""Pictures of a scene from any camera, with objects where a request has them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.alpasim.camera_lenses import RequestedLens
from autosim.alpasim.frame_poses import FramePose
from autosim.arrays import Bytes, Floats
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.rendering.optics import Optics
from autosim.client.scene.viewer import Viewer
from autosim.config.scenarios import PERSON
from autosim.config.world_settings import TrafficDescription
from autosim.kinds.director import build_tree
from autosim.model.state import State
from autosim.traffic.traffic_node import FREE, P, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import KIND_NAMES

_MAX_VEHICLES, _MAX_PEOPLE = 512, 512
"""Numbers of vehicles and people that a picture shows at most."""

_CAMERA = "alpasim:camera"
"""Name of the camera in the viewer."""

_MAX_OPTICS = 16
"""Number of lenses whose tables are kept: those of a vehicle's cameras."""


class _FreeCamera:
    """A camera that is where a request has it; `fov` [rad] is the vertical field of view."""

    def __init__(self, fov: float) -> None:
        self.fov = fov
        self.placed = CameraPose(np.zeros(3), np.eye(3))

    def pose(self, state: State) -> CameraPose:
        """Its pose, in any state."""
        return self.placed


class ScenePictures:
    """Draws the scene. All calls come from one thread, which also makes it.

    Args:
        scene: the world; its own robots and its traffic are not shown.
    """

    def __init__(self, scene: AlpasimScene) -> None:
        self._scene = scene
        traffic = TrafficDescription(vehicles=_MAX_VEHICLES, people=_MAX_PEOPLE)
        world = replace(scene.world, robots=(), traffic=traffic)
        self._state = State(build_tree(world, []))
        self._viewer = Viewer(
            world,
            scene.compiled,
            self._state.tree,
            width=64,
            height=64,
            onscreen=False,
            renderer="p3headlessgl",
        )
        self._optics: dict[bytes, tuple[Optics, _FreeCamera, str]] = {}
        self._made = 0

    def draw(
        self, lens: RequestedLens, key: bytes, pose: FramePose, objects: Mapping[str, FramePose]
    ) -> Bytes:
        """A picture (height, width, 3), red, green and blue.

        Args:
            lens: of the camera.
            key: stands for the lens.
            pose: of the camera, with x right, y down, z forward.
            objects: centres of boxes, by the identifiers of the objects.
        """
        optics, camera, name = self._camera(lens, key)
        right, down, forward = pose.axes.T
        camera.placed = CameraPose(pose.position, np.column_stack([right, forward, -down]))
        self._place(objects)
        self._viewer.update(self._state)
        return np.ascontiguousarray(optics.colours(self._viewer.image(name))[:, :, :3])

    def close(self) -> None:
        """Frees the renderer."""
        self._viewer.close()

    def _camera(self, lens: RequestedLens, key: bytes) -> tuple[Optics, _FreeCamera, str]:
        """The table of a lens, and the camera that draws the flat picture for it."""
        found = self._optics.pop(key, None)
        if found is None:
            while len(self._optics) >= _MAX_OPTICS:
                _, _, oldest = self._optics.pop(next(iter(self._optics)))
                self._viewer.remove_camera(oldest)
            optics = Optics(lens)
            camera = _FreeCamera(optics.flat.fov)
            self._made += 1
            name = f"{_CAMERA}:{self._made}"
            size = optics.flat.width, optics.flat.height
            self._viewer.add_camera(name, camera, size=size)
            found = optics, camera, name
        self._optics[key] = found
        return found

    def _place(self, objects: Mapping[str, FramePose]) -> None:
        """Writes the objects into the state that is drawn."""
        arrays = traffic_arrays_of(self._state)
        assert arrays is not None
        arrays.vehicles[:], arrays.people[:] = 0.0, 0.0
        arrays.vehicles[:, V.kind], arrays.people[:, P.kind] = FREE, FREE
        vehicle = person = 0
        for number, (name, pose) in enumerate(objects.items()):
            shape = self._scene.shape_of(name)
            foot = pose.position - pose.axes @ [0.0, 0.0, shape.size[2] / 2.0]
            if shape.kind == PERSON and person < _MAX_PEOPLE:
                row = arrays.people[person]
                row[[P.x, P.y, P.z, P.yaw]] = *foot.tolist(), pose.yaw
                row[[P.kind, P.colour]] = number % 4, number
                person += 1
            elif shape.kind != PERSON and vehicle < _MAX_VEHICLES:
                row = arrays.vehicles[vehicle]
                row[[V.x, V.y, V.z]] = foot
                row[[V.yaw, V.pitch, V.roll]] = _angles_of(pose.axes)
                row[[V.kind, V.colour]] = KIND_NAMES.index(shape.kind), number % 8
                vehicle += 1


def _angles_of(axes: Floats) -> tuple[float, float, float]:
    """Yaw, pitch (nose down) and roll (left side up) [rad] of axes forward, left, up."""
    yaw = np.arctan2(axes[1, 0], axes[0, 0])
    pitch = np.arcsin(np.clip(-axes[2, 0], -1.0, 1.0))
    return float(yaw), float(pitch), float(np.arctan2(axes[2, 1], axes[2, 2]))
