"""All devices: one bank for each kind that the robots have, and the noise of all of them."""

from typing import Any

from autosim.config.descriptions import Noise
from autosim.kinds.banks import ActingBank, BankContext, Remembering, SensingBank
from autosim.kinds.kind import kind_of
from autosim.kinds.lidar import LidarSensor
from autosim.kinds.psd import PSDSensor
from autosim.rays.scene import RayScene
from autosim.server.physics.builder import Inventory
from autosim.server.sensors.lidar import LidarBank
from autosim.server.sensors.psd import PSDBank
from autosim.simulation.bodies import BodyForces, BodyStates
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State


class DeviceBanks:
    """What the devices of the robots do in a step, but for wheels.

    Args:
        inventory: the devices by kind.
        rays: what PSD sensors and lidars see of the world.
        context: what banks are made with.

    `memories`: what their devices keep beside the state.
    """

    def __init__(self, inventory: Inventory, *, rays: RayScene, context: BankContext) -> None:
        def psd(devices: Any, context: BankContext) -> PSDBank:
            return PSDBank(devices, inventory.parts, rays)

        def lidar(devices: Any, context: BankContext) -> LidarBank:
            return LidarBank(
                devices,
                inventory.parts,
                rays,
                step_seconds=context.step_seconds,
                seed=context.seed,
            )

        self._acting: list[ActingBank] = []
        self._sensing: list[tuple[SensingBank, slice]] = []
        banks: list[object] = []
        channels: list[tuple[str, tuple[Noise, ...]]] = []
        for record, devices in inventory.devices.items():
            kind = kind_of(devices[0].device)
            make = {PSDSensor: psd, LidarSensor: lidar}.get(record) or kind.make_bank
            bank = make(devices, context) if make else None
            banks.append(bank)
            if isinstance(bank, ActingBank):
                self._acting.append(bank)
            if isinstance(bank, SensingBank):
                first = len(channels)
                channels += [
                    (mounted.node.name + channel, mounted.device.noises)
                    for mounted in devices
                    for channel in kind.channels(mounted.device, context.step_seconds)
                ]
                self._sensing.append((bank, slice(first, len(channels))))
        self._noise = NoiseField(channels, seed=context.seed)
        self.memories = tuple(bank.memory for bank in banks if isinstance(bank, Remembering))

    def act(self, bodies: BodyStates, state: State, forces: BodyForces) -> None:
        """Adds to `forces` what actuators do in the coming step."""
        for bank in self._acting:
            bank.act(bodies, state, forces)

    def sense(self, bodies: BodyStates, state: State) -> None:
        """Writes the values of all sensors into `state`."""
        noise = self._noise.sample(state.step)
        for bank, channels in self._sensing:
            bank.sense(bodies, state, noise[channels])
