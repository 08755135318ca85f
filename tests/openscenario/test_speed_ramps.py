"""Changes of speed with bounded changes of acceleration."""

import math

import numpy as np
import pytest

from autosim.openscenario.engine.executions.speed_ramps import RampLimits, SpeedRamp

SLOWS = RampLimits(10.0, 3.0, 4.0)
"""Limits of a braking car: 10 m/s², which grow by 3 m/s³ and decay by 4 m/s³."""


def test_the_shortest_ramp_has_the_times_of_the_reference_player() -> None:
    # Golden times of esmini's speed profile test: 3.42 s, and 2.20 s of one that brakes already.
    first = SpeedRamp(15.0, 5.0, 0.0, SLOWS, 3.0)
    assert first.seconds == pytest.approx(3.42, abs=0.01)
    speeds = [first.step(0.01) for _ in range(200)]
    braking = (speeds[-1] - speeds[-2]) / 0.01
    second = SpeedRamp(speeds[-1], 0.0, braking, SLOWS, 0.9)
    assert second.seconds == pytest.approx(2.20, abs=0.02)


@pytest.mark.parametrize("seconds", [None, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("first", [-2.0, 0.0, 1.5, 30.0])
@pytest.mark.parametrize(("start", "target"), [(0.0, 20.0), (20.0, 3.0), (5.0, 5.0)])
def test_a_ramp_ends_at_its_speed_within_its_limits(
    start: float, target: float, first: float, seconds: float | None
) -> None:
    ramp = SpeedRamp(start, target, first, RampLimits(4.0, 3.0, 2.0), seconds)
    if seconds is not None and seconds > 12.0:
        assert ramp.seconds == pytest.approx(seconds)
    step = 0.001
    speeds = [start]
    while not ramp.is_done:
        speeds.append(ramp.step(step))
    rates = np.diff(speeds[:-1]) / step

    assert speeds[-1] == pytest.approx(target, abs=0.01)
    assert math.isfinite(ramp.seconds)
    if first < 4.0 and len(rates) > 2:
        assert np.abs(rates).max() <= 4.0 + 1e-6
        assert np.abs(np.diff(rates)).max() / step <= 3.0 + 1e-3
