"""The car against the CommonRoad vehicle models, vehicle 2 (BMW 320i)."""

import numpy as np
import pytest

from autosim.kinds.bodies.box import BoxPart
from tests.vehicle.rig import Rig, car, robot

FRONT, REAR, MASS, YAW_INERTIA = 1.1561957064, 1.4227170936, 1093.2952334674046, 1791.5995300122856
WIDTH, HEIGHT_OF_COM, RADIUS, FRICTION = 1.61, 0.61373004, 0.344, 1.0489


def vehicle_2():
    """As long a box of their width as has their moment of inertia, their COM at its centre."""
    length = float(np.sqrt(12.0 * YAW_INERTIA / MASS - WIDTH**2))
    wheels = car(
        front=FRONT, rear=REAR, track=1.45, radius=RADIUS, friction=FRICTION, mass=MASS, z=-0.15
    )
    chassis = BoxPart("chassis", (0.0, 0.0, 0.0), (length, WIDTH, 0.8), mass=MASS)
    return robot("vehicle_2", [chassis], list(wheels.devices))


@pytest.mark.parametrize("hertz", [60, 240])
def test_turns_in_as_the_kinematic_and_the_multi_body_model_do(hertz):
    with Rig([vehicle_2()], hertz=hertz) as rig:
        assert rig.bodies.positions[0, 2] == pytest.approx(HEIGHT_OF_COM, abs=0.005)
        rig.start(15.0, radius=RADIUS)
        rig.hold_speed(0.5, 15.0, steering=0.0)
        start = rig.bodies.positions[0].copy()
        for step in range(round(3.0 * hertz)):
            angle = min(0.1 * (step + 1) / hertz, 0.05)
            rig.hold_speed(1.0 / hertz, 15.0, steering=angle)
        way = rig.bodies.positions[0] - start
        yaw_rate = rig.bodies.angular_velocities[0, 2]
        assert 0.97 * 0.290596 < yaw_rate < 1.03 * 0.291062
        assert 0.95 * 15.18444 < way[1] < 1.05 * 15.69024
        assert way[0] == pytest.approx(40.8, rel=0.02)
