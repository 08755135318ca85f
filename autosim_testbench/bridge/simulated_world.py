"""A node that is a whole world of AutoSim: its sensors are published, its actuators are set.

The world advances with the bench's clock: in a stepped bench with the same bytes each time;
else in real time, as far as the machine can.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.kinds.plugins import ALL_PLUGINS, NO_PLUGINS
from autosim.loading.loader import load_world
from autosim.model.commands import Command, DeviceError, find_device
from autosim.model.tree import Access
from autosim.model.tree import TreeNode as Device
from autosim_testbench.bridge.camera_pictures import CameraPictures
from autosim_testbench.bridge.device_kinds import device_kind
from autosim_testbench.messages.serial_object import SerialObject
from autosim_testbench.nodes.clock import NANOSECONDS
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.parameters import number_of

_PUBLISH, _SET, _PICTURE = "publish:", "set:", "picture:"


class SimulatedWorld(Node):
    """Runs a world file.

    Parameters: `world`: the file, from the working directory or where AutoSim looks for worlds;
    `publish:DEVICE` = topic: publishes a device's values, `rate` [Hz] times a second;
    `set:DEVICE` = topic: sets an actuator to what comes; `picture:CAMERA` = topic: publishes what a
    camera sees, and how far that is where it makes pictures of depth, `picture_rate` [Hz] times a
    second. DEVICE is `robot.part.device`, `robot.state` or `robot.state_truth`. The messages have
    the device's fields, which `autosim testbench topics` lists.
    """

    def setup(self, arguments: Sequence[str]) -> None:
        """Loads the world and connects its devices."""
        if "world" not in self.parameters:
            raise UserError(f'node {self.name} needs <param name="~world" value="FILE"/>')
        is_trusted = self.setting.is_trusted
        plugins = ALL_PLUGINS if is_trusted else NO_PLUGINS
        world = load_world(self.parameters["world"], plugins=plugins)
        self._simulation = Simulation(
            world,
            seed=self.setting.seed,
            report=lambda _: None,
            idle=() if is_trusted else [robot.name for robot in world.robots],
        )
        self._period_ns = round(NANOSECONDS / number_of(self, "rate", 20.0))
        self._begun_ns: int | None = None
        self._next_ns = 0
        self._sensors = [self._publish(*each) for each in self._parameters(_PUBLISH)]
        for each in self._parameters(_SET):
            self._take(*each)
        self._picture_period_ns = round(NANOSECONDS / number_of(self, "picture_rate", 10.0))
        self._next_picture_ns = 0
        views = [each for each in self.parameters.items() if each[0].startswith(_PICTURE)]
        self._pictures = self._see(views) if views else None
        self.register_core_function(self._go_on)
        self.register_exit_function(self._close)

    def report(self) -> dict[str, object]:
        """Simulated time, and the number of collisions of its robots."""
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

    def _see(self, views: list[tuple[str, str]]) -> CameraPictures:
        pictures = CameraPictures(self._simulation, self.setting.seed)
        self._seen: list[SerialObject] = []
        for name, topic in views:
            try:
                self._seen.append(pictures.add(name.removeprefix(_PICTURE)))
            except UserError as error:
                raise UserError(f"node {self.name}: {error}") from None
            self.advertise(topic, self._seen[-1])
        return pictures

    def _close(self) -> None:
        if self._pictures:
            self._pictures.close()
        self._simulation.close()

    def _set(self, device: Device, message: SerialObject) -> None:
        if all(np.isfinite(each).all() for each in message.record.item()):
            self._simulation.queue([Command(device.name, message.serialize())])

    def _go_on(self) -> None:
        now = self.now_ns()
        if self._begun_ns is None:
            self._begun_ns = self._next_ns = self._next_picture_ns = now
        step_seconds, state = self._simulation.step_seconds, self._simulation.state
        while (state.step + 1) * step_seconds * NANOSECONDS <= now - self._begun_ns:
            self._simulation.step()
        stamp = self._begun_ns + round(state.step * step_seconds * NANOSECONDS)
        if self._pictures and now >= self._next_picture_ns:
            self._next_picture_ns = max(now, self._next_picture_ns + self._picture_period_ns)
            self._pictures.draw()
            for each in self._seen:
                each.stamp_ns, each.flagged = stamp, True
        if now < self._next_ns:
            return
        self._next_ns += self._period_ns
        for device, message in self._sensors:
            values = memoryview(state.buffer)[device.start : device.own_stop]
            message.deserialize(bytes(values))
            message.stamp_ns, message.flagged = stamp, True
