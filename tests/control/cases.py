"""Problems for a controller that anybody can pose: a circle as a track, and noise from a seed."""

from typing import Any

import numpy as np

from autosim.control.car_models import (
    CarModel,
    kinematic_model,
    single_track_model,
    slipless_model,
    step_of,
)
from autosim.control.costs import Costs
from autosim.tracks.curve import Curve
from autosim.tracks.curvilinear_table import CurvilinearTable
from autosim.tracks.rasteriser import Square

RADIUS = 15.0
SECONDS = 0.05
SAMPLES, STEPS, COMMANDS = 200, 16, 4

COSTS = Costs(speed=7.0, half_width=1.1, lateral_acceleration=6.0, offset=0.5)

# The model, the state to begin with, and what the actions may be.
CASES: dict[str, tuple[CarModel, tuple[float, ...], dict[str, Any]]] = {
    "slipless": (
        slipless_model(),
        (0.0, 0.2, 0.05, 5.0),
        {"least": (-0.33, -8.0), "most": (0.33, 8.0), "deviation": (0.1, 3.0)},
    ),
    "kinematic": (
        kinematic_model(),
        (0.0, 0.2, 0.05, 6.0, 0.1),
        {"least": (-0.4, -4.0), "most": (0.4, 3.0), "deviation": (0.4, 1.5)},
    ),
    "single_track": (
        single_track_model(),
        (0.0, 0.2, 0.05, 6.0, 0.1, 0.3, 0.0),
        {"least": (-0.4, -4.0), "most": (0.4, 3.0), "deviation": (0.4, 1.5)},
    ),
}


def circle(size: int = 128, half: float = 20.0) -> CurvilinearTable:
    """The table of a circle through (0, 0) along x, counter-clockwise, in closed form."""
    middles = (np.arange(size) + 0.5) / size * 2.0 * half - half
    x, y = np.meshgrid(middles, middles)
    angle = np.arctan2(x, -y) % (2.0 * np.pi)
    offset = RADIUS - np.hypot(x, y)
    values = np.stack(
        [
            angle * RADIUS,
            offset,
            np.cos(angle),
            np.sin(angle),
            np.where(np.abs(offset) < 2.5, 1.0, -1.0),
        ],
        axis=-1,
    )
    turn = np.linspace(0.0, 2.0 * np.pi, 90, endpoint=False)
    points = RADIUS * np.column_stack([np.sin(turn), 1.0 - np.cos(turn)])
    square = Square(-half, RADIUS - half, size / (2.0 * half), 2.0 * np.pi * RADIUS)
    curve = Curve.through(points, is_closed=True)
    return CurvilinearTable(curve, values.astype(np.float32), square)


def noise(command: int, deviation: tuple[float, float]) -> np.ndarray:
    """(samples, steps, 2) of a generator whose numbers NumPy has promised never to change."""
    generator = np.random.RandomState(100 + command)
    return generator.standard_normal((SAMPLES, STEPS, 2)) * deviation


def moved(
    model: CarModel, state: tuple[float, ...], action: np.ndarray, seconds: float = SECONDS
) -> tuple[float, ...]:
    """The state after an action."""
    full = np.zeros(9)
    full[:3], full[5 : 2 + len(state)] = state[:3], state[3:]
    full[3:5] = np.cos(state[2]), np.sin(state[2])
    after = step_of(model, tuple(full), action[0], action[1], seconds)
    return (*after[:3], *after[5 : 2 + len(state)])
