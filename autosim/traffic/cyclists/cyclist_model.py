"""Parameters of the model of cyclists off the carriageways."""

from typing import NamedTuple


class CyclistModel(NamedTuple):
    """Parameters of the riding model.

    Speeds follow from the Intelligent Driver Model (Treiber, Hennecke and Helbing, 2000). Values
    without a source are chosen, so that cyclists of the tests meet, pass and wait without touching.
    """

    min_desired_speed: float = 4.2
    """Speed [m/s] of the slowest cyclist on a free way: 15 km/h."""
    max_desired_speed: float = 5.5
    """Speed [m/s] of the fastest: 20 km/h."""
    acceleration: float = 0.9
    """Maximum acceleration [m/s²] on a free way, from a stop."""
    deceleration: float = 1.6
    """Comfortable deceleration [m/s²] before others and bends."""
    max_braking: float = 4.5
    """Hardest deceleration [m/s²]: beyond it one goes over the handlebars."""
    time_gap: float = 0.8
    """Time gap [s] to the leader."""
    least_gap: float = 0.9
    """Minimum gap [m] to the leader."""
    lateral: float = 1.8
    """Lateral acceleration [m/s²] in bends: a lean of ten degrees."""
    clearance: float = 0.22
    """Distance [m] kept from others to the side."""
    clearance_stuck: float = 0.1
    """The same [m] for a cyclist without progress."""
    side_share: float = 0.5
    """Share of half a way's width by which cyclists keep to their side."""
    min_aside: float = 0.55
    """Least distance [m] of the same: oncoming cyclists pass."""
    max_aside: float = 0.8
    """Greatest distance [m] of the same, on wide ways."""
    over_edge: float = 0.2
    """Distance [m] beyond the edge of the way to which cyclists that pass go: no wall is nearer."""
    sideways_speed: float = 0.8
    """Speed [m/s] at which they change to the other side of a way."""
    near_distance: float = 0.5
    """Distance [m] within which obstacles straight ahead count in addition to those on the way."""
    near_time: float = 0.6
    """Time [s] at the current speed that is added to it."""
    spin: float = 0.8
    """Largest angular speed [rad/s] of a bicycle that is lifted round on the spot."""
    steering_distance: float = 1.3
    """Distance [m] of the point ahead to which a cyclist steers."""
    steering_time: float = 0.35
    """Time [s] at the current speed that is added to it."""
    turn_rate: float = 1.7
    """Largest angular speed [rad/s] of a bicycle that rides."""
    turning_speed: float = 0.8
    """Speed [m/s] in the tightest turns."""
    arrival_distance: float = 0.6
    """Distance [m] from the end of a way at which the next begins: corners are cut a little."""
    choice_distance: float = 12.0
    """Distance [m] from the next node at which the following way is chosen."""
    stop_distance: float = 0.9
    """Distance [m] before the end of a way at which the middle of a waiting bicycle stands."""
    queue_distance: float = 4.0
    """Greatest distance [m] between the middles of two bicycles behind each other in a queue."""
    prediction_time: float = 0.9
    """Time [s] over which the motion of others is predicted."""
    stuck_after: float = 4.0
    """Time [s] without progress after which a cyclist squeezes past."""
    turns_back_after: float = 20.0
    """Time [s] without progress after which a cyclist turns back."""
    facing_gap: float = 2.5
    """Gap [m] to a vehicle ahead of a cyclist who waits at a street, up to which the vehicle may be
    waiting for the cyclist in turn."""
    max_wait: float = 150.0
    """Time [s] for which a cyclist waits at a street before turning back: longer than any red."""


CYCLIST = CyclistModel()
"""The parameters of all cyclists."""
