"""Acceleration and braking of drivers: the Intelligent Driver Model in the variant IDM+.

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

from autosim.jit import jitable
from autosim.traffic.vehicles.vehicle_pool import VehicleRow

MAX_BRAKING = 8.0
"""Deceleration [m/s²] in an emergency: about that of good tyres on a dry street."""

_EASIEST = 0.5
"""Shortest gap [m] for which the model is unchanged; below it, it would divide by almost zero."""


@jitable
def free_acceleration(row: VehicleRow, speed: float, wanted: float) -> float:
    """Acceleration [m/s²] on a free street for the desired speed `wanted` [m/s]."""
    if wanted < 0.1:
        return -float(row.ease)
    ratio = speed / wanted
    if ratio <= 1.0:
        return float(row.gain * (1.0 - ratio * ratio * ratio * ratio))
    return float(max(-row.ease, row.gain * (1.0 - ratio * ratio * ratio * ratio)))


@jitable
def following_acceleration(
    row: VehicleRow, speed: float, wanted: float, gap: float, ahead: float
) -> float:
    """Acceleration [m/s²] behind another vehicle.

    Args:
        row: of the driver.
        speed: [m/s] of the driver's vehicle.
        wanted: [m/s] desired speed.
        gap: [m] from the front of the vehicle to the rear of the leader.
        ahead: [m/s] speed of the vehicle ahead.
    """
    free = free_acceleration(row, speed, wanted)
    closing = speed * (speed - ahead) / (2.0 * sqrt(row.gain * row.ease))
    desired = row.least_gap + max(0.0, speed * row.time_gap + closing)
    ratio = desired / max(gap, _EASIEST)
    return float(max(min(free, row.gain * (1.0 - ratio * ratio)), -MAX_BRAKING))


@jitable
def safe_speed(gap: float, ahead: float, reaction: float) -> float:
    """Highest speed [m/s] at which a vehicle can stop behind a leader that brakes hard.

    Args:
        gap: [m] to the leader, less the remaining gap.
        ahead: [m/s] speed of the leader.
        reaction: [s] before the driver brakes.
    """
    if gap <= 0.0:
        return 0.0
    braked = MAX_BRAKING * reaction
    return float(-braked + sqrt(braked * braked + ahead * ahead + 2.0 * MAX_BRAKING * gap))


@jitable
def braking_to_stop(speed: float, ease: float, distance: float, interval: float) -> float:
    """Acceleration [m/s²] for stopping at a line; infinite while the line is far.

    Args:
        speed: [m/s] of the vehicle.
        ease: [m/s²] comfortable deceleration of the driver.
        distance: [m] to the line.
        interval: [s] to the next decision.
    """
    if distance <= 0.05:
        return -MAX_BRAKING if speed > 1.0 else -speed / interval
    allowed = sqrt(2.0 * ease * distance)
    # A speed that carries the vehicle beyond the line before the next decision is too high as well.
    allowed = min(allowed, distance / interval)
    if speed < allowed - ease * interval:
        return np.inf
    needed = speed * speed / (2.0 * distance)
    return -min(max(needed, (speed - allowed) / interval), MAX_BRAKING)
