"""Errors of an inertial system in short: they grow without a fix, and stay bounded with one."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.diagnostics import ConfigError
from autosim.kinds.nmea import write_rmc
from autosim.kinds.owners.simple_ins import CIRCULAR, SimpleINS
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.loading.loader import load_robot
from autosim.model.tree import WORD
from tests.kinds.owners.rig import Fleet, band, moving

INS = SimpleINS("ins", "body", gps="gps", velocity_walk=0.2, turn_walk=0.002)
GPS = GPSSensor("gps", "body")
FIX = write_rmc(*np.full((2, 1), 50.0), speed=np.zeros(1), course=np.zeros(1), seconds=np.zeros(1))


def say(fleet: Fleet, *, has_fix: bool) -> None:
    """What the receivers of all robots say, in whatever place and at whatever time."""
    text = FIX[0].copy()
    text[17] = ord("A" if has_fix else "V")
    for mounted in fleet.devices[GPSSensor]:
        fleet.state.bytes[mounted.node.start : mounted.node.start + len(text)] = text


def run(fleet: Fleet, first: int, steps: int, *, has_fix: bool) -> int:
    say(fleet, has_fix=has_fix)
    for step in range(first, first + steps):
        fleet.step_to(step, moving(step))
    return first + steps


def shown(fleet: Fleet) -> tuple[float, float]:
    """What the first robot's device says: whether there is a fix, the circular error probable."""
    start = fleet.devices[SimpleINS][0].node.start // WORD
    has_fix, circular = fleet.state.floats[start : start + 2].tolist()
    return has_fix, circular


def deviation(fleet: Fleet) -> float:
    return float(np.sqrt(fleet.belief(0).covariance[0, 0]))


def test_the_covariance_is_that_of_the_errors_with_and_without_a_fix_and_after_it():
    fleet = Fleet.of(INS, GPS, robots=100)
    low, high = band(9, 100)
    step = run(fleet, 0, 50, has_fix=False)
    assert low < fleet.consistency() < high
    step = run(fleet, step, 450, has_fix=False)
    assert low < fleet.consistency() < high
    step = run(fleet, step, 150, has_fix=True)  # half a second after it counts
    assert low < fleet.consistency() < high
    run(fleet, step, 500, has_fix=True)
    assert low < fleet.consistency() < high


def test_the_error_grows_without_a_fix_and_is_bounded_after_one():
    fleet = Fleet.of(INS, GPS, robots=100)
    step = run(fleet, 0, 1, has_fix=False)
    assert deviation(fleet) == pytest.approx(1.0)
    sizes = []
    for _ in range(3):
        step = run(fleet, step, 1000, has_fix=False)
        sizes.append((deviation(fleet), np.sqrt(np.mean(fleet.errors()[:, :2] ** 2))))
    # Of a velocity that wanders by 0.2 m/s/√s from 0.1 m/s on, after 10, 20, 30 s.
    expected = [np.sqrt(1.0 + (0.1 * t) ** 2 + 0.2**2 * t**3 / 3) for t in (10.0, 20.0, 30.0)]
    known, real = np.array(sizes).T
    np.testing.assert_allclose(known, expected, rtol=0.01)
    np.testing.assert_allclose(real, expected, rtol=0.2)
    run(fleet, step, 1500, has_fix=True)
    assert deviation(fleet) == pytest.approx(1.0, abs=0.01)
    assert np.sqrt(np.mean(fleet.errors()[:, :2] ** 2)) == pytest.approx(1.0, abs=0.2)


def test_a_fix_counts_after_its_time_and_the_device_says_so():
    fleet = Fleet.of(INS, GPS, robots=1)
    step = run(fleet, 0, 500, has_fix=False)
    lost = deviation(fleet)
    assert shown(fleet) == (0.0, pytest.approx(CIRCULAR * lost))
    step = run(fleet, step, 99, has_fix=True)
    assert shown(fleet)[0] == 0.0
    assert deviation(fleet) > lost
    step = run(fleet, step, 2, has_fix=True)
    assert shown(fleet)[0] == 1.0
    step = run(fleet, step, 1, has_fix=False)
    assert shown(fleet)[0] == 0.0
    run(fleet, step, 50, has_fix=True)
    assert shown(fleet)[0] == 0.0


def test_without_a_receiver_there_is_never_a_fix():
    fleet = Fleet.of(replace(INS, gps=""), robots=1)
    for step in range(300):
        fleet.step_to(step, moving(step))
    assert shown(fleet)[0] == 0.0
    assert deviation(fleet) > 1.0


def test_a_receiver_that_is_not_there_is_an_error(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(
        '<Robot name="r"><Parts><Box name="body"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>'
        '</Parts>\n<Devices><GPSSensor name="gps"><Part name="body"/></GPSSensor>\n'
        '<SimpleINS name="ins"><Part name="body"/><GPS name="gbs"/></SimpleINS></Devices></Robot>'
    )
    with pytest.raises(ConfigError, match=r"robot.xml:3: error: <GPS> .*; did you mean 'gps'"):
        load_robot(file)


def test_its_angular_velocity_and_acceleration_have_the_noise_of_inertial_sensors():
    for owner, sizes in ((INS, (0.0014, 0.018)), (replace(INS, acceleration_deviation=0.5), None)):
        fleet = Fleet.of(owner, GPS, robots=300)
        run(fleet, 0, 3, has_fix=True)
        pairs = [(fleet.belief(number), fleet.truth(number)) for number in range(300)]
        turning = np.std([a.angular_velocity - b.angular_velocity for a, b in pairs])
        pushed = np.std([a.acceleration - b.acceleration for a, b in pairs])
        expected = sizes or (0.0014, 0.5)
        assert (turning, pushed) == pytest.approx(expected, rel=0.1)
