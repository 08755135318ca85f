r"""Drives a robot by a Functional Mock-up Unit (FMI 2.0 or 3.0, co-simulation).

The arguments after the robot's name are the file, and how its variables are connected:

    autosim run userprograms/fmu_controller.py -- controller.fmu speed=chassis.velocimeter \
        chassis.drive_chassis.1=throttle chassis.drive_chassis.2:=0 k:=2.5 period:=0.01

VARIABLE=DEVICE reads a device into an input before each step, DEVICE.NUMBER=VARIABLE sends an
output to a number of an actuator after it, VARIABLE:=VALUE is a start value, DEVICE.NUMBER:=VALUE a
constant. `period` [s] is the step, in simulated time. See docs/fmi.md.
"""

from pathlib import Path

from autosim.fmi import Fmu, FmuError
from autosim.userprogram import get_data, get_time, on_restore, on_snapshot, set_data

PERIOD = 0.01  # s


class Program:
    """Steps an FMU in time with the simulation."""

    period = PERIOD

    def start(self, robot, file, *connections):
        """Loads the FMU and connects its variables."""
        start, pairs, constants = {}, [], {}
        for each in connections:
            left, colon, value = each.partition(":=")
            if colon and left.rpartition(".")[2].isdigit():
                constants[split(robot, left)] = float(value)
            elif colon:
                start[left] = float(value)
            else:
                pairs.append(each.partition("=")[::2])
        self.period = start.pop("period", PERIOD)
        self.fmu = Fmu(Path(file), start, time=get_time())
        self.inputs, self.outputs = [], {}
        for left, right in pairs:
            if left in self.fmu.variables:
                self.inputs.append((left, *split(robot, right)))
            elif right in self.fmu.variables:
                device, number = split(robot, left)
                self.outputs.setdefault(device, {})[number] = right
            else:
                raise FmuError(f"{left}={right}: neither is a variable of {file}")
        # The numbers of an actuator to which nothing is connected stay as they are.
        self.values = {
            device: list(get_data(device))
            for device, connected in self.outputs.items()
            if None not in connected
        }
        for (device, number), value in constants.items():
            self.values.setdefault(device, list(get_data(device)))[number] = value
        if self.fmu.can_save:
            on_snapshot(self.fmu.save)
            on_restore(self.fmu.restore)

    def step(self, dt):
        """Reads the inputs, lets the FMU compute, and sends its outputs."""
        for variable, device, number in self.inputs:
            values = get_data(device)
            self.fmu.set(variable, float(values if number is None else values[number]))
        self.fmu.step(dt)
        for device, connected in self.outputs.items():
            if None in connected:
                set_data(device, self.fmu.get(connected[None]))
                continue
            values = list(self.values[device])
            for number, variable in connected.items():
                values[number] = self.fmu.get(variable)
            set_data(device, values)

    def stop(self):
        """Ends the FMU."""
        self.fmu.close()


def split(robot, text):
    """The device that a text names, and the number of its value, None for all of it."""
    name, _, last = text.rpartition(".")
    device, number = (name, int(last)) if last.isdigit() else (text, None)
    return f"{robot}.{device}", number
