"""The situation that rewards and endings judge after each step of an environment."""

from dataclasses import dataclass, field

import numpy as np

from autosim.arrays import Floats
from autosim.environments.traffic_watch import TrafficWatch


@dataclass(slots=True)
class Situation:
    """Motion of a car and its position on the path, after a step and before it.

    `seconds` [s] of a step, `time` [s] since the episode began; `speed` [m/s] forward; `lateral`
    acceleration [m/s²]; `station` [m] along the path of `length` [m], `offset` [m] to its left,
    `half_width` [m] of its lane, `limit` [m/s], `heading` [rad] against it; `goal` (3,): x and y
    [m] and yaw [rad] of the place to reach in the car's frame, where there is one. `action` (2,) in
    [-1, 1]. `progress` [m] made in the step; `collisions` of the robot so far in the episode;
    `standing` [s] since it last moved.
    """

    seconds: float
    time: float = 0.0
    speed: float = 0.0
    station: float = 0.0
    length: float = np.inf
    offset: float = 0.0
    half_width: float = np.inf
    limit: float = np.inf
    heading: float = 0.0
    lateral: float = 0.0
    progress: float = 0.0
    collisions: int = 0
    standing: float = 0.0
    goal: Floats = field(default_factory=lambda: np.zeros(3))
    action: Floats = field(default_factory=lambda: np.zeros(2))
    last_action: Floats = field(default_factory=lambda: np.zeros(2))
    """Action (2,) of the previous step."""
    traffic: TrafficWatch | None = None
    """Road users and streets around the car; None where they are not watched."""
    route: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Points (n, 3) [m] in W of the path that the car is to follow."""
