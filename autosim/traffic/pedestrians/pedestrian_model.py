"""Parameters of the model of pedestrians."""

from typing import NamedTuple


class PedestrianModel(NamedTuple):
    """Parameters of walking, crossing, and collisions with vehicles.

    The model is that of A. Tordeux, M. Chraibi and A. Seyfried, Collision-free speed model for
    pedestrian dynamics (2016). Values without a source are chosen, so that people of the tests
    pass each other, posts and vehicles without touching.
    """

    pace: float = 1.34
    """Mean speed [m/s] of people who walk freely (Weidmann, Transporttechnik der Fussgänger,
    1993)."""
    pace_spread: float = 0.2
    """Deviation [m/s] of it; Weidmann has 0.26, and the slowest and the fastest are left out."""
    radius: float = 0.20
    """Mean radius [m] of people: circles that two need abreast, as in the model's calibration."""
    radius_spread: float = 0.02
    """Largest difference [m] of a radius from the mean."""
    careless: float = 0.25
    """Share of people who cross away from crossings rather than walk a detour: chosen."""
    repulsion: float = 4.0
    """Strength of the repulsion by neighbours, a factor to the desired direction (Tordeux et al.,
    2016)."""
    repulsion_reach: float = 0.12
    """Distance [m] over which it falls to a third (Tordeux et al., 2016)."""
    time_gap: float = 0.7
    """Time gap [s] to the next person: speeds by density are then about Weidmann's (1993), see the
    tests."""
    overtaking: float = 1.0
    """Strength of evading slower people, a factor to the desired direction: chosen."""
    post_clearance: float = 0.25
    """Distance [m] kept from posts in passing: chosen."""
    post_evasion: float = 1.8
    """Strength of evading a post straight ahead, a factor to the desired direction: chosen."""
    middle_width: float = 0.1
    """Distance [m] of a post from the middle of a way up to which either side has as much room."""
    squeezes_after: float = 3.0
    """Time [s] without progress after which people squeeze through: else opposing streams would
    block."""
    squeezing_time: float = 6.0
    """Time [s] until they are as slim as they get."""
    squeezed_share: float = 0.3
    """Share of their radius that is left then."""
    look_ahead: float = 1.6
    """Distance [m] along the way of the point to which people walk."""
    arrival_distance: float = 0.55
    """Distance [m] from the end of a way at which the next begins: corners are cut a little."""
    side_share: float = 0.4
    """Share of half a way's width by which people keep to one side."""
    over_edge: float = 0.25
    """Distance [m] beyond the edge of a way to which people go: no wall is nearer."""
    held_share: float = 0.2
    """Share of the pace below which a person counts as stuck: in a crowd people are faster."""
    detour_width: float = 2.0
    """Distance [m] by which a stuck person leaves a way across a street, round an obstacle."""
    stuck_after: float = 2.0
    """Time [s] without progress after which people try to get past."""
    turns_back_after: float = 25.0
    """Time [s] without progress after which people turn back."""
    falling_time: float = 0.45
    """Time [s] that falling takes, from upright to lying."""
    rising_time: float = 1.6
    """Time [s] that getting up takes, from lying to upright."""
    sliding_deceleration: float = 4.5
    """Deceleration [m/s²] of a person who slides: clothes on asphalt."""
    turn_rate: float = 5.0
    """Largest angular speed [rad/s] with which people turn."""
    vehicle_clearance: float = 0.3
    """Distance [m] kept from vehicles beyond the own radius."""
    ahead_cosine: float = 0.35
    """Cosine (without unit) of the angle to a vehicle up to which it is ahead of a person."""
    gap_margin: float = 1.5
    """Time [s] left before a vehicle comes, beyond the time needed to cross."""
    gap_side: float = 1.1
    """Lateral distance [m] to vehicles that people avoid when they cross."""
    expected_braking: float = 2.0
    """Deceleration [m/s²] that people expect of vehicles before marked crossings."""
    expected_reaction: float = 1.0
    """Time [s] after which people expect a driver to brake."""
    falls_from: float = 0.7
    """Speed [m/s] of a vehicle towards a person at which the person falls."""
    hit_from: float = 0.35
    """Speed [m/s] above which a vehicle hits a person: faster than creeping ones."""
    touch_distance: float = 0.02
    """Distance [m] from vehicles up to which people walk: they touch none."""
    steps_aside_at: float = 0.3
    """Distance [m] of a creeping vehicle at which people step aside."""
    aside_speed: float = 0.6
    """Speed [m/s] with which people step aside from a creeping vehicle."""


PEDESTRIAN = PedestrianModel()
"""The parameters of all pedestrians."""
