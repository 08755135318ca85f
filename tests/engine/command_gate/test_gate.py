"""The same mistake in a command is the same error, whoever has made it."""

from collections.abc import Callable

import numpy as np
import pytest

from autosim.engine.command_gate.drivers import AnotherDriverError, Driver, Drivers
from autosim.engine.command_gate.gate import CommandGate, ProgramGate
from autosim.model.commands import Command, DeviceError, DeviceErrorCode, command_for
from tests.userprogram.rig import toy_tree

TREE = toy_tree()
DRIVE = "alpha.chassis.drive"
PROGRAM = Driver(0, "program.py", "alpha")


def drive(*values: float) -> Command:
    return Command(DRIVE, np.array(values).tobytes())


@pytest.mark.parametrize(
    "command",
    [
        Command("gamma.chassis.drive", bytes(24)),
        Command("alpha.chassis.drivf", bytes(24)),
        Command("alpha.chassis", bytes(24)),
        Command("alpha.chassis.psd0", bytes(8)),
        drive(0.0, 1.0),
        drive(0.0, np.inf, 0.0),
    ],
)
def test_a_wrong_command_is_the_same_error_on_every_way(command: Command):
    def said(check: Callable[[], object]) -> str:
        with pytest.raises(DeviceError) as error:
            check()
        return str(error.value)

    gate, programs = CommandGate(TREE), ProgramGate(TREE, Drivers())
    ways = {
        "a Python program": lambda: gate.check(command),
        "a person, or ctl": lambda: gate.check_by_hand(command),
        "a user program": lambda: programs.check_of(PROGRAM, command),
        "set_data": lambda: command_for(TREE, command.device, np.frombuffer(command.data)),
    }
    assert len({said(check) for check in ways.values()}) == 1


def test_only_a_person_is_refused_what_is_beyond_the_limits():
    command = drive(0.0, 7.0, 0.0)
    assert CommandGate(TREE).check(command) == command
    assert ProgramGate(TREE, Drivers()).check_of(PROGRAM, command) == command
    with pytest.raises(DeviceError, match="acceleration") as error:
        CommandGate(TREE).check_by_hand(command)
    assert error.value.code is DeviceErrorCode.INVALID_OPERATION


def test_a_program_that_sets_an_actuator_drives_the_robot_and_a_wrong_command_claims_nothing():
    drivers = Drivers()
    gate = ProgramGate(TREE, drivers)
    with pytest.raises(DeviceError):
        gate.check_of(PROGRAM, drive(0.0, np.nan, 0.0))
    assert not drivers.is_driven("alpha")
    gate.check_of(PROGRAM, drive(0.0, 1.0, 0.0))
    with pytest.raises(AnotherDriverError):
        gate.check_of(Driver(1, "second.py", "beta"), drive(0.0, 0.5, 0.0))
