"""Another engine than PyBullet goes behind a simulation."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats, Integers, Integers32
from autosim.engine.physics.engine import ContactPoint, PlacedBody
from autosim.engine.step.simulation import Simulation
from autosim.model.rigid_bodies.joints import BallJoint, Hanging
from autosim.model.rigid_bodies.rigid_body import RigidBody
from tests.worlds import flat_world, impreza_world


class PointMasses:
    """An engine without contacts and rotation, on an even floor: the least that a step needs."""

    def __init__(self, *, step_seconds: float, gravity: float) -> None:
        self._step_seconds, self._gravity = step_seconds, gravity
        self._masses, self._forces = np.zeros(0), np.zeros((0, 3))
        self._positions, self._velocities = np.zeros((0, 3)), np.zeros((0, 3))
        self._orientations = np.zeros((0, 4))

    def make_shape(self, vertices: Floats, triangles: Integers32) -> int:
        return 0

    def add_static(self, shape: int, *, friction: float = 0.8, is_water: bool = False) -> int:
        return 0

    def remove_static(self, body: int) -> None:
        pass

    def add_body(
        self,
        body: RigidBody,
        *,
        position: Sequence[float],
        orientation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    ) -> int:
        self._masses = np.append(self._masses, body.mass)
        self._positions = np.vstack([self._positions, position])
        self._orientations = np.vstack([self._orientations, orientation])
        self._velocities = np.vstack([self._velocities, np.zeros(3)])
        return len(self._masses) - 1

    def add_bodies(self, bodies: Sequence[PlacedBody], joints: Sequence[Hanging]) -> None:
        for each in bodies:
            self.add_body(each.body, position=each.position, orientation=each.orientation)

    def add_joint(self, joint: BallJoint, parent: int, child: int) -> None:
        pass

    def place_joint(self, joint: int, *, position: float, velocity: float) -> None:
        pass

    def read_joints(self, positions: Floats, velocities: Floats, forces: Floats) -> None:
        pass

    def hold_speeds(self, speeds: Floats, forces: Floats) -> None:
        pass

    def place(
        self,
        body: int,
        *,
        position: Floats,
        orientation: Floats,
        velocity: Floats,
        angular_velocity: Floats,
    ) -> None:
        self._positions[body], self._orientations[body] = position, orientation
        self._velocities[body] = velocity

    def read(
        self,
        positions: Floats,
        orientations: Floats,
        velocities: Floats,
        angular_velocities: Floats,
    ) -> None:
        positions[...], orientations[...] = self._positions, self._orientations
        velocities[...], angular_velocities[...] = self._velocities, 0.0

    def apply(self, forces: Floats, torques: Floats) -> None:
        self._forces = forces.copy()

    def step(self) -> None:
        accelerations = self._forces / self._masses[:, None] - [0.0, 0.0, self._gravity]
        self._velocities += accelerations * self._step_seconds
        self._positions += self._velocities * self._step_seconds

    def contacts(self) -> Integers:
        return np.empty((0, 2), dtype=np.int64)

    def contact_points(self) -> list[ContactPoint]:
        return []

    def penetrating_bodies(
        self, body: int, *, position: Sequence[float], orientation: Sequence[float], depth: float
    ) -> Integers:
        return np.zeros(0, dtype=np.int64)

    def close(self) -> None:
        pass


def test_a_car_stands_on_its_wheels_and_is_moved_with_another_engine():
    world = impreza_world(position=(30.0, 40.0, None))
    with Simulation(world, compiled=flat_world(), make_engine=PointMasses) as simulation:
        chassis = simulation.tree.find("impreza.chassis")
        assert chassis is not None
        before = simulation.state.value(chassis, chassis.fields[0])
        for _ in range(240):
            simulation.step()
        after = simulation.state.value(chassis, chassis.fields[0])
        # The springs carry it: without the forces of the wheels it would be 5 m further down.
        np.testing.assert_allclose(after, before, atol=0.05)
        simulation.place("impreza", (10.0, 0.0), yaw=0.0)
        x, y, _ = simulation.state.value(chassis, chassis.fields[0])
        assert (x, y) == (10.0, 0.0)
