"""The adapter alone: frames, limits, filters, and that it is the same every time."""

import numpy as np
import pytest

from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine import STATIC, PhysicsError
from autosim.model.rigid_bodies.joints import BallJoint
from autosim.model.rigid_bodies.rigid_body import box_body
from tests.server.boxes import STEP, cast, read
from tests.vehicle.rig import flat, grid

DOWN = np.array([0.0, 0.0, -1.0])


@pytest.fixture
def physics():
    with BulletEngine(step_seconds=STEP, gravity=9.81) as made:
        yield made


@pytest.fixture
def weightless():
    with BulletEngine(step_seconds=STEP, gravity=0.0) as made:
        yield made


def square(half: float = 50.0, z: float = 0.0):
    vertices = np.array([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]])
    return vertices, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)


def add_box(physics, position=(0.0, 0.0, 1.0), **more):
    where = {"orientation": more.pop("orientation")} if "orientation" in more else {}
    body = box_body(**({"size": (2.0, 1.0, 0.5), "mass": 100.0} | more))
    return physics.add_body(body, position=position, **where)


def test_positions_are_those_of_the_shapes_centre(weightless):
    turn = (0.0, 0.0, np.sin(0.5), np.cos(0.5))
    add_box(weightless, (3.0, 2.0, 1.0), orientation=turn, centre_of_mass=(0.2, 0.1, -0.1))
    positions, orientations, _, _ = read(weightless)
    assert positions[0] == pytest.approx([3.0, 2.0, 1.0])
    assert orientations[0] == pytest.approx(turn)


