"""Links on which parts hang, against what mechanics says of them."""

from pathlib import Path

import numpy as np
import pytest

from autosim.arrays import Floats
from autosim.engine.step.simulation import Simulation
from tests.server.linked_robots import box, command, link, put_joint, record, simulation_of, value

GRAVITY = 9.81
ARM = 0.5
STATIC = box("base", motion="static", size=(0.2, 0.2, 0.2))


def pendulum(more: str = "", *, mass: float = 1.0) -> str:
    """A small box, `ARM` below a hinge across the way it heads."""
    bob = box("bob", at=(0.0, -ARM, 0.0), mass=mass)
    return STATIC + bob + link("RevoluteLink", "hinge", parent="base", child="bob", more=more)


def inertia(mass: float = 1.0) -> float:
    """Of the bob about the hinge."""
    return mass * (ARM**2 + 0.1**2 / 6.0)


def test_a_pendulum_has_its_period_and_keeps_its_amplitude(tmp_path: Path):
    with simulation_of(tmp_path, pendulum()) as simulation:
        put_joint(simulation, "r.hinge", 0.1)
        angle = record(simulation, 10.0, lambda: value(simulation, "r.hinge.position"))
    falls = np.flatnonzero((angle[:-1] > 0.0) & (angle[1:] <= 0.0))
    times = falls + angle[falls] / (angle[falls] - angle[falls + 1])
    expected = 2.0 * np.pi * np.sqrt(inertia() / (GRAVITY * ARM)) * (1.0 + 0.1**2 / 16.0)
    assert np.diff(times).mean() / 240.0 == pytest.approx(expected, rel=1e-3)
    assert np.abs(angle[-480:]).max() == pytest.approx(0.1, rel=0.01)


def test_the_child_stays_at_the_hinge_and_turns_as_the_axis_says(tmp_path: Path):
    with simulation_of(tmp_path, pendulum(), gravity=0.0, yaw=0.7) as simulation:
        put_joint(simulation, "r.hinge", 0.0, 1.0)
        record(simulation, 1.0, lambda: 0.0)
        angle = float(value(simulation, "r.hinge.position"))
        place = value(simulation, "r.bob.position") - value(simulation, "r.base.position")
    assert angle == pytest.approx(1.0, rel=1e-3)
    # About the axis to the right, counter-clockwise as seen from there: the bob swings forwards.
    ahead = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    expected = ARM * (-np.sin(angle) * ahead - np.cos(angle) * np.array([0.0, 0.0, 1.0]))
    assert place == pytest.approx(expected, abs=1e-5) or place == pytest.approx(
        expected * [-1, -1, 1], abs=1e-5
    )


@pytest.mark.parametrize("damping", [0.05, 0.5])
def test_damping_slows_as_an_exponential(tmp_path: Path, damping: float):
    more = f'<Damping value="{damping}"/>'
    with simulation_of(tmp_path, pendulum(more), gravity=0.0) as simulation:
        put_joint(simulation, "r.hinge", 0.0, 1.0)
        rate = record(simulation, 0.5, lambda: value(simulation, "r.hinge.velocity"))
    assert rate[-1] == pytest.approx(np.exp(-damping / inertia() * 0.5), rel=0.01)


def test_damping_beyond_what_a_step_can_hold_stops_and_throws_nothing(tmp_path: Path):
    more = '<Damping value="1e6"/>'
    with simulation_of(tmp_path, pendulum(more), gravity=0.0) as simulation:
        put_joint(simulation, "r.hinge", 0.0, 1.0)
        rate = record(simulation, 2.0, lambda: value(simulation, "r.hinge.velocity"))
    assert np.all(np.abs(np.diff(np.abs(rate))) <= 1.0)
    assert rate[-1] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("kind", ["RevoluteLink", "PrismaticLink"])
@pytest.mark.parametrize("speed", [-6.0, 2.0])
def test_limits_hold(tmp_path: Path, kind: str, speed: float):
    parts = STATIC + box("bob", at=(0.0, -ARM, 0.0))
    parts += link(
        kind, "joint", parent="base", child="bob", more='<Limits lower="-0.3" upper="0.2"/>'
    )
    with simulation_of(tmp_path, parts, gravity=0.0) as simulation:
        put_joint(simulation, "r.joint", 0.0, speed)
        place = record(simulation, 2.0, lambda: value(simulation, "r.joint.position"))
    step = abs(speed) / 240.0
    assert place.min() >= -0.3 - 1.01 * step
    assert place.max() <= 0.2 + 1.01 * step
    assert -0.301 <= place[-1] <= 0.201


