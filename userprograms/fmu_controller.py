r"""Drives a robot by a Functional Mock-up Unit (FMI 2.0 or 3.0, co-simulation).

The arguments after the robot's name are the file, and how its variables are connected:

    autosim run userprograms/fmu_controller.py -- controller.fmu speed=chassis.velocimeter \
        chassis.drive_chassis.1=throttle chassis.drive_chassis.2:=0 k:=2.5 period:=0.01

VARIABLE=DEVICE reads a device into an input before each step, DEVICE.NUMBER=VARIABLE sends an
output to a number of an actuator after it, VARIABLE:=VALUE is a start value, DEVICE.NUMBER:=VALUE a
constant. `period` [s] is the step, in simulated time. See docs/fmi.md.
"""

from math import inf
from pathlib import Path

from autosim.fmi import Fmu, FmuError
from autosim.userprogram import (
    DeviceError,
    get_data,
    get_time,
    on_restore,
    on_snapshot,
    set_data,
)

PERIOD = 0.01  # s


class Program:
    """Steps an FMU in time with the simulation."""

    period = PERIOD
    fmu = None

    def start(self, robot, file, *connections):
        """Loads the FMU and connects its variables."""
        start, pairs, constants = read_arguments(robot, connections)
        self.period = start.pop("period", PERIOD)
        if not 0.0 < self.period < inf:
            raise FmuError(f"period:={self.period:g}: expected a time above 0 s")
        self.fmu = Fmu(Path(file), start, time=get_time())
        self.inputs, self.outputs = [], {}
        for left, right in pairs:
            self.connect(robot, left, right)
        for device, _ in constants:
            self.outputs.setdefault(device, {})
        # The numbers of an actuator to which nothing is connected stay as they are.
        self.values = {device: numbers_of(device) for device in self.outputs}
        for (device, number), value in constants.items():
            self.values[device][number] = value
        if self.fmu.can_save:
            on_snapshot(self.fmu.save)
            on_restore(self.fmu.restore)

    def connect(self, robot, left, right):
        """Connects an input or an output of the FMU."""
        if left in self.fmu.variables:
            device, number = split(robot, right)
            self.inputs.append((left, device, number))
        elif right in self.fmu.variables:
            device, number = split(robot, left)
            self.outputs.setdefault(device, {})[number] = right
        else:
            raise FmuError(f"{left}={right}: neither is a variable of {self.fmu.path}")
        check_number(device, number)

    def step(self, dt):
        """Reads the inputs, lets the FMU compute, and sends its outputs."""
        for variable, device, number in self.inputs:
            self.fmu.set(variable, numbers_of(device)[number or 0])
        self.fmu.step(dt)
        for device, connected in self.outputs.items():
            values = list(self.values[device])
            for number, variable in connected.items():
                values[number or 0] = self.fmu.get(variable)
            set_data(device, values)

    def stop(self):
        """Ends the FMU."""
        if self.fmu is not None:
            self.fmu.close()


def read_arguments(robot, arguments):
    """Start values of the FMU, pairs of connected names, and constants of devices."""
    start, pairs, constants = {}, [], {}
    for each in arguments:
        left, colon, value = each.partition(":=")
        if colon and left.rpartition(".")[2].isdigit():
            device, number = split(robot, left)
            check_number(device, number)
            constants[device, number] = number_in(each, value)
        elif colon:
            start[left] = number_in(each, value)
        elif "=" in each:
            pairs.append(each.partition("=")[::2])
        else:
            raise FmuError(f"'{each}' is not a connection: expected LEFT=RIGHT or LEFT:=VALUE")
    return start, pairs, constants


def split(robot, text):
    """The device that a text names, and the number of its value, None for all of it."""
    name, _, last = text.rpartition(".")
    device, number = (name, int(last)) if last.isdigit() else (text, None)
    return f"{robot}.{device}", number


def number_in(argument, text):
    """The number in an argument."""
    try:
        return float(text)
    except ValueError:
        raise FmuError(f"{argument}: '{text}' is not a number") from None


def numbers_of(device):
    """The numbers of a device, of which a simple sensor has one."""
    values = get_data(device)
    return [float(each) for each in values] if hasattr(values, "__len__") else [float(values)]


def check_number(device, number):
    """Refuses the number of a value that a device does not have; None: its only one."""
    try:
        count = len(numbers_of(device))
    except DeviceError as error:
        raise FmuError(str(error)) from None
    if number is None and count != 1:
        raise FmuError(f"{device} has {count} numbers: give one, from {device}.0 on")
    if number is not None and number >= count:
        raise FmuError(f"{device}.{number}: {device} has the numbers 0 to {count - 1}")
