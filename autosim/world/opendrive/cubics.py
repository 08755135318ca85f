"""Piecewise cubic polynomials, in which OpenDRIVE states heights, widths and offsets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats


@dataclass(frozen=True, slots=True)
class Cubics:
    """A function of the station that is a cubic polynomial from each start on.

    starts: (n,) [m], ascending; coefficients: (n, 4) of the powers 0 to 3 of the distance from the
    start. Before the first start the function is 0, as the standard defines it for profiles.
    """

    starts: Floats
    coefficients: Floats

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float, float, float, float]]) -> "Cubics":
        """The function of rows (start, a, b, c, d) in any order."""
        table = np.array(rows, dtype=np.float64).reshape(-1, 5)
        table = table[np.argsort(table[:, 0], kind="stable")]
        return cls(table[:, 0].copy(), table[:, 1:].copy())

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 everywhere."""
        return not self.coefficients.any()

    @property
    def is_stepwise(self) -> bool:
        """Whether it is constant between its starts."""
        return not self.coefficients[:, 1:].any()

    def at(self, s: Floats) -> Floats:
        """Values (k,) at stations (k,) [m]."""
        ds, (a, b, c, d) = self._pieces(s)
        return np.asarray(a + ds * (b + ds * (c + ds * d)))

    def slope_at(self, s: Floats) -> Floats:
        """Derivatives (k,) at stations (k,) [m]."""
        ds, (_, b, c, d) = self._pieces(s)
        return np.asarray(b + ds * (2.0 * c + 3.0 * ds * d))

    def _pieces(self, s: Floats) -> tuple[Floats, Floats]:
        """Distances (k,) [m] of stations (k,) from their starts, and coefficients (4, k) there."""
        if not len(self.starts):
            return np.zeros(len(s)), np.zeros((4, len(s)))
        number = np.searchsorted(self.starts, s, side="right") - 1
        piece = np.maximum(number, 0)
        return s - self.starts[piece], np.where(number < 0, 0.0, self.coefficients[piece].T)
