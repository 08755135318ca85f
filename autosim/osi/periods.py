"""When topics are due: each at its own period of simulated time."""

from collections.abc import Iterator, Sequence

from autosim.osi.osi_scene import OsiTopic
from autosim.osi.osi_values import NANOSECONDS

_TOLERANCE_NS = 1_000_000
"""Time [ns] by which a state may come before a period begins: times of steps are rounded."""


class Periods:
    """Selects the topics that are due at a time.

    Args:
        topics: to select from.
    """

    def __init__(self, topics: Sequence[OsiTopic]) -> None:
        self.topics = topics
        self._slots = [-1] * len(topics)

    def due(self, now: int) -> Iterator[OsiTopic]:
        """The topics that have had no message in their present period, at a time [ns]."""
        for number, topic in enumerate(self.topics):
            period = round(topic.period * NANOSECONDS)
            if period:
                slot, self._slots[number] = self._slots[number], (now + _TOLERANCE_NS) // period
                if slot == self._slots[number]:
                    continue
            yield topic
