"""How fast a driver follows, and how hard the driver brakes: the Intelligent Driver Model, as IDM+.

Sources: M. Treiber, A. Hennecke, D. Helbing, Congested traffic states in empirical observations and
microscopic simulations, Physical Review E 62 (2000); W. Schakel, V. Knoop, B. van Arem, Effects of
cooperative adaptive cruise control on traffic flow stability, IEEE ITSC (2010). IDM+ takes the
lower of the accelerations of a free street and behind a vehicle, where the original adds their
losses. So a follower keeps its time gap up to the speed it wants; in the original the gap is 1.7
times as long at 90 % of that speed. The bound on the speed, which holds whatever
the model says, is that of P. Gipps, A behavioural car-following model for computer simulation,
Transportation Research B 15 (1981).
"""

from math import sqrt

import numpy as np

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.traffic.vehicles.vehicle_pool import EASE, GAIN, LEAST_GAP, TIME_GAP

MAX_BRAKING = 8.0
"""Deceleration [m/s²] in an emergency: about that of good tyres on a dry street."""

_EASIEST = 0.5
"""Length [m] of the gap from which on the model is used as it stands; nearer, it would be divided
by next to nothing."""


@jitable
def free_acceleration(row: Floats, speed: float, wanted: float) -> float:
    """Acceleration [m/s²] on a free street where `wanted` [m/s] is the speed that he wants."""
    if wanted < 0.1:
        return -float(row[EASE])
    ratio = speed / wanted
    if ratio <= 1.0:
        return float(row[GAIN] * (1.0 - ratio * ratio * ratio * ratio))
    return float(max(-row[EASE], row[GAIN] * (1.0 - ratio * ratio * ratio * ratio)))


@jitable
def following_acceleration(
    row: Floats, speed: float, wanted: float, gap: float, ahead: float
) -> float:
    """Acceleration [m/s²] behind somebody.

    Args:
        row: of the driver.
        speed: [m/s] his.
        wanted: [m/s] speed that he wants.
        gap: [m] from his front to the rear ahead.
        ahead: [m/s] speed of the vehicle ahead.
    """
    free = free_acceleration(row, speed, wanted)
    closing = speed * (speed - ahead) / (2.0 * sqrt(row[GAIN] * row[EASE]))
    desired = row[LEAST_GAP] + max(0.0, speed * row[TIME_GAP] + closing)
    ratio = desired / max(gap, _EASIEST)
    return float(max(min(free, row[GAIN] * (1.0 - ratio * ratio)), -MAX_BRAKING))


@jitable
def safe_speed(gap: float, ahead: float, reaction: float) -> float:
    """The speed [m/s] at which one can just stop behind somebody who brakes as hard as can be.

    Args:
        gap: [m] to him, less what shall be left.
        ahead: [m/s] his speed.
        reaction: [s] before one brakes.
    """
    if gap <= 0.0:
        return 0.0
    braked = MAX_BRAKING * reaction
    return float(-braked + sqrt(braked * braked + ahead * ahead + 2.0 * MAX_BRAKING * gap))


@jitable
def braking_to_stop(speed: float, ease: float, distance: float, interval: float) -> float:
    """Acceleration [m/s²] of one who wants to stand at a line; infinite while it is far.

    Args:
        speed: [m/s] his.
        ease: [m/s²] the deceleration that he finds comfortable.
        distance: [m] to the line.
        interval: [s] to the next decision.
    """
    if distance <= 0.05:
        return -MAX_BRAKING if speed > 1.0 else -speed / interval
    allowed = sqrt(2.0 * ease * distance)
    # What would carry him beyond the line until the next decision is too fast, too.
    allowed = min(allowed, distance / interval)
    if speed < allowed - ease * interval:
        return np.inf
    needed = speed * speed / (2.0 * distance)
    return -min(max(needed, (speed - allowed) / interval), MAX_BRAKING)
