"""Tiles come into the physics and go out of it, and nothing that drives or looks can tell."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from autosim.engine.physics import tile_streaming as server_streaming
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.collision_pieces import (
    DEPTH,
    PIECE_TRIANGLES,
    Piece,
    PieceSource,
    WaterBedPieces,
    cut_level,
    cut_solids,
    run_to_end,
)
from autosim.engine.physics.tile_streaming import (
    AHEAD,
    BEHIND,
    CLEARANCE,
    TRIANGLES_PER_SECOND,
    TileStreamer,
)
from autosim.engine.physics.world_shapes import WorldShapes
from autosim.engine.step.simulation import Simulation
from autosim.model.rigid_bodies.rigid_body import box_body
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import (
    TILE_METRES,
    Level,
    sort_into_tiles,
    tile_boxes,
    tiled_levels,
)
from autosim.world.geometry.meshes import Mesh, Surface, joined
from tests.server.boxes import STEP, cast, house, read
from tests.vehicle.rig import flat, grid
from tests.worlds import flat_world, impreza_world

DOWN = np.array([0.0, 0.0, -1.0])
SHIFT = np.array([0.4, 0.3, 0.0])


def hilly(x, y):
    return 2.0 * np.sin(x / 60.0) * np.cos(y / 45.0)


def large_world(height=hilly, *, half: float = 750.0, spacing: float = 25.0) -> CompiledWorld:
    """A country of 6 x 6 tiles whose triangles cross the seams; the ring road of `flat_world`."""
    vertices, triangles = grid(height, half=half + 12.0, spacing=spacing)
    surfaces = np.full(len(triangles), Surface.CARRIAGEWAY, dtype=np.uint8)
    ground = Mesh(vertices, triangles, surfaces)
    return sort_into_tiles(
        replace(flat_world(), ground=ground, bounds=(-half, -half, half, half), digest="large")
    )


def dense_world() -> CompiledWorld:
    """Four tiles of 5000 triangles each."""
    return large_world(half=250.0, spacing=5.0)


class Counting(BulletEngine):
    """Says what was made, and keeps what is in."""

    def __init__(self) -> None:
        super().__init__(step_seconds=STEP, gravity=9.81)
        self.made = self.triangles = 0
        self.within: dict[int, int] = {}

    def make_shape(self, vertices, triangles):
        self.made += 1
        self.triangles += len(triangles)
        return super().make_shape(vertices, triangles)

    def add_static(self, shape, **more):
        body = super().add_static(shape, **more)
        assert shape not in self.within.values()
        self.within[body] = shape
        return body

    def remove_static(self, body):
        del self.within[body]
        super().remove_static(body)


@pytest.fixture
def counting():
    with Counting() as made:
        yield made


def streaming(physics: BulletEngine, world: CompiledWorld, *, reach: float = 10.0) -> TileStreamer:
    return TileStreamer(physics, WorldShapes(world), reach=reach, step_seconds=STEP)


def all_in(physics: BulletEngine, level: Level, **more) -> None:
    for tile in range(len(level.boxes)):
        for piece in pieces_of(run_to_end(cut_level(level, tile, **more))):
            physics.add_static(physics.make_shape(*piece), friction=0.0)


def pieces_of(cut: PieceSource) -> list[Piece]:
    return [cut.piece(number) for number in range(len(cut.boxes))]


def soup(*parts) -> list[tuple[float, ...]]:
    corners = [vertices[triangles].reshape(-1, 9) for vertices, triangles in parts]
    return sorted(map(tuple, np.vstack(corners).tolist()))


def test_pieces_hold_each_triangle_of_the_tile_and_below_them_only_the_neighbours():
    level = tiled_levels(large_world())[0]
    for tile in (0, 14, 35):
        own = level.mesh.tile(tile)
        pieces = pieces_of(run_to_end(cut_level(level, tile, most=150)))
        assert len(pieces) > 2
        found = soup(*pieces)
        assert set(soup((own.vertices, own.triangles))) <= set(found)
        for vertices, _ in pieces:
            under = hilly(vertices[:, 0], vertices[:, 1]) - vertices[:, 2]
            assert under.min() > -1e-9


def test_pieces_are_as_large_with_their_skirts_as_is_asked():
    level = tiled_levels(dense_world())[0]
    for most in (400, 800):
        sizes = [
            len(triangles) for _, triangles in pieces_of(run_to_end(cut_level(level, 0, most=most)))
        ]
        assert most / 4 < np.mean(sizes)
        assert max(sizes) <= most


def test_cutting_a_tile_pauses_often():
    level = tiled_levels(dense_world())[0]
    costs = list(cut_level(level, 0))
    assert len(costs) > 10
    assert max(costs) < PIECE_TRIANGLES


def test_a_lake_over_a_seam_of_tiles_has_one_bed_and_walls_at_its_shore_alone():
    spacing, half = 25.0, 100.0
    world = large_world(spacing=spacing)
    middles = world.ground.vertices[world.ground.triangles].mean(axis=1)
    is_water = (np.abs(middles[:, :2]) < half + 12.0).all(axis=1)
    ground = replace(world.ground, surfaces=np.where(is_water, 5, 1).astype(np.uint8))
    level = tiled_levels(replace(world, ground=ground))[0]
    walls = floor = 0
    for tile in range(len(level.boxes)):
        first, last = ground.starts[tile : tile + 2].tolist()
        if not is_water[first:last].any():
            continue
        water = run_to_end(cut_level(level, tile, most=150, water=True))
        for vertices, triangles in pieces_of(WaterBedPieces(water)):
            a, b, c = (vertices[triangles[:, k]] for k in range(3))
            normals = np.cross(b - a, c - a)
            is_upright = np.abs(normals[:, 2]) < 1e-9
            walls += np.count_nonzero(is_upright)
            floor += np.count_nonzero(~is_upright)
            under = hilly(vertices[:, 0], vertices[:, 1]) - vertices[:, 2]
            assert set(np.round(under, 6)) <= {0.0, DEPTH}
            assert (normals[~is_upright, 2] > 0.0).all()
            # The walls face the water, which lies around the origin.
            assert ((normals * a)[is_upright, :2].sum(axis=1) < 0.0).all()
    edges = 4 * 2 * (half + 12.5) / spacing
    assert walls == 2 * edges
    assert floor == np.count_nonzero(is_water)


def test_solids_are_cut_between_them_alone():
    mesh = joined([house(20.0 * k, 0.0) for k in range(10)])
    pieces = pieces_of(cut_solids(mesh, 0, 120, most=30))
    assert [len(triangles) for _, triangles in pieces] == [24] * 5
    assert soup(*pieces) == soup((mesh.vertices, mesh.triangles))
    some = pieces_of(cut_solids(mesh, 24, 120, most=5))
    assert [len(triangles) for _, triangles in some] == [12] * 8
    assert some[0][0][:, 0].min() == 40.0


def test_no_ray_slips_through_a_seam_or_a_corner_of_tiles():
    level = tiled_levels(large_world())[0]
    random = np.random.default_rng(0)
    count = 100_000
    points = random.uniform(-740.0, 740.0, (count, 2))
    seams = TILE_METRES * random.integers(-2, 3, (count, 2))
    points[: count // 2, 0] = seams[: count // 2, 0]
    points[count // 4 : 3 * count // 4, 1] = seams[count // 4 : 3 * count // 4, 1]
    edges = level.mesh.vertices[level.mesh.triangles[random.integers(0, 7000, count // 4), :2]]
    shares = random.uniform(size=(count // 4, 1))
    points[-count // 4 :] = (edges[:, 0] + shares * (edges[:, 1] - edges[:, 0]))[:, :2]
    points = np.clip(points, -740.0, 740.0)
    origins = np.column_stack([points, np.full(count, 10.0)])
    with BulletEngine(step_seconds=STEP, gravity=0.0) as physics:
        all_in(physics, level, most=150)
        fractions, normals = cast(physics, origins, origins + 20.0 * DOWN)
    heights = 10.0 - 20.0 * fractions
    assert (fractions < 1.0).all()
    assert heights == pytest.approx(hilly(*points.T), abs=0.15)
    assert normals[:, 2].min() > 0.95


@pytest.mark.parametrize("spacing", [1.5, 5.0, 20.0])
def test_boxes_pass_seams_at_20_m_per_s_without_a_jump(spacing):
    half = 60.0 if spacing < 5.0 else 200.0
    vertices, triangles = grid(flat, half=half, spacing=spacing)
    ground = Mesh(vertices + SHIFT, triangles, np.zeros(len(triangles), np.uint8))
    bounds = (-half, -half, half, half)
    world = sort_into_tiles(replace(flat_world(), ground=ground, bounds=bounds))
    yaws = np.linspace(0.0, 3.0, 8)
    with BulletEngine(step_seconds=STEP, gravity=9.81) as physics:
        all_in(physics, tiled_levels(world)[0], most=200)
        for k, yaw in enumerate(yaws):
            turn = (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2))
            place = (5.0 - half, 5.0 * k - 17.0, 0.25)
            size = (2.0, 1.0, 0.5)
            physics.add_body(box_body(size, 900.0, friction=0.0), position=place, orientation=turn)
            physics.set_velocity(k, (20.0, 0.3, 0.0), (0.0, 0.0, 0.0))
        highest = 0.0
        for _ in range(round((2.0 * half - 10.0) / 20.0 / STEP)):
            physics.step()
            positions, _, velocities, _ = read(physics)
            highest = max(highest, positions[:, 2].max())
    assert positions[:, 0].min() > half - 10.0
    assert highest < 0.26
    assert velocities[:, 0].min() > 19.8


def test_what_a_robot_is_near_is_there_at_once_and_the_rest_in_steps(counting):
    tiles = streaming(counting, dense_world())
    tiles.follow(np.array([[125.0, 125.0, 0.0]]))
    first = counting.triangles
    nearby = np.array([[125.0, 125.0, 9.0], [132.0, 119.0, 9.0]])
    assert (cast(counting, nearby, nearby + 20.0 * DOWN)[0] < 1.0).all()
    made = []
    for _ in range(150):
        before = counting.triangles
        tiles.follow(np.array([[125.0, 125.0, 0.0]]))
        made.append(counting.triangles - before)
    assert first > 0
    assert max(made) > 0
    assert made[-1] == 0
    assert max(made) <= PIECE_TRIANGLES
    assert np.mean(made) <= TRIANGLES_PER_SECOND * STEP


def test_a_robot_that_comes_from_nowhere_stands_on_ground(counting):
    tiles = streaming(counting, large_world())
    for x, y in ((-700.0, -700.0), (700.0, 700.0), (-10.0, 650.0), (249.9, -249.9)):
        tiles.follow(np.array([[x, y, 0.0]]))
        around = np.array([[x, y, 9.0]]) + np.array([[0, 0, 0], [9, 9, 0], [-9, 9, 0], [9, -9, 0]])
        assert (cast(counting, around, around + 20.0 * DOWN)[0] < 1.0).all()


def test_all_that_a_robot_reaches_is_there_even_where_nothing_is_made_ahead(counting, monkeypatch):
    monkeypatch.setattr(server_streaming, "TRIANGLES_PER_SECOND", 0.0)
    reach = 150.0
    tiles = streaming(counting, large_world(), reach=reach)
    ends = reach * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    for x in np.arange(-500.0, 100.0, 3.0):
        place = np.array([[x, 0.4 * x, 0.0]])
        tiles.follow(place)
        around = place + ends - 9.0 * DOWN
        assert (cast(counting, around, around + 20.0 * DOWN)[0] < 1.0).all()


def test_shapes_are_made_once_and_far_bodies_go(counting):
    world = large_world()
    tiles = streaming(counting, world)

    def settle(x: float) -> None:
        for _ in range(150):
            tiles.follow(np.array([[x, 0.0, 0.0]]))

    settle(-600.0)
    west = counting.made
    in_west = len(counting.within)
    settle(600.0)
    assert counting.made > west
    far = np.array([[-600.0, 0.0, 9.0]])
    assert cast(counting, far, far + 20.0 * DOWN)[0] == 1.0
    both = counting.made
    settle(-600.0)
    assert counting.made == both
    assert len(counting.within) == in_west
    assert (cast(counting, far, far + 20.0 * DOWN)[0] < 1.0).all()


def test_of_a_near_tile_only_what_is_near_has_bodies(counting):
    tiles = streaming(counting, dense_world())
    for x in np.arange(-200.0, 200.0, 1.0):
        tiles.follow(np.array([[x, 100.0, 0.0]]))
    origins = np.array([[200.0, 100.0, 9.0], [150.0, 100.0, 9.0], [10.0, 100.0, 9.0]])
    fractions, _ = cast(counting, origins, origins + 20.0 * DOWN)
    assert (fractions < 1.0).tolist() == [True, True, False]
    assert counting.made > 2 * len(counting.within)


def test_a_robot_that_turns_about_moves_nothing(counting):
    tiles = streaming(counting, large_world())
    edge = 2.0 * TILE_METRES + 10.0 + CLEARANCE + AHEAD
    for x in (edge - 5.0, edge - 5.0 - 0.8 * BEHIND, edge - 5.0, edge - 5.0 + 0.8 * BEHIND) * 2:
        before = set(counting.within)
        for _ in range(150):
            tiles.follow(np.array([[x - 500.0, 0.0, 0.0]]))
        gone = before - set(counting.within)
        assert not gone


def test_many_robots_each_have_their_tiles(counting):
    tiles = streaming(counting, large_world())
    random = np.random.default_rng(3)
    places = np.column_stack([random.uniform(-700.0, 700.0, (100, 2)), np.zeros(100)])
    for _ in range(5):
        tiles.follow(places)
        origins = places - 9.0 * DOWN
        assert (cast(counting, origins, origins + 20.0 * DOWN)[0] < 1.0).all()
        places[:, :2] = np.clip(places[:, :2] + random.uniform(-60.0, 60.0, (100, 2)), -700, 700)


def test_houses_come_with_their_tile_and_large_triangles_with_what_they_cover(counting):
    world = replace(flat_world(), buildings=house(120.0, 0.0))
    tiles = streaming(
        counting, sort_into_tiles(replace(world, bounds=(-600.0, -600.0, 600.0, 600.0)))
    )
    tiles.follow(np.array([[100.0, 0.0, 0.0]]))
    origin, end = np.array([[100.0, 5.0, 5.0]]), np.array([[140.0, 5.0, 5.0]])
    assert cast(counting, origin, end)[0] == pytest.approx([0.5])
    origins = np.array([[-190.0, 190.0, 5.0], [190.0, -190.0, 5.0]])
    assert (cast(counting, origins, origins + 9.0 * DOWN)[0] < 1.0).all()


def drive(speed: float, steps: int) -> tuple[str, np.ndarray]:
    """The digest of a drive straight across the country, and where it ends."""
    world = impreza_world(position=(-650.0, 3.0, None), yaw=0.0)
    digest = hashlib.sha256()
    with Simulation(world, compiled=large_world(), report=lambda notice: None) as simulation:
        body = simulation.systems.bodies.states
        simulation.systems.physics.set_velocity(0, (speed, 0.0, 0.0), (0.0, 0.0, 0.0))
        for _ in range(steps):
            simulation.step()
            digest.update(simulation.state.buffer)
        return digest.hexdigest(), body.positions[0].copy()


def test_a_drive_over_streamed_tiles_is_the_same_twice():
    first, place = drive(60.0, 700)
    again, _ = drive(60.0, 700)
    assert first == again
    assert place[0] > -560.0
    assert abs(place[2] - hilly(*place[:2])) < 2.0


def test_boxes_of_tiles_hold_all_their_triangles():
    mesh = large_world().ground
    boxes = tile_boxes(mesh)
    for tile in range(36):
        plan = mesh.tile(tile).vertices[:, :2]
        assert np.array_equal(boxes[tile], [*plan.min(axis=0), *plan.max(axis=0)])


def test_shapes_that_are_there_already_change_no_step() -> None:
    shapes, brought = WorldShapes(dense_world()), []
    for _ in range(2):
        with Counting() as physics:
            streamed = TileStreamer(physics, shapes, reach=10.0, step_seconds=STEP)
            counts = []
            for step in range(80):
                streamed.follow(np.array([[2.0 * step - 100.0, 0.0, 0.0]]))
                counts.append((physics.made, len(physics.within)))
            brought.append(counts)
    assert brought[0] == brought[1]
    assert len(set(brought[0])) > 5
