"""Tasks of fleets by their names, and `autosim/Fleet-v0`, which Gymnasium makes of them."""

from collections.abc import Callable
from dataclasses import dataclass

from autosim.environments.fleet.fleet_environment import FleetVectorEnv
from autosim.environments.fleet.shared_town import SharedTown
from autosim.environments.rewards import (
    ActionRate,
    LaneOffset,
    LateralAcceleration,
    Progress,
    Speeding,
)
from autosim.environments.tasks import FollowLane
from autosim.environments.terminations import (
    Arrived,
    Collided,
    OffLane,
    Stalled,
    Termination,
    WrongWay,
)
from autosim.environments.traffic_endings import HitPerson, RanRed

# Gentler than the rewards of environments: cars with forces brake later and turn wider.
_REWARDS = (
    Progress(),
    LaneOffset(2.0),
    ActionRate(0.02),
    Speeding(),
    LateralAcceleration(0.6, most=2.0),
)


@dataclass(frozen=True, slots=True)
class FleetTask:
    """Task of the cars of a fleet: a route of `length` [m] in a town that is `shared`."""

    length: float
    shared: SharedTown
    seconds: float = 180.0
    """Longest episode [s]: as in `Traffic-v0`, with time to wait at junctions."""
    routes: int = 256
    """Routes of each town."""
    collision_cost: float = 25.0
    """Cost of a collision; a metre of progress is worth 0.1."""

    def lane_task(self, seed: int = 0, shared: SharedTown | None = None) -> FollowLane:
        """Routes, rewards and endings; `seed` chooses the routes, `shared` replaces the task's."""
        town = shared or self.shared
        collided = Collided(-self.collision_cost)
        patience = 60.0 if town.has_signals else 30.0
        endings: list[Termination] = [OffLane(), collided, WrongWay(), Stalled(patience), Arrived()]
        if town.people:
            endings.append(HitPerson(-2.0 * self.collision_cost))
        if town.has_signals:
            endings.append(RanRed(-self.collision_cost))
        return FollowLane(self.routes, self.length, seed=seed, rewards=_REWARDS, endings=endings)

    def fleet(self, cars: int, *, seed: int = 0, **options: object) -> FleetVectorEnv:
        """A fleet with this task.

        Args:
            cars: how many.
            seed: chooses the routes.
            options: those of `FleetVectorEnv`, in place of those of the task.
        """
        town = options.get("shared")
        given: dict[str, object] = {
            "task": self.lane_task(seed, town if isinstance(town, SharedTown) else None),
            "seconds": self.seconds,
            "rays": 0,
            "shared": self.shared,
            "is_mirrored": True,
        }
        make: Callable[..., FleetVectorEnv] = FleetVectorEnv
        return make(cars=cars, **(given | options))


TASKS = {
    "LaneKeeping": FleetTask(600.0, SharedTown(cars=1, traffic=0, observed=6)),
    "Traffic": FleetTask(400.0, SharedTown(cars=12, traffic=12, observed=6)),
    "Junction": FleetTask(150.0, SharedTown(cars=20, traffic=12, observed=6)),
}
"""Tasks by their names."""


def fleet(num_envs: int = 1024, task: str = "Traffic", **options: object) -> FleetVectorEnv:
    """A fleet of `num_envs` cars with a task, which also learn by `autosim train`.

    Args:
        num_envs: how many cars.
        task: a name of `TASKS`.
        options: those of `FleetVectorEnv`, in place of those of the task.

    Raises:
        ValueError: there is no such task; or as `FleetVectorEnv` raises.
    """
    if task not in TASKS:
        raise ValueError(f"'{task}' is not a task of fleets (tasks: {', '.join(TASKS)})")
    make: Callable[..., FleetVectorEnv] = TASKS[task].fleet
    return make(num_envs, **options)
