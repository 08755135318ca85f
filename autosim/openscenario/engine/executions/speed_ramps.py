"""Changes of speed with a bounded change of acceleration."""

import math
from dataclasses import dataclass

_SMALL = 1e-9
"""Change of speed [m/s] or acceleration [m/s²] that counts as none."""


@dataclass(frozen=True, slots=True)
class RampLimits:
    """Greatest acceleration [m/s²], and its greatest increase and decrease [m/s³].

    All three are those of the change of speed that is made, up or down.
    """

    acceleration: float
    growth: float
    """Greatest change away from 0."""
    decay: float
    """Greatest change back to 0."""


class SpeedRamp:
    """A change of speed that ends without acceleration: it grows, holds its peak, and decays.

    Args:
        start: speed [m/s].
        target: speed at the end [m/s].
        acceleration: at the start [m/s²].
        limits: of the motion.
        seconds: duration; None, or one that the limits do not allow: the least one.
    """

    def __init__(
        self,
        start: float,
        target: float,
        acceleration: float,
        limits: RampLimits,
        seconds: float | None = None,
    ) -> None:
        self.target, self._start = target, start
        self._sign = 1.0 if target >= start else -1.0
        most = limits.acceleration
        change, first = abs(target - start), min(max(self._sign * acceleration, -most), most)
        # What the first acceleration would overshoot ends at once.
        if first * first / (2.0 * limits.decay) > change + _SMALL and first > 0.0:
            first = 0.0
        self._limits = limits
        self._first, self._peak, self._hold = self._least(change, first)
        if seconds is not None and seconds > self.seconds:
            self._first, self._peak, self._hold = self._timed(change, first, seconds)
        self.at = 0.0

    @property
    def seconds(self) -> float:
        """Duration [s]."""
        growth, decay = self._limits.growth, self._limits.decay
        return (self._peak - self._first) / growth + self._hold + self._peak / decay

    @property
    def is_done(self) -> bool:
        """Whether the speed is reached."""
        return self.at >= self.seconds - 1e-6

    def _least(self, change: float, first: float) -> tuple[float, float, float]:
        """First and peak acceleration [m/s²] and how long that lasts [s], of the shortest ramp."""
        limits = self._limits
        wanted = change + first * first / (2.0 * limits.growth)
        peak = math.sqrt(2.0 * wanted / (1.0 / limits.growth + 1.0 / limits.decay))
        if peak <= limits.acceleration:
            return first, max(peak, first), 0.0
        peak = max(limits.acceleration, first)
        made = (peak**2 - first**2) / (2.0 * limits.growth) + peak**2 / (2.0 * limits.decay)
        return first, peak, max(change - made, 0.0) / peak

    def _timed(self, change: float, first: float, seconds: float) -> tuple[float, float, float]:
        """As `_least`, of a ramp with that duration."""
        limits = self._limits
        both = 1.0 / limits.growth + 1.0 / limits.decay
        reach = seconds + first / limits.growth
        rest = reach * reach - 2.0 * both * (change + first * first / (2.0 * limits.growth))
        peak = (reach - math.sqrt(max(rest, 0.0))) / both
        if peak < first - _SMALL:
            return self._timed(change, 0.0, seconds)
        hold = seconds - (peak - first) / limits.growth - peak / limits.decay
        return first, peak, max(hold, 0.0)

    def step(self, seconds: float) -> float:
        """Advances by a time, and gives the speed [m/s] there."""
        self.at = min(self.at + seconds, self.seconds)
        if self.is_done:
            return self.target
        growth, decay = self._limits.growth, self._limits.decay
        rises = min(self.at, (self._peak - self._first) / growth)
        holds = min(self.at - rises, self._hold)
        falls = self.at - rises - holds
        made = rises * self._first + 0.5 * growth * rises * rises
        made += self._peak * (holds + falls) - 0.5 * decay * falls * falls
        return self._start + self._sign * made
