"""Runs that are episodes of a benchmark: simulated in the process of the run, and scored."""

import time

import numpy as np

from autosim import portable
from autosim.applications.sweeps.folder import RunFolder
from autosim.applications.sweeps.order import RunOrder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.applications.sweeps.served_episodes import run_served_episode
from autosim.benchmark.episode import Episode, run_episode
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.version import __version__
from autosim.world.pipeline.cache import compile_world

TRACE = "trace.npz"
"""Name of the file of an episode's trace in the folder of its run."""


def perform_episode(folder: RunFolder, order: RunOrder, world: WorldDescription) -> Outcome:
    """Runs and scores an episode, and keeps its trace.

    Raises:
        UserError: the episode does not fit the world, or the agent cannot be started.
    """
    try:
        episode = Episode.from_json(order.episode)
    except ValueError as error:
        raise UserError(f"{folder.path}: {error}") from error
    begin = time.perf_counter()
    if episode.command:
        result = run_served_episode(folder, order, world, episode)
    else:
        result = run_episode(world, episode, compile_world(world.terrain), seed=order.seed)
    wall_seconds = time.perf_counter() - begin
    result.trace.save(folder.path / TRACE)
    steps = np.diff(result.trace.car[:, :2], axis=0)
    return Outcome(
        id=order.id,
        status="done",
        parameters=order.parameters,
        seed=order.seed,
        passed=False if result.failure else None,
        failure=result.failure,
        measures={
            "driving_score": result.driving.score,
            "route_completion": result.driving.route_completion,
            "closed_loop_score": result.closed_loop.score,
        },
        steps=round(result.trace.seconds / world.physics.step_seconds),
        seconds=result.trace.seconds,
        wall_seconds=wall_seconds,
        distance_m=float(portable.hypot(steps[:, 0], steps[:, 1]).sum()),
        collisions=int(result.trace.car[-1, 5]),
        state_digest=result.digest,
        limit=order.limit,
        version=__version__,
        episode=result.summary(episode),
    )
