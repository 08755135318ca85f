"""Transitions of a value over time or distance: linear, cubic, sinusoidal, step."""

import math

from autosim import portable
from autosim.openscenario.records.action_records import Dynamics

_SMALL = 1e-6
"""Rounding [s or m] at the end of a transition."""


class Transition:
    """A value on its way from `start` to `target`.

    Args:
        dynamics: shape, dimension and amount.
        start: first value.
        target: last value.
        max_rate: greatest change per unit of the parameter; the transition takes longer for it.
    """

    def __init__(
        self, dynamics: Dynamics, start: float, target: float, max_rate: float = math.inf
    ) -> None:
        self.shape, self.start, self.target = dynamics.shape, start, target
        change = abs(target - start)
        peak = {"sinusoidal": 0.5 * math.pi, "cubic": 1.5}.get(dynamics.shape, 1.0)
        if dynamics.shape == "step":
            self.span = 0.0
        elif dynamics.dimension == "rate":
            rate = min(dynamics.value, max_rate)
            self.span = peak * change / rate if rate > 0.0 else (math.inf if change else 0.0)
        else:
            self.span = dynamics.value
            if self.span > 0.0 and math.isfinite(max_rate) and max_rate > 0.0:
                self.span = max(self.span, peak * change / max_rate)
        self.at = 0.0

    @property
    def is_done(self) -> bool:
        """Whether the parameter has reached its end."""
        return self.at >= self.span - _SMALL

    def step(self, amount: float) -> float:
        """Advances the parameter, and gives the value there."""
        self.at = min(self.at + amount, self.span)
        return self.value()

    def value(self) -> float:
        """The value now."""
        if self.span <= _SMALL:
            return self.target
        p = self.at / self.span
        if self.shape == "sinusoidal":
            share = 0.5 * (1.0 - float(portable.cos(math.pi * p)))
        elif self.shape == "cubic":
            share = p * p * (3.0 - 2.0 * p)
        else:
            share = p
        return self.start + share * (self.target - self.start)

    def slope(self) -> float:
        """The change of the value per unit of the parameter now."""
        if self.span <= _SMALL or math.isinf(self.span):
            return 0.0
        p, change = self.at / self.span, (self.target - self.start) / self.span
        if self.shape == "sinusoidal":
            return change * 0.5 * math.pi * float(portable.sin(math.pi * p))
        if self.shape == "cubic":
            return change * 6.0 * p * (1.0 - p)
        return change
