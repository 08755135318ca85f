"""The encoder: states of one tree in, packets for all viewers out."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Bytes, Integers
from autosim.jit import read_only
from autosim.model.tree import SimulationTree
from autosim.web.streaming.packets import (
    HEADER,
    StreamKind,
    quantise,
    room_for,
    write_packet,
    write_runs,
)
from autosim.web.streaming.state_channels import StateChannel, channels_of, quanta_of, words_of

KEY_SECONDS = 2.0
"""Interval [s of wall-clock time] between two keys: the deltas stay small meanwhile."""


@dataclass(frozen=True, slots=True)
class EncodedState:
    """One encoded state. `delta` is None where the state is the key itself."""

    step: int
    """Step count of the state."""
    key_number: int
    """Number of the key state, from which the delta counts."""
    key: bytes
    delta: bytes | None


class StateEncoder:
    """Encodes the states of one tree, each once for all viewers.

    Args:
        tree: the tree, laid out.
        channels: what is sent of it; None: what pictures need.
    """

    def __init__(
        self, tree: SimulationTree, channels: tuple[StateChannel, ...] | None = None
    ) -> None:
        self.tree = tree
        self.channels = channels_of(tree) if channels is None else channels
        self._words = words_of(self.channels)
        self._quanta = quanta_of(self.channels)
        count = len(self._words)
        self._values: Integers = np.zeros(count, dtype=np.int64)
        self._key: Integers = np.zeros(count, dtype=np.int64)
        self._zeros: Integers = np.zeros(count, dtype=np.int64)
        self._room: Bytes = np.zeros(room_for(count), dtype=np.uint8)
        self._key_packet = b""
        self._key_number = 0
        self._key_step = -1
        self._key_time = 0.0

    def encode(self, state: memoryview, *, now: float, is_standing: bool) -> EncodedState:
        """Encodes a state (the tree's bitstream).

        Args:
            state: its bytes.
            now: monotonic time [s].
            is_standing: whether the simulation is paused or has not begun.
        """
        floats = read_only(np.frombuffer(state, dtype=np.float64))
        ints = read_only(np.frombuffer(state, dtype=np.int64))
        quantise(floats, ints, self._words, self._quanta, self._values)
        step = int(ints[0])
        is_due = now - self._key_time >= KEY_SECONDS or step < self._key_step
        if not self._key_packet or is_due:
            return self._new_key(step, now, is_standing)
        payload = self._runs(self._key)
        if len(payload) + HEADER.size >= len(self._key_packet):
            return self._new_key(step, now, is_standing)
        delta = write_packet(
            StreamKind.DELTA, payload, step=step, key=self._key_number, standing=is_standing
        )
        return EncodedState(step, self._key_number, self._key_packet, delta)

    def rehearse(self) -> None:
        """Compiles the kernels where that was not done before, which takes seconds."""
        state = bytes(self.tree.stop)
        quantise(
            read_only(np.frombuffer(state, dtype=np.float64)),
            read_only(np.frombuffer(state, dtype=np.int64)),
            self._words,
            self._quanta,
            self._values,
        )
        write_runs(self._values, self._key, self._room)

    def _new_key(self, step: int, now: float, is_standing: bool) -> EncodedState:
        self._key_number = (self._key_number + 1) & 0xFFFF
        self._key_time, self._key_step = now, step
        self._key[:] = self._values
        self._key_packet = write_packet(
            StreamKind.KEY,
            self._runs(self._zeros),
            step=step,
            key=self._key_number,
            standing=is_standing,
        )
        return EncodedState(step, self._key_number, self._key_packet, None)

    def _runs(self, base: Integers) -> bytes:
        return self._room[: write_runs(self._values, base, self._room)].tobytes()
