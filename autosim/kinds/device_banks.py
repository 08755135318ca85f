"""All devices: one bank for each kind that the robots have, and the noise of all of them."""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from autosim.arrays import Floats
from autosim.config.descriptions import Device
from autosim.config.noise_records import Delay, Noise
from autosim.fmi.fmu_process import FmuState
from autosim.kinds.banks import (
    ActingBank,
    BankContext,
    EstimatingBank,
    ExternalBank,
    MountedDevice,
    SensingBank,
    StatefulBank,
)
from autosim.kinds.delayed_values import DelayedValues, delayed_values
from autosim.kinds.kind import kind_of
from autosim.model.bodies import BodyForces, BodyStates
from autosim.model.noise import NoiseField, NoisyValue
from autosim.model.snapshot import Memory
from autosim.model.state import State

_BUILT_IN = "autosim."
"""Prefixes of the modules whose banks read no other devices than their own."""


class DeviceBanks:
    """The banks of all devices but wheels: they act and sense in each step.

    Args:
        devices: of all robots, by their records; none is an empty list.
        context: what banks are made for.

    `memories`: what their devices and the noise keep beside the state.
    """

    def __init__(
        self, devices: Mapping[type[Device], Sequence[MountedDevice[Device]]], context: BankContext
    ) -> None:
        self._acting: list[tuple[ActingBank, NoiseField]] = []
        self._sensing: list[tuple[SensingBank, NoiseField]] = []
        self._estimating: list[EstimatingBank] = []
        self._noises: dict[type[Device], NoiseField] = {}
        self._late: list[DelayedValues] = []
        self._lasting: list[tuple[SensingBank, NoiseField]] = []
        self._external: list[ExternalBank] = []
        is_all_known = True
        memories: list[Memory] = []
        for record, mounted_devices in devices.items():
            kind = kind_of(mounted_devices[0].device)
            bank = kind.make_bank(mounted_devices, context) if kind.make_bank else None
            noise = self._noises[record] = _noise_of(mounted_devices, context)
            memories += noise.memories
            if kind.is_late_whole:
                self._late += delayed_values(mounted_devices, context)
            if _acts(bank):
                self._acting.append((bank, noise))
            if _estimates(bank):
                self._estimating.append(bank)
            if _senses(bank):
                self._sensing.append((bank, noise))
            if _is_external(bank):
                self._external.append(bank)
            if _remembers(bank):
                memories.append(bank.memory)
            if _senses(bank) and not (kind.is_momentary and not noise.memories):
                self._lasting.append((bank, noise))
            is_all_known &= bank is None or type(bank).__module__.startswith(_BUILT_IN)
        # It is not known which other devices plug-ins and estimators read.
        if self._late or self._estimating or not is_all_known:
            self._lasting = self._sensing
        self.memories = (*memories, *(each.memory for each in self._late))

    def save(self) -> dict[str, FmuState]:
        """The states of devices that compute in other processes, by the names of their nodes.

        Raises:
            FmuError: one of them cannot save its state; the message names it.
        """
        return {name: state for bank in self._external for name, state in bank.save().items()}

    def restore(self, states: Mapping[str, FmuState]) -> None:
        """Continues from states that `save` has returned."""
        for bank in self._external:
            bank.restore(states)

    def close(self) -> None:
        """Ends the processes of devices."""
        for bank in self._external:
            bank.close()

    def commanded(self, record: type[Device], commands: Floats, step: int) -> Floats:
        """Applies the noise of all devices that have this record to their commands, in place.

        Args:
            record: theirs.
            commands: (n, k), a row for each of them.
            step: the number of the step.
        """
        noise = self._noises.get(record)
        if noise is not None:
            noise.step = step
            noise(commands.reshape(-1))
        return commands

    def act(self, bodies: BodyStates, state: State, forces: BodyForces) -> None:
        """Adds to `forces` what actuators do in the coming step."""
        step = state.step
        for bank, noise in self._acting:
            noise.step = step
            bank.act(bodies, state, forces, noise)

    def sense(self, bodies: BodyStates, state: State, *, is_read: bool = True) -> None:
        """Writes the values of all sensors into `state`, then the beliefs that follow from them.

        Args:
            bodies: as they are.
            state: into which it is written.
            is_read: whether the values of this step are read; else only sensors measure whose later
                values depend on it.
        """
        step = state.step
        for late in self._late:
            late.begin(state)
        for bank, noise in self._sensing if is_read else self._lasting:
            noise.step = step
            bank.sense(bodies, state, noise)
        for late in self._late:
            late.end(state)
        for estimating in self._estimating:
            estimating.estimate(bodies, state)


# `isinstance` asks the same of a protocol, but takes a tenth of the time of a reset.


def _acts(bank: object) -> TypeGuard[ActingBank]:
    return hasattr(bank, "act")


def _estimates(bank: object) -> TypeGuard[EstimatingBank]:
    return hasattr(bank, "estimate")


def _senses(bank: object) -> TypeGuard[SensingBank]:
    return hasattr(bank, "sense")


def _remembers(bank: object) -> TypeGuard[StatefulBank]:
    return hasattr(bank, "memory")


def _is_external(bank: object) -> TypeGuard[ExternalBank]:
    return hasattr(bank, "restore")


def _of_channels(noises: Sequence[Noise], is_late_whole: bool) -> tuple[Noise, ...]:
    """The noises of each value by itself: a delay of all of them is none."""
    return tuple(each for each in noises if not (is_late_whole and isinstance(each, Delay)))


def _noise_of(devices: Sequence[MountedDevice[Device]], context: BankContext) -> NoiseField:
    kind = kind_of(devices[0].device)
    channels = [
        NoisyValue(
            mounted.node.name + name,
            mounted.node.name,
            name.split(".")[1] if name else "",
            _of_channels(mounted.device.noises, kind.is_late_whole),
            is_stamp=name in kind.stamps,
        )
        for mounted in devices
        for name in kind.channels(mounted.device, context.step_seconds)
    ]
    return NoiseField(
        channels, seed=context.seed, step_seconds=context.step_seconds, kind=kind.name
    )
