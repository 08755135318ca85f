"""What `pytorch_mppi` does in the same place: its actions are the ones to have.

    python -m tests.control.oracle

writes them to `oracle.json`, where PyTorch is: `pip install torch pytorch_mppi==0.9.1`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from autosim.control.array_libraries import array_library
from autosim.control.array_rollouts import TrackArrays
from autosim.control.car_models import step_of
from autosim.control.costs import step_cost
from autosim.control.mppi import problem_of
from autosim.control.rollouts import Problem, Sampling
from tests.control.cases import (
    CASES,
    COMMANDS,
    COSTS,
    SAMPLES,
    SECONDS,
    STEPS,
    circle,
    moved,
    noise,
)

KEPT = Path(__file__).with_name("oracle.json")
TEMPERATURE = 5.0


def oracle_of(problem: Problem, samples: int) -> Any:
    """The other controller for the same problem; `command(start(problem))` gives its action."""
    import torch
    from pytorch_mppi import MPPI

    track, sampling = TrackArrays(array_library("torch"), problem), problem.sampling

    def move(full: Any, action: Any, t: int) -> Any:
        state = tuple(full.T[:9])
        stepped = step_of(problem.model, state, action[:, 0], action[:, 1], sampling.seconds)
        return torch.stack(stepped, dim=1)

    def price(full: Any, action: Any, t: int) -> Any:
        found = track.look_up(tuple(full.T[:9]))
        return step_cost(*found, full[:, 9], (t + 1) * sampling.seconds, problem.costs)

    return MPPI(
        move,
        price,
        10,
        torch.diag(torch.tensor(np.square(sampling.deviation))),
        num_samples=samples,
        horizon=len(problem.plan),
        lambda_=sampling.temperature,
        u_min=torch.tensor(sampling.least, dtype=torch.float64),
        u_max=torch.tensor(sampling.most, dtype=torch.float64),
        U_init=torch.tensor(problem.plan),
        step_dependent_dynamics=True,
    )


def start(problem: Problem) -> Any:
    """The state in the other controller's form, whose last item is the lateral acceleration."""
    import torch

    return torch.tensor([*problem.state, 0.0], dtype=torch.float64)


def oracle_actions(name: str) -> list[list[float]]:
    """The actions of some commands in a row, each for the state to which the last one led."""
    import torch

    model, state, limits = CASES[name]
    sampling = Sampling(
        **limits, change=(np.inf, np.inf), temperature=TEMPERATURE, effort=1.0, seconds=SECONDS
    )
    plan = np.zeros((STEPS, 2))
    found = []
    for command in range(COMMANDS):
        problem = problem_of(model, state, np.zeros(2), plan, sampling, COSTS, circle())
        mppi = oracle_of(problem, SAMPLES)
        drawn = torch.tensor(noise(command, limits["deviation"]))
        mppi._sample_noise = lambda shape, drawn=drawn: drawn
        action = mppi.command(start(problem), shift_nominal_trajectory=False).numpy()
        found.append(action.tolist())
        done = mppi.U.numpy()
        plan = np.vstack([done[1:], done[-1:]])
        state = moved(model, state, action)
    return found


if __name__ == "__main__":
    kept = {name: oracle_actions(name) for name in CASES}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