def test_a_limit_carries_a_weight(tmp_path: Path):
    parts = STATIC + box("bob", at=(0.0, -ARM, 0.0), mass=50.0)
    parts += link(
        *("PrismaticLink", "slide"),
        parent="base",
        child="bob",
        axis=(0.0, 1.0, 0.0),
        more='<Limits lower="-0.3" upper="0"/>',
    )
    with simulation_of(tmp_path, parts) as simulation:
        place = record(simulation, 3.0, lambda: value(simulation, "r.slide.position"))
    assert place[-1] == pytest.approx(-0.3, abs=1e-3)


def test_a_free_slide_falls(tmp_path: Path):
    parts = STATIC + box("bob", at=(0.0, -ARM, 0.0), mass=50.0)
    parts += link("PrismaticLink", "slide", parent="base", child="bob", axis=(0.0, -1.0, 0.0))
    with simulation_of(tmp_path, parts) as simulation:
        rate = record(simulation, 0.5, lambda: value(simulation, "r.slide.velocity"))
    assert rate[-1] == pytest.approx(GRAVITY * 0.5, rel=1e-3)  # the air takes some


def test_parts_that_are_fixed_fall_and_turn_as_one(tmp_path: Path):
    parts = box("one", mass=3.0) + box("two", at=(1.0, 0.0, 0.0))
    parts += link("FixedLink", "weld", parent="one", child="two")
    with simulation_of(tmp_path, parts, gravity=0.0) as simulation:
        body = simulation.systems.bodies.numbers_of(0)
        forces = np.zeros((2, 3))
        forces[body[1]] = (4.0, 0.0, 0.0)
        simulation.systems.physics.apply(forces, np.zeros((2, 3)))
        simulation.systems.physics.step()
        simulation.systems.bodies.read()
        states = simulation.systems.bodies.states
        momentum = np.array([3.0, 1.0]) @ states.velocities
        apart = np.linalg.norm(states.positions[1] - states.positions[0])
        assert states.angular_velocities[0] == pytest.approx(states.angular_velocities[1])
    assert momentum == pytest.approx([4.0 / 240.0, 0.0, 0.0], abs=1e-5)
    assert apart == pytest.approx(1.0, abs=1e-5)


def test_what_hangs_free_in_space_keeps_its_momentum(tmp_path: Path):
    parts = box("one", mass=2.0) + box("two", at=(0.0, 0.0, 0.6)) + box("three", at=(0, 0, 1.2))
    parts += link("RevoluteLink", "a", parent="one", child="two", at=(0.0, 0.0, 0.3))
    parts += link("RevoluteLink", "b", parent="two", child="three", at=(0.0, 0.0, 0.9))
    with simulation_of(tmp_path, parts, gravity=0.0) as simulation:
        put_joint(simulation, "r.a", 0.0, 1.0)
        before = np.array([2.0, 1.0, 1.0]) @ simulation.systems.bodies.states.velocities
        record(simulation, 0.5, lambda: 0.0)
        after = np.array([2.0, 1.0, 1.0]) @ simulation.systems.bodies.states.velocities
    assert np.linalg.norm(before) > 0.1
    assert after == pytest.approx(before, abs=0.02 * np.linalg.norm(before))


def swinging(folder: Path) -> Simulation:
    parts = pendulum('<Damping value="0.02"/>') + box("lower", at=(0.0, -2.0 * ARM, 0.0))
    parts += link("RevoluteLink", "knee", parent="bob", child="lower", at=(0.0, -ARM, 0.0))
    motor = (
        '<Motor name="drive"><Part name="bob"/><Link name="knee"/><Control name="position"/>'
        '<MaxForce value="5"/><Stiffness value="8"/><Damping value="0.1"/></Motor>'
    )
    return simulation_of(folder, parts, motor)


def states_of(simulation: Simulation, steps: int) -> list[bytes]:
    found = []
    for _ in range(steps):
        simulation.step()
        found.append(bytes(simulation.state.buffer))
    return found


def test_two_runs_give_the_same_bytes(tmp_path: Path):
    runs = []
    for _ in range(2):
        with swinging(tmp_path) as simulation:
            put_joint(simulation, "r.hinge", 0.5)
            command(simulation, "r.bob.drive", 0.3)
            runs.append(states_of(simulation, 240))
    assert runs[0] == runs[1]