def test_velocities_are_those_of_the_shapes_centre(weightless):
    add_box(weightless, centre_of_mass=(0.5, 0.0, 0.0))
    weightless.set_velocity(0, (1.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    _, _, velocities, angular = read(weightless)
    assert velocities[0] == pytest.approx([1.0, -1.0, 0.0])
    assert angular[0] == pytest.approx([0.0, 0.0, 2.0])


def test_a_force_acts_at_the_centre_of_mass_far_from_the_origin(weightless):
    add_box(weightless, (500.0, -300.0, 20.0), centre_of_mass=(0.4, 0.1, -0.2))
    read(weightless)
    weightless.apply(np.array([[100.0, 200.0, 300.0]]), np.zeros((1, 3)))
    weightless.step()
    _, _, velocities, angular = read(weightless)
    assert velocities[0] == pytest.approx(np.array([1.0, 2.0, 3.0]) * STEP)
    assert angular[0] == pytest.approx(0.0, abs=1e-12)


def test_a_torque_turns_as_the_boxs_inertia_says(weightless):
    turn = (0.0, 0.0, np.sin(0.5), np.cos(0.5))
    add_box(weightless, orientation=turn)
    read(weightless)
    weightless.apply(np.zeros((1, 3)), np.array([[0.0, 0.0, 100.0]]))
    weightless.step()
    *_, angular = read(weightless)
    assert angular[0] == pytest.approx([0.0, 0.0, 100.0 * STEP / (100.0 / 12.0 * 5.0)])


def test_a_force_lasts_one_step(weightless):
    add_box(weightless)
    read(weightless)
    weightless.apply(np.array([[100.0, 0.0, 0.0]]), np.zeros((1, 3)))
    for _ in range(3):
        weightless.step()
    assert read(weightless)[2][0, 0] == pytest.approx(STEP)


def test_free_fall_has_no_end(physics):
    add_box(physics, (0.0, 0.0, 5000.0))
    for _ in range(round(15.0 / STEP)):
        physics.step()
    assert read(physics)[2][0, 2] == pytest.approx(-9.81 * 15.0, rel=1e-6)


def test_a_box_at_rest_never_falls_asleep(weightless):
    add_box(weightless)
    for _ in range(1000):
        weightless.step()
    read(weightless)
    weightless.apply(np.array([[100.0, 0.0, 0.0]]), np.zeros((1, 3)))
    weightless.step()
    assert read(weightless)[2][0, 0] > 0.0


def test_a_mesh_above_pybullets_limits_is_refused_in_words(physics):
    with pytest.raises(PhysicsError, match="too large"):
        physics.make_shape(*grid(flat, half=50.0, spacing=0.25))


def test_a_mesh_without_triangles_is_refused(physics):
    with pytest.raises(PhysicsError, match="no triangles"):
        physics.make_shape(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))


def test_a_mesh_is_put_in_and_taken_out_again_and_again(physics):
    shape = physics.make_shape(*square())
    above, below = np.array([[0.0, 0.0, 4.0]]), np.array([[0.0, 0.0, -4.0]])
    for _ in range(3):
        body = physics.add_static(shape)
        assert cast(physics, above, below)[0] == pytest.approx([0.5])
        physics.remove_static(body)
        assert cast(physics, above, below)[0] == pytest.approx([1.0])


@pytest.mark.parametrize("fault", ["nan", "index"])
def test_a_faulty_mesh_is_refused(physics, fault):
    vertices, triangles = square()
    if fault == "nan":
        vertices[0, 2] = np.nan
    else:
        triangles[0, 0] = 4
    with pytest.raises(PhysicsError, match="mesh"):
        physics.make_shape(vertices, triangles)


@pytest.mark.parametrize("more", [{"mass": 0.0}, {"mass": np.nan}, {"size": (1.0, -1.0, 1.0)}])
def test_a_faulty_box_is_refused(physics, more):
    with pytest.raises(PhysicsError, match="positive"):
        add_box(physics, **more)


def test_contacts_name_each_pair_once(physics):
    physics.add_static(physics.make_shape(*square()))
    for position in ((0.0, 0.0, 0.25), (0.0, 0.0, 0.749), (20.0, 0.0, 5.0)):
        add_box(physics, position)
    physics.step()
    assert physics.contacts().tolist() == [[0, STATIC], [1, 0]]


def test_no_contacts(physics):
    assert physics.contacts().shape == (0, 2)


@pytest.mark.parametrize("spacing", [0.5, 5.0, 20.0])
def test_a_turned_box_slides_over_the_inner_edges_of_a_flat_mesh(physics, spacing):
    physics.add_static(physics.make_shape(*grid(flat, half=40.0, spacing=spacing)))
    turn = (0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8))
    add_box(physics, (-30.0, 0.13, 0.27), orientation=turn, friction=0.0)
    physics.set_velocity(0, (20.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    heights = []
    for _ in range(480):
        physics.step()
        heights.append(read(physics)[0][0, 2])
    assert max(heights) < 0.28
    assert read(physics)[2][0] == pytest.approx([20.0, 0.0, 0.0], abs=0.02)


def test_a_ball_joint_holds_two_boxes_together(physics):
    add_box(physics, (0.0, 0.0, 0.0), centre_of_mass=(0.1, 0.0, -0.1))
    add_box(physics, (2.2, 0.0, 0.0), centre_of_mass=(0.0, 0.1, 0.0))
    physics.add_joint(BallJoint((1.1, 0.0, 0.0)), 0, 1)
    physics.set_velocity(0, (0.0, 1.0, 0.0), (0.5, 1.0, 2.0))
    for _ in range(480):
        physics.step()
        positions, orientations, _, _ = read(physics)
        gap = np.linalg.norm(
            positions[0]
            + rotated(orientations[0], [1.1, 0.0, 0.0])
            - positions[1]
            - rotated(orientations[1], [-1.1, 0.0, 0.0])
        )
        assert gap < 0.01


def rotated(quaternion, vector):
    axis, w = quaternion[:3], quaternion[3]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * np.array(vector))


def tumble() -> bytes:
    with BulletEngine(step_seconds=STEP, gravity=9.81) as physics:
        physics.add_static(physics.make_shape(*square()))
        for i in range(12):
            add_box(physics, (0.3 * i, 0.2 * i, 1.0 + 0.7 * i))
        for _ in range(480):
            physics.step()
            physics.contacts()
        return b"".join(array.tobytes() for array in read(physics))


def test_the_same_calls_give_the_same_bits():
    assert tumble() == tumble()


def test_two_worlds_do_not_mix(physics):
    with BulletEngine(step_seconds=STEP, gravity=0.0) as other:
        add_box(physics)
        add_box(other)
        add_box(other, (9.0, 0.0, 1.0))
        physics.step()
        other.step()
        assert physics.body_count == 1
        assert read(physics)[2][0, 2] < 0.0
        assert (read(other)[2] == 0.0).all()


def test_closing_twice_is_closing():
    physics = BulletEngine(step_seconds=STEP, gravity=9.81)
    physics.close()
    physics.close()
