"""Compiles all that a controller calls, before its turns are timed.

`python -m autosim.control.rehearsal` does it ahead of the first race; set-up does that. It takes
some ten seconds once, and nothing where the code is kept.
"""

import numpy as np

from autosim.control.models import slipless_model
from autosim.control.mppi import MPPI
from autosim.control.obstacles import obstacle_grid
from autosim.estimation.slipless import SliplessModel
from autosim.estimation.state_estimator import StateEstimator


def rehearse() -> None:
    """Projects, draws a table and plans, once and for nothing."""
    estimator = StateEstimator(SliplessModel(), lambda: 1.0, size=16)
    for is_closed in (False, True):
        points = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)]
        estimator.on_spline(points, 0.9 + 0.05 * is_closed, is_closed=is_closed)
        estimator.on_twist([1.0], 0.9)
        estimate = estimator.sync()
        assert estimate is not None
        table = estimate.table
        table.look_up(0.0, 0.0)
        grid = obstacle_grid(np.zeros((1, 2)), 0.1, table)
        options = {"least": (-0.1, -1.0), "most": (0.1, 1.0), "deviation": (0.1, 0.1)}
        mppi = MPPI(slipless_model(), samples=1, steps=1, **options)  # type: ignore[arg-type]
        mppi.command(estimate.projection.motion, table, obstacles=grid)


if __name__ == "__main__":
    rehearse()
