"""All sensors: one bank for each kind that the robots have, and the noise of all of them."""

from collections.abc import Sequence
from typing import Any

from autosim.config.descriptions import Device, GPSSensor, LidarSensor, Noise, PSDSensor
from autosim.rays.scene import RayScene
from autosim.server.physics.builder import Inventory
from autosim.server.sensors.lidar import LidarBank, ray_names
from autosim.server.sensors.psd import PSDBank
from autosim.simulation.banks import BANKS, Bank, Mounted, Remembering
from autosim.simulation.bodies import BodyStates
from autosim.simulation.gps import GPSBank
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State
from autosim.world.geometry.projection import Projection


class Sensors:
    """Everything that the sense phase computes.

    Args:
        inventory: the devices by kind.
        rays: what PSD sensors and lidars see of the world.
        projection: of the world, for GPS.
        step_seconds: length of a step.
        seed: of the noise.

    `memories`: what their devices keep beside the state.
    """

    def __init__(
        self,
        inventory: Inventory,
        *,
        rays: RayScene,
        projection: Projection,
        step_seconds: float,
        seed: int,
    ) -> None:
        def bank(kind: type[Device], devices: Sequence[Mounted[Any]]) -> Bank:
            if kind is PSDSensor:
                return PSDBank(devices, inventory.parts, rays)
            if kind is LidarSensor:
                return LidarBank(
                    devices, inventory.parts, rays, step_seconds=step_seconds, seed=seed
                )
            if kind is GPSSensor:
                return GPSBank(devices, projection=projection, step_seconds=step_seconds)
            return BANKS[kind](devices)

        self._banks: list[tuple[Bank, slice]] = []
        channels: list[tuple[str, tuple[Noise, ...]]] = []
        for kind, devices in inventory.devices.items():
            if kind in BANKS or kind in _BANKS_HERE:
                first = len(channels)
                channels += _channels(kind, devices, step_seconds)
                self._banks.append((bank(kind, devices), slice(first, len(channels))))
        self._noise = NoiseField(channels, seed=seed)
        self.memories = tuple(
            bank.memory for bank, _ in self._banks if isinstance(bank, Remembering)
        )

    def sense(self, bodies: BodyStates, state: State) -> None:
        """Writes the values of all sensors into `state`."""
        noise = self._noise.sample(state.step)
        for bank, channels in self._banks:
            bank.sense(bodies, state, noise[channels])


_BANKS_HERE = (PSDSensor, LidarSensor, GPSSensor)


def _channels(
    kind: type[Device], devices: Sequence[Mounted[Any]], step_seconds: float
) -> list[tuple[str, tuple[Noise, ...]]]:
    """Name and noise of each value that the devices measure in a step.

    A GPS receiver has two, east and north; a lidar one for each ray of a step.
    """
    if kind is LidarSensor:
        return [
            (name, mounted.device.noises)
            for mounted in devices
            for name in ray_names(mounted, step_seconds)
        ]
    axes = (".east", ".north") if kind is GPSSensor else ("",)
    return [
        (mounted.node.name + axis, mounted.device.noises) for axis in axes for mounted in devices
    ]
