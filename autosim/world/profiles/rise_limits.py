"""Limits of the rise between places of streets, which the elevation of the streets keeps."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers


@dataclass(frozen=True, slots=True)
class RiseLimits:
    """Pairs (n,) of places that differ in height by `max_rise` [m] at most.

    Each leads from the place at `first_s` [m] of street `first` to the one at `second_s` [m] of
    street `second`. Both may lie on one street.
    """

    first: Integers
    first_s: Floats
    second: Integers
    second_s: Floats
    max_rise: Floats

    @classmethod
    def none(cls) -> "RiseLimits":
        """No limits."""
        no_streets, nowhere = np.zeros(0, dtype=np.int64), np.zeros(0)
        return cls(no_streets, nowhere, no_streets, nowhere, nowhere)

    def joined(self, other: "RiseLimits") -> "RiseLimits":
        """These limits and others."""
        return RiseLimits(
            np.concatenate([self.first, other.first]),
            np.concatenate([self.first_s, other.first_s]),
            np.concatenate([self.second, other.second]),
            np.concatenate([self.second_s, other.second_s]),
            np.concatenate([self.max_rise, other.max_rise]),
        )
