"""The refused commands of one program: some are told to people, the others counted."""

from autosim.server.limits import LIMITS
from autosim.simulation.commands import DeviceError


class Refusals:
    """What is to be told of refused commands: a few in a while, however many there are."""

    def __init__(self) -> None:
        self._kept: list[DeviceError] = []
        self._count = 0
        self._next_step = 0

    def add(self, error: DeviceError) -> None:
        """Counts a refused command."""
        self._count += 1
        if len(self._kept) < LIMITS.told_refusals:
            # An error that is kept holds what its traceback saw.
            self._kept.append(error.with_traceback(None))

    def take(self, step: int, *, is_last: bool = False) -> list[str]:
        """What is to be told now, at that step; nothing soon after the last time.

        Args:
            step: the number of steps done.
            is_last: the program leaves: tell all.
        """
        if not self._count or (step < self._next_step and not is_last):
            return []
        texts = [f"command refused: {error}" for error in self._kept]
        if self._count > len(texts):
            texts.append(f"{self._count - len(texts)} more commands refused")
        self._kept.clear()
        self._count = 0
        self._next_step = step + LIMITS.refusal_steps
        return texts
