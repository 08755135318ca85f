"""Bodies of all shapes: how they roll, bounce, turn and rest."""

from itertools import pairwise

import numpy as np
import pytest

from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine import PhysicsError, PlacedBody
from autosim.model.quaternions import turn_z_to
from autosim.model.rigid_bodies.joints import Hanging, TreeJoint
from autosim.model.rigid_bodies.rigid_body import RigidBody, homogeneous
from autosim.model.rigid_bodies.shapes import (
    Box,
    Capsule,
    Cylinder,
    MeshShape,
    PlacedShape,
    Shape,
    Sphere,
)
from tests.vehicle.rig import flat, grid, tilt

STEP = 1.0 / 240.0
GRAVITY = 9.81
SIDEWAYS = turn_z_to((0.0, 1.0, 0.0))


class World:
    """Bodies on an even or sloping ground."""

    def __init__(self, *, gravity: float = GRAVITY, slope: float | None = 0.0) -> None:
        self.physics, self.count = BulletEngine(step_seconds=STEP, gravity=gravity), 0
        if slope is not None:
            vertices, triangles = grid(flat, half=60.0, spacing=5.0)
            vertices[:, 2] = slope * vertices[:, 0]
            self.physics.add_static(self.physics.make_shape(vertices, triangles))

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.physics.close()

    def add(self, body: RigidBody, *position: float, **more: object) -> int:
        self.count += 1
        return self.physics.add_body(body, position=position, **more)

    def run(self, seconds: float) -> "World":
        for _ in range(round(seconds / STEP)):
            self.physics.step()
        return self

    def read(self, body: int = 0) -> tuple[np.ndarray, ...]:
        rows = tuple(np.zeros((self.count, width)) for width in (3, 4, 3, 3))
        self.physics.read(*rows)
        return tuple(each[body] for each in rows)

    def push(self, velocity=(0.0, 0.0, 0.0), turning=(0.0, 0.0, 0.0)) -> None:
        position, orientation, *_ = self.read()
        self.physics.place(
            0,
            position=position,
            orientation=orientation,
            velocity=np.array(velocity),
            angular_velocity=np.array(turning),
        )


def body(shape: Shape, *, mass: float = 10.0, orientation=None, **more: float) -> RigidBody:
    placed = PlacedShape(shape, orientation=orientation) if orientation else PlacedShape(shape)
    return homogeneous(placed, mass=mass, **more)


