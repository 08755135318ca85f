"""The nodes of traffic in a scene: one for all vehicles, one for all people."""

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.client.materials.material_kinds import ShaderKind
from autosim.client.materials.motion_shader import SHIFT_INPUT
from autosim.client.materials.shader_kinds import mark
from autosim.client.models.model_library import ModelLibrary
from autosim.client.panda.masks import SHADOW_MASK, STANDING_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import change_mesh, changing_node
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.rain_cover import RainCover
from autosim.client.tiles.occlusion import Frustum
from autosim.client.traffic.appearance import posed_people, posed_vehicles, vehicle_dyes
from autosim.client.traffic.lamp_glows import LampGlows
from autosim.client.traffic.people_rigs import people_rigs
from autosim.client.traffic.posing import (
    Posed,
    PosedModels,
    VisibleModels,
    match_previous,
    select_visible,
    write_pose_mesh,
)
from autosim.client.traffic.rigs import Rigs, vehicle_rigs
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.traffic.traffic_node import KIND, NAME, PERSON, VEHICLE, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import Light

_VEHICLES_NEAR, _PEOPLE_NEAR = 45.0, 25.0
"""Distances [m] up to which vehicles and people cast shadows: farther away they are small."""


_TUNNELS_FAR = 150.0
"""Distance [m] along x and y up to which head lights are on in tunnels: one cannot see farther into
one."""

_UMBRELLAS_FROM = 0.06
"""Intensity of rain (share of 50 mm/h) from which on people open their umbrellas: 3 mm/h."""

_PLACE, _NORMAL = slice(0, 3), slice(3, 6)
"""Columns of the place and of the normal in a row of a posed mesh."""


class TrafficNodes:
    """Drawing of traffic; nothing in worlds without.

    Args:
        root: the scene.
        tree: the tree of the states that `update` takes.
        library: where models come from.
        roofs: below which it is dark by day.
        has_shaders: whether the renderer can draw the light of lamps.
    """

    def __init__(
        self,
        root: core.NodePath,
        *,
        tree: SimulationTree,
        library: ModelLibrary,
        roofs: RainCover,
        has_shaders: bool,
    ) -> None:
        node = tree.find(NAME)
        self._time, self._roofs, self._needs_lights = 0.0, roofs, False
        self._sorts: tuple[_Sort, ...] = ()
        self._glows: LampGlows | None = None
        self._vehicles, self._people = np.zeros((0, VEHICLE)), np.zeros((0, PERSON))
        self._is_raining = False
        if node is not None and node.kind == KIND:
            vehicles = _Sort(
                root, "vehicles", vehicle_rigs(library), ShaderKind.GLOSSY, _VEHICLES_NEAR
            )
            people = _Sort(root, "people", people_rigs(library), ShaderKind.BARE, _PEOPLE_NEAR)
            self._sorts = (vehicles, people)
            self._glows = LampGlows(root) if has_shaders else None

    def update(self, state: State) -> None:
        """Takes over where all are in `state`."""
        if not self._sorts:
            return
        arrays = traffic_arrays_of(state)
        assert arrays is not None
        vehicles, people = self._sorts
        self._vehicles, self._time = arrays.vehicles.copy(), state.time
        vehicles.things = posed_vehicles(self._vehicles, state.time)
        self._people = arrays.people.copy()
        people.things = posed_people(self._people, is_raining=self._is_raining)

    def _switch_lights(self, eye: Floats) -> Floats:
        """The vehicles (V, 12) with their head lights on where it is dark around an eye (3,)."""
        vehicles = self._vehicles.copy()
        is_dark = vehicles[:, V.kind] >= 0.0
        if not self._needs_lights:
            is_dark &= np.abs(vehicles[:, V.x : V.y + 1] - eye[:2]).max(axis=1) < _TUNNELS_FAR
            is_dark[is_dark] = self._roofs.cover(vehicles[is_dark, V.x : V.z + 1])
        vehicles[is_dark, V.lights] = vehicles[is_dark, V.lights].astype(np.int64) | Light.HEAD
        return vehicles

    def compare(self, before: State) -> None:
        """Gives what is posed next, instead of normals, how far it has moved since a state."""
        arrays = traffic_arrays_of(before)
        if self._sorts and arrays is not None:
            vehicles, people = self._sorts
            vehicles.before = posed_vehicles(arrays.vehicles, before.time)
            people.before = posed_people(arrays.people, is_raining=self._is_raining)

    def update_visible(self, eye: Floats, frustum: Frustum | None) -> None:
        """Poses what a camera at `eye` (3,) [m] can see, for its picture that is drawn next."""
        planes = _planes(frustum) if frustum is not None else np.zeros((0, 3))
        if not self._sorts:
            return
        vehicles = self._sorts[0]
        if vehicles.things is None:
            return
        lit = self._vehicles
        if self._needs_lights or self._roofs.has_any:
            lit = self._switch_lights(eye)
            vehicles.things = vehicles.things._replace(dyes=vehicle_dyes(lit, self._time))
        for sort in self._sorts:
            sort.look(np.asarray(eye, dtype=np.float64), planes)
        if self._glows is not None:
            self._glows.look(vehicles.things, lit, time=self._time, eye=eye, planes=planes)

    def show(self, daylight: Daylight) -> None:
        """Fits the light of lamps to a day time, and people to the weather."""
        self._needs_lights = daylight.needs_lights
        is_raining = daylight.rain > _UMBRELLAS_FROM
        if is_raining != self._is_raining and self._sorts:
            self._is_raining = is_raining
            self._sorts[1].things = posed_people(self._people, is_raining=is_raining)
        if self._glows is not None:
            self._glows.show(daylight)


