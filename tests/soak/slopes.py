"""Slopes of what a server holds, with their confidence: does it grow with each round?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import theilslopes

from tests.soak.usage import Usage

CONFIDENCE = 0.99
"""Of the interval of a slope."""
WARM_UP = 1.0 / 4.0
"""Share of the rounds, the first ones, in which caches fill."""
_TOLERATED = Usage(memory_mb=4.0, processes=1, threads=2, descriptors=2, shared_memory=1, files=1)
"""Growth over all rounds below which nothing leaks: allocators and thread pools fill slowly."""


@dataclass(frozen=True, slots=True)
class Slope:
    """Growth of one quantity per round.

    Attributes:
        name: of the quantity.
        first: its median in the first rounds after the warm-up.
        per_round: median of the slopes between all pairs of rounds (Theil 1950; Sen 1968).
        low: lower end of its interval of confidence.
        high: upper end.
        is_leak: whether it certainly grows, and by more over all rounds than is tolerated.
    """

    name: str
    first: float
    per_round: float
    low: float
    high: float
    is_leak: bool

    def __str__(self) -> str:
        """A line of the table."""
        return (
            f"{self.name:14} {self.first:9.1f} {self.per_round:+9.4f} "
            f"[{self.low:+.4f}, {self.high:+.4f}]{'  GROWS' if self.is_leak else ''}"
        )


def slopes_of(rounds: Sequence[Usage]) -> list[Slope]:
    """The slope of each quantity over the rounds after the warm-up; none for fewer than five."""
    kept = np.array(rounds[round(WARM_UP * len(rounds)) :], dtype=float)
    if len(kept) < 5:
        return []
    found = []
    for name, values, tolerated in zip(Usage._fields, kept.T, _TOLERATED, strict=True):
        slope, _, low, high = theilslopes(values, alpha=CONFIDENCE)
        found.append(
            Slope(
                name,
                first=float(np.median(values[:5])),
                per_round=float(slope),
                low=float(low),
                high=float(high),
                is_leak=bool(low * len(kept) > tolerated),
            )
        )
    return found
