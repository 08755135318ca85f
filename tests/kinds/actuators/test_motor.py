"""Motors of hinges and slides, against what mechanics says of them."""

from pathlib import Path

import numpy as np
import pytest

from autosim.config.diagnostics import ConfigError
from tests.server.linked_robots import box, command, link, record, simulation_of, value

GRAVITY = 9.81
STATIC = box("base", motion="static", size=(0.2, 0.2, 0.2))
WEIGHT = 4.0


def motor(control: str, *, most: float = 1e3, stiffness: float = 0.0, damping: float = 0.0) -> str:
    return (
        f'<Motor name="motor"><Part name="base"/><Link name="joint"/><Control name="{control}"/>'
        f'<MaxForce value="{most}"/><Stiffness value="{stiffness}"/>'
        f'<Damping value="{damping}"/></Motor>'
    )


def lift(more: str = "") -> str:
    """A weight on an upright slide."""
    parts = STATIC + box("bob", at=(0.0, -0.5, 0.0), mass=WEIGHT)
    upright = {"parent": "base", "child": "bob", "axis": (0.0, 1.0, 0.0)}
    return parts + link("PrismaticLink", "joint", more=more, **upright)


def wheel(mass: float = 2.0, side: float = 0.4) -> str:
    """A box that turns about its own upright axis."""
    parts = STATIC + box("bob", at=(0.0, 0.5, 0.0), mass=mass, size=(side, 0.1, side))
    return parts + link("RevoluteLink", "joint", parent="base", child="bob", axis=(0.0, 1.0, 0.0))


def test_a_spring_holds_a_weight_where_its_stiffness_says(tmp_path: Path):
    devices = motor("position", stiffness=400.0, damping=40.0)
    with simulation_of(tmp_path, lift(), devices) as simulation:
        command(simulation, "r.base.motor", 0.2)
        record(simulation, 5.0, lambda: 0.0)
        place = float(value(simulation, "r.joint.position"))
        force = float(value(simulation, "r.joint.force"))
    assert place == pytest.approx(0.2 - WEIGHT * GRAVITY / 400.0, abs=1e-4)
    assert force == pytest.approx(WEIGHT * GRAVITY, rel=1e-4)


def test_a_spring_swings_with_the_period_of_its_mass(tmp_path: Path):
    devices = motor("position", stiffness=100.0)
    with simulation_of(tmp_path, lift(), devices, gravity=0.0) as simulation:
        command(simulation, "r.base.motor", 0.1)
        place = record(simulation, 6.0, lambda: value(simulation, "r.joint.position")) - 0.1
    rises = np.flatnonzero((place[:-1] < 0.0) & (place[1:] >= 0.0))
    times = rises + place[rises] / (place[rises] - place[rises + 1])
    expected = 2.0 * np.pi * np.sqrt(WEIGHT / 100.0)
    assert np.diff(times).mean() / 240.0 == pytest.approx(expected, rel=1e-3)


def test_a_torque_turns_by_the_inertia(tmp_path: Path):
    with simulation_of(tmp_path, wheel(), motor("force"), gravity=0.0) as simulation:
        command(simulation, "r.base.motor", 0.1)
        rate = record(simulation, 0.5, lambda: value(simulation, "r.joint.velocity"))
    inertia = 2.0 * (0.4**2 + 0.4**2) / 12.0
    assert rate[-1] == pytest.approx(0.1 / inertia * 0.5, rel=1e-3)


def test_no_torque_is_greater_than_the_greatest(tmp_path: Path):
    devices = motor("velocity", most=0.1, damping=5.0)
    with simulation_of(tmp_path, wheel(), devices, gravity=0.0) as simulation:
        command(simulation, "r.base.motor", 1e3)
        rate = record(simulation, 0.5, lambda: value(simulation, "r.joint.velocity"))
        assert value(simulation, "r.joint.force") == 0.1
    inertia = 2.0 * (0.4**2 + 0.4**2) / 12.0
    assert rate[-1] == pytest.approx(0.1 / inertia * 0.5, rel=1e-3)


def test_a_speed_is_kept_with_as_much_damping_as_a_step_holds(tmp_path: Path):
    devices = motor("velocity", damping=1e9)
    with simulation_of(tmp_path, wheel(), devices, gravity=0.0) as simulation:
        command(simulation, "r.base.motor", 3.0)
        rate = record(simulation, 0.2, lambda: value(simulation, "r.joint.velocity"))
    assert rate[-1] == pytest.approx(3.0, abs=1e-6)
    assert rate.max() < 3.1


