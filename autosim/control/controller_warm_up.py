"""Compiles every kernel that a controller calls, before its turns are timed.

`make setup` runs `python -m autosim.control.controller_warm_up`. Other installations compile in the
first race, while the program is imported: some twenty seconds once, and nothing when the code is
cached.
"""

import numpy as np

from autosim.control.car_models import slipless_model
from autosim.control.mppi import MPPI
from autosim.control.obstacle_grid import obstacle_grid
from autosim.estimation.slipless import SliplessModel
from autosim.estimation.state_estimator import StateEstimator


def warm_up_controller() -> None:
    """Projects a pose, rasterises a table and plans, once, and discards the results."""
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
        mppi = MPPI(
            slipless_model(),
            least=(-0.1, -1.0),
            most=(0.1, 1.0),
            deviation=(0.1, 0.1),
            correlation=0.5,
            samples=1,
            steps=1,
        )
        mppi.command(estimate.projection.motion, table, obstacles=grid)


if __name__ == "__main__":
    warm_up_controller()
