"""The refused commands of one program: reports a few, and counts the others."""

from autosim.engine.peer_limits import LIMITS
from autosim.model.commands import DeviceError


class Refusals:
    """Limits the messages on refused commands, however many there are."""

    def __init__(self) -> None:
        self._kept: list[DeviceError] = []
        self._count = 0
        self._next_step = 0

    def add(self, error: DeviceError) -> None:
        """Counts a refused command."""
        self._count += 1
        if len(self._kept) < LIMITS.told_refusals:
            # A traceback would keep alive all that its frames hold.
            self._kept.append(error.with_traceback(None))

    def take(self, step: int, *, is_last: bool = False) -> list[str]:
        """The messages to report at that step; none soon after the last ones.

        Args:
            step: the number of steps done.
            is_last: the program leaves: report what is left.
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
