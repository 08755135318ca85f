"""Episodes of agents that are processes: they drive a server by gRPC, or by Gymnasium.

The process of the run serves the episode's world, paused, and starts the agent. The agent commands
and steps the simulation. Its states are recorded, and the trace is made from the record.
"""

import os
import subprocess
import time
from pathlib import Path

from autosim.applications.sweeps.folder import RunFolder
from autosim.applications.sweeps.order import RunOrder
from autosim.benchmark.episode import (
    Episode,
    EpisodeResult,
    RunningEpisode,
    route_argument,
    world_of,
)
from autosim.benchmark.routes import Route
from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.client.link.time_control import TimeControl
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import search_roots
from autosim.errors import UserError
from autosim.loading.loader import load_world
from autosim.loading.world_writer import write_world
from autosim.model.state import State
from autosim.records.record_file import Record
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.world.pipeline.cache import compile_world

WORLD = "worlds/episode.xml"
"""Name of the file of an episode's world in the folder `files` of its run."""

_POLL_SECONDS = 0.2
"""Interval [s] of wall-clock time between checks whether the agent has ended."""

_END_SECONDS = 10.0
"""Time [s] of wall-clock time that an agent has to end after its episode."""


def run_served_episode(
    folder: RunFolder, order: RunOrder, described: WorldDescription, episode: Episode
) -> EpisodeResult:
    """Runs an episode whose agent is a process.

    Args:
        folder: of the run.
        order: the run's seed.
        described: the world of the suite.
        episode: route, conditions and the agent's command.

    Raises:
        UserError: the episode does not fit the world, or the agent cannot be started.
    """
    compiled = compile_world(described.terrain)
    route = episode.route_in(compiled.roads)
    world = _written(folder, world_of(described, episode, route))
    folder.record.unlink(missing_ok=True)
    options = ServerOptions("127.0.0.1:0", seed=order.seed, record=folder.record)
    with ServerProcess(world, options) as server, simulation_control(server.address) as control:
        control.pause()  # answered once the world is loaded
        failure = _drive(server.address, control, episode, route, world)
        kept = TimeControl(control).stop_record().record
    if kept is not None and kept.failure:
        raise UserError(f"{folder.record}: {kept.failure}")
    run = _observe(folder.record, world, episode, route)
    run.fail(failure or "the agent ended before its route did")
    result = run.result(compiled)
    if order.record == "none":
        folder.record.unlink()
    return result


def _written(folder: RunFolder, world: WorldDescription) -> WorldDescription:
    """The world, read from a file in the folder of the run: clients get it from there."""
    file = folder.files / WORLD
    file.write_text(write_world(world, search_roots()))
    return load_world(file)


def _drive(
    address: str,
    control: SimulationControl,
    episode: Episode,
    route: Route,
    world: WorldDescription,
) -> str:
    """Starts the agent and waits until it ends or its time is up; returns how it failed, or ""."""
    own = {
        "AUTOSIM_ADDRESS": address,
        "AUTOSIM_ROBOT": world.robots[0].name,
        "AUTOSIM_ROUTE": route_argument(route),
        "AUTOSIM_TIMEOUT": f"{episode.timeout:g}",
    }
    try:
        process = subprocess.Popen(episode.command, env={**os.environ, **own})
    except OSError as error:
        raise UserError(f"{episode.command[0]}: {error.strerror or error}") from error
    try:
        while process.poll() is None and control.status().time < episode.timeout:
            time.sleep(_POLL_SECONDS)
        code = process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    finally:
        process.kill()
        process.wait()
    return f"the agent ended with exit code {code}" if code else ""


def _observe(
    record_file: Path, world: WorldDescription, episode: Episode, route: Route
) -> RunningEpisode:
    """The episode up to its end, from the states of a record."""
    with Record(record_file) as record:
        state = State(record.tree, bytearray(record.state(0)))
        run = RunningEpisode(episode, route, state, world)
        for step in range(run.every, record.last_step + 1, run.every):
            if run.ended_by:
                break
            state.buffer[:] = record.state(step)
            run.sample()
    return run
