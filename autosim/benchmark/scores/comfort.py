"""Comfort of a trace by nuPlan's bounds on accelerations, jerks and yaw.

Source: nuplan-devkit v1.2, `docs/metrics_description.md` and
`nuplan/planning/script/config/simulation_metric/low_level`.
"""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.benchmark.trace import SPEED, YAW, Trace

MIN_LON_ACCELERATION, MAX_LON_ACCELERATION = -4.05, 2.40
"""Bounds [m/s²] of longitudinal acceleration."""

MAX_LAT_ACCELERATION = 4.89
"""Bound [m/s²] of lateral acceleration."""

MAX_YAW_RATE, MAX_YAW_ACCELERATION = 0.95, 1.93
"""Bounds of yaw rate [rad/s] and yaw acceleration [rad/s²]."""

MAX_LON_JERK, MAX_JERK = 4.13, 8.37
"""Bounds [m/s³] of longitudinal jerk and of the magnitude of jerk."""

_HALF = 7
"""Samples on each side over which derivatives are fitted: 15 in all, as in nuPlan at 10 Hz."""


@dataclass(frozen=True, slots=True)
class Comfort:
    """Extreme values of a trace.

    Longitudinal acceleration: largest `lon_acceleration` and smallest, `lon_braking` [m/s²];
    `lat_acceleration` [m/s²]; `yaw_rate` [rad/s]; `yaw_acceleration` [rad/s²]; `lon_jerk` and the
    magnitude, `jerk` [m/s³].
    """

    lon_acceleration: float
    lon_braking: float
    lat_acceleration: float
    yaw_rate: float
    yaw_acceleration: float
    lon_jerk: float
    jerk: float

    @property
    def is_comfortable(self) -> bool:
        """Whether all values are within their bounds."""
        return (
            self.lon_acceleration < MAX_LON_ACCELERATION
            and self.lon_braking > MIN_LON_ACCELERATION
            and self.lat_acceleration < MAX_LAT_ACCELERATION
            and self.yaw_rate < MAX_YAW_RATE
            and self.yaw_acceleration < MAX_YAW_ACCELERATION
            and self.lon_jerk < MAX_LON_JERK
            and self.jerk < MAX_JERK
        )


def slopes(values: Floats, interval: float) -> Floats:
    """Derivative (n,) of evenly spaced values: of a parabola fitted to 15 samples around each.

    It is the filter of Savitzky and Golay (1964) of order 2; at the ends, where fewer samples are
    there, the first and the last value of it count.
    """
    half = min(_HALF, (len(values) - 1) // 2)
    if half < 1:
        return np.zeros(len(values))
    weights = np.arange(-half, half + 1) / (interval * 2.0 * sum(k * k for k in range(half + 1)))
    windows = np.lib.stride_tricks.sliding_window_view(values, 2 * half + 1)
    inner = (windows * weights).sum(axis=1)
    return np.concatenate([np.full(half, inner[0]), inner, np.full(half, inner[-1])])


def comfort_of(trace: Trace) -> Comfort:
    """The comfort of a trace, which should be sampled at 10 Hz."""
    interval, speeds = trace.interval, trace.car[:, SPEED]
    yaws = trace.car[:, YAW]
    turned = np.concatenate([[0.0], np.cumsum(portable.wrapped(np.diff(yaws)))])
    rate = slopes(turned, interval)
    longitudinal, lateral = slopes(speeds, interval), speeds * rate
    lon_jerk, lat_jerk = slopes(longitudinal, interval), slopes(lateral, interval)
    return Comfort(
        lon_acceleration=float(longitudinal.max()),
        lon_braking=float(longitudinal.min()),
        lat_acceleration=float(np.abs(lateral).max()),
        yaw_rate=float(np.abs(rate).max()),
        yaw_acceleration=float(np.abs(slopes(rate, interval)).max()),
        lon_jerk=float(np.abs(lon_jerk).max()),
        jerk=float(portable.hypot(lon_jerk, lat_jerk).max()),
    )