class _Sort:
    """All vehicles, or all people: those near the eye, which may cast shadows, and the others."""

    def __init__(
        self, root: core.NodePath, name: str, rigs: Rigs, look: ShaderKind, near: float
    ) -> None:
        self._rigs, self._near = rigs, near
        self.things: PosedModels | None = None
        self.before: PosedModels | None = None
        self._nodes = (changing_node(root, name), changing_node(root, name))
        for node, hidden_from in zip(self._nodes, (STANDING_MASK, SHADOW_MASK), strict=True):
            node.hide(core.BitMask32(hidden_from))
            mark(node, look)

    def look(self, eye: Floats, planes: Floats) -> None:
        if self.things is None:
            return
        seen = select_visible(self._rigs, self.things, eye, planes, self._near)
        posed = Posed.room_for(seen)
        write_pose_mesh(self._rigs, self.things, seen, posed)
        if self.before is not None:
            posed.rows[:, _NORMAL] = self._shifts(self.before, self.things, seen, posed)
        for node, part in zip(self._nodes, posed.parts(seen), strict=True):
            node.setShaderInput(SHIFT_INPUT, float(self.before is not None))
            change_mesh(node, *part)
        self.before = None

    def _shifts(
        self, before: PosedModels, now: PosedModels, seen: VisibleModels, posed: Posed
    ) -> Floats32:
        """Offsets of the vertices' previous positions: (n, 3) [m] in W; 0 of what was moved."""
        was = Posed.room_for(seen)
        write_pose_mesh(self._rigs, match_previous(before, now), seen, was)
        return was.rows[:, _PLACE] - posed.rows[:, _PLACE]


def _planes(frustum: Frustum) -> Floats:
    """The normals (4, 3), inwards, of the planes through the eye that bound a picture."""
    around = frustum.corners[_AROUND]
    beyond = around[_NEXT]
    normals = around[:, _YZX] * beyond[:, _ZXY] - around[:, _ZXY] * beyond[:, _YZX]
    normals *= np.sign(normals @ around.sum(axis=0))[:, None]
    return np.asarray(normals / np.sqrt((normals * normals).sum(axis=1, keepdims=True)))


_AROUND, _NEXT = np.array([0, 1, 3, 2]), np.array([3, 0, 1, 2])
"""Numbers of the corners of a picture as they follow each other, and of those before them."""

_YZX, _ZXY = np.array([1, 2, 0]), np.array([2, 0, 1])
"""Numbers of the axes, in the two orders that make a cross product."""