def cube(*, side: float = 1.0) -> MeshShape:
    """The hull of a cube."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * side / 2
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    halves = [each for a, b, c, d in faces for each in ((a, b, c), (a, c, d))]
    return MeshShape(corners, np.array(halves, dtype=np.int32), is_convex=True)


@pytest.mark.parametrize(
    ("shape", "turn", "share"),
    [(Sphere(0.5), None, 2.0 / 5.0), (Cylinder(0.5, 1.0), SIDEWAYS, 1.0 / 2.0)],
)
def test_a_round_body_rolls_down_a_slope_as_fast_as_its_inertia_lets_it(shape, turn, share):
    slope = -0.1
    R, quaternion = tilt((slope, 0.0))
    with World(slope=slope) as world:
        place = R[:, 2] * 0.5
        world.add(body(shape, orientation=turn), *place.tolist(), orientation=quaternion.tolist())
        world.run(1.0)
        settled = world.read()[2] @ R[:, 0]
        world.run(2.0)
        _, _, velocity, turning = world.read()
    down = GRAVITY * 0.1 / np.hypot(1.0, 0.1) / (1.0 + share)
    assert (velocity @ R[:, 0] - settled) / 2.0 == pytest.approx(down, rel=0.02)
    assert turning[1] * 0.5 == pytest.approx(velocity @ R[:, 0], rel=0.02)


@pytest.mark.parametrize(
    ("shape", "height"),
    [
        (Box((1.0, 1.0, 1.0)), 0.5),
        (Sphere(0.5), 0.5),
        (Cylinder(0.4, 1.0), 0.5),
        (cube(), 0.5),
    ],
)
def test_bodies_stand_on_one_another_and_stay(shape, height):
    with World() as world:
        world.add(body(Box((2.0, 2.0, 0.4)), mass=40.0), 0.0, 0.0, 0.2)
        world.add(body(shape), 0.0, 0.0, 0.4 + height)
        world.run(2.0)
        place, _, velocity, _ = world.read(1)
    assert place == pytest.approx([0.0, 0.0, 0.4 + height], abs=0.01)
    assert velocity == pytest.approx([0.0, 0.0, 0.0], abs=0.01)


def test_a_lying_capsule_rests_on_its_side():
    with World() as world:
        world.add(body(Capsule(0.3, 1.0), orientation=SIDEWAYS), 0.0, 0.0, 0.31)
        world.run(2.0)
        place, *_ = world.read()
    assert place[2] == pytest.approx(0.3, abs=0.005)


@pytest.mark.parametrize("shape", [Sphere(0.3), Box((0.6, 0.6, 0.6)), Capsule(0.3, 0.2)])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_body_bounces_from_the_ground_with_its_restitution(shape, restitution):
    with World() as world:
        half = shape.high[2]
        world.add(body(shape, restitution=restitution), 0.0, 0.0, half + 1.0)
        falling = rising = 0.0
        while rising <= 0.0 and world.read()[0][2] > half - 0.2:
            world.physics.step()
            speed = world.read()[2][2]
            falling, rising = min(falling, speed), speed
            if falling < -2.0 and speed > -0.5:
                break
    assert max(rising, 0.0) == pytest.approx(-restitution * falling, abs=0.15)


def test_a_compound_turns_freely_about_its_own_principal_axes():
    shapes = (
        PlacedShape(Box((2.0, 0.2, 0.2)), (0.5, 0.0, 0.0)),
        PlacedShape(Sphere(0.3), (0.0, 0.8, 0.4)),
    )
    dumbbell = homogeneous(*shapes, mass=20.0)
    properties = dumbbell.mass_properties
    assert max(map(abs, properties.products)) > 0.1
    (xx, yy, zz), (xy, xz, yz) = properties.moments, properties.products
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    with World(gravity=0.0, slope=None) as world:
        quaternion = np.array([0.1, 0.2, 0.3, 0.9])
        quaternion /= np.linalg.norm(quaternion)
        world.add(dumbbell, 3.0, 2.0, 1.0, orientation=quaternion.tolist())
        position, orientation, *_ = world.read()
        assert position == pytest.approx([3.0, 2.0, 1.0])
        assert orientation == pytest.approx(quaternion)
        world.push(turning=(1.0, 2.0, 0.5))
        assert world.read()[1] == pytest.approx(quaternion)
        momenta = []
        for _ in range(6):
            _, orientation, _, turning = world.read()
            R = rotation(orientation)
            momenta.append(R @ tensor @ R.T @ turning)
            world.run(0.1)
    # Were the tensor that of other axes, the angular momentum would not stay.
    for before, after in pairwise(momenta):
        assert after == pytest.approx(before, rel=0.03, abs=0.03 * np.linalg.norm(before))
    assert np.linalg.norm(turning - [1.0, 2.0, 0.5]) > 0.1


def rotation(quaternion):
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_a_sphere_falls_into_the_hollow_of_a_concave_mesh():
    vertices, triangles = grid(flat, half=2.0, spacing=0.5)
    vertices[:, 2] = 0.2 * (vertices[:, 0] ** 2 + vertices[:, 1] ** 2)
    bowl = MeshShape(vertices, triangles, is_convex=False)
    with World(slope=None) as world:
        world.add(body(bowl, motion="static"), 5.0, 0.0, 1.0)
        world.add(body(Sphere(0.3), friction=1.0), 6.0, 0.0, 2.0)
        lowest = min(world.run(0.05).read(1)[0][2] for _ in range(60))
        place, *_ = world.read(1)
    assert 1.25 < lowest < 1.45
    assert abs(place[0] - 5.0) < 1.5


def test_a_concave_mesh_has_to_be_static():
    vertices, triangles = grid(flat, half=2.0, spacing=1.0)
    with World() as world, pytest.raises(PhysicsError, match="static"):
        world.add(body(MeshShape(vertices, triangles, is_convex=False)), 0.0, 0.0, 1.0)


def tumble() -> bytes:
    with World() as world:
        shapes = [Sphere(0.3), Cylinder(0.3, 0.5), Capsule(0.2, 0.5), Box((0.5, 0.4, 0.3)), cube()]
        for number, shape in enumerate(shapes * 2):
            world.add(body(shape, restitution=0.3), 0.1 * number, 0.05 * number, 1.0 + number)
        world.run(2.0)
        return b"".join(each.tobytes() for k in range(world.count) for each in world.read(k))


def test_the_same_bodies_tumble_to_the_same_bits():
    assert tumble() == tumble()


def test_a_skewed_body_that_hangs_on_another_keeps_its_place_and_its_tensor():
    shapes = PlacedShape(Box((1.0, 0.2, 0.2))), PlacedShape(Sphere(0.2), (0.4, 0.3, 0.2))
    skewed = homogeneous(*shapes, mass=5.0)
    assert max(map(abs, skewed.mass_properties.products)) > 0.01
    turn = turn_z_to((0.0, 0.6, 0.8))
    with World(gravity=0.0, slope=None) as world:
        bodies = [PlacedBody(skewed, (0.0, 0.0, 1.0), turn), PlacedBody(skewed, (2.0, 0.0, 1.0))]
        joint = TreeJoint("none", (1.0, 0.0, 1.0), (0.0, 0.0, 1.0))
        world.physics.add_bodies(bodies, [Hanging(joint, 0, 1)])
        world.count = 2
        for number, placed in enumerate(bodies):
            position, orientation, *_ = world.read(number)
            assert position == pytest.approx(placed.position, abs=1e-6)
            assert orientation == pytest.approx(placed.orientation, abs=1e-6)
