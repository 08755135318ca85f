"""Flat tyres: what a wheel is without the air in its tyre.

The factors are assumptions for a car's tyre with its rim nearly on the ground: half its side wall
is gone, less than half of its patch carries, its carcass is soft, and it is kneaded as it rolls.
"""

from autosim.jit import jitable
from autosim.vehicle.wheels.wheel_arrays import WheelState

FLAT_RADIUS = 0.18
"""Share of the radius that a tyre without air has lost: half the side wall of a 205/55 R16."""

FLAT_GRIP = 0.5
"""Share of the friction that it has lost."""

FLAT_SOFTNESS = 0.7
"""Share of its stiffness against both slips that it has lost."""

FLAT_RESISTANCE = 0.1
"""Ratio of force to load that its rolling resistance has grown by, to about nine times."""

LEAK_SECONDS = 1.0
"""Time [s] in which all air leaves a tyre: a burst that lets the car down without a blow."""


@jitable
def deflate(state: WheelState, step_seconds: float) -> None:
    """Brings the flatness of all tyres nearer to what is wanted."""
    most = step_seconds / LEAK_SECONDS
    for i in range(state.wanted_flatness.size):
        wanted = min(max(state.wanted_flatness[i], 0.0), 1.0)
        change = wanted - state.flatness[i, 0]
        state.flatness[i, 0] += min(max(change, -most), most)


@jitable
def loaded_radius(radius: float, flatness: float) -> float:
    """The radius [m] of a wheel whose tyre has lost the share `flatness` of its air."""
    return radius * (1.0 - FLAT_RADIUS * flatness)
