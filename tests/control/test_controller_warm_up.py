"""The rehearsal compiles whatever a controller calls later: no turn waits for a compiler."""

import importlib
import pkgutil

import numpy as np
import pytest

import autosim.control
import autosim.estimation
import autosim.tracks
from autosim.control.car_models import kinematic_model, single_track_model, slipless_model
from autosim.control.controller_warm_up import warm_up_controller
from autosim.control.mppi import MPPI
from autosim.control.obstacle_grid import obstacle_grid
from autosim.estimation.slipless import SliplessModel
from autosim.estimation.state_estimator import StateEstimator
from autosim.jit import Kernel


def compiled_signatures():
    """The compiled kernels of control, estimation and tracks, with their signatures."""
    found = set()
    for package in (autosim.control, autosim.estimation, autosim.tracks):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Kernel) and "dispatcher" in vars(value):
                    found |= {
                        (value.__module__, name, str(each)) for each in value.dispatcher.signatures
                    }
    return found


@pytest.mark.parametrize(
    ("model", "state"),
    [
        (slipless_model(), (0.5, 0.0, 0.0, 3)),
        (kinematic_model(), (0.5, 0.0, 0.0, 3.0, 0.0)),
        (single_track_model(), (0.5, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0)),
    ],
)
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_commands_compile_nothing_after_the_rehearsal(model, state, correlation):
    warm_up_controller()
    before = compiled_signatures()
    assert before

    now = 1.0
    estimator = StateEstimator(SliplessModel(), lambda: now, size=32)
    line = [(0.0, 0.0), (4.0, 0.5), (9.0, 0.0), (15.0, 1.0)]
    estimator.on_spline(np.array(line), 0.9)
    estimator.on_twist([2.0], 0.9)
    table = estimator.sync().table
    controller = MPPI(
        model,
        least=(-0.3, -4.0),
        most=(0.3, 2.0),
        deviation=(0.1, 1),
        rates=(2.0, 20),
        correlation=correlation,
        samples=600,
        steps=4,
    )
    grid = obstacle_grid(np.array([[6.0, 1.0]]), 0.5, table)
    for _ in range(2):
        controller.command(state, table, obstacles=grid)
    controller.command(state, table)
    controller.best(5)
    controller.path()

    assert compiled_signatures() == before
