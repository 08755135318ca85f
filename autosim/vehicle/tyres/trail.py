"""Pneumatic trail: the distance of a tyre's lateral force behind the centre of its patch.

The trail times the force is the aligning torque, which turns a wheel straight.
"""

from autosim.jit import jitable

PATCH = 0.3
"""Length of the tyre's patch on the ground, as a share of the wheel's radius: about 0.1 m of a
car's."""

BRUSH_TRAIL = PATCH / 6.0
"""Ratio of the trail of a brush that hardly slips to the radius: a third of half the patch
(Pacejka, Tyre and Vehicle Dynamics, 3rd ed., 2012, equation 3.12)."""


@jitable
def trail_share(slip: float) -> float:
    """The share of its trail that a tyre has left at a combined `slip`, 1 where its force peaks.

    That of a brush (the same, equations 3.11 and 3.13): where all of the patch slides, none.
    """
    stuck = 1.0 - min(slip, 1.0)
    return stuck * stuck * stuck / (stuck + slip * slip / 3.0) if stuck > 0.0 else 0.0
