"""Wheel encoders: how many ticks a wheel has turned."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import parameter
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import BankContext, MountedDevice, word_indices
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.driving.wheel_rotations import WHEEL, WheelRotations, check_wheel
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field, FieldType
from autosim.portable import TAU

_TICKS_PER_TURN = 1024
"""Number of ticks by default, of a common optical encoder."""

_MOST_TICKS = 1_000_000
"""Largest number of ticks in a turn: more than the finest encoders have."""


@dataclass(frozen=True, slots=True)
class WheelEncoder(Device):
    """Whole ticks of which `wheel` makes `ticks_per_turn` in a turn forwards."""

    wheel: str = ""
    ticks_per_turn: int = _TICKS_PER_TURN


class WheelEncoderBank:
    """The ticks of all encoders."""

    def __init__(
        self, devices: Sequence[MountedDevice[WheelEncoder]], context: BankContext
    ) -> None:
        self._word = word_indices(devices)
        self._rotations = WheelRotations(devices)
        per_turn = np.array([mounted.device.ticks_per_turn for mounted in devices])
        self._per_radian = per_turn / TAU
        self._turned = np.zeros(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the ticks."""
        np.multiply(self._rotations.of(state), self._per_radian, out=self._turned)
        _count(noise(self._turned), self._word, state.ints)


@compiled_without_refcounts
def _count(turned: Floats, word: Integers, words: Integers) -> None:
    for i in range(word.size):
        words[word[i]] = int(np.floor(turned[i]))


KIND = DeviceKind(
    record=WheelEncoder,
    element=device_element(
        "WheelEncoder",
        "Counts the ticks that a wheel turns: up forwards, down backwards, from 0 where the robot "
        "was placed. A wheel that slips turns further than the robot drives. Noise is in ticks, "
        "and acts before they are counted.",
        WHEEL,
        parameter(
            "TicksPerTurn",
            "Ticks in a turn of the wheel.",
            default=_TICKS_PER_TURN,
            interval=Interval(1, _MOST_TICKS),
            type=ValueType.INTEGER,
        ),
        *NOISES,
    ),
    fields=(Field("ticks", FieldType.INT, meaning="Whole ticks, from 0 at the start."),),
    make_bank=WheelEncoderBank,
    check=check_wheel,
)
