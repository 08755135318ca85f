"""Which devices sense in steps that nobody looks at."""

import numpy as np
import pytest

from autosim.config.noise_records import Delay, RandomWalk
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.positioning.compass import CompassSensor
from autosim.kinds.sensors.time_device import TimeDevice
from autosim.model.bodies import BodyStates
from tests.kinds.plugins import write_thruster
from tests.kinds.rig import CONTEXT, mount


def sensed(*devices) -> list[bool]:
    """Which of some devices have written a value in a step that nobody looks at."""
    mounted, state = mount(*devices)
    banks = DeviceBanks({type(each.device): [each] for each in mounted}, CONTEXT)
    state.ints[:2] = 6, 25_000_000
    for each in mounted:
        state.floats[each.node.start // 8] = -1.0
    bodies = BodyStates(1)
    bodies.update_rotations()
    banks.sense(bodies, state, is_read=False)
    return [bool(state.floats[each.node.start // 8] != -1.0) for each in mounted]


def test_only_those_sense_whose_later_values_depend_on_it():
    gyroscope = GyroscopeSensor("gyro", "chassis", axis=(0.0, 0.0, 1.0), alpha=0.5)
    assert sensed(TimeDevice("clock", "chassis"), gyroscope) == [False, True]


@pytest.mark.parametrize("noise", [RandomWalk(1.0), Delay(0.1)])
def test_noise_that_remembers_is_kept_up_to_date(noise):
    assert sensed(CompassSensor("compass", "chassis", noises=(noise,))) == [True]


def test_all_sense_where_a_plug_in_may_read_them(tmp_path):
    (thruster,) = write_thruster(tmp_path).devices
    assert sensed(TimeDevice("clock", "chassis"), thruster)[0]
    assert not np.any(sensed(TimeDevice("clock", "chassis")))
