"""The newest samples of a value over time."""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats

MAX_SAMPLES = 6000
"""Number of samples that are surely kept: ten minutes at ten a second, the window's rate."""


class Series:
    """The newest samples of one value with one or more components.

    `times` (n,) [s]; `values` (n, components).
    """

    def __init__(self, components: int) -> None:
        self._buffer = np.empty((2 * MAX_SAMPLES, 1 + components))
        self._count = 0

    @property
    def times(self) -> Floats:
        """When the samples were taken [s], simulated."""
        return self._buffer[: self._count, 0]

    @property
    def values(self) -> Floats:
        """The samples."""
        return self._buffer[: self._count, 1:]

    def replace(self, times: Floats, values: Floats) -> None:
        """Holds these samples in place of all others, however many: `times` (n,) [s], ascending."""
        self._count = len(times)
        self._buffer = np.column_stack([times, values])

    def add(self, time: float, value: npt.ArrayLike) -> None:
        """Adds a sample; one that is not newer than the last restarts the series."""
        if self._count and time <= self.times[-1]:
            if time == self.times[-1]:
                return
            self._count = 0
        if self._count == len(self._buffer):
            # Half of it at once: moving all for each sample would cost the more the longer it is.
            self._buffer[:MAX_SAMPLES] = self._buffer[MAX_SAMPLES:]
            self._count = MAX_SAMPLES
        self._buffer[self._count, 0] = time
        self._buffer[self._count, 1:] = np.ravel(value)
        self._count += 1

    def nearest(self, time: float) -> int:
        """The sample nearest to `time` [s]; -1 where there is none."""
        if not self._count:
            return -1
        after = int(np.searchsorted(self.times, time))
        near = [each for each in (after - 1, after) if 0 <= each < self._count]
        return min(near, key=lambda each: abs(self.times[each] - time))
