"""What a driver is told about its vehicle."""

from dataclasses import replace

import pytest

from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.loading.loader import load_robot
from autosim.vehicle.info.vehicle_info import vehicle_info
from tests.worlds import ROOT

CAR = load_robot(ROOT / "robots" / "impreza.xml")
RIG = load_robot(ROOT / "robots" / "trailer_rig.xml")


def test_the_measures_of_the_shipped_car_are_those_of_its_file():
    car = vehicle_info(CAR)
    assert (car.part, car.actuator) == ("chassis", "drive_chassis")
    assert (car.wheelbase, car.rear_axle) == pytest.approx((2.52, -1.19))
    assert (car.track, car.wheel_radius) == pytest.approx((1.5, 0.316))
    assert car.height == pytest.approx(0.808, abs=0.01)
    assert (car.mass, car.max_steering_angle) == (1400.0, 0.6)
    assert (car.acceleration, car.deceleration) == pytest.approx((6000 / 1400, 14.0))


def test_a_trailer_counts_in_the_mass_and_may_be_measured_itself():
    assert vehicle_info(RIG).acceleration == pytest.approx(6000 / 1900)
    trailer = vehicle_info(RIG, "drive_trailer")
    assert (trailer.part, trailer.wheelbase) == ("trailer", 0.0)
    assert trailer.deceleration == pytest.approx(8.0 * 500 / 1900)


def test_a_kinematic_vehicle_has_the_measures_that_its_model_says():
    car = vehicle_info(load_robot(ROOT / "robots" / "kinematic_car.xml"))
    assert (car.part, car.actuator) == ("chassis", "vehicle")
    assert (car.wheelbase, car.rear_axle, car.track) == (2.52, -1.19, 1.5)
    assert car.height == pytest.approx(0.2 + 0.61)
    assert (car.max_steering_angle, car.acceleration) == (0.6, 7.0)


@pytest.mark.parametrize(
    ("kept", "reason"), [(WheelDevice, "has no DriveActuator"), (DriveActuator, "has no wheels")]
)
def test_what_cannot_be_driven_has_no_measures(kept: type, reason: str):
    devices = tuple(each for each in CAR.devices if isinstance(each, kept))
    with pytest.raises(ValueError, match=reason):
        vehicle_info(replace(CAR, devices=devices))
