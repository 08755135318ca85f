"""Bodies that are static, kinematic or dynamic."""

import numpy as np
import pytest

from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.model.rigid_bodies.rigid_body import box_body

STEP = 1.0 / 240.0


class Boxes:
    """Boxes of a metre without a floor, in free space or under gravity."""

    def __init__(self, physics: BulletEngine) -> None:
        self.physics, self.count = physics, 0

    def add(self, x: float, motion: str, *, z: float = 0.0, mass: float = 10.0) -> int:
        self.count += 1
        body = box_body((1.0, 1.0, 1.0), mass, motion=motion)
        return self.physics.add_body(body, position=(x, 0.0, z))

    def push(self, body: int, velocity: list[float], turn: tuple[float, ...] = (0, 0, 0)) -> None:
        position, orientation, *_ = self.read(body)
        self.physics.place(
            body,
            position=position,
            orientation=orientation,
            velocity=np.array(velocity),
            angular_velocity=np.array(turn, dtype=np.float64),
        )

    def read(self, body: int) -> tuple[np.ndarray, ...]:
        rows = tuple(np.zeros((self.count, width)) for width in (3, 4, 3, 3))
        self.physics.read(*rows)
        return tuple(each[body] for each in rows)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.physics.step()


@pytest.fixture
def boxes():
    with BulletEngine(step_seconds=STEP, gravity=9.81) as physics:
        yield Boxes(physics)


def test_a_static_body_does_not_fall_and_is_not_pushed(boxes):
    wall, ball = boxes.add(0.0, "static"), boxes.add(-2.0, "dynamic", mass=1000.0)
    boxes.push(ball, [20.0, 0.0, 1.0])
    boxes.step(120)
    position, orientation, velocity, _ = boxes.read(wall)
    assert position.tolist() == [0.0, 0.0, 0.0]
    assert orientation.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert not velocity.any()
    assert boxes.read(ball)[0][0] < -0.9


def test_a_static_body_is_read_where_it_was_last_placed(boxes):
    wall, ball = boxes.add(0.0, "static"), boxes.add(-5.0, "dynamic")
    boxes.step(3)
    assert boxes.read(wall)[0].tolist() == [0.0, 0.0, 0.0]
    still = np.zeros(3)
    boxes.physics.place(
        wall,
        position=np.array([1.0, 2.0, 3.0]),
        orientation=np.array([0.0, 0.0, 0.6, 0.8]),
        velocity=still,
        angular_velocity=still,
    )
    boxes.step(1)
    position, orientation, *_ = boxes.read(wall)
    assert position.tolist() == [1.0, 2.0, 3.0]
    assert orientation == pytest.approx([0.0, 0.0, 0.6, 0.8])
    assert boxes.read(ball)[0][2] < 0.0


def test_a_kinematic_body_keeps_to_its_command_whatever_is_in_its_way(boxes):
    ram, car = boxes.add(0.0, "kinematic"), boxes.add(2.0, "dynamic", mass=5000.0)
    boxes.push(ram, [3.0, 0.0, 0.0])
    boxes.step(240)
    position, _, velocity, _ = boxes.read(ram)
    assert position == pytest.approx([3.0, 0.0, 0.0], abs=1e-9)
    assert velocity.tolist() == [3.0, 0.0, 0.0]
    assert boxes.read(car)[0][0] > 3.4
    assert boxes.read(car)[2][0] > 2.5


def test_a_kinematic_body_turns_at_its_rate(boxes):
    gate = boxes.add(0.0, "kinematic")
    boxes.push(gate, [0.0, 0.0, 0.0], turn=(0.0, 0.0, np.pi / 2))
    boxes.step(240)
    assert boxes.read(gate)[1] == pytest.approx([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])


def test_a_kinematic_body_that_is_not_commanded_hangs_where_it_is(boxes):
    lift = boxes.add(0.0, "kinematic", z=3.0)
    load = boxes.add(0.0, "dynamic", z=4.0)
    boxes.step(240)
    assert boxes.read(lift)[0].tolist() == [0.0, 0.0, 3.0]
    assert boxes.read(load)[0][2] == pytest.approx(4.0, abs=0.05)


def test_kinematic_and_static_bodies_pass_through_each_other(boxes):
    door, _ = boxes.add(0.0, "kinematic"), boxes.add(1.2, "static")
    boxes.push(door, [1.0, 0.0, 0.0])
    boxes.step(240)
    assert boxes.read(door)[0] == pytest.approx([1.0, 0.0, 0.0])
    assert not len(boxes.physics.contacts())
