"""The driving score of CARLA Leaderboard 2: route completion times infraction penalties.

Source: leaderboard.carla.org, "Evaluation and metrics" (Leaderboard 2.0), and
`leaderboard/utils/statistics_manager.py` of the branch leaderboard-2.0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.benchmark.infractions import Infraction

PENALTIES = {
    "collision_pedestrian": 0.5,
    "collision_vehicle": 0.6,
    "collision_layout": 0.65,
    "red_light": 0.7,
    "stop_sign": 0.8,
}
"""Factor of each infraction of a kind (`PENALTY_VALUE_DICT`)."""

MIN_SPEED_PENALTY = 0.7
"""Factor for a car that stands, in one part of its route (`PENALTY_PERC_DICT`)."""


@dataclass(frozen=True, slots=True)
class DrivingScore:
    """The `score` [0, 100]: the product of `route_completion` [%] and `penalty` [0, 1]."""

    score: float
    route_completion: float
    penalty: float


def driving_score(completion: float, infractions: Sequence[Infraction]) -> DrivingScore:
    """The driving score of an episode.

    Args:
        completion: share of the route, 0 to 1, that was driven.
        infractions: of the episode.
    """
    penalty = 1.0
    for each in infractions:
        penalty *= factor_of(each)
    return DrivingScore(100.0 * completion * penalty, 100.0 * completion, penalty)


def factor_of(infraction: Infraction) -> float:
    """Penalty factor of an infraction; 1 for those that only end the route."""
    if infraction.kind == "outside_route_lanes":
        return 1.0 - infraction.value / 100.0
    if infraction.kind == "min_speed":
        return 1.0 - (1.0 - MIN_SPEED_PENALTY) * (1.0 - infraction.value / 100.0)
    return PENALTIES.get(infraction.kind, 1.0)
