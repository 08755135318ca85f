"""Driving by keys, in steps of time: what is held, what is tapped, and what is let go."""

import pytest

from autosim.applications.driving.driver_input import DriverCommand
from autosim.applications.driving.keys import Key, KeyDriver

STEP = 0.05
FAST = 15.0  # m/s


def drive(
    driver: KeyDriver, *down: Key, seconds: float, speed: float = FAST
) -> list[DriverCommand]:
    """What the driver wants at each step while these keys are down."""
    steps = round(seconds / STEP)
    return [driver.step(down, speed=speed, seconds=STEP) for _ in range(steps)]


def test_a_tap_at_the_steering_does_not_take_the_foot_off_the_pedal():
    driver = KeyDriver()
    drive(driver, Key.FORWARDS, seconds=2.0)
    both = drive(driver, Key.FORWARDS, Key.LEFT, seconds=0.2)
    after = drive(driver, Key.FORWARDS, seconds=2.0)
    assert {wish.push for wish in both + after} == {1.0}
    assert {wish.brake for wish in both + after} == {0.0}
    assert both[-1].steering == pytest.approx(0.4)
    assert after[-1].steering == 0.0


def test_steering_moves_at_a_rate_and_returns_by_itself():
    driver = KeyDriver()
    turned = [wish.steering for wish in drive(driver, Key.RIGHT, seconds=0.6)]
    assert turned[:3] == pytest.approx([-0.1, -0.2, -0.3])
    assert turned[-1] == -1.0
    returned = [wish.steering for wish in drive(driver, seconds=0.5)]
    assert returned[0] == pytest.approx(-0.85)
    assert returned[-1] == 0.0


def test_the_steering_of_a_car_that_stands_returns_slowly():
    driver = KeyDriver()
    drive(driver, Key.LEFT, seconds=1.0, speed=0.0)
    assert drive(driver, seconds=0.5, speed=0.0)[-1].steering == pytest.approx(0.6)


def test_pedals_go_down_and_up_with_time():
    driver = KeyDriver()
    pushed = [wish.push for wish in drive(driver, Key.FORWARDS, seconds=1.1)]
    assert pushed[0] == pytest.approx(0.05)
    assert pushed[-1] == 1.0
    assert [wish.push for wish in drive(driver, seconds=0.2)] == pytest.approx([0.75, 0.5, 0.25, 0])
    braked = [wish.brake for wish in drive(driver, Key.BACKWARDS, seconds=0.4)]
    assert braked == pytest.approx([0.125 * n for n in range(1, 9)])


def test_without_a_key_a_car_coasts_and_once_it_stands_it_is_held():
    driver = KeyDriver()
    drive(driver, Key.FORWARDS, seconds=1.0)
    assert drive(driver, seconds=5.0)[-1] == DriverCommand()
    assert drive(driver, seconds=1.0, speed=0.1)[-1] == DriverCommand(brake=1.0)
    assert drive(driver, Key.FORWARDS, seconds=1.0, speed=0.1)[-1] == DriverCommand(push=1.0)


def test_backwards_brakes_until_the_car_stands_and_then_drives_backwards():
    driver = KeyDriver()
    assert drive(driver, Key.BACKWARDS, seconds=1.0)[-1] == DriverCommand(brake=1.0)
    assert drive(driver, Key.BACKWARDS, seconds=1.0, speed=0.2)[-1] == DriverCommand(push=-1.0)
    assert drive(driver, Key.FORWARDS, seconds=1.0, speed=-3.0)[-1] == DriverCommand(brake=1.0)


def test_the_hand_brake_is_on_at_once():
    driver = KeyDriver()
    drive(driver, Key.FORWARDS, seconds=1.0)
    assert driver.step({Key.BRAKE, Key.FORWARDS}, speed=FAST, seconds=STEP) == DriverCommand(
        brake=1.0
    )


def test_what_a_key_has_reached_stays_while_nobody_knows_whether_it_is_down():
    driver = KeyDriver()
    drive(driver, Key.FORWARDS, Key.LEFT, seconds=0.2)
    kept = driver.step((), speed=FAST, seconds=STEP, kept=(Key.FORWARDS, Key.LEFT))
    assert kept == DriverCommand(pytest.approx(0.4), pytest.approx(0.2))
