"""All devices: one bank for each kind that the robots have, and the noise of all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from autosim.config.descriptions import Device, Noise
from autosim.kinds.banks import (
    ActingBank,
    BankContext,
    EstimatingBank,
    Mounted,
    Remembering,
    SensingBank,
)
from autosim.kinds.kind import kind_of
from autosim.simulation.bodies import BodyForces, BodyStates
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State


class DeviceBanks:
    """What the devices of the robots do in a step, but for wheels.

    Args:
        devices: of all robots, by their records; none is an empty list.
        context: what banks are made for.

    `memories`: what their devices keep beside the state.
    """

    def __init__(
        self, devices: Mapping[type[Device], Sequence[Mounted[Any]]], context: BankContext
    ) -> None:
        self._acting: list[ActingBank] = []
        self._sensing: list[tuple[SensingBank, slice]] = []
        self._estimating: list[EstimatingBank] = []
        banks: list[object] = []
        channels: list[tuple[str, tuple[Noise, ...]]] = []
        for mounted_devices in devices.values():
            kind = kind_of(mounted_devices[0].device)
            bank = kind.make_bank(mounted_devices, context) if kind.make_bank else None
            banks.append(bank)
            if isinstance(bank, ActingBank):
                self._acting.append(bank)
            if isinstance(bank, EstimatingBank):
                self._estimating.append(bank)
            if isinstance(bank, SensingBank):
                first = len(channels)
                channels += [
                    (mounted.node.name + channel, mounted.device.noises)
                    for mounted in mounted_devices
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
        """Writes the values of all sensors into `state`, then what robots believe after them."""
        noise = self._noise.sample(state.step)
        for bank, channels in self._sensing:
            bank.sense(bodies, state, noise[channels])
        for estimating in self._estimating:
            estimating.estimate(bodies, state)