def arm(gains: str = "") -> tuple[str, str]:
    """Three rods one behind the other on hinges, each with a motor."""
    parts, joints, devices = STATIC, "", ""
    for number, above in enumerate(("base", "a0", "a1")):
        ahead, name = 0.3 * number, f"a{number}"
        parts += box(name, at=(0.0, 0.0, ahead + 0.15), size=(0.05, 0.05, 0.25), mass=0.5)
        joints += link("RevoluteLink", f"j{number}", parent=above, child=name, at=(0.0, 0.0, ahead))
        devices += (
            f'<Motor name="m{number}"><Part name="{name}"/><Link name="j{number}"/>'
            f'<MaxForce value="100"/>{gains}</Motor>'
        )
    return parts + joints, devices


def test_an_arm_of_stiff_motors_holds_where_it_is_set_whatever_it_weighs(tmp_path: Path):
    with simulation_of(tmp_path, *arm()) as simulation:
        for number in range(3):
            command(simulation, f"r.a{number}.m{number}", 0.4)
        record(simulation, 1.0, lambda: 0.0)
        angles = [float(value(simulation, f"r.j{number}.position")) for number in range(3)]
        force = float(value(simulation, "r.j2.force"))
        turn = value(simulation, "r.j2.velocity")
    assert angles == pytest.approx([0.4] * 3, abs=2e-3)
    assert turn == pytest.approx(0.0, abs=2e-2)
    assert abs(force) == pytest.approx(0.5 * GRAVITY * 0.15 * np.cos(1.2), rel=0.01)


def test_springs_beyond_what_a_step_holds_throw_nothing(tmp_path: Path):
    gains = '<Stiffness value="1e9"/><Damping value="1e9"/>'
    with simulation_of(tmp_path, *arm(gains), gravity=0.0) as simulation:
        for number in range(3):
            command(simulation, f"r.a{number}.m{number}", 0.4)
        rates = record(simulation, 4.0, lambda: value(simulation, "r.j2.velocity"))
    assert np.abs(rates[-100:]).max() < 0.1 * np.abs(rates).max() < 10.0


def test_a_position_is_approached_no_faster_than_the_greatest_speed(tmp_path: Path):
    devices = motor("position").replace("</Motor>", '<MaxSpeed value="0.5"/></Motor>')
    with simulation_of(tmp_path, lift(), devices) as simulation:
        command(simulation, "r.base.motor", 0.3)
        speed = record(simulation, 1.0, lambda: value(simulation, "r.joint.velocity"))
        assert value(simulation, "r.joint.position") == pytest.approx(0.3, abs=1e-3)
    assert 0.49 < speed.max() < 0.51


def test_a_stiff_motor_is_no_stronger_than_its_force(tmp_path: Path):
    devices = motor("velocity", most=0.1)
    with simulation_of(tmp_path, wheel(), devices, gravity=0.0) as simulation:
        command(simulation, "r.base.motor", 50.0)
        rate = record(simulation, 0.5, lambda: value(simulation, "r.joint.velocity"))
        assert value(simulation, "r.joint.force") == pytest.approx(0.1)
    inertia = 2.0 * (0.4**2 + 0.4**2) / 12.0
    assert rate[-1] == pytest.approx(0.1 / inertia * 0.5, rel=1e-2)


def test_what_turns_in_space_turns_its_parent_back(tmp_path: Path):
    parts = box("base", mass=3.0) + box("bob", at=(0.0, 0.5, 0.0), mass=2.0, size=(0.4, 0.1, 0.4))
    parts += link("RevoluteLink", "joint", parent="base", child="bob", axis=(0.0, 1.0, 0.0))
    with simulation_of(tmp_path, parts, motor("force"), gravity=0.0) as simulation:
        command(simulation, "r.base.motor", 0.002)
        record(simulation, 0.5, lambda: 0.0)
        turning = [
            float(value(simulation, f"r.{part}.angular_velocity")[2]) for part in ("base", "bob")
        ]
    inertias = [3.0 * 0.1**2 / 6.0, 2.0 * (0.4**2 + 0.4**2) / 12.0]
    assert np.dot(inertias, turning) == pytest.approx(0.0, abs=1e-6)
    assert turning[1] == pytest.approx(0.002 / inertias[1] * 0.5, rel=1e-2)


@pytest.mark.parametrize(
    ("device", "message"),
    [
        (motor("position").replace('Link name="joint"', 'Link name="joind"'), "mean 'joint'"),
        (motor("force").replace('"base"', '"other"'), "expected one of the two of its link"),
        (motor("force") + motor("force").replace('"motor"', '"more"'), "has a motor already"),
    ],
)
def test_faults_of_motors_are_named(tmp_path: Path, device: str, message: str):
    other = box("other", at=(3.0, 0.0, 0.0))
    with pytest.raises(ConfigError) as caught:
        simulation_of(tmp_path, lift() + other, device)
    assert message in str(caught.value)
