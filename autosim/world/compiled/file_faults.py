"""Checks that the numbers of a compiled world's file are safe to use.

A file may come from anywhere. An index beyond the end of its array would make a compiled kernel
read or write foreign memory. The check takes a fifth of the time that reading the file takes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind, Props
from autosim.world.compiled.paths import PathKind, Paths, no_paths
from autosim.world.compiled.tile_grid import TILE_METRES, TileGrid
from autosim.world.geometry.meshes import Mesh, Surface, empty_mesh
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork

FARTHEST_METRES = 1e6
"""Largest magnitude [m] of a coordinate: no map projection of a world is of use beyond it."""

_LANE_INDICES = (
    "successors",
    "traffic.crossing_lanes",
    "traffic.bus_stop_lanes",
    "traffic.conflict_lanes",
)
_MAY_BE_NAN = ("traffic.stop_lines",)
_PER_LANE = (
    "widths",
    "speed_limits",
    "frictions",
    "highways",
    "connectors",
    "traffic.controls",
    "traffic.stop_lines",
    "traffic.signal_groups",
)
_SAME_LENGTH = (
    ("points", "stations", "tangents"),
    ("ways", "way_directions"),
    ("traffic.crossing_lanes", "traffic.crossing_stations"),
    ("traffic.bus_stop_lanes", "traffic.bus_stop_stations"),
    ("traffic.conflict_lanes", "traffic.conflict_spans", "traffic.conflict_yields"),
)

Array = npt.NDArray[np.generic]


def find_fault(world: CompiledWorld) -> str:
    """Describes the first fault in the numbers of `world`; "" where there is none."""
    return next(_faults(world), "")


def _faults(world: CompiledWorld) -> Iterator[str]:
    numbers = np.array([*world.origin, *world.bounds], dtype=np.float64)
    if numbers.shape != (6,) or not _is_near(numbers):
        yield "its origin or its bounds are not finite numbers of a possible size"
        return
    grid = TileGrid.of(world.bounds)
    if grid.count > (2.0 * FARTHEST_METRES / TILE_METRES) ** 2:
        yield "it has too many tiles"
    for each in fields(CompiledWorld):
        part = getattr(world, each.name)
        if isinstance(part, Mesh):
            yield from (f"{each.name}: {fault}" for fault in _faults_of_mesh(part))
        if isinstance(part, Mesh | Props) and len(part.starts) not in (0, grid.count + 1):
            yield f"{each.name}: its number of tiles is not that of the world"
    yield from (f"props: {fault}" for fault in _faults_of_props(world.props))
    yield from (f"roads: {fault}" for fault in _faults_of_roads(world.roads))
    yield from (f"paths: {fault}" for fault in _faults_of_paths(world.paths))
    yield from _faults_of_extras(world)


def _faults_of_mesh(mesh: Mesh) -> Iterator[str]:
    model = empty_mesh()
    for each in fields(Mesh):
        array, wanted = getattr(mesh, each.name), getattr(model, each.name)
        if not _is_like(array, wanted):
            yield f"{each.name} is not an array of {wanted.dtype} of the right shape"
            return
    if not _is_near(mesh.vertices):
        yield "a vertex has no finite place of a possible size"
    if not _is_below(mesh.triangles, len(mesh.vertices)):
        yield "a triangle refers to a vertex that does not exist"
    if len(mesh.surfaces) != len(mesh.triangles) or not _is_below(mesh.surfaces, len(Surface)):
        yield "a triangle has no known surface"
    yield from _faults_of_starts(mesh.starts, len(mesh.triangles))


def _faults_of_starts(starts: Array, count: int) -> Iterator[str]:
    """Checks that `starts` divides `count` things in order, or is empty."""
    if len(starts) and not (
        starts[0] == 0 and starts[-1] == count and np.all(starts[1:] >= starts[:-1])  # type: ignore[operator]
    ):
        yield "its parts are not in order"


def _faults_of_props(props: Props) -> Iterator[str]:
    count = len(props.kinds)
    shapes = {"positions": (count, 3), "yaws": (count,), "heights": (count,)}
    for name, shape in shapes.items():
        array = getattr(props, name)
        if array.shape != shape or array.dtype != np.float64 or not _is_near(array):
            yield f"{name} are not finite numbers of a possible size"
    if props.kinds.dtype != np.uint8 or not _is_below(props.kinds, len(PropKind)):
        yield "a prop has no known kind"
    if props.starts.dtype != np.int64 or props.starts.ndim != 1:
        yield "its parts are not in order"
        return
    yield from _faults_of_starts(props.starts, count)


def _faults_of_roads(roads: RoadNetwork) -> Iterator[str]:
    model = RoadNetwork.from_lanes(()).to_arrays()
    arrays = roads.to_arrays()
    for name, wanted in model.items():
        if not _is_like(arrays[name], wanted):
            yield f"{name} is not an array of {wanted.dtype} of the right shape"
            return
    yield from _faults_of_lanes(roads, arrays)


def _faults_of_lanes(roads: RoadNetwork, arrays: Mapping[str, Array]) -> Iterator[str]:
    lanes = len(roads.roads)
    for name, array in arrays.items():
        is_real = array.dtype == np.float64 and name not in _MAY_BE_NAN
        if is_real and not _is_near(array):  # type: ignore[arg-type]
            yield f"{name} has numbers that are not finite or too large"
    for names in (("roads", *_PER_LANE), *_SAME_LENGTH):
        if len({len(arrays[name]) for name in names}) > 1:
            yield f"{', '.join(names)} differ in length"
    if not _is_below(roads.highways, len(roads.highway_names)):
        yield "a lane has no known class of highway"
    if not _is_below(roads.traffic.controls, len(Control)):
        yield "a lane has no known control"
    if not _is_below(roads.traffic.conflict_yields + 1, 3):
        yield "a conflict says that a third lane gives way"
    yield from _faults_of_references(arrays, lanes)
    is_inside = np.ones(max(len(roads.stations) - 1, 0), dtype=np.bool_)
    is_inside[roads.starts[1:-1] - 1] = False
    if np.any(np.diff(roads.starts) < 2) or not np.all(np.diff(roads.stations)[is_inside] > 0.0):
        yield "a lane has no length"


def _faults_of_references(arrays: Mapping[str, Array], lanes: int) -> Iterator[str]:
    for name, things, count in (
        ("starts", "points", lanes),
        ("successor_starts", "successors", lanes),
        ("way_starts", "ways", lanes),
        ("traffic.barred_starts", "traffic.barred_streets", None),
    ):
        if len(arrays[name]) != count + 1 if count is not None else not len(arrays[name]):
            yield f"{name} has the wrong length for the number of lanes"
        yield from _faults_of_starts(arrays[name], len(arrays[things]))
    for name in _LANE_INDICES:
        if not _is_below(arrays[name], lanes):
            yield f"{name} refers to a lane that does not exist"


def _faults_of_paths(paths: Paths) -> Iterator[str]:
    model, arrays = no_paths().to_arrays(), paths.to_arrays()
    for name, wanted in model.items():
        if not _is_like(arrays[name], wanted):
            yield f"{name} is not an array of {wanted.dtype} of the right shape"
            return
    if not all(_is_near(each) for each in (paths.points, paths.widths, paths.ring_points)):
        yield "a point or a width is not a finite number of a possible size"
    if len({len(each) for each in (paths.widths, paths.kinds, paths.users, paths.ends)}) > 1:
        yield "widths, kinds, users and ends differ in length"
    if not _is_below(paths.kinds, len(PathKind)):
        yield "a path has no known kind"
    if not _is_below(paths.ends, 2 * len(paths.ends)):
        yield "the numbers of the nodes have gaps"
    if not _is_below(paths.ring_squares, len(paths.ring_squares)):
        yield "the numbers of the squares have gaps"
    for starts, things, count, least in (
        (paths.starts, len(paths.points), len(paths.widths), 2),
        (paths.ring_starts, len(paths.ring_points), len(paths.ring_squares), 3),
    ):
        if len(starts) != count + 1 or np.any(np.diff(starts) < least):
            yield "a path or a ring has too few points"
        yield from _faults_of_starts(starts, things)


def _faults_of_extras(world: CompiledWorld) -> Iterator[str]:
    tints, friction = world.building_tints, world.ground_friction
    if tints.dtype != np.uint8 or tints.ndim != 2 or tints.shape[1:] != (4,):
        yield "building_tints is not an array of colours"
    elif len(tints) not in (0, len(world.buildings.triangles)):
        yield "building_tints does not have one colour for each triangle"
    if friction.dtype != np.float32 or friction.ndim != 1 or not np.isfinite(friction).all():
        yield "ground_friction has values that are not finite numbers"
    elif len(friction) not in (0, len(world.ground.triangles)):
        yield "ground_friction does not have one value for each triangle"
    if not all(_is_near(np.array([*h.position, h.yaw, *h.size])) for h in world.houses):
        yield "a house has no finite place of a possible size"
    if len(world.house_boxes.triangles) != 12 * len(world.houses):
        yield "house_boxes does not have one box for each house"


def _is_like(array: Array, wanted: Array) -> bool:
    return array.dtype == wanted.dtype and array.shape[1:] == wanted.shape[1:] and array.ndim > 0


def _is_near(array: Floats) -> bool:
    """Whether all numbers are finite and not larger than `FARTHEST_METRES`."""
    # min and max need no temporary array as large as the world; a NaN fails both comparisons.
    return not array.size or bool(
        array.min() >= -FARTHEST_METRES and array.max() <= FARTHEST_METRES
    )


def _is_below(array: Array, count: int) -> bool:
    return not array.size or bool(array.min() >= 0 and array.max() < count)
