"""Bodies that lie still cost nothing, and move as soon as something meets them."""

from collections.abc import Iterator

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.engine.physics.bullet import bullet_engine as engine
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine import PlacedBody
from autosim.model.rigid_bodies.rigid_body import box_body

STEP = 1.0 / 240.0  # s
ASLEEP = 3.0  # s, after which Bullet has put to sleep what lies


class World:
    """Boxes on a plane; the last one is a robot's, which may not rest."""

    def __init__(self, physics: BulletEngine, boxes: int) -> None:
        self.physics = physics
        corners = np.array([[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]])
        triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
        physics.add_static(physics.make_shape(np.pad(corners, ((0, 0), (0, 1))), triangles))
        body = box_body((0.4, 0.4, 0.4), 2.0)
        placed = [PlacedBody(body, (2.0 * k, 0.0, 0.25), may_rest=True) for k in range(boxes)]
        physics.add_bodies([*placed, PlacedBody(body, (-20.0, 0.0, 0.25))], [])
        self.count = boxes + 1
        self.read()

    def read(self) -> Floats:
        shapes = (3, 4, 3, 3)
        arrays = [np.zeros((self.count, width)) for width in shapes]
        self.physics.read(*arrays)
        return np.hstack(arrays)

    def run(self, seconds: float) -> Floats:
        for _ in range(round(seconds / STEP)):
            self.physics.step()
            rows = self.read()
        return rows

    def place(self, body: int, position: list[float], velocity: list[float]) -> None:
        self.physics.place(
            body,
            position=np.array(position),
            orientation=np.array([0.0, 0.0, 0.0, 1.0]),
            velocity=np.array(velocity),
            angular_velocity=np.zeros(3),
        )


@pytest.fixture
def physics() -> Iterator[BulletEngine]:
    with BulletEngine(step_seconds=STEP, gravity=9.81) as made:
        yield made


def asked(physics: BulletEngine, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bodies that PyBullet is asked for from now on."""
    numbers: list[int] = []
    whole = engine.pybullet.getBasePositionAndOrientation

    def ask(body: int, client: int) -> object:
        numbers.append(physics._bodies.index(body))
        return whole(body, client)

    monkeypatch.setattr(engine.pybullet, "getBasePositionAndOrientation", ask)
    return numbers


def test_nobody_asks_for_what_lies_still(
    physics: BulletEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(physics, 3)
    before = world.run(ASLEEP)
    numbers = asked(physics, monkeypatch)
    after = world.run(0.1)
    assert set(numbers) == {3}
    assert np.array_equal(after[:3], before[:3])
    assert not after[:3, 7:].any()


def test_what_is_hit_moves_in_the_same_step(physics: BulletEngine) -> None:
    world = World(physics, 2)
    world.run(ASLEEP)
    world.place(2, [-3.0, 0.0, 0.22], [15.0, 0.0, 0.0])
    moved_from = touched = None
    for step in range(120):
        before = world.read()
        physics.step()
        after = world.read()
        if moved_from is None and np.abs(after[0, :3] - before[0, :3]).max() > 1e-4:
            moved_from = step
        if touched is None and [2, 0] in physics.contacts().tolist():
            touched = step
    assert touched is not None
    assert moved_from is not None
    assert abs(moved_from - touched) <= 1
    assert world.run(1.0)[0, 0] > 0.3


def test_one_that_is_pushed_wakes_the_next(physics: BulletEngine) -> None:
    world = World(physics, 2)
    world.run(ASLEEP)
    world.place(0, [1.5, 0.0, 0.2], [12.0, 0.0, 0.0])
    assert world.run(1.0)[1, 0] > 2.2


def test_what_is_put_into_the_air_falls(physics: BulletEngine) -> None:
    world = World(physics, 1)
    world.run(ASLEEP)
    world.place(0, [0.0, 0.0, 5.0], [0.0, 0.0, 0.0])
    assert world.run(0.5)[0, 2] == pytest.approx(5.0 - 0.5 * 9.81 * 0.5**2, abs=0.05)


def test_what_rests_touches_only_what_moves(physics: BulletEngine) -> None:
    world = World(physics, 1)
    world.run(ASLEEP)
    assert physics.contacts().tolist() == [[1, -1]]
    assert {touch.first for touch in physics.contact_points()} == {1}


def test_a_robots_body_never_rests(physics: BulletEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(physics, 0)
    world.run(ASLEEP)
    numbers = asked(physics, monkeypatch)
    world.run(STEP)
    assert numbers == [0]


def test_the_same_steps_give_the_same_bits(physics: BulletEngine) -> None:
    def run(engine: BulletEngine) -> Floats:
        world = World(engine, 4)
        world.run(ASLEEP)
        world.place(4, [-3.0, 0.05, 0.22], [15.0, 0.0, 0.0])
        return world.run(1.0)

    with BulletEngine(step_seconds=STEP, gravity=9.81) as second:
        assert np.array_equal(run(physics), run(second))
