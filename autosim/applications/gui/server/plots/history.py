"""The newest states, so that a plot that is opened late has a past."""

from collections import deque
from collections.abc import Iterator

from autosim.model.state import State

MOST_BYTES = 16 * 2**20
"""Number of bytes of kept states: a bound on the memory that worlds with large states take."""
MOST_STATES = 6000
"""Number of kept states: as many as a plot shows samples (`series.MAX_SAMPLES`)."""


class History:
    """States of the server's worlds in the order of their time; the oldest make room."""

    def __init__(self) -> None:
        self._states: deque[State] = deque()
        self._bytes = 0

    def __iter__(self) -> Iterator[State]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)

    def add(self, state: State) -> None:
        """Keeps a copy of `state`; what is not older is forgotten, as at a reset."""
        while self._states and self._states[-1].time >= state.time:
            self._bytes -= len(self._states.pop().buffer)
        copy = State(state.tree, memoryview(state.to_bitstream()))
        self._states.append(copy)
        self._bytes += len(copy.buffer)
        while len(self) > 1 and (self._bytes > MOST_BYTES or len(self) > MOST_STATES):
            self._bytes -= len(self._states.popleft().buffer)
