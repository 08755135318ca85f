"""Weights of the conflicting requirements on the heights of streets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ElevationWeights:
    """Weights [1/m] of the rows of the elevation problem: what a metre off costs, to be squared.

    They stand in the order in which wishes go before one another. A weight ten times as large
    costs a hundred times as much, so the lesser wish hardly bends the greater. All are chosen by
    looking at the heights of the test maps.
    """

    crossing: float = 600.0
    """Weight of one height where streets of one level lead across one another: before all else,
    since grades and clearances would leave a step that stops a car."""

    grade: float = 300.0
    """Weight of a street's steepest grade, over one spacing of the chain."""

    merged: float = 200.0
    """Weight of one height for streets between whose levels there is no room."""

    vertical_curve: float = 200.0
    """Weight of the least radii of crests and sags."""

    turn: float = 100.0
    """Weight of the least difference in height between the two ends of a sharp turn."""

    clearance: float = 30.0
    """Weight of the clearance where streets cross at different levels: after the grade, since short
    ramps to deep levels would otherwise become walls."""

    firm_contact: float = 20.0
    """Weight of one height where two streets are one surface and the first solution nearly agrees:
    before smoothness, since a difference would become a kerb in the carriageway."""

    smoothness: float = 12.0
    """Weight of an even grade: of each change of it, over one spacing of the chain."""

    loose_contact: float = 6.0
    """Weight of one height where two streets are one surface, before it is known whether they can
    agree, and after it is known that they cannot."""

    obstacle: float = 3.0
    """Weight of the height of bridges over water and railways: before the terrain, but no bridge
    gets a steep ramp for it."""

    cover: float = 1.5
    """Weight of the depth of tunnels: it goes a little before the terrain at their ends."""

    over_ground: float = 1.5
    """Weight of keeping bridges above the ground: as that of tunnels below it."""

    on_ground: float = 1.0
    """Weight of the terrain for streets on the ground: the unit of all the others."""

    off_ground: float = 1e-3
    """Weight of the terrain for bridges and tunnels: only so large that no height is undetermined
    where nothing else is asked."""


WEIGHTS = ElevationWeights()
"""The weights of every world."""
