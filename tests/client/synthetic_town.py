"""A small town made of boxes and strips, and a car in it: what the client's tests look at."""

from math import radians
from pathlib import Path

import numpy as np

from autosim.config.descriptions import (
    MapSetup,
    ModelReference,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.director import build_tree
from autosim.kinds.sensors.perception.camera import Camera
from autosim.model.state import State
from autosim.world.compiled.compiled_world import Building, CompiledWorld
from autosim.world.compiled.tile_grid import sort_into_tiles
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork

HALF = 200.0
KERB = 0.15
CHASSIS = "car.chassis"
_STRIPS = (-HALF, -100.0, -6.0, -4.0, 4.0, 6.0, 100.0, HALF)


def ground_mesh() -> Mesh:
    """A street along x with pavements and kerbs, grass beside it, and a park in the north."""
    surfaces = {2: Surface.PAVEMENT, 3: Surface.CARRIAGEWAY, 4: Surface.PAVEMENT, 6: Surface.PARK}
    vertices, triangles, kinds = [], [], []
    for strip in range(len(_STRIPS) - 1):
        kind = surfaces.get(strip, Surface.GROUND)
        z = 0.0 if kind is Surface.CARRIAGEWAY else KERB
        for x in np.arange(-HALF, HALF, 20.0):
            corners = [(x, _STRIPS[strip], z), (x + 20, _STRIPS[strip], z)]
            corners += [(x + 20, _STRIPS[strip + 1], z), (x, _STRIPS[strip + 1], z)]
            _add_quad(vertices, triangles, kinds, corners, kind)
    for y, first, second in ((-4.0, HALF, -HALF), (4.0, -HALF, HALF)):
        face = [(first, y, 0.0), (second, y, 0.0), (second, y, KERB), (first, y, KERB)]
        _add_quad(vertices, triangles, kinds, face, Surface.KERB)
    return _mesh(vertices, triangles, kinds)


def building_mesh(boxes: list[tuple[float, float, float, float, float]]) -> Mesh:
    """Boxes (x, y of the centre, width, depth, height) [m] with walls and flat roofs."""
    vertices, triangles, kinds = [], [], []
    for x, y, width, depth, height in boxes:
        low = [(x - width / 2, y - depth / 2), (x + width / 2, y - depth / 2)]
        low += [(x + width / 2, y + depth / 2), (x - width / 2, y + depth / 2)]
        first = len(vertices)
        vertices += [(px, py, z) for z in (0.0, height) for px, py in low]
        sides = [(i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4)]
        for a, b, c, d in [(3, 2, 1, 0), *sides, (4, 5, 6, 7)]:
            triangles += [(first + a, first + b, first + c), (first + a, first + c, first + d)]
        kinds += [Surface.WALL] * 10 + [Surface.ROOF] * 2
    return _mesh(vertices, triangles, kinds)


def _add_quad(vertices, triangles, kinds, corners, kind):
    first = len(vertices)
    vertices += corners
    triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    kinds += [kind, kind]


def _mesh(vertices, triangles, kinds) -> Mesh:
    return Mesh(
        vertices=np.array(vertices, dtype=np.float64).reshape(-1, 3),
        triangles=np.array(triangles, dtype=np.int32).reshape(-1, 3),
        surfaces=np.array(kinds, dtype=np.uint8),
    )


def compiled_town(
    boxes: list[tuple[float, float, float, float, float]] | None = None,
    houses: tuple[Building, ...] = (),
) -> CompiledWorld:
    """The town, by default with two rows of buildings along the street."""
    if boxes is None:
        boxes = [
            (x, side * 18.0, 14.0, 12.0, 6.0 + 3.0 * ((x // 22) % 3))
            for x in np.arange(-150.0, 151.0, 22.0)
            for side in (-1, 1)
        ]
    world = CompiledWorld(
        name="synthetic",
        digest="0" * 64,
        origin=(-31.9728, 115.827),
        bounds=(-HALF, -HALF, HALF, HALF),
        driving_side="left",
        ground=ground_mesh(),
        buildings=building_mesh(boxes),
        houses=houses,
        house_boxes=building_mesh(
            [(*house.position[:2], house.size[0], house.size[1], house.size[2]) for house in houses]
        ),
        roads=RoadNetwork.from_lanes(()),
        invariants=(),
        left_out=(),
        attribution="",
    )
    return sort_into_tiles(world)


def car_world(model: bool = False, **graphics) -> WorldDescription:
    """One car with four wheels, a fixed front camera and a third-person camera."""

    def reference(path: str) -> ModelReference | None:
        return ModelReference(path, "obj") if model else None

    wheels = tuple(
        WheelDevice(
            name=f"{end}_{side}",
            part="chassis",
            position=(x, y, -0.18),
            radius=0.32,
            width=0.22,
            is_steering=end == "front",
            model=reference(f"models/impreza/wheels/{end}_{side}"),
        )
        for end, x in (("front", 1.35), ("rear", -1.35))
        for side, y in (("left", 0.78), ("right", -0.78))
    )
    cameras = (
        Camera(name="front", part="chassis", position=(2.2, 0.0, 0.6), direction=(1, 0, 0)),
        Camera(
            name="third_person",
            part="chassis",
            type="thirdperson",
            position=(-7.5, 0.0, 2.4),
            fov=radians(55.0),
        ),
    )
    chassis = BoxPart(
        name="chassis",
        position=(0, 0, 0),
        size=(4.76, 1.995, 1.265),
        mass=1400.0,
        model=reference("models/impreza/chassis"),
    )
    robot = RobotDescription(
        name="car",
        source=Path("robots/car.xml"),
        parts=(chassis,),
        links=(),
        devices=(*wheels, *cameras),
    )
    return WorldDescription(
        name="synthetic",
        source=Path("worlds/synthetic.xml"),
        graphics=GraphicsDescription(**graphics),
        physics=PhysicsDescription(),
        terrain=TerrainDescription(osm=Path("map.osm"), setup=MapSetup(name="synthetic")),
        robots=(PlacedRobot(name="car", robot=robot),),
    )


def car_state(
    world: WorldDescription, x: float = 0.0, y: float = 2.0, yaw: float = 0.0, z: float = 0.68
) -> State:
    """The car at a place in W [m], heading `yaw` [rad]."""
    state = State(build_tree(world))
    chassis = state.tree.find(CHASSIS)
    at = chassis.field_offset("position") // 8
    state.floats[at : at + 3] = (x, y, z)
    at = chassis.field_offset("orientation") // 8
    state.floats[at : at + 4] = (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2))
    for node in chassis.children:
        if node.kind == "WheelDevice":
            state.floats[node.field_offset("suspension_length") // 8] = 0.12
    return state


def set_wheels(state: State, name: str, value: float) -> None:
    """Sets a field of all wheels of the car."""
    for node in state.tree.find(CHASSIS).children:
        if node.kind == "WheelDevice":
            state.floats[node.field_offset(name) // 8] = value
