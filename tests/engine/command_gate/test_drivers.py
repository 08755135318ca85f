"""Who drives a robot, and to whom it goes back."""

import pytest

from autosim.engine.command_gate.drivers import AnotherDriverError, Driver, Drivers

OWN = Driver(0, "own.py", "car")
OTHER = Driver(1, "other.py", "van")
PERSON = Driver(2, "autosim drive", "car", is_remote=True)


@pytest.fixture
def drivers() -> Drivers:
    drivers = Drivers()
    drivers.expect(OWN)
    return drivers


def test_the_first_program_that_claims_a_robot_drives_it_and_may_drive_others(drivers: Drivers):
    for robot in ("car", "van", "car"):
        drivers.claim(robot, OWN)
    with pytest.raises(AnotherDriverError, match=r"is driven by the program 'own\.py'"):
        drivers.claim("van", OTHER)
    assert drivers.driven_by(OWN.index) == ("car", "van")
    assert drivers.driven_by(OTHER.index) == ()


def test_a_list_belongs_to_the_program_that_has_set_it_last(drivers: Drivers):
    for program in (OWN, OTHER):
        drivers.publish("car.plan", program)
    drivers.publish("van.plan", OWN)
    assert drivers.withdraw(OWN.index) == ("van.plan",)
    assert drivers.withdraw(OWN.index) == ()
    assert drivers.withdraw(OTHER.index) == ("car.plan",)


@pytest.mark.parametrize("has_failed", [False, True])
def test_a_robot_whose_driver_has_left_is_blocked_where_that_has_failed(
    drivers: Drivers, has_failed: bool
):
    drivers.claim("van", OWN)
    left = drivers.leave(OWN.index, has_failed=has_failed)
    # The own robot, which it has never driven, is missed only where the program has failed.
    assert left == (("van", "car") if has_failed else ("van",))
    assert [drivers.is_blocked(robot) for robot in ("car", "van")] == [has_failed] * 2
    drivers.claim("van", OTHER)
    assert not drivers.is_blocked("van")


def test_a_robot_that_another_program_drives_misses_nobody(drivers: Drivers):
    drivers.claim("car", OTHER)
    assert drivers.leave(OWN.index, has_failed=True) == ()
    assert drivers.miss("car") == ()
    assert not drivers.is_blocked("car")


def test_a_robot_whose_program_cannot_be_started_is_blocked(drivers: Drivers):
    assert drivers.miss("car") == ("car",)
    assert drivers.is_blocked("car")


def test_a_robot_goes_back_when_the_person_who_took_it_over_has_left(drivers: Drivers):
    drivers.claim("car", OWN)
    drivers.take_over("car", "car")
    drivers.leave(OWN.index, has_failed=False)
    assert drivers.take_due_back() == ()
    assert drivers.is_taken_from("car")
    drivers.claim("car", PERSON)
    drivers.leave(PERSON.index, has_failed=True)
    assert drivers.take_due_back() == ("car",)
    assert drivers.give_back("car") == ("car",)
    assert drivers.give_back("car") == ()
    assert not drivers.is_taken_from("car")


def test_a_person_may_take_over_from_a_person_and_the_robot_goes_back_after_both(drivers: Drivers):
    drivers.claim("car", OWN)
    drivers.take_over("car", "car")
    drivers.leave(OWN.index, has_failed=False)
    drivers.claim("car", PERSON)
    drivers.take_over("car", None)
    drivers.leave(PERSON.index, has_failed=False)
    assert drivers.take_due_back() == ()
    second = Driver(3, "autosim drive", "car", is_remote=True)
    drivers.claim("car", second)
    drivers.leave(second.index, has_failed=False)
    assert drivers.take_due_back() == ("car",)
