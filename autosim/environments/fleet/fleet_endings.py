"""Rewards and endings of a fleet as numbers for its kernels, and endings among other road users."""

from typing import Any, NamedTuple

import numpy as np

from autosim.arrays import Integers
from autosim.environments import rewards, terminations
from autosim.environments.fleet.fleet_kernels import COLLIDED, OUT_OF_TIME, Cars, Weights
from autosim.environments.fleet.shared_town import PERSON, VEHICLE, FleetUsers, SharedTown
from autosim.environments.tasks import FollowLane
from autosim.environments.traffic_endings import HitPerson, HitVehicle, RanRed
from autosim.jit import compiled_nogil

HIT_PERSON, HIT_VEHICLE, RAN_RED = range(OUT_OF_TIME + 1, OUT_OF_TIME + 4)
"""Further endings of an episode, see `fleet_kernels`."""


class SharedWeights(NamedTuple):
    """Endings among other road users.

    Attributes:
        person: reward for hitting a person, in addition to that of a collision.
        vehicle: the same for a vehicle.
        red: reward for passing a stop line at red.
        ends_at_person: whether hitting a person is a separate ending.
        ends_at_vehicle: the same for a vehicle.
        ends_at_red: whether a red light ends an episode.
    """

    person: float
    vehicle: float
    red: float
    ends_at_person: bool
    ends_at_vehicle: bool
    ends_at_red: bool


@compiled_nogil
def mark_endings(cars: Cars, users: FleetUsers, weights: SharedWeights, chosen: Integers) -> None:
    """Names what the `chosen` cars have hit, and ends episodes at red lights."""
    for car in chosen:
        before = cars.rewards[car]
        if cars.ended[car] == COLLIDED:
            if weights.ends_at_person and users.partners[car] == PERSON:
                cars.ended[car] = HIT_PERSON
                cars.rewards[car] += weights.person
            elif weights.ends_at_vehicle and users.partners[car] == VEHICLE:
                cars.ended[car] = HIT_VEHICLE
                cars.rewards[car] += weights.vehicle
        elif weights.ends_at_red and users.ran_red[car] and not cars.ended[car]:
            cars.ended[car] = RAN_RED
            cars.rewards[car] += weights.red
        cars.returns[car, 0] += cars.rewards[car] - before


def weights_of(task: FollowLane, shared: SharedTown | None) -> tuple[Weights, SharedWeights]:
    """The rewards and endings of a task as numbers; one that is left out never takes effect.

    Raises:
        ValueError: there are others than those of `FollowLane`, and `HitPerson`, `HitVehicle` and
            `RanRed` in a town that is shared by people, by others, or that has signals.
    """
    left: dict[type, Any] = {type(each): each for each in (*task.rewards, *task.endings)}
    progress = left.pop(rewards.Progress, rewards.Progress(0.0))
    middle = left.pop(rewards.LaneOffset, rewards.LaneOffset(0.0))
    jerking = left.pop(rewards.ActionRate, rewards.ActionRate(0.0))
    speeding = left.pop(rewards.Speeding, rewards.Speeding(0.0))
    corners = left.pop(rewards.LateralAcceleration, rewards.LateralAcceleration(0.0))
    never = np.inf
    lane = left.pop(terminations.OffLane, terminations.OffLane(never))
    turned = left.pop(terminations.WrongWay, terminations.WrongWay(never))
    stood = left.pop(terminations.Stalled, terminations.Stalled(never))
    arrived = left.pop(terminations.Arrived, terminations.Arrived(-never))
    collided = left.pop(terminations.Collided, terminations.Collided())
    collision = collided.reward
    person = left.pop(HitPerson, None) if shared and shared.people else None
    vehicle = left.pop(HitVehicle, None) if shared else None
    red = left.pop(RanRed, None) if shared and shared.has_signals else None
    special = SharedWeights(
        person.reward - collision if person else 0.0,
        vehicle.reward - collision if vehicle else 0.0,
        red.reward if red else 0.0,
        person is not None,
        vehicle is not None,
        red is not None,
    )
    if left:
        names = ", ".join(kind.__name__ for kind in left)
        raise ValueError(f"a fleet does not support {names}")
    weights = Weights(
        progress.weight,
        middle.weight,
        jerking.weight,
        speeding.weight,
        corners.weight,
        corners.most,
        lane.half_widths,
        lane.reward,
        turned.angle,
        turned.reward,
        stood.seconds,
        stood.reward,
        arrived.distance,
        arrived.reward,
        collided.reward,
    )
    return weights, special
