"""A node that is a whole world of AutoSim: its sensors are published, its actuators are set.

The world goes on with the bench's clock: in a bench that is stepped, to the same bytes each time;
else in real time, as far as the machine can.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.server.step.simulation import Simulation
from autosim.simulation.commands import Command, DeviceError, find_device
from autosim.simulation.tree import Access
from autosim.simulation.tree import Node as Device
from autosim.testbench.bridge.device_kinds import device_kind
from autosim.testbench.messages.serial_object import SerialObject
from autosim.testbench.nodes.clock import NANOSECONDS
from autosim.testbench.nodes.node import Node
from autosim.testbench.nodes.parameters import number_of

_PUBLISH, _SET = "publish:", "set:"


class SimulatedWorld(Node):
    """Runs a world file.

    Parameters: `world`: the file, from the working directory or where AutoSim looks for worlds;
    `publish:DEVICE` = topic: publishes a device's values, `rate` [Hz] times a second;
    `set:DEVICE` = topic: sets an actuator to what comes. DEVICE is `robot.part.device`,
    `robot.state` or `robot.state_truth`. The messages have the device's fields, which
    `autosim testbench topics` lists.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Loads the world and connects its devices."""
        if "world" not in self.parameters:
            raise UserError(f'node {self.name} needs <param name="~world" value="FILE"/>')
        self._simulation = Simulation(
            load_world(self.parameters["world"]), seed=self.setting.seed, report=lambda _: None
        )
        self._period_ns = round(NANOSECONDS / number_of(self, "rate", 20.0))
        self._begun_ns: int | None = None
        self._next_ns = 0
        self._sensors = [self._publish(*each) for each in self._parameters(_PUBLISH)]
        for each in self._parameters(_SET):
            self._take(*each)
        self.register_core_function(self._go_on)
        self.register_exit_function(self._simulation.close)

    def report(self) -> dict[str, Any]:
        """How far the world went, and how often its robots have touched what they should not."""
        state = self._simulation.state
        collisions = {
            robot.name: state.value(robot, field)
            for robot in self._simulation.tree.robots
            for field in robot.fields
            if field.name == "collisions"
        }
        return {"simulated_seconds": round(state.time, 6), "collisions": collisions}

    def _parameters(self, prefix: str) -> Iterator[tuple[Device, str]]:
        for name, topic in self.parameters.items():
            if name.startswith(prefix):
                try:
                    yield find_device(self._simulation.tree, name.removeprefix(prefix)), topic
                except DeviceError as error:
                    raise UserError(f"node {self.name}: {error.reason}") from None

    def _publish(self, device: Device, topic: str) -> tuple[Device, SerialObject]:
        message = device_kind(device)()
        self.advertise(topic, message)
        return device, message

    def _take(self, device: Device, topic: str) -> None:
        if device.access is Access.READ:
            raise UserError(f"node {self.name}: {device.name} is a sensor: it cannot be set")
        message = device_kind(device)()
        self.subscribe(topic, message)
        self.register_input_function(topic, lambda: self._set(device, message))

    def _set(self, device: Device, message: SerialObject) -> None:
        if all(np.isfinite(each).all() for each in message.record.item()):
            self._simulation.queue([Command(device.name, message.serialize())])

    def _go_on(self) -> None:
        now = self.now_ns()
        if self._begun_ns is None:
            self._begun_ns = self._next_ns = now
        step_seconds, state = self._simulation.step_seconds, self._simulation.state
        while (state.step + 1) * step_seconds * NANOSECONDS <= now - self._begun_ns:
            self._simulation.step()
        if now < self._next_ns:
            return
        self._next_ns += self._period_ns
        stamp = self._begun_ns + round(state.step * step_seconds * NANOSECONDS)
        for device, message in self._sensors:
            values = memoryview(state.buffer)[device.start : device.own_stop]
            message.deserialize(bytes(values))
            message.stamp_ns, message.flagged = stamp, True