def test_a_snapshot_in_the_middle_of_a_swing_goes_on(tmp_path: Path):
    names = ["r.hinge.position", "r.hinge.velocity", "r.knee.position", "r.knee.velocity"]

    def read(simulation: Simulation) -> Floats:
        return np.array([value(simulation, name) for name in names])

    with swinging(tmp_path) as first, swinging(tmp_path) as second:
        put_joint(first, "r.hinge", 0.5)
        command(first, "r.bob.drive", 0.3)
        states_of(first, 100)
        snapshot = first.snapshot()
        second.restore(snapshot)
        assert bytes(second.state.buffer) == bytes(first.state.buffer)
        states_of(first, 100)
        states_of(second, 100)
        assert read(second) == pytest.approx(read(first), abs=1e-9)
        assert np.abs(read(first)[1]) > 0.01


def test_a_robot_that_is_put_elsewhere_hangs_as_it_was_built(tmp_path: Path):
    with swinging(tmp_path) as simulation:
        put_joint(simulation, "r.hinge", 0.5, 1.0)
        pose = simulation.systems.bodies
        simulation.place("r", (30.0, 5.0), yaw=1.0)
        assert value(simulation, "r.hinge.position") == 0.0
        assert value(simulation, "r.hinge.velocity") == 0.0
        place = value(simulation, "r.bob.position") - value(simulation, "r.base.position")
        assert place == pytest.approx([0.0, 0.0, -ARM], abs=1e-6)
        assert pose.states.positions[0, :2] == pytest.approx([30.0, 5.0])


def test_parts_that_no_link_joins_collide_within_a_robot(tmp_path: Path):
    parts = STATIC + box("upper", at=(0.0, 0.5, 0.0)) + box("bob", at=(0.0, -ARM, 0.0))
    slide = {"axis": (0.0, 1.0, 0.0)}
    parts += link("PrismaticLink", "a", parent="base", child="bob", **slide)
    parts += link("FixedLink", "b", parent="base", child="upper")
    with simulation_of(tmp_path, parts, gravity=0.0) as simulation:
        put_joint(simulation, "r.a", 0.0, 2.0)
        place = record(simulation, 1.0, lambda: value(simulation, "r.a.position"))
    assert place.max() < 1.0  # past its parent, up to the part with which it shares no link


def test_a_ball_joint_closes_a_ring_of_links(tmp_path: Path):
    parts = STATIC + box("one", at=(0.0, -0.5, 0.3)) + box("two", at=(0.0, -0.5, 0.7))
    parts += box("far", at=(0.0, 0.0, 1.0), size=(0.2, 0.2, 0.2))
    parts += link("FixedLink", "bar", parent="base", child="far", at=(0.0, 0.0, 0.5))
    parts += link("RevoluteLink", "left", parent="base", child="one")
    parts += link("RevoluteLink", "right", parent="far", child="two", at=(0.0, 0.0, 1.0))
    parts += (
        '<SphericalLink name="rod"><Parent name="one"/><Child name="two"/>'
        '<Position x="0" y="-0.5" z="0.5"/></SphericalLink>'
    )
    with simulation_of(tmp_path, parts) as simulation:
        angles = record(
            simulation,
            2.0,
            lambda: [value(simulation, f"r.{each}.position") for each in ("left", "right")],
        )
    # Each would swing 0.5 rad and more, but holds the other up.
    assert np.abs(angles).max() < 0.02


def test_a_kinematic_base_carries_what_hangs_on_it(tmp_path: Path):
    parts = box("base", motion="kinematic", size=(0.2, 0.2, 0.2))
    parts += box("bob", at=(0.0, -ARM, 0.0))
    parts += link("RevoluteLink", "hinge", parent="base", child="bob")
    with simulation_of(tmp_path, parts) as simulation:
        simulation.place("r", (0.0, 0.0), velocity=(1.0, 0.0, 0.0))
        start = value(simulation, "r.base.position")
        record(simulation, 1.0, lambda: 0.0)
        moved = value(simulation, "r.base.position") - start
        apart = value(simulation, "r.bob.position") - value(simulation, "r.base.position")
    assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-3)
    assert np.linalg.norm(apart) == pytest.approx(ARM, abs=1e-3)
