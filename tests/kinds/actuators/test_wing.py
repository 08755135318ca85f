"""Wings, against the formula of downforce and drag."""

from pathlib import Path

import numpy as np
import pytest

from autosim.engine.step.simulation import Simulation
from autosim.model.environment.standard_atmosphere import AIR_DENSITY
from tests.server.linked_robots import box, record, simulation_of, value

SIZE = (0.1, 0.1, 0.1)
MASS = 10.0
OWN_DRAG = 0.5 * AIR_DENSITY * 0.35 * SIZE[0] * SIZE[1]
"""[kg/m] of the box itself."""


def wing(down: float, drag: float, *, ahead: float = 0.0) -> str:
    return (
        f'<Wing name="wing"><Part name="body"/><Position x="0" y="0" z="{ahead}"/>'
        f'<DownforceArea value="{down}"/><DragArea value="{drag}"/></Wing>'
    )


def fly(folder: Path, devices: str, *, velocity: tuple[float, float, float]) -> Simulation:
    simulation = simulation_of(folder, box("body", size=SIZE, mass=MASS), devices, gravity=0.0)
    simulation.place("r", (0.0, 0.0), velocity=velocity)
    return simulation


def test_downforce_and_drag_grow_with_the_square_of_the_speed(tmp_path: Path) -> None:
    with fly(tmp_path, wing(2.0, 0.8), velocity=(30.0, 0.0, 0.0)) as simulation:
        simulation.step()
        before = value(simulation, "r.body.velocity")
        simulation.step()
        gained = (value(simulation, "r.body.velocity") - before) / simulation.step_seconds
        pressed = value(simulation, "r.body.wing.downforce")
    square = 0.5 * AIR_DENSITY * before[0] ** 2
    assert pressed == pytest.approx(2.0 * square, rel=0.02)
    assert gained[2] == pytest.approx(-2.0 * square / MASS, rel=0.02)
    assert gained[0] == pytest.approx(-(0.8 * square + OWN_DRAG * before[0] ** 2) / MASS, rel=0.02)


def test_air_from_the_side_does_not_press(tmp_path: Path) -> None:
    with fly(tmp_path, wing(2.0, 0.8), velocity=(0.0, 30.0, 0.0)) as simulation:
        record(simulation, 0.05, lambda: 0.0)
        assert value(simulation, "r.body.velocity")[2] == pytest.approx(0.0, abs=1e-6)


def test_a_wing_behind_turns_the_nose_up(tmp_path: Path) -> None:
    with fly(tmp_path, wing(1.0, 0.0, ahead=-1.0), velocity=(20.0, 0.0, 0.0)) as simulation:
        record(simulation, 0.02, lambda: 0.0)
        turning = value(simulation, "r.body.angular_velocity")
    assert turning[1] < -0.5, "about north, while it flies east"
    assert np.abs(turning[[0, 2]]).max() < 1e-6
