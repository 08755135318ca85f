"""Writes lists of any length into the state, for all devices of a kind at once."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device
from autosim.kinds.banks import MountedDevice, word_indices
from autosim.model.state import State


class ListWriter:
    """The lists of n devices, each the first field of its device.

    Args:
        devices: in the order of their lists.
        capacities: (n,) most rows of each.
        width: numbers of a row.
    """

    def __init__(
        self, devices: Sequence[MountedDevice[Device]], capacities: Integers, width: int
    ) -> None:
        self._word = word_indices(devices)
        self._device = np.repeat(np.arange(len(devices)), capacities)
        firsts = np.cumsum(capacities) - capacities
        places = np.arange(len(self._device)) - np.repeat(firsts, capacities)
        starts = np.repeat(self._word, capacities) + 1 + places * width
        self._words = starts[:, None] + np.arange(width)

    def write(self, state: State, due: Integers, rows: Floats) -> None:
        """Writes the lists of the devices `due`.

        Args:
            state: into which they go.
            due: (k,) numbers of the devices.
            rows: (sum of capacities, width), of one list after the other; those that begin with NaN
                are not rows, and follow the others of their list.
        """
        is_due = np.zeros(len(self._word), dtype=np.bool_)
        is_due[due] = True
        chosen = is_due[self._device]
        is_row = ~np.isnan(rows[:, 0])
        counts = np.bincount(self._device[is_row], minlength=len(self._word))
        state.ints[self._word[due]] = counts[due]
        state.floats[self._words[chosen]] = np.where(is_row[:, None], rows, 0.0)[chosen]
