"""Delays of devices whose values belong together: scans and lists arrive as a whole, late.

A `Delay` of a single value is one of the noises (`model/noise.py`). The points of a lidar or
the rows of a list are other things in each step: each by itself could not be late.
"""

from collections.abc import Iterable
from math import ceil
from zlib import crc32

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device
from autosim.config.noise_records import Delay
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.model.tree import WORD


class DelayedValues:
    """The values of one device, as they were measured and as they arrive.

    Args:
        mounted: the device.
        delay: how late its values are; of several values none overtakes another.
        context: has the length of a step and the seed.

    `memory`: one row: the values as measured, a ring of earlier ones, and the step at which each of
    these arrives.
    """

    def __init__(self, mounted: MountedDevice[Device], delay: Delay, context: BankContext) -> None:
        node = mounted.node
        self._words = slice(node.start // WORD, node.own_stop // WORD)
        self._late = delay.seconds / context.step_seconds
        self._jitter = delay.jitter / context.step_seconds
        self._key = np.array([context.seed, crc32(node.name.encode())], dtype=np.uint64)
        count, self._depth = (
            self._words.stop - self._words.start,
            ceil(self._late + self._jitter) + 2,
        )
        row = np.full((1, count * (self._depth + 1) + self._depth), np.nan)
        self.memory = Memory(f"late {node.name}", (node.name,), row)
        self._measured: Floats = row[0, :count]
        self._ring: Floats = row[0, count : count * (self._depth + 1)].reshape(self._depth, count)
        self._arrival: Floats = row[0, count * (self._depth + 1) :]

    def begin(self, state: State) -> None:
        """Restores the last measured values: the device continues from there."""
        if not np.isnan(self._arrival).all():
            state.floats[self._words] = self._measured

    def end(self, state: State) -> None:
        """Takes what has been measured in this step, and shows the newest that has arrived."""
        step, slots = state.step, np.arange(self._depth)
        taken = step - (step - slots) % self._depth
        slot = step % self._depth
        self._measured[:] = state.floats[self._words]
        before = self._arrival[(step - 1) % self._depth]
        self._ring[slot] = self._measured
        self._arrival[slot] = np.fmax(
            step + round(self._late + self._jitter * self._share(step)), before
        )
        has_come = self._arrival <= step  # of a slot that is still empty, no
        newest = int(np.argmax(np.where(has_come, taken, -1)))
        state.floats[self._words] = self._ring[newest] if has_come.any() else 0.0

    def _share(self, step: int) -> float:
        """A number from 0 to 1 that follows from seed, device and step alone."""
        if self._jitter == 0.0:
            return 0.0
        bits = np.random.Philox(key=self._key, counter=step)
        return float(np.random.Generator(bits).random())


def delayed_values(
    devices: Iterable[MountedDevice[Device]], context: BankContext
) -> list[DelayedValues]:
    """The delayed values of those `devices` that have a delay; several delays are added."""
    found = []
    for mounted in devices:
        delays = [each for each in mounted.device.noises if isinstance(each, Delay)]
        if delays:
            whole = Delay(sum(each.seconds for each in delays), sum(each.jitter for each in delays))
            found.append(DelayedValues(mounted, whole, context))
    return found
